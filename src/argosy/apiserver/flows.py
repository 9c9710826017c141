"""Who may be served now: bounded concurrency with a fair queue per user.

Up to `seats` requests run at once. Past that, requests wait in queues, one per user, served in turn, so that one
user's flood costs the others one place each and no more. A queue that is full, or a wait that is too long, ends in
429 with Retry-After. Watches and log streams hold no seat. The cluster's own admins (system:masters) and its
controllers are never queued, so a flood can't lock out whoever has to stop it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from typing import Final

from argosy.apiserver.access.identities import User
from argosy.base.errors import TooManyRequests

SEATS: Final = 400
QUEUE_LENGTH: Final = 200
MAX_WAIT_SECONDS: Final = 15.0


class Seat:
    """A place among the running requests. `leave` gives it to whoever is next."""

    __slots__ = ("_flows",)

    def __init__(self, flows: Flows | None) -> None:
        self._flows = flows

    def leave(self) -> None:
        if self._flows is not None:
            self._flows.pass_on()


_EXEMPT: Final = Seat(None)


class Flows:
    """See the module's docstring."""

    def __init__(
        self,
        *,
        seats: int = SEATS,
        queue_length: int = QUEUE_LENGTH,
        max_wait_seconds: float = MAX_WAIT_SECONDS,
    ) -> None:
        self._free = seats
        self._queue_length = queue_length
        self._max_wait_seconds = max_wait_seconds
        self._seat = Seat(self)
        # Users with waiting requests, in the order of their turns.
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        return sum(map(len, self._queues.values()))

    def try_enter(self, user: User) -> Seat | None:
        """A seat at once, or None when the request must wait (`enter`)."""
        if user.is_master:
            return _EXEMPT
        if self._free > 0:
            self._free -= 1
            return self._seat
        return None

    async def enter(self, user: User) -> Seat:
        """Wait for a seat; raises TooManyRequests."""
        queue = self._queues.setdefault(user.name, deque())
        if len(queue) >= self._queue_length:
            raise TooManyRequests(retry_after_seconds=1)
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        seated = False
        try:
            async with asyncio.timeout(self._max_wait_seconds):
                await turn
            seated = True
        except TimeoutError:
            raise TooManyRequests(retry_after_seconds=1) from None
        finally:
            if not seated:
                self._give_up(user.name, turn)
        return self._seat

    def pass_on(self) -> None:
        """One seat is free: to the next user's first request, else back to the pool."""
        while self._queues:
            name, queue = self._queues.popitem(last=False)
            turn = queue.popleft() if queue else None
            if queue:
                self._queues[name] = queue
            if turn is not None and not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _give_up(self, name: str, turn: asyncio.Future[None]) -> None:
        """Who no longer waits leaves the queue, or passes on the seat it was given in that very moment."""
        if turn.done() and not turn.cancelled():
            self.pass_on()
            return
        queue = self._queues.get(name)
        if queue is not None and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._queues[name]
