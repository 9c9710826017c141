"""Events of all the kubelets that one agent plays: one recorder, with the node's name as host of each event.

Kubelets limit their events (50 a second each, by default). One agent stands for thousands of them, and a pod's start
alone is three events, so their sum is limited here: Normal events to `PER_SECOND` after a `BURST`, Warnings to
as many again. What is beyond that is dropped: the pods' statuses tell the same, and a Job of 10,000 pods must not
cost 40,000 writes.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from argosy.base.clock import Clock
from argosy.base.ids import Ids
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.control.correlating import Known, Occurrence, Reference
from argosy.control.queues import Bucket
from argosy.control.recorders import EventRecorder, EventType

PER_SECOND: Final = 50.0
BURST: Final = 500
COMPONENT: Final = "kubelet"


class KubeletEvents(EventRecorder):
    """Events with component `kubelet`; `host_of` names the node of what an event is about."""

    def __init__(
        self,
        client: Client,
        host_of: Callable[[Reference], str],
        *,
        clock: Clock,
        ids: Ids,
        source: random.Random,
        is_mute: bool = False,
    ) -> None:
        super().__init__(client, COMPONENT, clock=clock, ids=ids, source=source, is_mute=is_mute)
        self._host_of = host_of
        self._limits = {type_: Bucket(clock, PER_SECOND, BURST) for type_ in ("Normal", "Warning")}

    def may_write(self, type_: EventType) -> bool:
        """Take one event off the limit, if there is one left; asked before `event`, because most are one too many."""
        return not self.is_mute and self._limits[type_].try_take()

    def _new(
        self, event: Known, namespace: str, occurrence: Occurrence, message: str, when: float
    ) -> Object:
        host = self._host_of(occurrence.about)
        body = super()._new(event, namespace, occurrence, message, when)
        body["source"] = {"component": COMPONENT, "host": host}
        body["reportingInstance"] = host
        return body
