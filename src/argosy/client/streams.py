"""What a server in this process streams, as a plain async iterator.

The server writes when it likes and waits, with `drain`, until what it wrote was taken: so a reader that is slow holds
the writer up, as a full socket does, and one that is gone ends it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator

from argosy.apiserver.http.messages import Answer, Response, Streaming
from argosy.base.errors import InternalError


async def chunks(answer: Answer) -> AsyncGenerator[bytes, None]:
    """The body of an answer, whole or as it comes."""
    if isinstance(answer, Response):
        for part in (answer.body, answer.tail):
            if part:
                yield part
        return
    if not isinstance(answer, Streaming):
        raise InternalError("the answer is a conversation and no stream")
    pipe = _Pipe()
    writing = asyncio.create_task(pipe.fill(answer))
    try:
        while (chunk := await pipe.read()) is not None:
            yield chunk
        await writing
    finally:
        writing.cancel()
        await asyncio.wait({writing})


class _Pipe:
    """A `Writer` whose other end is read here."""

    def __init__(self) -> None:
        self._written: deque[bytes] = deque()
        self._is_ended = False
        self._news = asyncio.Event()
        self._taken = asyncio.Event()

    def write(self, chunk: bytes) -> None:
        self._written.append(chunk)
        self._news.set()

    async def drain(self) -> None:
        while self._written:
            self._taken.clear()
            await self._taken.wait()

    async def fill(self, answer: Streaming) -> None:
        try:
            await answer.run(self)
        finally:
            self._is_ended = True
            self._news.set()

    async def read(self) -> bytes | None:
        """What was written, oldest first; None at the end."""
        while not self._written:
            if self._is_ended:
                return None
            self._news.clear()
            await self._news.wait()
        chunk = self._written.popleft()
        self._taken.set()
        return chunk
