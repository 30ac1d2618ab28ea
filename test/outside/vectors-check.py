"""
Checks writer.py against docs/record-vectors.json. With the data folder of a running local service, it
also stores, removes and erases records in that service's table:

    python3 -m venv /tmp/writer && /tmp/writer/bin/pip install boto3==1.44.5 jsonschema==4.26.0
    /tmp/writer/bin/python test/outside/vectors-check.py [.local]
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import boto3
from botocore.config import Config

import writer

ROOT = Path(__file__).resolve().parents[2]


def whole(value):
    """Writes out the abbreviations of the vectors."""
    if isinstance(value, dict):
        if list(value) == ["repeat"]:
            return value["repeat"][0] * value["repeat"][1]
        return {name: whole(one) for name, one in value.items()}
    return [whole(one) for one in value] if isinstance(value, list) else value


def keys_of(vector):
    one = vector["id"]
    pk, candidate = writer.key("TENANT", one, "JOB", one), writer.key("TENANT", one, "CANDIDATE", one)
    return {
        "id": one,
        "job": {"pk": pk, "sk": "JOB"},
        "application": {"pk": pk, "sk": writer.key("APPLICATION", one)},
        "candidate_pk": candidate,
        "erasure": {"pk": candidate, "sk": "ERASURE"},
    }


def outcome_of(vector):
    call, record, now = vector["call"], whole(vector["record"]), vector["now"]
    try:
        return writer.item(call, record, vector.get("revision"), now, **vector["settings"])
    except writer.InvalidRecord as error:
        return error.args[0]


def vector_cases():
    vectors = json.loads((ROOT / "docs/record-vectors.json").read_text("utf-8"))
    for vector in vectors["keys"]:
        yield vector["id"], vector, keys_of(vector)
    for vector in vectors["stored"]:
        yield vector["record"], vector["item"], outcome_of(vector)
    for vector in vectors["refused"]:
        yield vector["record"], [fault["member"] for fault in vector["faults"]], outcome_of(vector)


def table_cases(folder):
    """Order, removal, retention and erasure in the table of a local service."""
    service = json.loads((folder / "service.json").read_text("utf-8"))
    client = boto3.client(
        "dynamodb",
        endpoint_url=service["databaseEndpoint"],
        region_name=service["region"],
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(connect_timeout=0.5, read_timeout=1, retries={"total_max_attempts": 1}),
    )
    kept, expiring = (
        writer.Writer(client, service["tableName"], tenantClaim="none", expireAfterDays=days) for days in (None, 100)
    )
    now = time.time_ns() // 10**6
    ids = {"job_id": f"job {now}", "user_id": f"c#{now}"}
    record = {**ids, "name": "Bia Example", "email": "bia@example.com", "stage_id": "st-1", "stage_title": "Screening"}
    record["created_at"] = "2026-11-23T09:30:00Z"
    put, remove = kept.put_application, kept.remove_application

    def stored(member):
        keys = {name: writer.item("removeApplication", ids, now, now, "none")[name] for name in ("pk", "sk")}
        found = client.get_item(TableName=service["tableName"], Key=writer.attributes(keys), ConsistentRead=True)
        return found.get("Item", {}).get(member)

    job = {"id": ids["job_id"], "status": "draft"}
    yield "a new job", "created", kept.create_job(job)
    yield "the job again", "exists", kept.create_job(job)
    yield "a first write", "stored", put({**record, "phone": "+55 11 5550 0101"}, now - 99)
    yield "an older write", "older", put(record, now - 100)
    yield "the same revision again", "stored", put({**record, "score": 8.5}, now - 99)
    yield "what a record lacks", None, stored("phone")
    yield "its own score", {"N": "8.5"}, stored("score")
    yield "an older removal", "older", remove(ids, now - 100)
    yield "a removal", "removed", remove(ids, now - 98)
    yield "a write of a removal's revision", "older", put(record, now - 98)
    yield "a write after a removal", "stored", put(record, now - 97)
    yield "the expiry of a tombstone", None, stored("expires_at")
    yield "its mark", None, stored("removed")
    yield "a write that expires", "stored", expiring.put_application(record, now - 96)
    yield "the expiry of a setting", {"N": "1804066200"}, stored("expires_at")
    yield "a record with an expiry", "stored", put({**record, "expires_at": 4102444800}, now - 95)
    yield "a later record without one", "stored", expiring.put_application(record, now - 94)
    yield "an expiry that is kept", {"N": "4102444800"}, stored("expires_at")
    erase = ["npm", "run", "-s", "candidate", "--", "erase", "--tenant", "default", "--id", ids["user_id"], "--yes"]
    subprocess.run([*erase, "--data", str(folder)], cwd=ROOT, check=True, stdout=sys.stderr)
    yield "an erased application", None, stored("pk")
    yield "a write from before the erasure", "older", put(record, now)
    yield "the same to another job", "older", put({**record, "job_id": "other"}, now)
    try:
        ahead = put(record, time.time_ns() // 10**6 + 60_000)
    except writer.InvalidRecord as error:
        ahead = error.args[0]
    yield "a write ahead of the present time after the erasure", ["/revision"], ahead
    yield "a write from after the erasure", "stored", put(record, time.time_ns() // 10**6)


def main() -> int:
    folders = [Path(name).resolve() for name in sys.argv[1:]]
    count, different = 0, 0
    for cases in (vector_cases(), *map(table_cases, folders)):
        for about, expected, found in cases:
            count += 1
            if json.dumps(expected, sort_keys=True) != json.dumps(found, sort_keys=True):
                different += 1
                print(f"{json.dumps(about)[:200]}:\n  {json.dumps(expected)[:400]}\n  {json.dumps(found)[:400]}")
    print(f"{count} cases, {different} different")
    return 1 if different or count == 0 else 0


sys.exit(main())
