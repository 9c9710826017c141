"""HTTP to one API server: credentials, TLS, retries, and errors as `StatusError`.

What is tried again, with growing pauses:
* a connection that could not be made: nothing was sent;
* 429 and 5xx that carry Retry-After: the server says it did nothing yet, and invites;
* 429 without it, 502, 503, 504 and a connection lost in the middle, for `repeatable` requests: reads, dry runs, and
  writes that the server would refuse the second time because they name the state they start from. Whether any other
  write was done is unknown then, and the caller is told so. (A plain 429 is how an eviction is refused that a
  disruption budget forbids.)
A 401 asks the credentials for a fresh one, once. When tries are used up, the last failure is raised; a lost connection
becomes ServiceUnavailable, so callers handle one family of errors.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final

import aiohttp
import msgspec

from argosy import __version__
from argosy.base.clock import Clock, RealClock
from argosy.base.errors import NotFound, ServiceUnavailable, StatusError, Unauthorized, from_status
from argosy.client.backoffs import Backoff
from argosy.client.credentials import CredentialError, Fixed
from argosy.client.kubeconfig import ConfigError, Connection
from argosy.client.tls import TLSContexts

USER_AGENT: Final = f"argosy/{__version__}"
_UNSURE: Final = frozenset({502, 503, 504})
_LOST: Final = (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, TimeoutError)
_TURNS: Final = 4
_CONNECT_SECONDS: Final = 10.0
_SILENCE_SECONDS: Final = 60.0
_LARGE_BYTES: Final = 1 << 19


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `repeatable`: it may arrive twice without harm."""

    method: str
    path: str
    params: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content_type: str = "application/json"
    repeatable: bool = True
    accept: str = "application/json"


@dataclass(frozen=True, slots=True)
class Limits:
    """`requests` at once (watches not counted), `tries` per request."""

    requests: int = 64
    tries: int = 6


DEFAULT_LIMITS: Final = Limits()
DEFAULT_BACKOFF: Final = Backoff()


class Failed(Exception):
    """One try failed; `again`: another may be made, after `pause` (None: after the usual one).

    `unsure`: the request may have been carried out all the same.
    """

    def __init__(
        self,
        error: StatusError,
        *,
        again: bool,
        pause: float | None = None,
        unsure: bool = False,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.again = again
        self.pause = pause
        self.unsure = unsure


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
        self._source = source or random.Random()
        self._backoff = backoff
        self._connection = connection
        self._secure = connection.server.startswith("https:")
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.requests)
        self._tls = TLSContexts(connection)
        if self._secure and isinstance(connection.credentials, Fixed):
            # What cannot work at all is said before the first request.
            self._tls.context(connection.credentials.credential)
        self._session: aiohttp.ClientSession | None = None
        self._headers = {"User-Agent": user_agent}
        if connection.impersonate:
            self._headers["Impersonate-User"] = connection.impersonate

    async def send(self, request: Request) -> bytes:
        """The body of the answer; StatusError for anything but success."""
        async with self._slots:
            failures, renewed, unsure = 0, False, False
            while True:
                try:
                    async with self._try(request, _SILENCE_SECONDS) as response:
                        return await response.read()
                except Failed as failed:
                    failures += 1
                    if isinstance(failed.error, Unauthorized) and not renewed:
                        self.renew()
                        renewed = True
                        continue
                    if unsure and request.method == "DELETE" and isinstance(failed.error, NotFound):
                        # The try whose answer was lost has done it.
                        return b""
                    if not failed.again or failures >= self._limits.tries:
                        raise failed.error from failed.__cause__
                    unsure = unsure or failed.unsure
                    await self.clock.sleep(self.pause(failures - 1, failed.pause))

    @asynccontextmanager
    async def stream(
        self, request: Request, silence_seconds: float | None
    ) -> AsyncIterator[aiohttp.StreamReader]:
        """The answer as it arrives; without a time no silence is too long. One try, which may raise `Failed`: whoever
        reads a stream knows where to resume.
        """
        async with self._try(request, silence_seconds) as response:
            yield response.content

    def renew(self) -> None:
        """The server did not accept the credential."""
        self._connection.credentials.invalidate()

    def pause(self, failures: int, asked: float | None = None) -> float:
        """Seconds to wait after so many failures before this one; what the server asked for counts first."""
        return self._backoff.delay(failures, self._source) if asked is None else asked

    def spread(self, seconds: int) -> int:
        """Between once and twice as long."""
        return int(seconds * (1 + self._source.random()))

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None
            # Sockets of connections that were aborted are closed in the loop's next turns, if there are any.
            for _ in range(_TURNS):
                await asyncio.sleep(0)

    @asynccontextmanager
    async def _try(
        self, request: Request, silence_seconds: float | None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """One exchange; yields a successful answer, raises `Failed` for everything else."""
        try:
            credential = await self._connection.credentials.current()
            tls = self._tls.context(credential) if self._secure else True
        except (CredentialError, ConfigError) as error:
            raise Failed(Unauthorized(str(error)), again=False) from error
        headers = {**self._headers, "Accept": request.accept}
        if credential.token:
            headers["Authorization"] = f"Bearer {credential.token}"
        if request.body is not None:
            headers["Content-Type"] = request.content_type
        multi = [("Impersonate-Group", group) for group in self._connection.impersonate_groups]
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=_CONNECT_SECONDS, sock_read=silence_seconds
        )
        try:
            async with self._open().request(
                request.method,
                self._connection.server + request.path,
                params=request.params,
                data=_payload(request.body),
                headers=[*headers.items(), *multi],
                timeout=timeout,
                ssl=tls,
                server_hostname=self._connection.server_name or None,
                proxy=self._connection.proxy or None,
                allow_redirects=False,
            ) as response:
                if response.status >= 300:
                    raise _refusal(request, response, await response.read())
                yield response
        except (*_LOST, aiohttp.ClientHttpProxyError) as error:
            raise self._lost(request, error) from error

    def _lost(self, request: Request, error: Exception) -> Failed:
        text = f"{self._connection.server} cannot be reached: {str(error) or type(error).__name__}"
        if isinstance(error, aiohttp.ClientSSLError | aiohttp.ClientHttpProxyError):
            # A certificate or a proxy that says no says it again.
            return Failed(ServiceUnavailable(text), again=False)
        if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
            return Failed(ServiceUnavailable(text), again=True)
        if not request.repeatable:
            text += f"; the {request.method} was sent and may have been done"
        return Failed(ServiceUnavailable(text), again=request.repeatable, unsure=True)

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                skip_auto_headers=("Accept-Encoding",),
                cookie_jar=aiohttp.DummyCookieJar(),
                read_bufsize=1 << 18,
            )
            # aiohttp sends GET, PUT and DELETE again by itself when a kept connection turns out dead, a PUT or
            # DELETE that was done included. It has no public switch for that; its own test client sets this one.
            self._session._retry_connection = False  # noqa: SLF001
        return self._session


def _payload(body: bytes | None) -> bytes | BytesIO | None:
    """Large bodies go out in pieces, so that they do not hold up the loop."""
    return BytesIO(body) if body is not None and len(body) > _LARGE_BYTES else body


def _refusal(request: Request, response: aiohttp.ClientResponse, body: bytes) -> Failed:
    pause = _seconds(response.headers.get("Retry-After", ""))
    busy = response.status == 429
    invited = pause is not None and (busy or response.status >= 500)
    unsure = response.status in _UNSURE and not invited
    again = invited or ((busy or unsure) and request.repeatable)
    return Failed(_error(response, body), again=again, pause=pause, unsure=unsure)


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
