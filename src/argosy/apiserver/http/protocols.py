"""One connection: bytes in, requests out, one at a time, answers back in order.

The connection reads ahead while a request is handled, but starts the next one only when the last answer is written,
so answers never overtake each
other. It guards the process against its peer: a request head over 64 KiB is refused with 431, a body over the limit
with 413 before it is read to the
end, a peer that sends nothing for too long is closed, and a peer that does not read what a stream writes makes
`drain` wait (the watch behind it is then cut off by the store).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Final
from urllib.parse import unquote

import httptools

from argosy.apiserver.http.messages import (
    Handler,
    Headers,
    Request,
    Response,
    Streaming,
    parse_query,
    warning_headers,
)

logger = logging.getLogger(__name__)

# Kubernetes' limit of a request body.
MAX_BODY_BYTES: Final = 3 * 1024 * 1024
MAX_HEAD_BYTES: Final = 64 * 1024
# Above this many unsent bytes a stream waits in `drain`.
HIGH_WATER_BYTES: Final = 256 * 1024
# Requests read ahead on one connection before its socket is no longer read.
MAX_PIPELINED: Final = 16

_REASONS: Final = {
    200: "OK", 201: "Created", 202: "Accepted", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 409: "Conflict",
    410: "Gone", 413: "Request Entity Too Large", 415: "Unsupported Media Type", 422: "Unprocessable Entity",
    429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
    503: "Service Unavailable", 504: "Gateway Timeout",
}  # fmt: skip


class Connections:
    """The open connections of one server, so that it can be stopped."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.open: set[Connection] = set()
        self.stopping = False

    def __call__(self) -> Connection:
        return Connection(self)

    async def stop(self, grace_seconds: float) -> None:
        """Let running requests end within the grace, end streams at once, then close."""
        self.stopping = True
        for connection in list(self.open):
            connection.finish()
        tasks = [c.task for c in self.open if c.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=grace_seconds)
        for connection in list(self.open):
            connection.abort()


