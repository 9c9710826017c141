"""One connection, byte by byte: parsing, order, limits, endings. The transport is a list."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from argosy.apiserver.http.messages import Request, Response, Streaming, Writer
from argosy.apiserver.http.protocols import (
    IDLE_SECONDS,
    LINGER_SECONDS,
    MAX_BODY_BYTES,
    MAX_HEAD_BYTES,
    READ_SECONDS,
    SWEEP_SECONDS,
    Connection,
    Connections,
)
from argosy.base.loops import run_virtual
from tests.unit.apiserver.http.transports import Transport

GET = b"GET /%b HTTP/1.1\r\nHost: h\r\n\r\n"


Answer = Callable[[Request], Awaitable[Response | Streaming]]


async def echo(request: Request) -> Response:
    return Response(200, f"{request.method} {request.path}".encode(), "text/plain")


def connected(answer: Answer = echo) -> tuple[Connection, Transport]:
    transport = Transport()
    connection = Connections(answer)()
    connection.connection_made(transport)  # type: ignore[arg-type]
    return connection, transport


async def settle() -> None:
    await asyncio.sleep(0.001)


def bodies(written: bytes) -> list[bytes]:
    """The bodies of whole answers, in order."""
    found = []
    while written:
        head, _, written = written.partition(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1]) for line in head.split(b"\r\n") if b"Content-Length" in line
        )
        found.append(written[:length])
        written = written[length:]
    return found


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_a_request_may_come_in_pieces(size: int) -> None:
    async def story() -> bytes:
        connection, transport = connected()
        sent = b"POST /a?x=%20y HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
        for start in range(0, len(sent), size):
            connection.data_received(sent[start : start + size])
        await settle()
        return transport.written

    assert bodies(run_virtual(story())) == [b"POST /a"]


def test_answers_come_in_the_order_of_requests() -> None:
    async def slow_first(request: Request) -> Response:
        await asyncio.sleep(5 if request.path == "/0" else 0)
        return await echo(request)

    async def story() -> bytes:
        connection, transport = connected(slow_first)
        connection.data_received(b"".join(GET % str(n).encode() for n in range(4)))
        await asyncio.sleep(10)
        return transport.written

    assert bodies(run_virtual(story())) == [f"GET /{n}".encode() for n in range(4)]


def test_a_peer_that_sends_ahead_without_end_is_not_read() -> None:
    async def story() -> None:
        gate = asyncio.Event()

        async def wait(request: Request) -> Response:
            await gate.wait()
            return await echo(request)

        connection, transport = connected(wait)
        connection.data_received(b"".join(GET % str(n).encode() for n in range(40)))
        assert not transport.reading
        gate.set()
        await settle()
        assert transport.reading
        assert len(bodies(transport.written)) == 40

    run_virtual(story())


def test_a_body_over_the_limit_is_dropped_and_said_to_be() -> None:
    async def told(request: Request) -> Response:
        return Response(200, b"%d %d" % (request.oversized, len(request.body)), "text/plain")

    async def story() -> bytes:
        connection, transport = connected(told)
        length = MAX_BODY_BYTES + 1
        connection.data_received(
            b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n" % length
        )
        connection.data_received(b"x" * length)
        await settle()
        return transport.written

    [body] = bodies(run_virtual(story()))
    assert body.startswith(b"1 ")


def test_a_head_over_the_limit_is_refused() -> None:
    async def story() -> Transport:
        connection, transport = connected()
        connection.data_received(
            b"GET / HTTP/1.1\r\nX: " + b"x" * (MAX_HEAD_BYTES + 1) + b"\r\n\r\n"
        )
        await asyncio.sleep(LINGER_SECONDS)
        await settle()
        return transport

    transport = run_virtual(story())
    assert transport.written.startswith(b"HTTP/1.1 431 ")
    assert transport.closed


@pytest.mark.parametrize(
    "sent", [b"nonsense\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"\x16\x03\x01\x02\x00"]
)
def test_what_is_no_http_is_refused(sent: bytes) -> None:
    async def story() -> Transport:
        connection, transport = connected()
        connection.data_received(sent)
        await asyncio.sleep(LINGER_SECONDS)
        await settle()
        return transport

    transport = run_virtual(story())
    assert transport.written.startswith(b"HTTP/1.1 400 ")
    assert transport.closed


def test_a_head_request_gets_no_body() -> None:
    async def story() -> bytes:
        connection, transport = connected()
        connection.data_received(b"HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n")
        await settle()
        return transport.written

    written = run_virtual(story())
    assert b"Content-Length: 7\r\n" in written
    assert written.endswith(b"\r\n\r\n")


def test_a_stream_is_chunked_and_waits_for_a_slow_reader() -> None:
    async def story() -> None:
        waited: list[float] = []

        async def run(writer: Writer) -> None:
            writer.write(b"one")
            await writer.drain()
            waited.append(asyncio.get_running_loop().time())
            writer.write(b"two")

        async def stream(request: Request) -> Streaming:
            return Streaming(run)

        connection, transport = connected(stream)
        connection.pause_writing()
        connection.data_received(GET % b"watch")
        await asyncio.sleep(7)
        assert waited == []
        connection.resume_writing()
        await settle()
        assert transport.written.endswith(b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")
        assert waited == [7.0]

    run_virtual(story())


def test_a_stream_ends_when_its_reader_goes() -> None:
    async def story() -> None:
        ended: list[bool] = []

        async def run(writer: Writer) -> None:
            try:
                await asyncio.sleep(1000)
            finally:
                ended.append(True)

        async def stream(request: Request) -> Streaming:
            return Streaming(run)

        connection, _ = connected(stream)
        connection.data_received(GET % b"watch")
        await settle()
        connection.connection_lost(None)
        await settle()
        assert ended == [True]

    run_virtual(story())


def test_a_connection_the_client_closes_is_closed() -> None:
    async def story() -> Transport:
        connection, transport = connected()
        connection.data_received(b"GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        await settle()
        return transport

    transport = run_virtual(story())
    assert b"Connection: close\r\n" in transport.written
    assert transport.closed


def test_warnings_are_headers_and_keep_to_one_line() -> None:
    async def warn(request: Request) -> Response:
        return Response(200, b"", warnings=['say "hi"', "two\nlines", 'say "hi"'])

    async def story() -> bytes:
        connection, transport = connected(warn)
        connection.data_received(GET % b"a")
        await settle()
        return transport.written

    got = [line for line in run_virtual(story()).split(b"\r\n") if line.startswith(b"Warning")]
    assert got == [b'Warning: 299 - "say \\"hi\\""', b'Warning: 299 - "two lines"']


def test_stopping_lets_a_request_answer_and_ends_streams() -> None:
    async def story() -> None:
        async def slow(request: Request) -> Response:
            await asyncio.sleep(2)
            return await echo(request)

        transport = Transport()
        connections = Connections(slow)
        connection = connections()
        connection.connection_made(transport)  # type: ignore[arg-type]
        connection.data_received(GET % b"a")
        await settle()
        await connections.stop(5.0)
        assert bodies(transport.written) == [b"GET /a"]
        assert transport.closed

    run_virtual(story())


def test_a_body_without_end_is_answered_before_its_end() -> None:
    async def count(request: Request) -> Response:
        return Response(413, b"too large", "text/plain")

    async def story() -> tuple[bytes, bool, bool]:
        connection, transport = connected(count)
        connection.data_received(
            b"POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        chunk = b"x" * 65536
        for _ in range(MAX_BODY_BYTES // len(chunk) + 1):
            connection.data_received(b"%x\r\n%b\r\n" % (len(chunk), chunk))
        await settle()
        written, open_ = transport.written, not transport.closed
        connection.data_received(b"10\r\n" + b"x" * 16)
        await asyncio.sleep(LINGER_SECONDS)
        return written, open_, transport.closed

    written, open_at_first, closed_at_last = run_virtual(story())
    assert written.startswith(b"HTTP/1.1 413 ")
    assert written.count(b"HTTP/1.1") == 1
    assert open_at_first
    assert closed_at_last


def test_nonsense_behind_a_good_request_is_refused_after_its_answer() -> None:
    async def story() -> bytes:
        connection, transport = connected()
        connection.data_received(GET % b"a" + b"nonsense\r\n\r\n")
        await asyncio.sleep(LINGER_SECONDS)
        return transport.written

    assert bodies(run_virtual(story())) == [b"GET /a", b"400 Bad Request"]


WAITS = {
    "a head that is never finished": (b"GET / HTTP/1.1\r\nHost", READ_SECONDS),
    "a body that is never finished": (
        b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc",
        READ_SECONDS,
    ),
    "a connection nobody uses": (b"", IDLE_SECONDS),
    "a connection nobody uses any more": (GET % b"a", IDLE_SECONDS),
}


@pytest.mark.parametrize(("sent", "seconds"), WAITS.values(), ids=WAITS.keys())
def test_who_keeps_us_waiting_is_closed(sent: bytes, seconds: float) -> None:
    async def story() -> tuple[bool, bool]:
        connection, transport = connected()
        if sent:
            connection.data_received(sent)
        await asyncio.sleep(seconds - SWEEP_SECONDS)
        before = transport.closed
        await asyncio.sleep(2 * SWEEP_SECONDS)
        return before, transport.closed

    assert run_virtual(story()) == (False, True)


def test_a_stream_is_never_idle() -> None:
    async def endless(request: Request) -> Streaming:
        async def run(writer: Writer) -> None:
            await asyncio.sleep(10 * IDLE_SECONDS)

        return Streaming(run)

    async def story() -> bool:
        connection, transport = connected(endless)
        connection.data_received(GET % b"watch")
        await asyncio.sleep(5 * IDLE_SECONDS)
        return transport.closed

    assert not run_virtual(story())
