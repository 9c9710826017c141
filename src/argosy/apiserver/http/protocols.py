"""One connection: bytes in, requests out, one at a time, answers back in order.

The connection reads ahead while a request is handled, but starts the next one only when the last answer is written, so
answers never overtake each other. It guards the process against its peer: a request head over 64 KiB is refused with
431, a body over the limit with 413 before it is read to the end, a request that is begun and not finished within a
minute, or a connection nobody uses, is closed, and a peer that does not read what a stream writes makes `drain` wait
(the watch behind it is then cut off by the store).

A request that asks for another protocol is the last one of its connection: what follows goes to the `Upgrading` that
answers it, or to nobody.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final
from urllib.parse import unquote

import httptools

from argosy.apiserver.http.duplexes import Pipe
from argosy.apiserver.http.heads import head_of, upgrade_head
from argosy.apiserver.http.messages import (
    Handler,
    Request,
    Response,
    Streaming,
    Upgrading,
    parse_query,
)

# Kubernetes' limit of a request body.
MAX_BODY_BYTES: Final = 3 * 1024 * 1024
MAX_HEAD_BYTES: Final = 64 * 1024
# Above this many unsent bytes a stream waits in `drain`.
HIGH_WATER_BYTES: Final = 256 * 1024
# Requests read ahead on one connection before its socket is no longer read.
MAX_PIPELINED: Final = 16
# Within this time a begun request must be here, as kube-apiserver's own request timeout.
READ_SECONDS: Final = 60.0
# After this time a connection that nobody uses is closed.
IDLE_SECONDS: Final = 90.0
SWEEP_SECONDS: Final = 5.0
# A peer that is refused in the middle of sending gets this long to read why.
LINGER_SECONDS: Final = 0.5
# How often within that time a stopping server looks whether its peers have gone.
FAREWELLS: Final = 50


class Connections:
    """The open connections of one server, so that it can be stopped."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.open: set[Connection] = set()
        self.stopping = False
        self._sweeping = False

    def __call__(self) -> Connection:
        return Connection(self)

    def add(self, connection: Connection) -> None:
        self.open.add(connection)
        if not self._sweeping:
            self._sweeping = True
            asyncio.get_running_loop().call_later(SWEEP_SECONDS, self._sweep)

    def _sweep(self) -> None:
        """Close what has been waited for too long; goes on while there are connections."""
        loop = asyncio.get_running_loop()
        for connection in [c for c in self.open if c.is_overdue(loop.time())]:
            connection.abort()
        self._sweeping = bool(self.open) and not self.stopping
        if self._sweeping:
            loop.call_later(SWEEP_SECONDS, self._sweep)

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
        await self._wait_for_farewells()
        for connection in list(self.open):
            connection.cut()

    async def _wait_for_farewells(self) -> None:
        """TLS is closed by both sides; a peer that does not answer is not waited for."""
        for _ in range(FAREWELLS):
            if not self.open:
                return
            await asyncio.sleep(LINGER_SECONDS / FAREWELLS)


