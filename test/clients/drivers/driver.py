"""Makes the calls that scripted.mjs tells on standard input, and prints what came of each.

Usage: python driver.py, beside client.py
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from client import RecruitmentClient, RecruitmentError

given = json.load(sys.stdin)
client = RecruitmentClient(
    given["baseUrl"], given["tokenEndpoint"], "client", "secret", "jobs:write", given["attemptSeconds"]
)


def made(call):
    if call["operation"] == "set":
        change = client.set_job_status(call["job"], "paused", '"7"', call["seconds"])
        printed = f"{change.outcome} {str(change.lost).lower()} {change.version}"
        return {"printed": printed, "reason": change.reason}
    try:
        return {"printed": client.get_application(call["job"], "c-1", call["seconds"])["name"]}
    except RecruitmentError as error:
        (response,) = error.args
        return {"printed": f"error {response.status}", "reason": response.summary}


def timed(call):
    time.sleep(call["after"])
    started = time.monotonic()
    return made(call) | {"seconds": time.monotonic() - started}


with ThreadPoolExecutor(given["atOnce"]) as callers:
    json.dump(list(callers.map(timed, given["calls"])), sys.stdout)
