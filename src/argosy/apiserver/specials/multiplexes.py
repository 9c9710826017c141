"""A command's streams as SPDY streams: what clients spoke before WebSockets, and most Go programs still do.

The client opens one stream for each of stdin, stdout, stderr, error and (with a terminal) resize; the header
`streamtype` says which is which. The command starts when all that the request asks for are there.
"""

from __future__ import annotations

import asyncio
from typing import Final

from argosy.apiserver import encoding
from argosy.apiserver.http.messages import Duplex, Headers, Request
from argosy.apiserver.http.spdy import Session, Stream
from argosy.apiserver.http.spdy.sessions import Refused
from argosy.apiserver.specials.channels import Sizes
from argosy.apiserver.specials.streams import ExecRequest, TerminalSize
from argosy.base.errors import BadRequest
from argosy.base.types import Object

UPGRADE: Final = "spdy/3.1"
PROTOCOLS: Final = ("v4.channel.k8s.io",)
# As in kubelets.
OPEN_SECONDS: Final = 30.0
# How long a client may take to go after it was told how it ended.
CLOSE_SECONDS: Final = 2.0


def accept(request: Request, served: tuple[str, ...]) -> Headers:
    """The headers of a 101 to a client that wants SPDY."""
    given = request.header(b"x-stream-protocol-version").split(",")
    offered = [name for name in map(str.strip, given) if name]
    found = next((name for name in served if name in offered), None)
    if found is None:
        raise BadRequest(
            "unable to upgrade: unable to negotiate protocol: "
            f"client supports [{' '.join(offered)}], server accepts [{' '.join(served)}]"
        )
    return (
        ("Connection", "Upgrade"),
        ("Upgrade", "SPDY/3.1"),
        ("X-Stream-Protocol-Version", found),
    )


class Multiplex:
    """The `Carrier` of one exec or attach."""

    def __init__(self, duplex: Duplex, request: ExecRequest) -> None:
        self._duplex = duplex
        self._session = Session(duplex, self._accept)
        named = {
            "error": True, "stdin": request.stdin, "stdout": request.stdout, "stderr": request.stderr,
            "resize": request.tty,
        }  # fmt: skip
        self._missing = {name for name, wanted in named.items() if wanted}
        self._streams: dict[str, Stream] = {}
        self._complete = asyncio.Event()
        self._sizes = Sizes()

    async def open(self) -> None:
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                await self._complete.wait()
        except TimeoutError:
            raise ConnectionAbortedError("the client did not open its streams") from None

    async def pump(self) -> None:
        await self._session.run()

    async def tell(self, status: Object) -> None:
        await self._streams["error"].write(encoding.to_json(status))
        for stream in self._streams.values():
            stream.stop_reading()
            await stream.end()

    async def close(self) -> None:
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                while await self._duplex.read():
                    pass
        except TimeoutError:
            return

    def hang_up(self) -> None:
        """The connection's end says it all."""

    # Streams

    async def read_stdin(self) -> bytes:
        stream = self._streams.get("stdin")
        return await stream.read() if stream is not None else b""

    async def write_stdout(self, data: bytes) -> None:
        await self._write("stdout", data)

    async def write_stderr(self, data: bytes) -> None:
        await self._write("stderr", data)

    async def next_size(self) -> TerminalSize:
        resize = self._streams.get("resize")
        while resize is not None and self._sizes.is_empty:
            data = await resize.read()
            if not data:
                break
            self._sizes.take(data)
        return await self._sizes.next()

    async def _write(self, name: str, data: bytes) -> None:
        if data and name in self._streams:
            await self._streams[name].write(data)

    def _accept(self, stream: Stream) -> None:
        name = stream.headers.get("streamtype", "")
        if name not in self._missing:
            raise Refused(f"no stream of type {name!r} is wanted, or not another one")
        self._missing.remove(name)
        self._streams[name] = stream
        if not self._missing:
            self._complete.set()
