"""A client of the recruitment API for Python 3.11 or later, without dependencies. Its calls block;
asyncio has to_thread. docs/integrate.md says what it repeats and what the outcomes mean."""

import json
import random
import socket
import time
from base64 import b64encode
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPSConnection, IncompleteRead
from threading import Lock
from typing import NamedTuple
from urllib.parse import quote, quote_plus, urlencode, urlsplit

PAUSES_S = (0.2, 0.4, 0.8)  # at most, between four attempts
LONGEST_RETRY_AFTER_S = 30
RENEWAL_S = 60
BODY_LIMIT_BYTES = 1_000_000


class Response(NamedTuple):
    status: int  # 0 if there is no response
    summary: str
    headers: Message = Message()
    body: dict = {}  # empty if it is not a JSON object
    is_problem: bool = False


class RecruitmentError(Exception):
    """The response, its argument, is not the one that was asked for."""


@dataclass
class Change:
    outcome: str = ""
    lost: bool = False  # an attempt may have made the change, and no response says whether it did
    version: str = ""  # that of the job in the last response, such as '"8"'
    reason: str = ""  # what the last response was, for a log


@dataclass
class RecruitmentClient:
    """All calls of one client share its token. An attempt may take attempt_limit seconds."""

    base_url: str
    token_endpoint: str
    client_id: str
    client_secret: str = field(repr=False)
    scope: str
    attempt_limit: float = 10

    def __post_init__(self) -> None:
        self._threads, self._lock = ThreadPoolExecutor(1000), Lock()
        self._token, self._renew_at, self._token_deadline = "", 0.0, 0.0
        self._token_request: Future[str] | None = None

    def get_application(self, job: str, candidate: str, timeout: float = 30) -> dict:
        """Raises RecruitmentError. The timeout in seconds is for the token and all attempts."""
        path = f"/v1/jobs/{quote(job, '')}/applications/{quote(candidate, '')}"
        response = self._call("GET", path, {}, None, Change(), timeout)
        if response.status == 200 and "user_id" in response.body:
            return response.body
        raise RecruitmentError(response)

    def set_job_status(self, job: str, status: str, version: str, timeout: float = 30) -> Change:
        """Sets the status of a job that has this version, such as '"7"'."""
        next_version = f'"{int(version[1:-1]) + 1}"'
        path = f"/v1/jobs/{quote(job, '')}/status"
        headers = {"Content-Type": "application/json", "If-Match": version}
        change = Change()
        body = json.dumps({"status": status})
        response = self._call("PATCH", path, headers, body, change, timeout)
        change.version, change.reason = response.headers.get("ETag", ""), response.summary
        change.outcome = _outcome(response, change.lost, change.version == next_version)
        return change

    def _call(self, method, path, headers, body, change: Change, timeout: float) -> Response:
        deadline, rejected = time.monotonic() + timeout, []

        def attempt() -> Response:
            token = self._access_token(deadline, rejected)
            all_headers = {**headers, "Authorization": f"Bearer {token}"}
            lost, change.lost = change.lost, True  # until a response says otherwise
            try:
                response = self._send(method, self.base_url + path, all_headers, body, deadline)
            except (ConnectionRefusedError, socket.gaierror):  # nothing was sent
                change.lost = lost
                raise
            change.lost = lost or _outcome(response) == "unknown"
            if response.status != 401 or rejected:
                return response
            rejected.append(token)
            return attempt()

        return _repeat(attempt, lambda: deadline)

    def _send(self, method, url, headers, body, deadline: float) -> Response:
        """One attempt, in a thread, as the timeouts of http.client are for each read."""
        end = min(deadline, time.monotonic() + self.attempt_limit)
        parts = urlsplit(url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.netloc, timeout=self.attempt_limit)
        opened = []

        def exchange() -> Response:
            connection.connect()
            opened.append(connection.sock)
            connection.sock.settimeout(end - time.monotonic())  # an error if it is too late
            connection.request(method, url.split(parts.netloc, 1)[1] or "/", body, headers)
            with connection.getresponse() as response:
                data = response.read(BODY_LIMIT_BYTES)
                if response.length and len(data) < BODY_LIMIT_BYTES:
                    raise IncompleteRead(data)
            media, members = response.headers.get_content_type(), None
            is_problem = media == "application/problem+json"
            with suppress(ValueError, RecursionError):
                members = json.loads(data) if is_problem or media == "application/json" else None
            members = members if isinstance(members, dict) else {}
            what = members.get("code") or members.get("error") or response.headers.get("Location")
            summary = f"{response.status} {what or media}"
            return Response(response.status, summary, response.headers, members, is_problem)

        future = self._threads.submit(exchange)
        try:
            return future.result(end - time.monotonic())
        finally:
            with suppress(OSError, IndexError):
                opened[0].shutdown(socket.SHUT_RDWR)  # ends the thread
            connection.close()

    def _access_token(self, deadline: float, rejected: list[str]) -> str:
        """The token, until a minute before it expires or until the API rejects it."""
        with self._lock:
            if self._token not in rejected and time.monotonic() < self._renew_at:
                return self._token
            self._token_deadline = max(self._token_deadline, deadline)
            request = self._token_request or self._threads.submit(self._request_token)
            self._token_request = request
        return request.result(deadline - time.monotonic())

    def _request_token(self) -> str:
        credentials = f"{quote_plus(self.client_id)}:{quote_plus(self.client_secret)}"
        basic = f"Basic {b64encode(credentials.encode()).decode()}"
        headers = {"Authorization": basic, "Content-Type": "application/x-www-form-urlencoded"}
        form = urlencode({"grant_type": "client_credentials", "scope": self.scope})
        token, lifetime = "", 0.0

        def attempt() -> Response:
            return self._send("POST", self.token_endpoint, headers, form, self._token_deadline)

        try:
            response = _repeat(attempt, lambda: self._token_deadline)
            if response.status != 200 or not isinstance(response.body.get("access_token"), str):
                raise RecruitmentError(Response(0, f"token endpoint: {response.summary}"))
            token, lifetime = response.body["access_token"], response.body.get("expires_in")
            return token
        finally:
            with self._lock:
                self._token_request, self._token_deadline = None, 0.0
                lifetime = lifetime if isinstance(lifetime, int | float) else 3600
                self._token, self._renew_at = token, time.monotonic() + lifetime - RENEWAL_S


