import asyncio
import logging
import os
from contextvars import ContextVar

import httpx
from authlib.integrations.httpx_client import AsyncOAuth2Client
from httpx_retries import Retry, RetryTransport

from recruitment import AuthenticatedClient
from recruitment.api.recruitment import get_application, update_job_status
from recruitment.models import Application, JobStatus, JobStatusUpdate

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:3000")
TOKEN_ENDPOINT = os.environ.get("TOKEN_ENDPOINT", "http://127.0.0.1:3001/token")

# One token for all requests, renewed a minute before it expires. At the start it has expired.
issuer = AsyncOAuth2Client(
    os.environ.get("CLIENT_ID", "client"),
    os.environ.get("CLIENT_SECRET", "secret"),
    scope="applications:read jobs:write",  # with Cognito: recruitment/applications:read …
    grant_type="client_credentials",
    token_endpoint=TOKEN_ENDPOINT,
    token={"access_token": "", "expires_at": 0},
    leeway=60,
    timeout=10,
)


class Attempts:
    lost = False  # True if one may have made the change, and no response says so


attempts = ContextVar("attempts", default=Attempts())


class Attempt(httpx.AsyncHTTPTransport):
    """One attempt, or two if the API rejects the token of the first."""

    async def handle_async_request(self, request, rejected=None):
        if issuer.token["access_token"] == rejected:
            issuer.token["expires_at"] = 0
        await issuer.ensure_active_token(issuer.token)
        bearer = issuer.token["access_token"]
        request.headers["Authorization"] = f"Bearer {bearer}"
        state = attempts.get()
        lost, state.lost = state.lost, True  # until the response is here
        response = await super().handle_async_request(request)
        await response.aread()
        body = response.json()
        code, outcome_unknown = body.get("code"), body.get("outcome_unknown", False)
        if response.status_code == 500 and code is None:
            raise httpx.RemoteProtocolError("500 of API Gateway, as if no response came")
        no_answer = response.status_code >= 500 and (code != "unavailable" or outcome_unknown)
        state.lost = lost or no_answer
        if code == "invalid_token" and rejected is None:
            return await self.handle_async_request(request, bearer)
        return response


# Up to four attempts, each for at most ten seconds.
retry = Retry(3, ["GET", "PATCH"], status_forcelist=[429, 503], backoff_factor=0.1)
api = AuthenticatedClient(
    base_url=BASE_URL,
    token="",  # Attempt sets it
    timeout=httpx.Timeout(10),
    httpx_args={"transport": RetryTransport(Attempt(), retry)},
)


async def set_status(id: str, status: JobStatus, version: str, seconds: float):
    """Sets the status of a job that has this version: outcome, whether an attempt was lost, version."""
    attempts.set(state := Attempts())
    body = JobStatusUpdate(status=status)
    update = update_job_status.asyncio_detailed(id, client=api, body=body, if_match=version)
    try:
        async with asyncio.timeout(seconds):
            response = await update
    except Exception:  # no response, or no time left
        logging.exception("job %s", id)
        return "unknown" if state.lost else "not set", state.lost, ""
    etag = response.headers.get("ETag", "")
    is_next = etag == f'"{int(version[1:-1]) + 1}"'
    match response.status_code:
        case 200:
            outcome = "set"
        case 404:
            outcome = "no such job"
        case 409:
            outcome = "not allowed"
        case 412:
            outcome = "probably set" if state.lost and is_next else "changed by others"
        case _:  # 401, 403, 429, 500, 503
            outcome = "unknown" if state.lost else "not set"
    return outcome, state.lost, etag


async def main():
    async with api:
        ids = ["c-1001", "unknown"]
        reads = [get_application.asyncio("4007", id, client=api) for id in ids]
        for found in await asyncio.gather(*reads):
            print(found.name if isinstance(found, Application) else found)
        _, _, version = await set_status("4007", JobStatus.PAUSED, '"0"', 30)  # changes nothing
        print(*await set_status("4007", JobStatus.PAUSED, version, 30))


asyncio.run(main())
