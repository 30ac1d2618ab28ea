"""Uses a Python client to make the calls that scripted.mjs asks for, and prints their outcomes.

Usage: python driver.py [asyncio]
"""

import asyncio
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "docs/clients/python"))
import client as recruitment

IS_ASYNC = sys.argv[1:] == ["asyncio"]


async def awaited(method, *arguments):
    return await (method(*arguments) if IS_ASYNC else asyncio.to_thread(method, *arguments))


async def result_of(client, call):
    try:
        if call["operation"] == "set":
            change = await awaited(
                client.set_job_status, call["job"], "paused", call["version"], call["seconds"]
            )
            moves = ",".join(change.problem.get("allowed_transitions", []))
            printed = f"{change.outcome} {str(change.lost).lower()} {change.version}{moves}"
            return {"printed": printed, "reason": change.reason}
        if call["operation"] == "state":
            state = await awaited(client.get_job_state, call["job"], call["seconds"])
            return {"printed": f"{state.status} {state.version}"}
        application = await awaited(client.get_application, call["job"], "c-1", call["seconds"])
        return {"printed": application["name"]}
    except recruitment.RecruitmentError as error:
        (response,) = error.args
        return {"printed": f"error {response.status}", "reason": response.summary}
    except Exception as error:
        return {"printed": f"threw {error!r}"}


async def run(given):
    kind = recruitment.AsyncRecruitmentClient if IS_ASYNC else recruitment.RecruitmentClient
    credentials = ("client", "secret", "jobs:write")
    limit, parameters = given["attemptSeconds"], given.get("tokenParameters")
    client = kind(given["baseUrl"], given["tokenEndpoint"], *credentials, limit, parameters)
    places = asyncio.Semaphore(given["atOnce"])

    async def timed(call):
        async with places:
            started = time.monotonic()
            result = await result_of(client, call)
            return result | {"seconds": time.monotonic() - started}

    results = await asyncio.gather(*map(timed, given["calls"]))
    print(json.dumps({"id": given["id"], "results": results}), flush=True)
    await awaited(client.close)


async def main():
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(500))
    async with asyncio.TaskGroup() as clients:
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            clients.create_task(run(json.loads(line)))


asyncio.run(main())
