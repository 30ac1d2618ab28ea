"""Client of the recruitment API for Python 3.11 or later and httpx.

RecruitmentClient blocks a thread during a call; AsyncRecruitmentClient is the same for asyncio.
docs/integrate.md of the service explains the policy.
"""

import asyncio
import json
import random
import re
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

import httpx


@dataclass
class Result:
    """What one attempt brought: a response, or why there is none."""

    summary: str  # for a log
    status: int = 0  # 0 if there is no response
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    body: dict = field(default_factory=dict)  # empty if it is not a JSON object
    problem: int = 0  # the status if the body is the service's own problem
    is_connected: bool = True  # False if nothing was sent


class Row(NamedTuple):
    """Whether to repeat an attempt with such a result, and whether it made the update."""

    name: str
    repeat: str  # "yes", "no" or "with a new token"
    update: str  # "applied", "not applied" or "unknown"
    fits: Callable[[Result], bool]


def _is_unavailable(it: Result) -> bool:
    return it.problem == 503 and not it.body.get("outcome_unknown")


# As in docs/integrate.md#repeat-a-request: the first row that fits a result counts.
POLICY = (
    Row("no connection", "yes", "not applied", lambda it: not it.is_connected),
    Row("no response", "yes", "unknown", lambda it: it.status == 0),
    Row("success", "no", "applied", lambda it: it.status == 200 and it.body.get("success") is True),
    Row("token rejected", "with a new token", "not applied", lambda it: it.status == 401),
    Row("too many requests", "yes", "not applied", lambda it: it.status == 429),
    Row("rejected", "no", "not applied", lambda it: 400 <= it.status < 500),
    Row("internal error", "no", "unknown", lambda it: it.problem == 500),
    Row("unavailable", "yes", "not applied", _is_unavailable),
    Row("server error", "yes", "unknown", lambda it: 500 <= it.status < 600),
    Row("unexpected", "no", "unknown", lambda it: True),
)

PAUSES_S = (0.2, 0.4, 0.8, None)  # longest pause after each attempt; None after the last
LONGEST_RETRY_AFTER_S = 30
BODY_LIMIT_BYTES = 1_000_000
# After these errors, nothing was sent. A failed TLS handshake is a ConnectError, too.
NO_CONNECTION = (httpx.ConnectError, httpx.ProxyError, httpx.UnsupportedProtocol)
TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1
ASCTIME = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}")
# A proxy may make an ETag weak (W/"8") or extend it ("8-gzip").
ETAG = re.compile(r'(?:W/)?"(0|[1-9][0-9]{0,15})(?:[-;]{1,2}(?:gzip|br|deflate|zstd))?"')
TOKEN_LIFETIME_S = 3600  # of a token whose expires_in is not a number
LONGEST_TOKEN_LIFETIME_S = 86_400
NO_ETAG = " without an ETag, which a proxy has removed: you may take your own change for others'"
RENEWAL_S = 60  # before the token expires


@dataclass
class Change:
    """What is known of a change after its last attempt.

    The outcome is one of these:
    - set
    - probably set: an attempt was lost, and a 412 has the version after yours, unless you sent 0
    - changed by others: a 412 with any other version, or without a lost attempt
    - no such job: 404
    - not allowed: 409
    - not set: nothing was sent, or every result says that nothing was changed
    - unknown: an attempt was lost
    """

    outcome: str
    lost: bool  # an attempt may have made the change, and no response says whether it did
    version: str  # the job's, in the last response, such as '"8"'; otherwise empty, see reason
    reason: str  # what the last result was, for a log
    problem: dict = field(default_factory=dict)  # "not allowed" has its allowed_transitions


class JobState(NamedTuple):
    status: str
    version: str


class RecruitmentError(Exception):
    """An application or a job's state was not read. `args[0]` is the last Result."""

    def __str__(self) -> str:
        return self.args[0].summary


class _NotSent(Exception):
    """There is no time or no token for the next attempt."""


