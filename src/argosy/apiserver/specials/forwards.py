"""pods/portforward: ports of a pod, brought to the client.

kubectl opens a pair of SPDY streams for every connection that somebody makes to its local port. SPDY runs inside a
WebSocket (`SPDY/3.1+portforward.k8s.io`) or, from older clients, on the connection itself. Clients without SPDY (the
Python one) name their ports in the query and get one connection to each, on channels of a WebSocket
(`v4.channel.k8s.io`). `pairs` hides the difference.

A connection ends when the pod's side does; a client's end of input is handed on as one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Final

from argosy.apiserver.access.attributes import Authorizer
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http import websockets
from argosy.apiserver.http.frames import CloseCode
from argosy.apiserver.http.messages import Duplex, Request, Upgrading
from argosy.apiserver.http.spdy import Session, Stream
from argosy.apiserver.http.spdy.sessions import Refused
from argosy.apiserver.http.websockets import WebSocket
from argosy.apiserver.specials import multiplexes
from argosy.apiserver.specials.commands import (
    cancelled,
    check_placed,
    find_pod,
    first_of,
    may_create,
)
from argosy.apiserver.specials.pairs import PORTS, ChannelPair, Local, StreamPair, pair_of
from argosy.apiserver.specials.streams import ExecSource
from argosy.base.errors import BadRequest, InternalError, StatusError
from argosy.base.types import Object

SPDY: Final = "portforward.k8s.io"
TUNNEL: Final = f"SPDY/3.1+{SPDY}"
CHANNELS: Final = "v4.channel.k8s.io"
_CHUNK_BYTES: Final = 32 * 1024


class Forwards:
    """The subresource over a source; without one nothing listens anywhere."""

    def __init__(self, authorizer: Authorizer, source: ExecSource | None) -> None:
        self._authorizer = authorizer
        self._source = source

    async def forward(self, cluster: Cluster, call: Call, request: Request) -> Upgrading:
        may_create(self._authorizer, call)
        pod = find_pod(cluster, call)
        check_placed(pod)
        if self._source is None or (pod.get("status") or {}).get("phase") != "Running":
            raise InternalError(
                f"Internal error occurred: error forwarding ports to pod {call.name}: pod is not running"
            )
        forwarding = _Forwarding(self._source, pod)
        if request.upgrade == multiplexes.UPGRADE:
            return Upgrading(forwarding.streams, multiplexes.accept(request, (SPDY,)))
        if request.upgrade != "websocket" or request.method != "GET":
            raise BadRequest("Upgrade request required")
        protocol = websockets.choose(request, (TUNNEL, CHANNELS))
        headers = websockets.accept(request, protocol)
        if protocol == TUNNEL:
            return Upgrading(forwarding.tunnel, headers)
        ports = _ports(request)
        return Upgrading(lambda duplex: forwarding.channels(duplex, ports), headers)


class _Forwarding:
    """All connections to one pod that one client has."""

    def __init__(self, source: ExecSource, pod: Object) -> None:
        self._source = source
        self._pod = pod

    async def tunnel(self, duplex: Duplex) -> None:
        socket = WebSocket(duplex)
        try:
            await self.streams(socket)
            await socket.close()
        finally:
            socket.hang_up(CloseCode.GOING_AWAY)

    async def streams(self, duplex: Duplex) -> None:
        """Pairs of SPDY streams, until the client is gone."""
        running: set[asyncio.Task[None]] = set()
        halves: dict[str, dict[str, Stream]] = {}

        def accept(stream: Stream) -> None:
            port, kind, pair = pair_of(stream)
            half = halves.setdefault(pair, {})
            if kind in half:
                raise Refused(f"the {kind} stream of request {pair} is there already")
            half[kind] = stream
            if len(half) == 2:
                del halves[pair]
                task = asyncio.create_task(
                    self._carry(port, StreamPair(half["data"], half["error"]))
                )
                running.add(task)
                task.add_done_callback(running.discard)

        try:
            await Session(duplex, accept).run()
        finally:
            await cancelled(running)

    async def channels(self, duplex: Duplex, ports: list[int]) -> None:
        """One connection per port, until all are over or the client is gone."""
        socket = WebSocket(duplex)
        ends = [ChannelPair(socket, 2 * index) for index in range(len(ports))]

        async def carry() -> None:
            for port, end in zip(ports, ends, strict=True):
                await end.begin(port)
            await asyncio.gather(*map(self._carry, ports, ends))

        async def listen() -> None:
            while (message := await socket.receive()) is not None:
                channel = message.payload[0] if message.payload else 1
                if channel % 2 == 0 and channel // 2 < len(ends):
                    await ends[channel // 2].take(message.payload[1:])

        try:
            if await first_of(carry(), listen()):
                await socket.close()
        finally:
            socket.hang_up(CloseCode.GOING_AWAY)

    async def _carry(self, port: int, local: Local) -> None:
        """One connection from its opening to its end. The client's being gone is an end like any other."""
        try:
            problem = await self._connect(port, local)
            if problem:
                meta = self._pod["metadata"]
                await local.fail(
                    f"error forwarding port {port} to pod {meta['name']}, uid {meta['uid']}: {problem}"
                )
            await local.end()
        except ConnectionError:
            return

    async def _connect(self, port: int, local: Local) -> str:
        """What went wrong before the first byte; "" when nothing did."""
        try:
            reader, writer = await self._source.port_forward(self._pod, port)
        except StatusError as error:
            return error.message
        except OSError as error:
            why = os.strerror(error.errno).lower() if error.errno else str(error)
            return f"failed to connect to localhost:{port} inside the pod: connect: {why}"
        sending = asyncio.create_task(_send(local, writer))
        try:
            await _copy(lambda: reader.read(_CHUNK_BYTES), local.write)
        finally:
            await cancelled({sending})
            writer.close()
        return ""


async def _send(local: Local, writer: asyncio.StreamWriter) -> None:
    """The client's bytes to the pod, and its end of input."""

    async def write(data: bytes) -> None:
        writer.write(data)
        await writer.drain()

    await _copy(local.read, write)
    if writer.can_write_eof() and not writer.is_closing():
        writer.write_eof()


async def _copy(
    read: Callable[[], Awaitable[bytes]], write: Callable[[bytes], Awaitable[None]]
) -> None:
    """Until one side is over; a side that breaks off is over."""
    try:
        while data := await read():
            await write(data)
    except ConnectionError:
        return


def _ports(request: Request) -> list[int]:
    texts = [text for value in request.values("ports") for text in value.split(",")]
    if not texts:
        raise BadRequest('query parameter "ports" is required')
    if len(texts) > 128 or not all(t.isdecimal() and int(t) in PORTS for t in texts):
        raise BadRequest(
            f'query parameter "ports" must name up to 128 ports from 1 to 65535, not "{",".join(texts)}"'
        )
    return [int(text) for text in texts]
