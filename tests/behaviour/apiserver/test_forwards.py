"""Ports of a pod, brought to the client: by SPDY in a WebSocket, by SPDY alone, and by channels."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from argosy.apiserver.http.frames import Opcode
from argosy.apiserver.http.messages import Upgrading
from argosy.apiserver.http.spdy.frames import Data, Reset
from tests.behaviour.apiserver.streaming import PODS, Cluster, Played, Port, streaming
from tests.fakes.wires import SpdyPeer, Wire

PATH = f"{PODS}/p/portforward"
SUFFIX = "connect: connection refused"


async def settle() -> None:
    await asyncio.sleep(0.001)


def open_pair(peer: SpdyPeer, number: int, port: str, request: str) -> None:
    """What kubectl does for every connection to its local port."""
    peer.open(number, fin=True, streamtype="error", port=port, requestid=request)
    peer.open(number + 2, streamtype="data", port=port, requestid=request)


def forwarding(story: Callable[[SpdyPeer, Port], Awaitable[None]]) -> None:
    """A story on a pod with an open port 80, by SPDY alone."""

    async def run(cluster: Cluster) -> None:
        await cluster.pod("p")
        answer = await cluster.answer(
            "POST", PATH, upgrade="spdy/3.1", x_stream_protocol_version="portforward.k8s.io"
        )
        assert isinstance(answer, Upgrading)
        peer = SpdyPeer(Wire())
        running = asyncio.ensure_future(answer.run(peer.wire))
        await story(peer, cluster.source.ports[80])
        peer.wire.hang_up()
        await running

    streaming(run, source=Played(ports={80: Port()}))


def test_every_pair_of_streams_is_a_connection_of_its_own() -> None:
    async def story(peer: SpdyPeer, port: Port) -> None:
        open_pair(peer, 1, "80", "0")
        open_pair(peer, 5, "80", "1")
        peer.send(3, b"one")
        peer.send(7, b"two", fin=True)
        await peer.said()
        first, second = port.connections
        assert [(c.got, c.ended) for c in port.connections] == [(b"one", False), (b"two", True)]
        first.out.feed_data(b"hi one")
        second.out.feed_data(b"hi two")
        got = await peer.said()
        assert got == [Data(3, b"hi one", fin=False), Data(7, b"hi two", fin=False)]
        first.out.feed_eof()
        assert await peer.said() == [Data(3, b"", fin=True), Data(1, b"", fin=True)]
        assert [c.closed for c in port.connections] == [True, False]

    forwarding(story)


def test_a_port_where_nobody_listens_is_told_on_the_error_stream() -> None:
    async def story(peer: SpdyPeer, port: Port) -> None:
        open_pair(peer, 1, "81", "0")
        told, *rest = await peer.said()
        assert isinstance(told, Data)
        said = told.payload.decode()
        assert said.startswith("error forwarding port 81 to pod p, uid ")
        assert said.endswith(f": failed to connect to localhost:81 inside the pod: {SUFFIX}")
        assert rest == [Data(3, b"", fin=True), Data(1, b"", fin=True)]
        # The other ports go on.
        open_pair(peer, 5, "80", "1")
        await peer.said()
        assert len(port.connections) == 1

    forwarding(story)


UNWANTED: dict[str, dict[str, str]] = {
    "no port": {"streamtype": "data"},
    "a port that is none": {"streamtype": "data", "port": "http"},
    "a port out of range": {"streamtype": "data", "port": "65536"},
    "no type": {"port": "80"},
    "another type": {"port": "80", "streamtype": "stdin"},
}


@pytest.mark.parametrize("headers", UNWANTED.values(), ids=UNWANTED)
def test_streams_that_say_nothing_useful_are_reset(headers: dict[str, str]) -> None:
    async def story(peer: SpdyPeer, port: Port) -> None:
        peer.open(1, **headers)
        assert await peer.said() == [Reset(1)]
        assert port.connections == []

    forwarding(story)


def test_the_same_half_twice_is_reset() -> None:
    async def story(peer: SpdyPeer, port: Port) -> None:
        for number in (1, 3):
            peer.open(number, streamtype="data", port="80", requestid="0")
        assert await peer.said() == [Reset(3)]

    forwarding(story)


def test_connections_end_with_the_client() -> None:
    async def story(peer: SpdyPeer, port: Port) -> None:
        open_pair(peer, 1, "80", "0")
        await peer.said()
        peer.wire.hang_up()
        await settle()
        assert [c.closed for c in port.connections] == [True]

    forwarding(story)


def test_kubectl_puts_spdy_into_a_websocket() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        async with cluster.calling(PATH, "SPDY/3.1+portforward.k8s.io") as call:
            inner = SpdyPeer(Wire())
            open_pair(inner, 1, "80", "0")
            inner.send(3, b"hello")
            while inner.wire.unread:
                call.caller.send(await inner.wire.read())
            await settle()
            (connection,) = cluster.source.ports[80].connections
            assert connection.got == b"hello"
            connection.out.feed_data(b"hi")
            # Two answers to opened streams come before it.
            payloads = [(await call.caller.receive()).payload for _ in range(3)]
            assert payloads[2] == b"\0\0\0\3\0\0\0\2hi"
            call.caller.send(b"\x03\xe8", Opcode.CLOSE)
            await call.running
            assert connection.closed

    streaming(story, source=Played(ports={80: Port()}))


def test_clients_without_spdy_name_their_ports() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        async with cluster.calling(f"{PATH}?ports=80,81&ports=82", "v4.channel.k8s.io") as call:
            call.caller.send(b"\0hello")
            call.caller.send(b"\1ignored")
            call.caller.send(b"\x08ignored")
            call.caller.send(b"")
            got = [(await call.caller.receive()).payload for _ in range(7)]
            begun = [b"\0\x50\0", b"\1\x50\0", b"\2\x51\0", b"\3\x51\0", b"\4\x52\0", b"\5\x52\0"]
            assert got[:6] == begun
            assert got[6].startswith(b"\3error forwarding port 81 to pod p, uid ")
            await settle()
            ports = cluster.source.ports
            assert ports[80].connections[0].got == b"hello"
            for number in (80, 82):
                ports[number].connections[0].out.feed_data(b"bye")
                ports[number].connections[0].out.feed_eof()
            assert await call.messages() == [(0, b"bye"), (4, b"bye")]

    streaming(story, source=Played(ports={80: Port(), 82: Port()}))


REFUSED: dict[str, tuple[str, str, tuple[int, str]]] = {
    "no port": ("", "websocket", (400, 'query parameter "ports" is required')),
    "a port that is none": (
        "?ports=80,x",
        "websocket",
        (
            400,
            'query parameter "ports" must name up to 128 ports from 1 to 65535, not "80,x"',
        ),
    ),
    "no upgrade": ("", "", (400, "Upgrade request required")),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_said_before_the_upgrade(case: tuple[str, str, tuple[int, str]]) -> None:
    query, upgrade, want = case

    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        more = {"upgrade": upgrade, "sec-websocket-protocol": "v4.channel.k8s.io"}
        assert await cluster.refusal(PATH + query, **more) == want

    streaming(story)


def test_pods_that_do_not_run_have_no_ports() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("waiting", node="")
        await cluster.pod("done", phase="Failed")
        assert await cluster.refusal(f"{PODS}/waiting/portforward") == (
            400,
            "pod waiting does not have a host assigned",
        )
        assert await cluster.refusal(f"{PODS}/done/portforward") == (
            500,
            "Internal error occurred: error forwarding ports to pod done: pod is not running",
        )
        assert await cluster.refusal(f"{PODS}/nope/portforward") == (404, 'pods "nope" not found')

    streaming(story)