class AsyncRecruitmentClient:
    """All calls of one client share its token. Each event loop needs a client of its own."""

    def __init__(
        self,
        base_url: str,
        token_endpoint: str,
        client_id: str,
        client_secret: str,
        scope: str,
        attempt_limit: float = 10,  # seconds, up to the last byte of the response
        token_parameters: dict[str, str] | None = None,  # of the issuer, such as Auth0's audience
    ) -> None:
        self._base_url, self._token_endpoint = base_url, token_endpoint
        self._credentials = (quote_plus(client_id), quote_plus(client_secret))
        self._attempt_limit = attempt_limit
        self._token_form = {"grant_type": "client_credentials", "scope": scope}
        self._token_form |= token_parameters or {}
        # httpx's time limits are for each read, so _send has a limit for the whole attempt.
        self._http = httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None))
        self._token, self._renew_at = "", 0.0
        self._token_request: asyncio.Task[str] | None = None
        self._token_callers = 0

    async def get_application(self, job: str, candidate: str, timeout: float = 30) -> dict:
        """Raises RecruitmentError. The timeout, in seconds, includes token, attempts and pauses."""
        path = f"/v1/jobs/{quote(job, '')}/applications/{quote(candidate, '')}"
        result, _ = await self._call("GET", path, timeout)
        if result.status == 200 and "user_id" in result.body:
            return result.body
        raise RecruitmentError(result)

    async def get_job_state(self, job: str, timeout: float = 30) -> JobState:
        """Changes nothing: it sends version 0, which no job has. Raises RecruitmentError."""
        result, _, version = await self._update(job, "draft", '"0"', timeout)
        status = result.body.get("current_status")
        if result.problem == 412 and isinstance(status, str) and version:
            return JobState(status, version)
        raise RecruitmentError(result)

    async def set_job_status(
        self, job: str, status: str, version: str, timeout: float = 30
    ) -> Change:
        """Sets the status only if the job still has this version: '"7"', or a response's ETag."""
        sent = _version_in(version)
        if not sent:
            reason = f'{version!r} is not a version, such as "7" in quotation marks'
            return Change("not set", False, "", reason)
        result, lost, current = await self._update(job, status, sent, timeout)
        outcome = _outcome_of(result, lost, sent, current)
        return Change(outcome, lost, current, result.summary, result.body if result.problem else {})

    async def close(self) -> None:
        await self._http.aclose()

    async def _update(
        self, job: str, status: str, version: str, timeout: float
    ) -> tuple[Result, bool, str]:
        path = f"/v1/jobs/{quote(job, '')}/status"
        headers, body = {"If-Match": version}, {"status": status}
        result, lost = await self._call("PATCH", path, timeout, headers, json=body)
        current = _version_in(result.headers.get("ETag", ""))
        has_version = _row_of(result).name == "success" or result.problem in (409, 412)
        if has_version and not current:
            result.summary += NO_ETAG
        return result, lost, current

    async def _call(
        self, method: str, path: str, timeout: float, headers: dict | None = None, **content: Any
    ) -> tuple[Result, bool]:
        end, rejected = time.monotonic() + timeout, None

        async def attempt() -> Result:
            nonlocal rejected
            token = await self._access_token(end, rejected)
            all_headers = {**(headers or {}), "Authorization": f"Bearer {token}"}
            url = self._base_url + path
            result = await self._send(end, method, url, headers=all_headers, **content)
            if result.status == 401:
                rejected = token
            return result

        return await _repeat(attempt, 1, end)

    async def _send(self, end: float, method: str, url: str, **request: Any) -> Result:
        """One attempt. A redirect counts as a response: following it would hide a wrong address."""
        left = end - time.monotonic()
        if left <= 0:
            raise _NotSent("the call has ended")
        try:
            async with (
                asyncio.timeout(min(left, self._attempt_limit)),
                self._http.stream(method, url, **request) as response,
            ):
                data = b""
                async for chunk in response.aiter_bytes():
                    data += chunk
                    if len(data) > BODY_LIMIT_BYTES:
                        break  # the data is then not JSON
                return _result_of(response, data)
        except NO_CONNECTION as error:
            return Result(repr(error), is_connected=False)
        except (httpx.RequestError, OSError) as error:  # a TimeoutError is an OSError
            return Result(repr(error))

    async def _access_token(self, end: float, rejected: str | None) -> str:
        """Calls that need a new token share one request. Each waits only until its own end."""
        now = time.monotonic()
        if now >= end:
            raise _NotSent("the call has ended")
        if self._token != rejected and now < self._renew_at:
            return self._token
        request = self._token_request or asyncio.create_task(self._request_token())
        self._token_request = request
        self._token_callers += 1
        try:
            async with asyncio.timeout(end - now):
                return await asyncio.shield(request)
        except TimeoutError:
            raise _NotSent("the call ended before there was a token") from None
        finally:
            self._token_callers -= 1
            if self._token_callers == 0:
                request.cancel()  # so that a later call does not wait for it
                self._token_request = None

    async def _request_token(self) -> str:
        async def attempt() -> Result:
            end = float("inf")
            url, credentials = self._token_endpoint, self._credentials
            return await self._send(end, "POST", url, data=self._token_form, auth=credentials)

        result, _ = await _repeat(attempt, 0, float("inf"))
        token, lifetime = result.body.get("access_token"), result.body.get("expires_in")
        if result.status != 200 or not isinstance(token, str) or not TOKEN.fullmatch(token):
            raise _NotSent(f"no token from the token endpoint: {result.summary}")
        if isinstance(lifetime, bool) or not isinstance(lifetime, int | float):
            lifetime = TOKEN_LIFETIME_S
        usable = min(lifetime, LONGEST_TOKEN_LIFETIME_S) - RENEWAL_S
        self._token, self._renew_at = token, time.monotonic() + usable
        return token


