"""Writes what runtimes report: the statuses of pods, and their removal when they have ended.

Of a pod's statuses that are not written yet only the last counts, so a pod that changes faster than the server takes
writes costs no more than it can. At most `CONCURRENT` writes are under way at once. A status is a patch that carries
the pod's uid, so that a namesake is never touched, and the revision it was made for: conditions are one list, and one
that somebody else has just added (DisruptionTarget, a readiness gate) must not be lost. When the pod has changed, the
conditions of others are taken over from its newest state and the patch is sent again.

A write that fails for reasons of the server's is tried again, more and more slowly; one that is refused for what it
says is logged and dropped, because it would be refused again. Removal comes after the last status; a pod that is gone
is forgotten.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from argosy.api.objects import Pod
from argosy.base.clock import Clock
from argosy.base.errors import (
    Conflict,
    InternalError,
    NotFound,
    ServiceUnavailable,
    StatusError,
    Timeout,
    TooManyRequests,
)
from argosy.base.types import Object
from argosy.client.backoffs import Backoff
from argosy.client.protocol import Client
from argosy.client.resources import PODS
from argosy.workloads.runtimes.statuses import KUBELETS, is_of_kubelet

CONCURRENT: Final = 200
MANAGER: Final = "kubelet"

_LOG: Final = logging.getLogger(__name__)
_BACKOFF: Final = Backoff(first=0.2, factor=2.0, most=30.0, jitter=0.2)
# How soon to look again when somebody else has written first.
_SOON: Final = Backoff(first=0.01, factor=2.0, most=1.0, jitter=1.0)
_PASSING: Final = (ServiceUnavailable, Timeout, TooManyRequests, InternalError)

# The newest known state of a pod, by namespace and name.
Lookup = Callable[[str, str], Pod | None]


@dataclass(slots=True)
class _Report:
    """What is to be written about one pod."""

    pod: Pod
    status: Object | None = None
    is_ended: bool = False
    # The revision of our own last write, and the one that was known then: informers come later.
    revision: str = ""
    seen: str = ""


class PodReports:
    """The writer of one agent. `run` has to run for anything to be written."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        lookup: Lookup,
        *,
        source: random.Random | None = None,
        concurrent: int = CONCURRENT,
    ) -> None:
        self._client = client
        self._clock = clock
        self._lookup = lookup
        self._source = source or random.Random()
        self._concurrent = concurrent
        # Pods with something to write, by uid, in the queue or with a worker.
        self._reports: dict[str, _Report] = {}
        self._queue: deque[str] = deque()
        self._workers = 0
        self._group: asyncio.TaskGroup | None = None

    def __len__(self) -> int:
        """How many pods have something to be written."""
        return len(self._reports)

    def status(self, pod: Pod, status: Object) -> None:
        """Have the pod's status written."""
        report = self._report(pod)
        report.pod, report.status = pod, status

    def ended(self, pod: Pod) -> None:
        """Have the pod removed, after what is left to write."""
        self._report(pod).is_ended = True

    def forget(self, pod: Pod) -> None:
        """The pod is gone."""
        self._reports.pop(pod.metadata.uid, None)

    async def run(self) -> None:
        """Write until cancelled."""
        async with asyncio.TaskGroup() as group:
            self._group, self._workers = group, 0
            # After a failure: whatever was with a worker is still to be written.
            self._queue = deque(self._reports)
            try:
                self._staff()
                # There may be more to write at any time.
                await asyncio.Event().wait()
            finally:
                self._group = None

    def _report(self, pod: Pod) -> _Report:
        uid = pod.metadata.uid
        report = self._reports.get(uid)
        if report is None:
            report = self._reports[uid] = _Report(pod)
            self._queue.append(uid)
            self._staff()
        return report

    def _staff(self) -> None:
        """As many workers as there is work, up to the limit. They leave when nothing is left."""
        group = self._group
        while group is not None and self._workers < min(self._concurrent, len(self._queue)):
            self._workers += 1
            group.create_task(self._work(), name="pod-reports")

    async def _work(self) -> None:
        try:
            while self._queue:
                uid = self._queue.popleft()
                if (report := self._reports.get(uid)) is not None:
                    await self._settle(uid, report)
        finally:
            self._workers -= 1

    async def _settle(self, uid: str, report: _Report) -> None:
        """Write all there is to write about a pod, until nothing new has come meanwhile."""
        failures = 0
        while self._reports.get(uid) is report and (report.status is not None or report.is_ended):
            status = report.status
            try:
                if status is None:
                    await self._remove(report.pod)
                    break
                await self._patch(report, status)
            except Conflict as error:
                if self._is_gone(report.pod):
                    break
                _LOG.debug("pod %s has changed: %s", report.pod.metadata.key, error)
                await self._clock.sleep(_SOON.delay(failures, self._source))
                failures += 1
                continue
            except NotFound:
                break
            except _PASSING as error:
                pause = _BACKOFF.delay(failures, self._source)
                _LOG.warning("pod %s: %s; again in %.1f s", report.pod.metadata.key, error, pause)
                await self._clock.sleep(pause)
                failures += 1
                continue
            except StatusError as error:
                _LOG.error("pod %s: refused: %s", report.pod.metadata.key, error)
                if status is None:
                    break
            failures = 0
            if report.status is status:
                report.status = None
        if self._reports.get(uid) is report:
            del self._reports[uid]

    def _is_gone(self, pod: Pod) -> bool:
        known = self._lookup(pod.metadata.namespace, pod.metadata.name)
        return known is None or known.metadata.uid != pod.metadata.uid

    async def _patch(self, report: _Report, status: Object) -> None:
        meta = report.pod.metadata
        known = self._lookup(meta.namespace, meta.name)
        if known is None or known.metadata.uid != meta.uid:
            known = report.pod
        if known.metadata.resource_version != report.pod.metadata.resource_version:
            status = _with_conditions_of(status, known)
        revision = known.metadata.resource_version
        if report.revision and report.seen == revision:
            # Only we have written since.
            revision = report.revision
        cleared = {
            name: None
            for name in ("reason", "message")
            if name not in status and getattr(known.status, name)
        }
        patched = await self._client.patch(
            PODS,
            meta.name,
            {
                "metadata": {"uid": meta.uid, "resourceVersion": revision},
                "status": {**status, **cleared} if cleared else status,
            },
            namespace=meta.namespace,
            subresource="status",
            field_manager=MANAGER,
        )
        report.seen, report.revision = known.metadata.resource_version, patched.revision

    async def _remove(self, pod: Pod) -> None:
        meta = pod.metadata
        await self._client.delete(
            PODS, meta.name, namespace=meta.namespace, grace_seconds=0, uid=meta.uid
        )


def _with_conditions_of(status: Object, pod: Pod) -> Object:
    """The status with the conditions of others as the pod has them now, where it speaks of conditions at all."""
    if "conditions" not in status:
        return status
    own = [one for one in status["conditions"] if is_of_kubelet(one)]
    types = KUBELETS.union(one["type"] for one in own)
    theirs = [msgspec.to_builtins(one) for one in pod.status.conditions if one.type not in types]
    return {**status, "conditions": theirs + own}
