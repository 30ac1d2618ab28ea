import os

from client import RecruitmentClient, RecruitmentError

client = RecruitmentClient(
    base_url=os.environ.get("BASE_URL", "http://127.0.0.1:3000"),
    token_endpoint=os.environ.get("TOKEN_ENDPOINT", "http://127.0.0.1:3001/token"),
    client_id=os.environ.get("CLIENT_ID", "client"),
    client_secret=os.environ.get("CLIENT_SECRET", "secret"),
    # With Cognito: "recruitment/applications:read recruitment/jobs:write"
    scope=os.environ.get("SCOPE", "applications:read jobs:write"),
)

for candidate in ["c-1001", "unknown"]:
    try:
        print(client.get_application("4007", candidate)["name"])
    except RecruitmentError as error:
        print(error)

# No job has version 0, so this changes nothing and returns the current version.
version = client.set_job_status("4007", "paused", '"0"').version
change = client.set_job_status("4007", "paused", version, timeout=10)
print(change.outcome, str(change.lost).lower(), change.version)