class RecruitmentClient:
    """For code without asyncio, from any number of threads.

    An event loop in a thread of its own makes the calls, so create the client after a fork.
    """

    def __init__(self, *settings: Any, **named_settings: Any) -> None:
        """Takes the settings of AsyncRecruitmentClient."""
        self._client = AsyncRecruitmentClient(*settings, **named_settings)
        self._loop = asyncio.new_event_loop()
        Thread(target=self._loop.run_forever, daemon=True).start()

    def get_application(self, job: str, candidate: str, timeout: float = 30) -> dict:
        """Raises RecruitmentError. The timeout, in seconds, includes token, attempts and pauses."""
        return self._run(self._client.get_application(job, candidate, timeout))

    def get_job_state(self, job: str, timeout: float = 30) -> JobState:
        """Changes nothing: it sends version 0, which no job has. Raises RecruitmentError."""
        return self._run(self._client.get_job_state(job, timeout))

    def set_job_status(self, job: str, status: str, version: str, timeout: float = 30) -> Change:
        """Sets the status only if the job still has this version: '"7"', or a response's ETag."""
        return self._run(self._client.set_job_status(job, status, version, timeout))

    def close(self) -> None:
        self._run(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self, call: Coroutine[Any, Any, Any]) -> Any:
        future = asyncio.run_coroutine_threadsafe(call, self._loop)
        try:
            return future.result()
        finally:
            future.cancel()  # if the caller was interrupted


async def _repeat(
    attempt: Callable[[], Awaitable[Result]], new_tokens: int, end: float
) -> tuple[Result, bool]:
    """Returns the last result, and whether an attempt may have made the update unanswered."""
    lost = False
    for pause in PAUSES_S:
        try:
            result = await attempt()
        except _NotSent as error:
            return Result(str(error)), lost
        row = _row_of(result)
        lost = lost or row.update == "unknown"
        if pause is None or row.repeat == "no":
            break
        if row.repeat == "with a new token":
            new_tokens -= 1
            if new_tokens < 0:
                break
            continue
        after = _retry_after(result.headers)
        wait = after + random.uniform(0, pause)
        if after > LONGEST_RETRY_AFTER_S or time.monotonic() + wait >= end:
            break
        await asyncio.sleep(wait)
    return result, lost


def _row_of(result: Result) -> Row:
    return next(row for row in POLICY if row.fits(result))


def _outcome_of(result: Result, lost: bool, sent: str, current: str) -> str:
    if _row_of(result).name == "success":
        return "set"
    if result.problem == 404:
        return "no such job"
    if result.problem == 409:
        return "not allowed"
    if result.problem == 412:
        # no job has version 0, so an update with "0" was never made
        is_next = sent != '"0"' and current == f'"{int(sent[1:-1]) + 1}"'
        if lost and is_next:
            return "probably set"
        if not lost or current:
            return "changed by others"
    return "unknown" if lost else "not set"


def _result_of(response: httpx.Response, data: bytes) -> Result:
    media_type = response.headers.get("Content-Type", "").split(";")[0].strip().lower()
    body = None
    if media_type in ("application/json", "application/problem+json"):
        with suppress(ValueError, RecursionError):
            body = json.loads(data)
    if not isinstance(body, dict):
        body = {}
    is_problem = media_type == "application/problem+json" and isinstance(body.get("code"), str)
    details = (body.get("code"), body.get("error"), response.headers.get("Location"))
    what = next((it for it in details if isinstance(it, str)), media_type)
    status = response.status_code
    problem = status if is_problem else 0
    return Result(f"{status} {what}", status, response.headers, body, problem)


def _retry_after(headers: httpx.Headers) -> float:
    """In seconds; 0 unless the header is a number or a date in a format of RFC 9110, 5.6.7."""
    value = headers.get("Retry-After", "")
    if re.fullmatch("[0-9]+", value):
        return float(value)
    if not value.endswith("GMT") and not ASCTIME.fullmatch(value):
        return 0
    with suppress(ValueError, OverflowError):
        date = parsedate_to_datetime(value)
        return max(0, date.replace(tzinfo=UTC).timestamp() - time.time())
    return 0


def _version_in(etag: str) -> str:
    match = ETAG.fullmatch(etag)
    return f'"{match[1]}"' if match else ""
