"""Writes core/v1 Events about objects: what `kubectl describe` shows at its end.

`event` never waits and never fails: it puts the event into a bounded queue, and a full queue drops it,
because an event is not worth holding up the controller it comes from. `run` writes them, one at a time, in
order. The correlator decides what becomes a new event, what a higher count, and what nothing. When the server
cannot be reached, an event is tried 12 times, ten seconds apart, as client-go does; a refused event is logged
and dropped.
"""

from __future__ import annotations

import asyncio
import logging
import random
from typing import Final, Literal, TypeAlias

from argosy.base.clock import Clock
from argosy.base.errors import (
    AlreadyExists,
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

EventType: TypeAlias = Literal["Normal", "Warning"]

_LOG: Final = logging.getLogger(__name__)
_QUEUED: Final = 1000
_TRIES: Final = 12
_PAUSE_SECONDS: Final = 10.0
# Upstream's limit on the message of an event.
_MESSAGE_BYTES: Final = 1024


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
    ) -> None:
        self._client = client
        self._component = component
        self._host = host
        self._clock = clock
        self._ids = ids or RandomIds()
        self._source = source or random.Random()
        self._correlator = Correlator(clock)
        self._queue: asyncio.Queue[tuple[Occurrence, float]] = asyncio.Queue(_QUEUED)

    def event(self, about: Reference, type_: EventType, reason: str, message: str) -> None:
        """Note that something happened to `about`."""
        occurrence = Occurrence(about, type_, reason, _shorten(message))
        try:
            self._queue.put_nowait((occurrence, self._clock.time()))
        except asyncio.QueueFull:
            _LOG.warning(
                "%s: too many events, dropped %s of %s", self._component, reason, about.name
            )

    async def run(self) -> None:
        """Write events until cancelled."""
        while True:
            occurrence, when = await self._queue.get()
            try:
                if (verdict := self._correlator.judge(occurrence)) is not None:
                    await self._record(occurrence, verdict, when)
            finally:
                self._queue.task_done()

    async def flush(self) -> None:
        """Wait until everything noted so far is written or dropped."""
        await self._queue.join()

    async def _record(self, occurrence: Occurrence, verdict: Verdict, when: float) -> None:
        for attempt in range(_TRIES):
            try:
                await self._write(occurrence, verdict, when)
            except (ServiceUnavailable, Timeout, TooManyRequests) as error:
                _LOG.warning("%s: cannot write event: %s", self._component, error)
            except AlreadyExists as error:
                _LOG.debug("%s: event dropped: %s", self._component, error)
                return
            except StatusError as error:
                _LOG.warning("%s: event refused: %s", self._component, error)
                return
            else:
                return
            # The first pause is random, so that all recorders of a fleet do not come back at once.
            share = self._source.random() if attempt == 0 else 1.0
            await self._clock.sleep(_PAUSE_SECONDS * share)
        _LOG.warning("%s: event %s given up", self._component, occurrence.reason)

    async def _write(self, occurrence: Occurrence, verdict: Verdict, when: float) -> None:
        namespace = occurrence.about.namespace or "default"
        if (known := verdict.known) is None:
            event, is_counted = Known(self._name(occurrence.about.name, when), 1, when), False
        else:
            event = known._replace(times=known.times + 1)
            is_counted = await self._count(event, namespace, verdict.message, when)
        if not is_counted:
            body = self._new(event, namespace, occurrence, verdict.message, when)
            await self._client.create(EVENTS, body, namespace=namespace)
        self._correlator.learn(verdict.key, event)

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

    def _name(self, about: str, when: float) -> str:
        name = f"{about}.{round(when * 1e9):x}"
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
