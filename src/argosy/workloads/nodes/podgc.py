"""Pod garbage collection: pods that nobody else will ever remove.

Mirrors kube-controller-manager's pod garbage collector. Four kinds: pods bound to a node that is gone (after a
quarantine, in case it comes back), deleted pods that were never bound, deleted pods on a node marked out of service,
and, beyond a number, the oldest of the finished ones. The first three are found by events; the number is checked
every 20 seconds against a running count, and only a cluster above it is sorted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

from argosy.api.objects import Node, Pod
from argosy.api.wellknown import TAINT_OUT_OF_SERVICE
from argosy.client.objects import Key
from argosy.client.resources import NODES
from argosy.control.assemblies import Assembly
from argosy.control.disrupting import delete_pod, mark_disrupted, patch_status
from argosy.control.reconcilers import DONE, Result
from argosy.workloads.nodes.health import ready_status
from argosy.workloads.pods.caches import NODE, pod_informer

# Upstream's default for finished pods that may stay.
FINISHED_PODS: Final = 12_500
_PERIOD_SECONDS: Final = 20.0
_QUARANTINE_SECONDS: Final = 40.0
_AT_ONCE: Final = 100
_WORKERS: Final = 4


class PodGarbage:
    """One cluster's forsaken pods."""

    def __init__(self, assembly: Assembly, *, finished_pods: int = FINISHED_PODS) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._most = finished_pods
        self._finished: set[Key] = set()
        self._nodes = assembly.informer(NODES, Node)
        self._pods = pod_informer(assembly)
        self._orphans = assembly.controller("podgc-nodes", self._look_for_node)
        self._leaving = assembly.controller("podgc-pods", self._end, workers=_WORKERS)
        self._pods.add_handler(self._pod_changed)
        self._nodes.add_handler(self._node_changed)
        assembly.task("podgc", self._keep_few)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            assert old is not None
            self._finished.discard(Key(*old.metadata.key))
            return
        key = Key(*new.metadata.key)
        if new.is_terminal:
            self._finished.add(key)
        else:
            self._finished.discard(key)
        node = new.spec.node_name
        if node and self._nodes.get("", node) is None:
            self._orphans.add_after(node, _QUARANTINE_SECONDS)
        elif new.metadata.deletion_timestamp is not None and self._is_forsaken(new):
            self._leaving.add(key)

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        if new is None:
            assert old is not None
            self._orphans.add_after(old.metadata.name, _QUARANTINE_SECONDS)
        elif _is_out_of_service(new):
            for pod in self._pods.by_index(NODE, new.metadata.name):
                if pod.metadata.deletion_timestamp is not None:
                    self._leaving.add(Key(*pod.metadata.key))

    def _is_forsaken(self, pod: Pod) -> bool:
        """Whether a deleted pod has nobody who would end it."""
        if not pod.spec.node_name:
            return True
        node = self._nodes.get("", pod.spec.node_name)
        return node is not None and _is_out_of_service(node)

    async def _look_for_node(self, name: str) -> Result:
        if self._nodes.get("", name) is None:
            await self._gone(self._pods.by_index(NODE, name))
        return DONE

    async def _gone(self, pods: Iterable[Pod]) -> None:
        for pod in pods:
            await self._force(pod, "PodGC: node no longer exists")

    async def _end(self, key: Key) -> Result:
        pod = self._pods.get(*key)
        is_leaving = pod is not None and pod.metadata.deletion_timestamp is not None
        if pod is not None and is_leaving and self._is_forsaken(pod):
            await self._force(pod)
        return DONE

    async def _force(self, pod: Pod, why: str = "") -> None:
        """Remove a pod that nobody reports for; it has failed unless it had ended before."""
        if not pod.is_terminal:
            if why:
                is_there = await mark_disrupted(
                    self._client, pod, "DeletionByPodGC", why, self._clock.time(), phase="Failed"
                )
            else:
                is_there = await patch_status(self._client, pod, {}, phase="Failed")
            if not is_there:
                return
        await delete_pod(self._client, pod, grace_seconds=0)

    async def _keep_few(self) -> None:
        while True:
            await self._clock.sleep(_PERIOD_SECONDS)
            extra = len(self._finished) - self._most
            if extra > 0:
                found = (self._pods.get(*key) for key in self._finished)
                oldest = sorted((pod for pod in found if pod is not None), key=_first_to_go)
                for start in range(0, extra, _AT_ONCE):
                    batch = oldest[start : min(start + _AT_ONCE, extra)]
                    await asyncio.gather(*(self._force(pod) for pod in batch))


def _first_to_go(pod: Pod) -> tuple[bool, float, str]:
    """Evicted pods first, then the oldest."""
    created = pod.metadata.creation_timestamp
    is_evicted = pod.status.phase == "Failed" and pod.status.reason == "Evicted"
    return not is_evicted, created.timestamp() if created else 0.0, pod.metadata.name


def _is_out_of_service(node: Node) -> bool:
    return ready_status(node) != "True" and any(
        taint.key == TAINT_OUT_OF_SERVICE for taint in node.spec.taints
    )
