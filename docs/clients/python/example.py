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

# Only if the job is not archived, nor changed by somebody else since.
status, version = client.get_job_state("4007")
if status != "archived":
    change = client.set_job_status("4007", "paused", version, timeout=10)
    print(change.outcome, str(change.lost).lower(), change.version)
