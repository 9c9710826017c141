"""A WebSocket from the server's side: handshake, control messages, endings. In virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from argosy.apiserver.http.frames import CloseCode, Message, Opcode
from argosy.apiserver.http.messages import Request
from argosy.apiserver.http.websockets import (
    CLOSE_SECONDS,
    PING_SECONDS,
    WebSocket,
    accept,
    choose,
)
from argosy.base.errors import BadRequest
from argosy.base.loops import run_virtual
from tests.fakes.wires import Caller, Wire


def asking(**headers: str) -> Request:
    named = {name.replace("_", "-").encode(): value.encode() for name, value in headers.items()}
    return Request("GET", "/", {}, named)


def playing(story: Callable[[WebSocket, Caller, Wire], Awaitable[None]]) -> None:
    async def run() -> None:
        wire = Wire()
        await story(WebSocket(wire, max_message_bytes=1000), Caller(wire), wire)

    run_virtual(run())


def close(code: CloseCode, text: str = "") -> Message:
    return Message(Opcode.CLOSE, code.to_bytes(2, "big") + text.encode())


def test_the_handshake_answers_the_key_as_in_the_rfc() -> None:
    request = asking(sec_websocket_version="13", sec_websocket_key="dGhlIHNhbXBsZSBub25jZQ==")
    assert accept(request, "v4.channel.k8s.io") == (
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        ("Sec-WebSocket-Protocol", "v4.channel.k8s.io"),
    )


REFUSED = {
    "another version": (
        {"sec_websocket_version": "8", "sec_websocket_key": "dGhlIHNhbXBsZSBub25jZQ=="},
        'WebSocket version "8" is not spoken here, only 13',
    ),
    "no key": (
        {"sec_websocket_version": "13"},
        "the header Sec-WebSocket-Key must hold 16 bytes in base64",
    ),
    "a key that is no base64": (
        {"sec_websocket_version": "13", "sec_websocket_key": "????"},
        "the header Sec-WebSocket-Key must hold 16 bytes in base64",
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_a_bad_handshake_is_refused(case: tuple[dict[str, str], str]) -> None:
    headers, want = case
    with pytest.raises(BadRequest) as caught:
        accept(asking(**headers), "x")
    assert caught.value.message == want


def test_our_favorite_of_the_offered_protocols_is_chosen() -> None:
    assert choose(asking(sec_websocket_protocol="a, c, b"), ("b", "c")) == "b"
    with pytest.raises(BadRequest) as caught:
        choose(asking(sec_websocket_protocol="a,x"), ("b", "c"))
    want = "unable to upgrade: unable to negotiate protocol: client supports [a x], server accepts [b c]"
    assert caught.value.message == want


def test_pings_are_answered_and_pongs_are_not() -> None:
    async def story(socket: WebSocket, caller: Caller, wire: Wire) -> None:
        caller.send(b"are you there?", Opcode.PING)
        caller.send(b"", Opcode.PONG)
        caller.send(b"data")
        assert await socket.receive() == Message(Opcode.BINARY, b"data")
        assert await caller.receive() == Message(Opcode.PONG, b"are you there?")
        assert wire.heard == b""
        socket.hang_up(CloseCode.NORMAL)

    playing(story)


def test_a_silent_client_is_pinged_until_the_end() -> None:
    async def story(socket: WebSocket, caller: Caller, wire: Wire) -> None:
        await asyncio.sleep(2 * PING_SECONDS + 1)
        assert [await caller.receive(), await caller.receive()] == [Message(Opcode.PING, b"")] * 2
        socket.hang_up(CloseCode.GOING_AWAY, "stopping")
        await asyncio.sleep(10 * PING_SECONDS)
        assert await caller.receive() == close(CloseCode.GOING_AWAY, "stopping")
        assert wire.heard == b""

    playing(story)


def test_pinging_stops_when_the_client_is_gone() -> None:
    async def story(socket: WebSocket, caller: Caller, wire: Wire) -> None:
        wire.hang_up()
        await asyncio.sleep(2 * PING_SECONDS)
        assert await socket.receive() is None
        socket.hang_up(CloseCode.NORMAL)
        assert wire.heard == b""

    playing(story)


def test_a_clients_close_is_answered_and_ends_everything() -> None:
    async def story(socket: WebSocket, caller: Caller, wire: Wire) -> None:
        caller.send(b"\x03\xe8", Opcode.CLOSE)
        caller.send(b"too late")
        assert await socket.receive() is None
        assert await socket.receive() is None
        assert await caller.receive() == close(CloseCode.NORMAL)
        with pytest.raises(ConnectionResetError):
            await socket.send(b"too late, too")

    playing(story)


BROKEN = {
    "a message over the limit": (
        b"x" * 1001,
        Opcode.BINARY,
        close(CloseCode.TOO_BIG, "messages may have 1000 bytes"),
    ),
    "text that is none": (
        b"\xff",
        Opcode.TEXT,
        close(CloseCode.INVALID_TEXT, "text is not UTF-8"),
    ),
    "a close code that may not be sent": (
        b"\x03\xed",
        Opcode.CLOSE,
        close(CloseCode.PROTOCOL_ERROR, "close code 1005 may not be sent"),
    ),
}


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_a_client_that_breaks_a_rule_is_told_and_heard_no_more(
    case: tuple[bytes, Opcode, Message],
) -> None:
    payload, opcode, want = case

    async def story(socket: WebSocket, caller: Caller, wire: Wire) -> None:
        caller.send(payload, opcode)
        caller.send(b"more")
        assert await socket.receive() is None
        assert await caller.receive() == want

    playing(story)


def test_closing_hears_the_client_out() -> None:
    async def story(socket: WebSocket, caller: Caller, wire: Wire) -> None:
        closing = asyncio.create_task(socket.close())
        caller.send(b"still sending")
        assert await caller.until_close() == [close(CloseCode.NORMAL)]
        await closing
        assert asyncio.get_running_loop().time() < CLOSE_SECONDS

    playing(story)


def test_a_client_that_never_answers_a_close_is_not_waited_for() -> None:
    async def story(socket: WebSocket, caller: Caller, wire: Wire) -> None:
        before = asyncio.get_running_loop().time()
        await socket.close()
        assert asyncio.get_running_loop().time() - before == pytest.approx(CLOSE_SECONDS)
        await socket.close()

    playing(story)


def test_sending_waits_for_a_slow_client() -> None:
    async def story(socket: WebSocket, caller: Caller, wire: Wire) -> None:
        wire.taking.clear()
        sending = asyncio.create_task(socket.send(b"x"))
        await asyncio.sleep(5)
        assert not sending.done()
        wire.taking.set()
        await sending
        assert await caller.receive() == Message(Opcode.BINARY, b"x")
        socket.hang_up(CloseCode.NORMAL)

    playing(story)


def test_as_a_tunnel_it_carries_bytes() -> None:
    async def story(socket: WebSocket, caller: Caller, wire: Wire) -> None:
        caller.send(b"")
        caller.send(b"one")
        caller.send(b"\x03\xe8", Opcode.CLOSE)
        assert [await socket.read(), await socket.read()] == [b"one", b""]

    playing(story)
