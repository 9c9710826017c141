"""exec as clients without WebSockets do it: SPDY streams on the connection itself."""

from __future__ import annotations

import asyncio
import json

import pytest

from argosy.apiserver.http.messages import Upgrading
from argosy.apiserver.http.spdy.frames import Data, Reset
from argosy.apiserver.specials.multiplexes import OPEN_SECONDS
from argosy.apiserver.specials.streams import ExecRequest, Streams, TerminalSize
from tests.behaviour.apiserver.streaming import PODS, Cluster, Played, streaming
from tests.fakes.wires import SpdyPeer, Wire

PATH = f"{PODS}/p/exec?command=cat&stdin=true&stdout=true&stderr=true"


async def upgraded(cluster: Cluster, path: str = PATH) -> tuple[Upgrading, SpdyPeer]:
    await cluster.pod("p")
    answer = await cluster.answer(
        "POST", path, upgrade="spdy/3.1",
        x_stream_protocol_version="v5.channel.k8s.io, v4.channel.k8s.io",
    )  # fmt: skip
    assert isinstance(answer, Upgrading)
    return answer, SpdyPeer(Wire())


async def cat(request: ExecRequest, streams: Streams) -> int:
    while data := await streams.read_stdin():
        await streams.write_stdout(data)
    await streams.write_stderr(b"done")
    return 2


def test_a_command_has_a_stream_for_each_of_its_own() -> None:
    async def story(cluster: Cluster) -> None:
        answer, peer = await upgraded(cluster)
        assert answer.headers == (
            ("Connection", "Upgrade"),
            ("Upgrade", "SPDY/3.1"),
            ("X-Stream-Protocol-Version", "v4.channel.k8s.io"),
        )
        running = asyncio.ensure_future(answer.run(peer.wire))
        for number, kind in ((1, "error"), (3, "stdin"), (5, "stdout")):
            peer.open(number, streamtype=kind)
        peer.open(7, streamtype="error")
        peer.open(9, streamtype="resize")
        assert await peer.said() == [Reset(7), Reset(9)]
        # It starts when everything is there.
        assert cluster.source.notes == []
        peer.open(11, streamtype="stderr")
        peer.send(3, b"hello", fin=True)
        got = await peer.said()
        told = next(f for f in got if isinstance(f, Data) and f.stream == 1 and f.payload)
        assert json.loads(told.payload)["details"]["causes"] == [
            {"reason": "ExitCode", "message": "2"}
        ]
        assert [frame for frame in got if frame != told] == [
            Data(5, b"hello", fin=False),
            Data(11, b"done", fin=False),
            *(Data(number, b"", fin=True) for number in (1, 3, 5, 11)),
        ]
        peer.wire.hang_up()
        await running

    streaming(story, source=Played(cat))


def test_a_terminal_has_sizes() -> None:
    sizes: list[TerminalSize] = []

    async def note(request: ExecRequest, streams: Streams) -> int:
        sizes.extend([await streams.next_size(), await streams.next_size()])
        await streams.write_stderr(b"unheard")
        return 0

    async def story(cluster: Cluster) -> None:
        path = f"{PODS}/p/exec?command=sh&stdout=true&stderr=true&tty=true"
        answer, peer = await upgraded(cluster, path)
        running = asyncio.ensure_future(answer.run(peer.wire))
        for number, kind in ((1, "error"), (3, "stdout"), (5, "resize")):
            peer.open(number, streamtype=kind)
        # In pieces, as a stream of bytes may come.
        for piece in (b'{"Width":80,', b'"Height":24}\n{"Wid', b'th":100,"Height":30}\n'):
            peer.send(5, piece)
        await peer.said()
        assert sizes == [TerminalSize(80, 24), TerminalSize(100, 30)]
        peer.wire.hang_up()
        await running

    streaming(story, source=Played(note))


def test_a_client_that_goes_away_cancels_the_command() -> None:
    async def hang(request: ExecRequest, streams: Streams) -> int:
        assert await streams.read_stdin() == b""
        await asyncio.sleep(1e6)
        return 0

    async def story(cluster: Cluster) -> None:
        answer, peer = await upgraded(cluster, f"{PODS}/p/exec?command=x&stdout=true")
        running = asyncio.ensure_future(answer.run(peer.wire))
        peer.open(1, streamtype="error")
        peer.open(3, streamtype="stdout")
        await peer.said()
        peer.wire.hang_up()
        await running
        assert cluster.source.notes[-1] == "cancelled"

    streaming(story, source=Played(hang))


def test_a_client_that_never_opens_its_streams_is_cut_off() -> None:
    async def story(cluster: Cluster) -> None:
        answer, peer = await upgraded(cluster)
        before = asyncio.get_running_loop().time()
        with pytest.raises(ConnectionAbortedError, match="did not open its streams"):
            await answer.run(peer.wire)
        assert asyncio.get_running_loop().time() - before == pytest.approx(OPEN_SECONDS)
        assert cluster.source.notes == []

    streaming(story, source=Played(cat))


def test_a_client_that_stays_after_the_end_is_not_waited_for() -> None:
    async def story(cluster: Cluster) -> None:
        answer, peer = await upgraded(cluster, f"{PODS}/p/exec?command=x&stdout=true")
        peer.open(1, streamtype="error")
        peer.open(3, streamtype="stdout")
        await asyncio.wait_for(answer.run(peer.wire), 10)
        assert len(cluster.source.notes) == 1

    streaming(story, source=Played(cat))


def test_a_client_with_old_protocols_only_is_refused() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        code, said = await cluster.ask(
            "POST", PATH, upgrade="spdy/3.1", x_stream_protocol_version="channel.k8s.io"
        )
        want = (
            "unable to upgrade: unable to negotiate protocol: client supports [channel.k8s.io], "
            "server accepts [v4.channel.k8s.io]"
        )
        assert (code, said["message"]) == (400, want)

    streaming(story)