class Connection(asyncio.Protocol):
    """See the module's docstring. Also the `Writer` of the stream it carries."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        self._waiting: deque[tuple[Request, bool, int]] = deque()
        self._head_bytes = 0
        self._url = b""
        self._headers: dict[bytes, bytes] = {}
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._refusal = 0
        self._can_write: asyncio.Future[None] | None = None
        self._streaming = False
        self._paused = False
        self.task: asyncio.Task[None] | None = None

    # asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport) or hasattr(transport, "write")
        self._transport = transport  # type: ignore[assignment]  # uvloop's transports are not asyncio's
        transport.set_write_buffer_limits(high=HIGH_WATER_BYTES)  # type: ignore[attr-defined]
        self._connections.open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._connections.open.discard(self)
        self._waiting.clear()
        if self._can_write is not None and not self._can_write.done():
            self._can_write.set_exception(ConnectionResetError("the client is gone"))
            self._can_write.exception()
        if self.task is not None and self._streaming:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        if self._refusal:
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # An upgrade nobody here takes: RFC 9110 lets a server answer as if it had not been asked.
            self._refuse(400, b"400 Bad Request: protocol upgrades are not served on this path\n")
        except httptools.HttpParserError:
            if not self._refusal:
                self._refuse(400, b"400 Bad Request")

    def eof_received(self) -> bool:
        return False

    def pause_writing(self) -> None:
        self._can_write = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        if self._can_write is not None and not self._can_write.done():
            self._can_write.set_result(None)
        self._can_write = None

    # httptools' side

    def on_message_begin(self) -> None:
        self._url = b""
        self._headers = {}
        self._body = []
        self._body_bytes = 0
        self._head_bytes = 0

    def on_url(self, url: bytes) -> None:
        self._url += url
        self._count_head(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        before = self._headers.get(name)
        # Lists of values: one per line where a value may hold commas.
        joint = b"\n" if name.startswith(b"impersonate-") else b", "
        self._headers[name] = value if before is None else before + joint + value
        self._count_head(len(name) + len(value))

    def on_headers_complete(self) -> None:
        if self._headers.get(b"expect", b"").lower() == b"100-continue" and self._transport:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, chunk: bytes) -> None:
        self._body_bytes += len(chunk)
        # The handler answers 413 with a Status; what is over the limit is read and dropped here.
        if self._body_bytes <= MAX_BODY_BYTES:
            self._body.append(chunk)

    def on_message_complete(self) -> None:
        method = self._parser.get_method().decode("ascii")
        raw_path, _, raw_query = self._url.partition(b"?")
        path = raw_path.decode("latin-1")
        request = Request(
            method,
            unquote(path) if "%" in path else path,
            parse_query(raw_query.decode("latin-1")) if raw_query else {},
            self._headers,
            self._body[0] if len(self._body) == 1 else b"".join(self._body),
        )
        self._waiting.append((request, self._parser.should_keep_alive(), self._body_bytes))
        if self.task is None:
            self.task = asyncio.get_running_loop().create_task(self._work())
        elif len(self._waiting) > MAX_PIPELINED and self._transport and not self._paused:
            self._paused = True
            self._transport.pause_reading()

    # the work

    async def _work(self) -> None:
        """Answer what waits, in order; the task ends when nothing waits."""
        try:
            while self._waiting and self._is_open():
                request, keep_alive, body_bytes = self._waiting.popleft()
                keep_alive = keep_alive and not self._connections.stopping
                if body_bytes > MAX_BODY_BYTES:
                    request.body, request.oversized = b"", True
                answer = await self._connections.handler(request)
                if not self._is_open():
                    return
                if isinstance(answer, Response):
                    self._send(answer, keep_alive, head_only=request.method == "HEAD")
                else:
                    await self._stream(answer)
                if not (keep_alive and self._is_open()):
                    self.abort()
                    return
                if self._paused and len(self._waiting) <= MAX_PIPELINED:
                    self._resume()
        except (ConnectionError, asyncio.CancelledError):
            self.abort()
        finally:
            self.task = None
            if self._waiting and self._is_open():
                self.task = asyncio.get_running_loop().create_task(self._work())

    def _send(self, answer: Response, keep_alive: bool, *, head_only: bool) -> None:
        assert self._transport is not None
        body = answer.body
        head = _head(
            answer.status, answer.content_type, answer.headers, answer.warnings, keep_alive
        )
        head += b"Content-Length: %d\r\n\r\n" % (len(body) + len(answer.tail))
        self._transport.write(head if head_only else b"".join((head, body, answer.tail)))

    async def _stream(self, answer: Streaming) -> None:
        assert self._transport is not None
        head = _head(200, answer.content_type, answer.headers, answer.warnings, keep_alive=True)
        self._transport.write(head + b"Transfer-Encoding: chunked\r\n\r\n")
        self._streaming = True
        try:
            await answer.run(self)
        finally:
            self._streaming = False
            # Also when it is cut short because the server stops: what was sent is whole.
            if self._transport is not None:
                self._transport.write(b"0\r\n\r\n")

    # Writer

    def write(self, chunk: bytes) -> None:
        if self._transport is None:
            raise ConnectionResetError("the client is gone")
        self._transport.write(b"%x\r\n%b\r\n" % (len(chunk), chunk))

    async def drain(self) -> None:
        if self._can_write is not None:
            await self._can_write
        if self._transport is None:
            raise ConnectionResetError("the client is gone")

    # endings

    def _is_open(self) -> bool:
        return self._transport is not None

    def _resume(self) -> None:
        self._paused = False
        if self._transport is not None:
            self._transport.resume_reading()

    def finish(self) -> None:
        """End an idle connection or a stream now; a running request may answer first."""
        if self.task is None:
            self.abort()
        elif self._streaming:
            self.task.cancel()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES and not self._refusal:
            self._refuse(431, b"431 Request Header Fields Too Large")
            raise ValueError("request head too large")

    def _refuse(self, status: int, text: bytes) -> None:
        self._refusal = status
        if self._transport is not None:
            head = _head(status, "text/plain; charset=utf-8", (), [], keep_alive=False)
            self._transport.write(head + b"Content-Length: %d\r\n\r\n" % len(text) + text)
            self._transport.close()


# Heads repeat: status, type and extra headers are nearly always one of a few.
_HEADS: dict[tuple[int, str, Headers, bool], bytes] = {}


def _head(
    status: int, content_type: str, headers: Headers, warnings: list[str], keep_alive: bool
) -> bytes:
    if warnings:
        headers += warning_headers(warnings)
    key = (status, content_type, headers, keep_alive)
    head = _HEADS.get(key)
    if head is None:
        lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in headers]
        lines.append(f"Content-Type: {content_type}")
        if not keep_alive:
            lines.append("Connection: close")
        head = ("\r\n".join(lines) + "\r\n").encode("utf-8", "replace")
        if len(_HEADS) < 1024:
            _HEADS[key] = head
    return head
