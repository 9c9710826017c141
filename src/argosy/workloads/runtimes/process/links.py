"""Argosy's end of the connection to its keeper.

Requests are answered in any order and matched by number. What the keeper tells by itself goes to `listen`. When the
connection breaks, every waiting request fails with `KeeperGone`: the keeper has died, and with it all containers.
"""

from __future__ import annotations

import asyncio
import itertools
import socket
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import msgspec

Message: TypeAlias = dict[str, Any]
_MAX_DESCRIPTORS: Final = 8


class KeeperGone(ConnectionError):
    """The keeper has ended."""


class Refused(Exception):
    """The keeper could not do what it was asked to do; the text is for users."""

    def __init__(self, problem: Message) -> None:
        super().__init__(problem["text"])
        self.errno: Final[int] = problem["errno"] or 0


class Link:
    """One connection. All methods belong to the event loop's thread."""

    def __init__(self, connection: socket.socket, listen: Callable[[Message], None]) -> None:
        self._connection = connection
        self._listen = listen
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Message]] = {}
        self._commands: dict[int, asyncio.Future[int]] = {}
        self._unsent: deque[tuple[bytes, Sequence[int]]] = deque()
        self._received: deque[int] = deque()
        self._heard = b""
        self.gone: Final = asyncio.Event()
        connection.setblocking(False)
        self._loop.add_reader(connection, self._hear)

    async def ask(self, op: str, descriptors: Sequence[int] = (), **fields: Any) -> Message:
        """The answer to a request. Refused, KeeperGone."""
        return await self._ask(next(self._numbers), op, descriptors, fields)

    async def command(
        self, order: Message, descriptors: Sequence[int]
    ) -> tuple[int, asyncio.Future[int]]:
        """Start a command beside a container; its pid, and its exit code when it ends."""
        number = next(self._numbers)
        done = self._commands[number] = self._loop.create_future()
        try:
            answer = await self._ask(number, "exec", descriptors, {"command": order})
        except BaseException:
            self._commands.pop(number, None)
            raise
        return answer["pid"], done

    def take_descriptor(self) -> int:
        """The next descriptor that an answer brought."""
        return self._received.popleft()

    def close(self) -> None:
        """Hang up. The keeper goes on without us."""
        if self.gone.is_set():
            return
        self.gone.set()
        self._loop.remove_reader(self._connection)
        self._loop.remove_writer(self._connection)
        self._connection.close()
        broken = KeeperGone("the keeper of the containers' processes has ended")
        waiting: list[asyncio.Future[Any]] = [*self._waiting.values(), *self._commands.values()]
        for future in waiting:
            if not future.done():
                future.set_exception(broken)
                future.exception()  # whoever waits will see it; nobody has to
        self._waiting.clear()
        self._commands.clear()

    async def _ask(
        self, number: int, op: str, descriptors: Sequence[int], fields: Message
    ) -> Message:
        if self.gone.is_set():
            raise KeeperGone("the keeper of the containers' processes has ended")
        future = self._waiting[number] = self._loop.create_future()
        asked = {"id": number, "op": op, "descriptors": len(descriptors), **fields}
        self._unsent.append((msgspec.json.encode(asked) + b"\n", descriptors))
        self._send()
        try:
            answer: Message = await future
        finally:
            self._waiting.pop(number, None)
        if "problem" in answer:
            raise Refused(answer["problem"])
        return answer

    def _send(self) -> None:
        while self._unsent:
            data, descriptors = self._unsent.popleft()
            try:
                if descriptors:
                    sent = socket.send_fds(self._connection, [data], list(descriptors))
                else:
                    sent = self._connection.send(data)
            except BlockingIOError:
                self._unsent.appendleft((data, descriptors))
                self._loop.add_writer(self._connection, self._send)
                return
            except OSError:
                self.close()
                return
            if sent < len(data):
                self._unsent.appendleft((data[sent:], ()))
        self._loop.remove_writer(self._connection)

    def _hear(self) -> None:
        try:
            data, descriptors, _, _ = socket.recv_fds(self._connection, 1 << 16, _MAX_DESCRIPTORS)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        self._received.extend(descriptors)
        if not data:
            self.close()
            return
        *lines, self._heard = (self._heard + data).split(b"\n")
        for line in lines:
            self._take(msgspec.json.decode(line))

    def _take(self, told: Message) -> None:
        if "id" in told:
            future = self._waiting.get(told["id"])
            if future is not None and not future.done():
                future.set_result(told)
        elif told["event"] == "done":
            done = self._commands.pop(told["command"], None)
            if done is not None and not done.done():
                done.set_result(told["code"])
        else:
            self._listen(told)
