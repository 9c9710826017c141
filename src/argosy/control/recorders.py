"""Writes core/v1 Events about objects: what `kubectl describe` shows at its end.

`event` never waits and never fails: it puts the event into a bounded queue, and a full queue drops it, because an event
is not worth holding up the controller it comes from. How many were dropped is said once in a while, not for each: ten
thousand pods that start at once must not turn into as many lines of log.

`run` writes several events at a time. The events of one object stand in one lane and are written in order, one after
the other, because each may change what becomes of the next; lanes know nothing of each other. The correlator decides
what becomes a new event, what a higher count, and what nothing. A budget, where one is given, slows writing down to so
many events a second, as a kubelet's does. When the server cannot be reached, an event is tried 12 times, ten seconds
apart, as client-go does; a refused event is logged and dropped.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from typing import Final, Literal, NamedTuple, TypeAlias
from zlib import crc32

from argosy.base.clock import Clock
from argosy.base.errors import (
    AlreadyExists,
    Forbidden,
    NotFound,
    ServiceUnavailable,
    StatusError,
    Timeout,
    TooManyRequests,
)
from argosy.base.ids import Ids, RandomIds
from argosy.base.names import is_dns1123_subdomain
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import EVENTS
from argosy.control.correlating import Correlator, Known, Occurrence, Reference, Verdict
from argosy.control.queues import Bucket

EventType: TypeAlias = Literal["Normal", "Warning"]

_LOG: Final = logging.getLogger(__name__)
# About 30 MB of events at the very most: what ten thousand pods say when they all start at once, and half as much.
QUEUED: Final = 65_536
LANES: Final = 16
# How often the number of dropped events is said.
DROPS_SECONDS: Final = 10.0
_TRIES: Final = 12
_NAMES: Final = 8
_ENDING: Final = "because it is being terminated"
_PAUSE_SECONDS: Final = 10.0
# Upstream's limit on the message of an event.
_MESSAGE_BYTES: Final = 1024


class _Noted(NamedTuple):
    """An event on its way. `stamp` is its moment in nanoseconds, moved a little where two would share one: clocks are
    coarse, and virtual time stands still. It names the event, the same at every try.
    """

    occurrence: Occurrence
    when: float
    stamp: int


class EventRecorder:
    """Records events as `component`, which kubectl shows in its From column."""

    def __init__(
        self,
        client: Client,
        component: str,
        *,
        clock: Clock,
        host: str = "",
        ids: Ids | None = None,
        source: random.Random | None = None,
        per_second: float | None = None,
        burst: int = 1,
        queued: int = QUEUED,
        is_mute: bool = False,
    ) -> None:
        """`per_second` and `burst` are the budget, none by default; `queued` is how many events may wait;
        one that `is_mute` writes none at all.
        """
        self._client = client
        self._component = component
        self._host = host
        self._clock = clock
        self._ids = ids or RandomIds()
        self._source = source or random.Random()
        self._correlator = Correlator(clock)
        self._budget = Bucket(clock, per_second, burst) if per_second is not None else None
        self._queued = queued
        self.is_mute: Final = is_mute
        self._waiting = 0
        self._idle = asyncio.Event()
        self._idle.set()
        # Lanes that somebody stands in, and those of them that nobody attends to yet.
        self._lanes: dict[int, deque[_Noted]] = {}
        self._unattended: asyncio.Queue[int] = asyncio.Queue()
        self._dropped = 0
        self._told = float("-inf")
        self._given_up = 0
        self._given_up_told = float("-inf")
        self._stamp = 0

    def event(self, about: Reference, type_: EventType, reason: str, message: str) -> None:
        """Note that something happened to `about`."""
        if self.is_mute:
            return
        if self._waiting >= self._queued:
            self._dropped += 1
            self._tell_drops()
            return
        self._waiting += 1
        self._idle.clear()
        occurrence = Occurrence(about, type_, reason, _shorten(message))
        when = self._clock.time()
        self._stamp = max(round(when * 1e9), self._stamp + 1)
        # Not `hash`, which differs from one process to the next.
        number = crc32(f"{about.namespace}/{about.name}".encode()) % LANES
        lane = self._lanes.get(number)
        if lane is None:
            lane = self._lanes[number] = deque()
            self._unattended.put_nowait(number)
        lane.append(_Noted(occurrence, when, self._stamp))

    async def run(self) -> None:
        """Write events until cancelled. A recorder without events costs one task, however many there are."""
        self._unattended = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            for number in self._lanes:
                group.create_task(self._follow(number))
            while True:
                group.create_task(self._follow(await self._unattended.get()))

    async def flush(self) -> None:
        """Wait until everything noted so far is written or dropped."""
        await self._idle.wait()

    async def _follow(self, number: int) -> None:
        """Attend to a lane until it is empty."""
        lane = self._lanes[number]
        while lane:
            noted = lane.popleft()
            try:
                if (verdict := self._correlator.judge(noted.occurrence)) is not None:
                    await self._afford()
                    await self._record(noted, verdict)
            finally:
                self._done()
        del self._lanes[number]

    def _done(self) -> None:
        self._waiting -= 1
        if not self._waiting:
            self._idle.set()
        if self._dropped:
            self._tell_drops()

    async def _afford(self) -> None:
        if self._budget is not None and (seconds := self._budget.reserve()) > 0:
            await self._clock.sleep(seconds)

    def _tell_drops(self) -> None:
        """Say how many events were dropped: at the first, then once in a while, and when the last has been written."""
        now = self._clock.monotonic()
        if now - self._told >= DROPS_SECONDS or not self._waiting:
            _LOG.warning("%s: too many events, dropped %d", self._component, self._dropped)
            self._dropped, self._told = 0, now

    def _tell_given_up(self, reason: str) -> None:
        """Say which event could not be written, and once in a while how many."""
        self._given_up += 1
        now = self._clock.monotonic()
        if now - self._given_up_told < DROPS_SECONDS:
            return
        if self._given_up == 1:
            _LOG.warning("%s: event %s given up", self._component, reason)
        else:
            _LOG.warning("%s: %d events given up", self._component, self._given_up)
        self._given_up, self._given_up_told = 0, now

    async def _record(self, noted: _Noted, verdict: Verdict) -> None:
        for attempt in range(_TRIES):
            try:
                await self._write(noted, verdict, is_first=attempt == 0)
            except (ServiceUnavailable, Timeout, TooManyRequests) as error:
                _LOG.warning("%s: cannot write event: %s", self._component, error)
            except AlreadyExists as error:
                _LOG.debug("%s: event dropped: %s", self._component, error)
                return
            except StatusError as error:
                # A namespace that is ending takes no events of what ends in it.
                is_expected = isinstance(error, Forbidden) and _ENDING in str(error)
                level = logging.DEBUG if is_expected else logging.WARNING
                _LOG.log(level, "%s: event refused: %s", self._component, error)
                return
            else:
                return
            # The first pause is random, so that all recorders of a fleet do not come back at once.
            share = self._source.random() if attempt == 0 else 1.0
            await self._clock.sleep(_PAUSE_SECONDS * share)
        self._tell_given_up(noted.occurrence.reason)

    async def _write(self, noted: _Noted, verdict: Verdict, *, is_first: bool) -> None:
        occurrence, when = noted.occurrence, noted.when
        namespace = occurrence.about.namespace or "default"
        if (known := verdict.known) is None:
            event, is_counted = Known(self._name(noted), 1, when), False
        else:
            event = known._replace(times=known.times + 1)
            is_counted = await self._count(event, namespace, verdict.message, when)
        if not is_counted:
            names = _NAMES if is_first else 1
            event = await self._create(event, namespace, noted, verdict.message, names)
        self._correlator.learn(verdict.key, event)

    async def _create(
        self, event: Known, namespace: str, noted: _Noted, message: str, names: int
    ) -> Known:
        """Write a new event. Another component may have had something to say of the object at the same instant: then
        the name is taken, and the next one is as good. Of a later try the name may be taken by the first.
        """
        for more in range(1, names + 1):
            body = self._new(event, namespace, noted.occurrence, message, noted.when)
            try:
                await self._client.create(EVENTS, body, namespace=namespace)
            except AlreadyExists:
                if more == names:
                    raise
                event = event._replace(name=self._name(noted, more))
            else:
                break
        return event

    async def _count(self, event: Known, namespace: str, message: str, when: float) -> bool:
        """Count an event once more; False when it has outlived its hour and must be written anew, with its name, count
        and beginning.
        """
        patch = {"count": event.times, "lastTimestamp": format_time(when), "message": message}
        try:
            await self._client.patch(EVENTS, event.name, patch, namespace=namespace)
        except NotFound:
            return False
        return True

    def _name(self, noted: _Noted, more: int = 0) -> str:
        name = f"{noted.occurrence.about.name}.{noted.stamp + more:x}"
        return self._ids.uid() if is_dns1123_subdomain(name) else name

    def _new(
        self, event: Known, namespace: str, occurrence: Occurrence, message: str, when: float
    ) -> Object:
        source = {"component": self._component}
        if self._host:
            source["host"] = self._host
        return {
            "metadata": {"name": event.name, "namespace": namespace},
            "involvedObject": occurrence.about,
            "reason": occurrence.reason,
            "message": message,
            "type": occurrence.type,
            "count": event.times,
            "firstTimestamp": format_time(event.first),
            "lastTimestamp": format_time(when),
            "source": source,
            "reportingComponent": self._component,
            "reportingInstance": self._host,
        }


def _shorten(message: str) -> str:
    encoded = message.encode()
    if len(encoded) <= _MESSAGE_BYTES:
        return message
    return encoded[: _MESSAGE_BYTES - 3].decode(errors="ignore") + "..."
