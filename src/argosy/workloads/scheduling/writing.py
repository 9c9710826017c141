"""The scheduler's writes: bindings, conditions, nominations, victims. Many at once, in order for each pod.

Writes go out in batches of at most 200. Two writes about one pod are never in one batch, so a pod that is refused and
then placed cannot end with the condition of its refusal. Every write names the pod by its uid: a namesake made in the
meantime is left alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Final

from argosy.api.objects import Pod, find_condition
from argosy.api.objects.storage import PersistentVolumeClaim
from argosy.base.clock import Clock
from argosy.base.errors import NotFound, StatusError
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.protocol import Client, PatchType
from argosy.client.resources import PERSISTENT_VOLUME_CLAIMS, PODS
from argosy.control.disrupting import adding
from argosy.workloads.scheduling.announcing import SCHEDULER
from argosy.workloads.scheduling.promises import SELECTED_NODE

_LOG: Final = logging.getLogger(__name__)
_AT_ONCE: Final = 200
_MANAGER: Final = "kube-scheduler"
UNSCHEDULABLE: Final = "Unschedulable"
PREEMPTED: Final = "PreemptionByScheduler"


class Outbox:
    """Writes under way."""

    def __init__(self) -> None:
        self._queue: deque[tuple[str, Callable[[], Awaitable[None]]]] = deque()
        self._arrived = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()

    def put(self, uid: str, write: Callable[[], Coroutine[None, None, None]]) -> None:
        """Have `write` done, after earlier writes about the pod `uid`."""
        self._queue.append((uid, write))
        self._arrived.set()
        if len(self._queue) > 10 * _AT_ONCE:
            self._drained.clear()

    async def has_room(self) -> None:
        """Wait while decisions are far ahead of writes."""
        await self._drained.wait()

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            while self._queue:
                await asyncio.gather(*(write() for write in self._take()))
                if len(self._queue) <= _AT_ONCE:
                    self._drained.set()
            self._arrived.clear()
            await self._arrived.wait()

    def _take(self) -> list[Callable[[], Awaitable[None]]]:
        uids: set[str] = set()
        taken: list[Callable[[], Awaitable[None]]] = []
        while self._queue and len(taken) < _AT_ONCE and self._queue[0][0] not in uids:
            uid, write = self._queue.popleft()
            uids.add(uid)
            taken.append(write)
        return taken


class Writes:
    """What the scheduler writes about pods."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock

    async def bind(self, pod: Pod, node: str) -> None:
        """Put the pod on a node; raises what the server says."""
        meta = pod.metadata
        body: Object = {
            "kind": "Binding",
            "apiVersion": "v1",
            "metadata": {"name": meta.name, "namespace": meta.namespace, "uid": meta.uid},
            "target": {"kind": "Node", "name": node},
        }
        await self._client.create(
            PODS,
            body,
            namespace=meta.namespace,
            name=meta.name,
            subresource="binding",
            field_manager=_MANAGER,
        )

    async def select_node(self, claim: PersistentVolumeClaim, node: str) -> None:
        """Tell a claim that waits for its first pod where that pod goes."""
        meta = claim.metadata
        if meta.annotations.get(SELECTED_NODE) == node:
            return
        await self._client.patch(
            PERSISTENT_VOLUME_CLAIMS,
            meta.name,
            {"metadata": {"uid": meta.uid, "annotations": {SELECTED_NODE: node}}},
            namespace=meta.namespace,
            field_manager=_MANAGER,
        )

    async def say_unscheduled(self, pod: Pod, message: str, nominated: str | None) -> None:
        """Write why the pod has no node, and the node it is nominated to (None: as it is)."""
        status: Object = {}
        if not is_said(pod, message):
            status["conditions"] = [
                self._condition(pod, "PodScheduled", "False", UNSCHEDULABLE, message)
            ]
        if nominated is not None and nominated != pod.status.nominated_node_name:
            status["nominatedNodeName"] = nominated or None
        if status:
            await self._patch(pod, status)

    async def clear_nomination(self, pod: Pod) -> None:
        """The node is no longer held for the pod."""
        if pod.status.nominated_node_name:
            await self._patch(pod, {"nominatedNodeName": None})

    async def preempt(self, victim: Pod) -> bool:
        """End a pod to make room; False if it was gone already."""
        message = f"{SCHEDULER}: preempting to accommodate a higher priority pod"
        condition = self._condition(victim, "DisruptionTarget", "True", PREEMPTED, message)
        meta = victim.metadata
        try:
            await self._patch(victim, adding(victim, condition))
            await self._client.delete(PODS, meta.name, namespace=meta.namespace, uid=meta.uid)
        except NotFound:
            return False
        return True

    async def _patch(self, pod: Pod, status: Object) -> None:
        meta = pod.metadata
        await self._client.patch(
            PODS,
            meta.name,
            {"metadata": {"uid": meta.uid}, "status": status},
            kind=PatchType.STRATEGIC,
            namespace=meta.namespace,
            subresource="status",
            field_manager=_MANAGER,
        )

    def _condition(self, pod: Pod, kind: str, status: str, reason: str, message: str) -> Object:
        before = find_condition(pod.status.conditions, kind)
        condition: Object = {"type": kind, "status": status, "reason": reason, "message": message}
        if pod.metadata.generation:
            condition["observedGeneration"] = pod.metadata.generation
        if before is None or before.status != status:
            condition["lastTransitionTime"] = format_time(self._clock.time())
            condition["lastProbeTime"] = None
        return condition


def is_said(pod: Pod, message: str) -> bool:
    """Whether the pod's condition says this already."""
    said = find_condition(pod.status.conditions, "PodScheduled")
    return (
        said is not None
        and said.status == "False"
        and said.reason == UNSCHEDULABLE
        and said.message == message
    )


async def quietly(what: str, write: Coroutine[None, None, None]) -> None:
    """Do a write that is not worth more than a log line when it fails."""
    try:
        await write
    except NotFound:
        _LOG.debug("%s: the pod is gone", what)
    except StatusError as error:
        _LOG.warning("%s: %s", what, error)