def _repeat(attempt, deadline) -> Response:
    for pause in (*PAUSES_S, None):
        try:
            response = attempt()
        except RecruitmentError as error:
            return error.args[0]
        except Exception as error:
            response = Response(0, repr(error))
        is_fault = response.status > 500 or (response.status == 500 and not response.is_problem)
        if pause is None or not (is_fault or response.status in (0, 429)):
            break
        header, after = response.headers.get("Retry-After", ""), 0.0
        with suppress(ValueError, OverflowError):
            date = None if header.isdecimal() else parsedate_to_datetime(header)
            after = date.timestamp() - time.time() if date else float(header)
        wait = max(0, after) + random.uniform(0, pause)
        if after > LONGEST_RETRY_AFTER_S or time.monotonic() + wait >= deadline():
            break
        time.sleep(wait)
    return response


def _outcome(last: Response, lost: bool = False, is_next: bool = False) -> str:
    """What is known of a change after its last response; `lost`: an attempt before it was lost."""
    if last.status == 200 and last.body.get("success") is True:
        return "set"
    after_412 = "probably set" if lost and is_next else "changed by others"
    outcomes = {404: "no such job", 409: "not allowed", 412: after_412}
    if last.is_problem and last.status in outcomes:
        return outcomes[last.status]
    is_sure = last.status == 503 and last.is_problem and not last.body.get("outcome_unknown")
    is_refused = is_sure or last.status == 0 or 400 <= last.status < 500
    return "unknown" if lost or not is_refused else "not set"
