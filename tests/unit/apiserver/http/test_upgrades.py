"""A connection that leaves HTTP: what is switched, what is handed on, what happens when nobody takes it."""

from __future__ import annotations

import asyncio

from argosy.apiserver.http.duplexes import HIGH_WATER_BYTES
from argosy.apiserver.http.messages import Answer, Duplex, Request, Response, Upgrading
from argosy.apiserver.http.protocols import Connection, Connections
from argosy.base.loops import run_virtual
from tests.unit.apiserver.http.transports import Transport

ASKING = b"GET /chat?a=1&a=2 HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: Echo/1\r\n\r\n"


class Echo:
    """Takes the upgrade and echoes; `ended` says how it came to its end."""

    def __init__(self) -> None:
        self.asked: list[Request] = []
        self.ended: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, request: Request) -> Answer:
        self.asked.append(request)
        return Upgrading(self.run, (("Upgrade", "echo/1"),), ["careful"])

    async def run(self, duplex: Duplex) -> None:
        try:
            await self.gate.wait()
            while data := await duplex.read():
                duplex.write(b"<" + data + b">")
                await duplex.drain()
                if b"bye" in data:
                    break
            self.ended.append("returned")
        except asyncio.CancelledError:
            self.ended.append("cancelled")
            raise


def connected(echo: Echo) -> tuple[Connections, Connection, Transport]:
    transport, connections = Transport(), Connections(echo)
    connection = connections()
    connection.connection_made(transport)  # type: ignore[arg-type]
    return connections, connection, transport


async def settle() -> None:
    await asyncio.sleep(0.001)


HEAD = b'HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo/1\r\nWarning: 299 - "careful"\r\n\r\n'


def test_bytes_after_the_request_go_to_the_new_protocol() -> None:
    async def story() -> None:
        echo = Echo()
        _, connection, transport = connected(echo)
        connection.data_received(ASKING + b"early")
        await settle()
        connection.data_received(b"later")
        await settle()
        assert transport.written == HEAD + b"<early><later>"
        connection.data_received(b"bye")
        await settle()
        assert transport.closed
        assert echo.ended == ["returned"]
        (asked,) = echo.asked
        assert (asked.upgrade, asked.values("a"), asked.query) == ("echo/1", ["1", "2"], {"a": "1"})

    run_virtual(story())


def test_a_handler_that_does_not_read_stops_the_peer() -> None:
    async def story() -> None:
        echo = Echo()
        echo.gate.clear()
        _, connection, transport = connected(echo)
        connection.data_received(ASKING)
        connection.data_received(b"x" * HIGH_WATER_BYTES)
        assert transport.reading
        connection.data_received(b"y")
        assert not transport.reading
        echo.gate.set()
        await settle()
        assert transport.reading
        assert transport.written == HEAD + b"<" + b"x" * HIGH_WATER_BYTES + b"y>"
        connection.connection_lost(None)
        await settle()

    run_virtual(story())


def test_a_peer_that_goes_cancels_the_handler() -> None:
    async def story() -> None:
        echo = Echo()
        connections, connection, _ = connected(echo)
        connection.data_received(ASKING)
        await settle()
        connection.connection_lost(None)
        await settle()
        assert echo.ended == ["cancelled"]
        assert connections.open == set()

    run_virtual(story())


def test_stopping_the_server_cancels_the_handler() -> None:
    async def story() -> None:
        echo = Echo()
        connections, connection, transport = connected(echo)
        connection.data_received(ASKING)
        await settle()
        await connections.stop(5)
        assert echo.ended == ["cancelled"]
        assert transport.closed

    run_virtual(story())


def test_an_upgrade_nobody_takes_is_answered_as_if_it_had_not_been_asked_for() -> None:
    async def plain(request: Request) -> Answer:
        return Response(200, b"plain", "text/plain")

    async def story() -> Transport:
        transport = Transport()
        connection = Connections(plain)()
        connection.connection_made(transport)  # type: ignore[arg-type]
        connection.data_received(ASKING + b"garbage")
        await settle()
        return transport

    transport = run_virtual(story())
    head, _, body = transport.written.partition(b"\r\n\r\n")
    assert body == b"plain"
    assert b"Connection: close" in head
    assert transport.closed


def test_other_requests_ask_for_no_upgrade() -> None:
    async def story() -> list[Request]:
        asked: list[Request] = []

        async def note(request: Request) -> Answer:
            asked.append(request)
            return Response(200)

        connection = Connections(note)()
        connection.connection_made(Transport())  # type: ignore[arg-type]
        # The header alone does not ask.
        connection.data_received(b"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n")
        connection.data_received(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        await settle()
        return asked

    assert [request.upgrade for request in run_virtual(story())] == ["", ""]