class Connection(asyncio.Protocol):
    """See the module's docstring. Also the `Writer` of the stream it carries."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport | None = None
        # Requests with whether the connection is to be kept after them.
        self._waiting: deque[tuple[Request, bool]] = deque()
        self._head_bytes = 0
        self._url = b""
        self._headers: dict[bytes, bytes] = {}
        self._body: list[bytes] = []
        self._body_bytes = 0
        # Nothing more is read: the peer was refused. The text is sent after the answers that are due before it.
        self._deaf = False
        self._last_words = b""
        # When the request that is being read began, and when the last answer ended.
        self._began: float | None = None
        self._quiet = asyncio.get_running_loop().time()
        self._can_write: asyncio.Future[None] | None = None
        self._streaming = False
        self._paused = False
        self._closing = False
        # Takes what comes after a request for another protocol.
        self._pipe: Pipe | None = None
        self.task: asyncio.Task[None] | None = None

    # asyncio's side

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport) or hasattr(transport, "write")
        self._transport = transport  # type: ignore[assignment]  # uvloop's transports are not asyncio's
        transport.set_write_buffer_limits(high=HIGH_WATER_BYTES)  # type: ignore[attr-defined]
        self._connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._connections.open.discard(self)
        if self._pipe is not None:
            self._pipe.lose()
        self._waiting.clear()
        if self._can_write is not None and not self._can_write.done():
            self._can_write.set_exception(ConnectionResetError("the client is gone"))
            self._can_write.exception()
        if self.task is not None and self._streaming:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        if self._pipe is not None:
            self._pipe.feed(data)
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            if self._transport is not None:
                self._pipe = Pipe(self._transport, self.drain)
                self._pipe.feed(data[upgrade.args[0] :])
        except httptools.HttpParserError:
            if not self._deaf:
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
        self._began = asyncio.get_running_loop().time()

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
        if self._body_bytes <= MAX_BODY_BYTES:
            self._body.append(chunk)
        elif not self._deaf:
            # The handler answers 413 with a Status; the rest of the body is not waited for.
            self._deaf = True
            self._body = []
            self._enqueue(keep_alive=False, oversized=True)

    def on_message_complete(self) -> None:
        if self._deaf:
            return
        if self._parser.should_upgrade():
            upgrade = self._headers.get(b"upgrade", b"").lower().decode("latin-1")
            self._enqueue(keep_alive=False, upgrade=upgrade)
        else:
            self._enqueue(keep_alive=self._parser.should_keep_alive())

    def _enqueue(self, *, keep_alive: bool, oversized: bool = False, upgrade: str = "") -> None:
        self._began = None
        method = self._parser.get_method().decode("ascii")
        raw_path, _, raw_query = self._url.partition(b"?")
        path, query = raw_path.decode("latin-1"), raw_query.decode("latin-1")
        request = Request(
            method,
            unquote(path) if "%" in path else path,
            parse_query(query) if query else {},
            self._headers,
            self._body[0] if len(self._body) == 1 else b"".join(self._body),
            oversized,
            query,
            upgrade,
        )
        self._waiting.append((request, keep_alive))
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
                request, keep_alive = self._waiting.popleft()
                keep_alive = keep_alive and not self._connections.stopping
                answer = await self._connections.handler(request)
                if not self._is_open():
                    return
                if isinstance(answer, Response):
                    self._send(answer, keep_alive, head_only=request.method == "HEAD")
                elif isinstance(answer, Streaming):
                    await self._stream(answer)
                else:
                    await self._upgrade(answer)
                if not (keep_alive and self._is_open()):
                    self._end()
                    return
                if self._paused and len(self._waiting) <= MAX_PIPELINED:
                    self._resume()
        except (ConnectionError, asyncio.CancelledError):
            self.abort()
        finally:
            loop = asyncio.get_running_loop()
            self.task, self._quiet = None, loop.time()
            if self._waiting and self._is_open():
                self.task = loop.create_task(self._work())
            elif self._last_words:
                self._say_last_words()

    def _send(self, answer: Response, keep_alive: bool, *, head_only: bool) -> None:
        assert self._transport is not None
        body = answer.body
        head = head_of(
            answer.status, answer.content_type, answer.headers, answer.warnings, keep_alive
        )
        head += b"Content-Length: %d\r\n\r\n" % (len(body) + len(answer.tail))
        self._transport.write(head if head_only else b"".join((head, body, answer.tail)))

    async def _stream(self, answer: Streaming) -> None:
        assert self._transport is not None
        head = head_of(200, answer.content_type, answer.headers, answer.warnings, keep_alive=True)
        self._transport.write(head + b"Transfer-Encoding: chunked\r\n\r\n")
        self._streaming = True
        try:
            await answer.run(self)
        finally:
            self._streaming = False
            # Also when it is cut short because the server stops: what was sent is whole.
            if self._transport is not None:
                self._transport.write(b"0\r\n\r\n")

    async def _upgrade(self, answer: Upgrading) -> None:
        assert self._transport is not None
        assert self._pipe is not None, "an upgrade that nobody asked for"
        self._transport.write(upgrade_head(answer.headers, answer.warnings))
        self._streaming = True
        try:
            await answer.run(self._pipe)
        finally:
            self._streaming = False

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
        # Once: asyncio's TLS transport forgets its socket at a second close.
        if self._transport is not None and not self._closing:
            self._closing = True
            self._transport.close()

    def cut(self) -> None:
        """Close without a word to the peer."""
        if self._transport is not None:
            self._transport.abort()

    def is_overdue(self, now: float) -> bool:
        """Whether the peer has kept us waiting: in the middle of a request, or with nothing to do."""
        if self._began is not None:
            return now - self._began > READ_SECONDS
        return self.task is None and now - self._quiet > IDLE_SECONDS

    def _end(self) -> None:
        """Close; a peer that may still be sending is heard out for a moment, or it would never read the answer."""
        if self._deaf:
            asyncio.get_running_loop().call_later(LINGER_SECONDS, self.abort)
        else:
            self.abort()

    def _count_head(self, size: int) -> None:
        self._head_bytes += size
        if self._head_bytes > MAX_HEAD_BYTES and not self._deaf:
            self._refuse(431, b"431 Request Header Fields Too Large")
            raise ValueError("request head too large")

    def _refuse(self, status: int, text: bytes) -> None:
        self._deaf, self._began = True, None
        head = head_of(status, "text/plain; charset=utf-8", (), [], keep_alive=False)
        self._last_words = head + b"Content-Length: %d\r\n\r\n" % len(text) + text
        if self.task is None:
            self._say_last_words()

    def _say_last_words(self) -> None:
        words, self._last_words = self._last_words, b""
        if self._transport is not None:
            self._transport.write(words)
            self._end()
