"""Events about scheduling, in the form of events.k8s.io: an action, a reporting controller, a series for repetitions.

The shared recorder writes the older form, one at a time; here events are written many at once. An event is not worth
waiting for: `say` never blocks. Ten thousand pods may be bound in seconds, and what is said of each is in its status:
beyond a burst, Normal events and Warnings are each limited to so many a second, and what is beyond that is dropped, as
kubelets do. If the server is slower than even that, more is dropped and counted in a log line.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Final, Literal, NamedTuple

from argosy.api.objects import ObjectMeta
from argosy.base.clock import Clock
from argosy.base.errors import NotFound, StatusError
from argosy.base.timestamps import format_micro
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import EVENTS
from argosy.control.queues import Bucket
from argosy.workloads.scheduling.recency import Recent

SCHEDULER: Final = "default-scheduler"

_LOG: Final = logging.getLogger(__name__)
_PER_SECOND: Final = 50.0
_BURST: Final = 500
_QUEUED: Final = 5_000
_AT_ONCE: Final = 100
_REMEMBERED: Final = 4096
# The limit of a note; longer ones end in dots.
_NOTE_BYTES: Final = 1024


class News(NamedTuple):
    """Something that happened to a pod."""

    about: ObjectMeta
    type: Literal["Normal", "Warning"]
    reason: str
    action: str
    message: str
    related: ObjectMeta | None = None


class _Written:
    """An event on the server and how often it was seen."""

    __slots__ = ("name", "times")

    def __init__(self) -> None:
        self.name = ""
        self.times = 0


class Announcing:
    """Writes events as the default scheduler."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._queue: deque[tuple[News, float]] = deque()
        self._limits = {
            type_: Bucket(clock, _PER_SECOND, _BURST) for type_ in ("Normal", "Warning")
        }
        self._dropped = 0
        self._number = 0
        self._arrived = asyncio.Event()
        self._written: Recent[tuple[str, str, str], _Written] = Recent(_REMEMBERED)

    def say(self, news: News) -> None:
        if not self._limits[news.type].try_take():
            return
        if len(self._queue) >= _QUEUED:
            self._dropped += 1
            return
        self._queue.append((news, self._clock.time()))
        self._arrived.set()

    async def run(self) -> None:
        """Write events until cancelled."""
        while True:
            while self._queue:
                count = min(_AT_ONCE, len(self._queue))
                taken = [self._queue.popleft() for _ in range(count)]
                await asyncio.gather(*(self._write(*one) for one in taken))
            if self._dropped:
                _LOG.warning("%s: too many events, %d dropped", SCHEDULER, self._dropped)
                self._dropped = 0
            self._arrived.clear()
            await self._arrived.wait()

    async def _write(self, news: News, when: float) -> None:
        known = self._written.get((news.about.uid, news.reason, news.message), _Written)
        known.times += 1
        try:
            if known.times == 1 or not await self._repeat(news, known, when):
                await self._create(news, known, when)
        except StatusError as error:
            _LOG.warning("%s: event %s refused: %s", SCHEDULER, news.reason, error)

    async def _repeat(self, news: News, known: _Written, when: float) -> bool:
        """Count an event that is there; False if it has gone."""
        series = {"count": known.times, "lastObservedTime": format_micro(when)}
        try:
            await self._client.patch(
                EVENTS, known.name, {"series": series}, namespace=news.about.namespace
            )
        except NotFound:
            return False
        return True

    async def _create(self, news: News, known: _Written, when: float) -> None:
        self._number += 1
        # Two events of a pod may come at one moment.
        known.name = f"{news.about.name}.{round(when * 1e9) + self._number:x}"
        known.times = 1
        body: Object = {
            "metadata": {"name": known.name, "namespace": news.about.namespace},
            "involvedObject": _reference(news.about),
            "eventTime": format_micro(when),
            "type": news.type,
            "reason": news.reason,
            "action": news.action,
            "message": _shortened(news.message),
            "reportingComponent": SCHEDULER,
            "reportingInstance": f"{SCHEDULER}-argosy",
        }
        if news.related is not None:
            body["related"] = _reference(news.related)
        await self._client.create(
            EVENTS, body, namespace=news.about.namespace, field_manager="kube-scheduler"
        )


def _reference(meta: ObjectMeta) -> Object:
    return {
        "kind": "Pod",
        "apiVersion": "v1",
        "namespace": meta.namespace,
        "name": meta.name,
        "uid": meta.uid,
        "resourceVersion": meta.resource_version,
    }


def _shortened(message: str) -> str:
    encoded = message.encode()
    if len(encoded) <= _NOTE_BYTES:
        return message
    return encoded[: _NOTE_BYTES - 4].decode(errors="ignore") + " ..."
