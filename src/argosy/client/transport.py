"""HTTP to one API server: credentials, TLS, retries, and errors as `StatusError`.

What is retried, with growing pauses:
* 429, and any answer that carries Retry-After: the server says it did nothing yet;
* a connection that could not be made: nothing was sent;
* 502, 503, 504 and a connection lost in the middle, for requests that may safely arrive twice.
A 401 asks the credentials for a fresh one, once. When tries are used up, the last failure is raised; a lost connection
becomes ServiceUnavailable, so callers handle one family of errors.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import aiohttp
import msgspec

from argosy import __version__
from argosy.base.clock import Clock, RealClock
from argosy.base.errors import ServiceUnavailable, StatusError, Unauthorized, from_status
from argosy.client.backoffs import Backoff
from argosy.client.credentials import CredentialError
from argosy.client.kubeconfig import Connection
from argosy.client.tls import TLSContexts

USER_AGENT: Final = f"argosy/{__version__}"
_UNSURE: Final = frozenset({502, 503, 504})
_LOST: Final = (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, TimeoutError)
_CONNECT_SECONDS: Final = 10.0
_SILENCE_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `repeatable`: it may arrive twice and mean the same."""

    method: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content_type: str = "application/json"
    repeatable: bool = True


@dataclass(frozen=True, slots=True)
class Limits:
    """`requests` at once (watches not counted), `tries` per request."""

    requests: int = 64
    tries: int = 6


DEFAULT_LIMITS: Final = Limits()
DEFAULT_BACKOFF: Final = Backoff()


class _Failed(Exception):
    """One try failed; another may be made after `pause` (None: after the usual one)."""

    def __init__(self, error: StatusError, *, again: bool, pause: float | None = None) -> None:
        super().__init__(error.message)
        self.error = error
        self.again = again
        self.pause = pause


class Transport:
    """Sends requests over a pool of connections."""

    def __init__(
        self,
        connection: Connection,
        *,
        clock: Clock | None = None,
        source: random.Random | None = None,
        limits: Limits = DEFAULT_LIMITS,
        backoff: Backoff = DEFAULT_BACKOFF,
        user_agent: str = USER_AGENT,
    ) -> None:
        self.clock = clock or RealClock()
        self.source = source or random.Random()
        self.backoff = backoff
        self._connection = connection
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.requests)
        self._tls = TLSContexts(connection)
        self._session: aiohttp.ClientSession | None = None
        self._headers = {"User-Agent": user_agent, "Accept": "application/json"}
        if connection.impersonate:
            self._headers["Impersonate-User"] = connection.impersonate

    async def send(self, request: Request) -> bytes:
        """The body of the answer; StatusError for anything but success."""
        async with self._slots:
            failures, renewed = 0, False
            while True:
                try:
                    async with self._try(request, _SILENCE_SECONDS) as response:
                        return await response.read()
                except _Failed as failed:
                    failures += 1
                    if isinstance(failed.error, Unauthorized) and not renewed:
                        self._connection.credentials.invalidate()
                        renewed = True
                        continue
                    if not failed.again or failures >= self._limits.tries:
                        raise failed.error from failed.__cause__
                    await self.clock.sleep(self._pause(failed, failures))

    @asynccontextmanager
    async def stream(
        self, request: Request, silence_seconds: float
    ) -> AsyncIterator[aiohttp.StreamReader]:
        """The answer as it arrives. One try: whoever reads a stream knows where to resume."""
        try:
            async with self._try(request, silence_seconds) as response:
                yield response.content
        except _Failed as failed:
            if isinstance(failed.error, Unauthorized):
                self._connection.credentials.invalidate()
            raise failed.error from failed.__cause__

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _pause(self, failed: _Failed, failures: int) -> float:
        if failed.pause is not None:
            return failed.pause
        return self.backoff.delay(failures - 1, self.source)

    @asynccontextmanager
    async def _try(
        self, request: Request, silence_seconds: float
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """One exchange; yields a successful answer, raises `_Failed` for everything else."""
        try:
            credential = await self._connection.credentials.current()
        except CredentialError as error:
            raise _Failed(Unauthorized(str(error)), again=False) from error
        headers = dict(self._headers)
        if credential.token:
            headers["Authorization"] = f"Bearer {credential.token}"
        if request.body is not None:
            headers["Content-Type"] = request.content_type
        multi = [("Impersonate-Group", group) for group in self._connection.impersonate_groups]
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=_CONNECT_SECONDS, sock_read=silence_seconds
        )
        secure = self._connection.server.startswith("https:")
        try:
            async with self._open().request(
                request.method,
                self._connection.server + request.path,
                params=request.params,
                data=request.body,
                headers=[*headers.items(), *multi],
                timeout=timeout,
                ssl=self._tls.context(credential) if secure else True,
                server_hostname=self._connection.server_name or None,
                proxy=self._connection.proxy or None,
                allow_redirects=False,
            ) as response:
                if response.status >= 300:
                    raise _refusal(request, response, await response.read())
                yield response
        except _LOST as error:
            unsent = isinstance(error, aiohttp.ClientConnectorError)
            certificate = isinstance(error, aiohttp.ClientSSLError)
            text = (
                f"{self._connection.server} cannot be reached: {str(error) or type(error).__name__}"
            )
            again = (unsent or request.repeatable) and not certificate
            raise _Failed(ServiceUnavailable(text), again=again) from error

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                skip_auto_headers=("Accept-Encoding",),
                cookie_jar=aiohttp.DummyCookieJar(),
                read_bufsize=1 << 18,
            )
        return self._session


def _refusal(request: Request, response: aiohttp.ClientResponse, body: bytes) -> _Failed:
    pause = _seconds(response.headers.get("Retry-After", ""))
    invited = response.status == 429 or (pause is not None and response.status >= 500)
    again = invited or (response.status in _UNSURE and request.repeatable)
    return _Failed(_error(response, body), again=again, pause=pause)


def _error(response: aiohttp.ClientResponse, body: bytes) -> StatusError:
    try:
        status = msgspec.json.decode(body)
    except msgspec.DecodeError:
        status = None
    if isinstance(status, dict) and status.get("kind") == "Status":
        return from_status({"code": response.status, **status})
    text = body.decode(errors="replace").strip() or response.reason or "no reason given"
    return from_status({"code": response.status, "message": text[:1024]})


def _seconds(text: str) -> float | None:
    return float(text) if text.isdigit() else None
