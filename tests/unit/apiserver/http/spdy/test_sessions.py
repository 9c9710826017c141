"""Streams of a SPDY connection, from the server's side. In virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from argosy.apiserver.http.spdy import Session, Stream
from argosy.apiserver.http.spdy.frames import Data, Encoder, Ping, Reset
from argosy.apiserver.http.spdy.sessions import MAX_UNREAD_BYTES, Refused
from argosy.base.loops import run_virtual
from tests.fakes.wires import SpdyPeer as Peer
from tests.fakes.wires import Wire


def playing(story: Callable[[Peer, list[Stream]], Awaitable[None]]) -> None:
    async def run() -> None:
        wire, streams = Wire(), list[Stream]()

        def accept(stream: Stream) -> None:
            if stream.headers.get("kind") == "unwanted":
                raise Refused("no")
            streams.append(stream)

        running = asyncio.create_task(Session(wire, accept).run())
        await story(Peer(wire), streams)
        wire.hang_up()
        await running

    run_virtual(run())


def test_a_stream_carries_bytes_both_ways_until_both_sides_end_it() -> None:
    async def story(peer: Peer, streams: list[Stream]) -> None:
        peer.open(1, kind="data")
        peer.send(1, b"hello")
        peer.send(1, b"", fin=True)
        await peer.said()
        (stream,) = streams
        assert stream.headers == {"kind": "data"}
        assert [await stream.read(), await stream.read()] == [b"hello", b""]
        await stream.write(b"hi")
        await stream.end()
        assert await peer.said() == [Data(1, b"hi", fin=False), Data(1, b"", fin=True)]
        with pytest.raises(ConnectionResetError):
            await stream.write(b"more")
        await stream.end()
        await stream.reset()
        assert await peer.said() == []

    playing(story)


def test_a_stream_that_is_not_wanted_is_reset() -> None:
    async def story(peer: Peer, streams: list[Stream]) -> None:
        peer.open(1, kind="unwanted")
        peer.send(1, b"dropped")
        peer.open(2, kind="even numbers are the server's")
        peer.open(3, kind="fine", fin=True)
        assert await peer.said() == [Reset(1), Reset(2)]
        (stream,) = streams
        assert await stream.read() == b""
        peer.open(3, kind="again")
        assert await peer.said() == [Reset(3)]

    playing(story)


def test_a_stream_that_the_client_resets_is_over() -> None:
    async def story(peer: Peer, streams: list[Stream]) -> None:
        peer.open(1)
        peer.reset(1)
        peer.reset(99)
        await peer.said()
        assert await streams[0].read() == b""
        with pytest.raises(ConnectionResetError):
            await streams[0].write(b"x")

    playing(story)


def test_a_stream_may_be_given_up() -> None:
    async def story(peer: Peer, streams: list[Stream]) -> None:
        peer.open(1)
        await peer.said()
        await streams[0].reset()
        peer.send(1, b"x" * (MAX_UNREAD_BYTES + 1))
        assert await peer.said() == [Reset(1)]

    playing(story)


def test_pings_are_answered() -> None:
    async def story(peer: Peer, streams: list[Stream]) -> None:
        peer.wire.say(Encoder.ping(7) + Encoder.ping(8))
        assert await peer.said() == [Ping(7)]

    playing(story)


def test_a_stream_that_nobody_reads_holds_up_the_connection_and_a_deaf_one_does_not() -> None:
    async def story(peer: Peer, streams: list[Stream]) -> None:
        peer.open(1)
        peer.send(1, b"x" * (MAX_UNREAD_BYTES + 1))
        peer.open(3)
        await peer.said()
        assert len(streams) == 1
        assert len(await streams[0].read()) == MAX_UNREAD_BYTES + 1
        await peer.said()
        assert len(streams) == 2
        streams[0].stop_reading()
        peer.send(1, b"x" * (MAX_UNREAD_BYTES + 1))
        peer.send(3, b"y")
        assert await streams[1].read() == b"y"

    playing(story)


def test_streams_are_over_when_the_client_goes() -> None:
    async def story(peer: Peer, streams: list[Stream]) -> None:
        peer.open(1)
        await peer.said()
        reading = asyncio.create_task(streams[0].read())
        peer.wire.hang_up()
        assert await reading == b""

    playing(story)


def test_a_client_that_breaks_the_protocol_is_cut_off() -> None:
    async def run() -> None:
        wire = Wire()
        wire.say(b"\x80\x02\x00\x01\x00\x00\x00\x00")
        with pytest.raises(ConnectionAbortedError, match="SPDY version 2 is not spoken here"):
            await Session(wire, lambda _: None).run()

    run_virtual(run())
