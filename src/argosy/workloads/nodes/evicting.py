"""Taint eviction: pods leave a node with a NoExecute taint they do not tolerate, or tolerate only for a while.

Mirrors kube-controller-manager's taint eviction controller. A pod that tolerates all taints for a limited time is
deleted when the shortest of these times has passed since its eviction was first decided; taints that go, or a
toleration without limit, call it off. Deleted pods carry DisruptionTarget, so that Jobs can tell an eviction from a
failure.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from argosy.api.nodefit import tolerates
from argosy.api.objects import Node, Pod, Taint
from argosy.client.objects import Key
from argosy.client.resources import NODES
from argosy.control.assemblies import Assembly
from argosy.control.correlating import Reference
from argosy.control.disrupting import delete_pod, mark_disrupted
from argosy.control.reconcilers import DONE, Result
from argosy.workloads.pods.caches import NODE, pod_informer

_WORKERS: Final = 8
_REASON: Final = "DeletionByTaintManager"
_MESSAGE: Final = "Taint manager: deleting due to NoExecute taint"


class _Eviction(NamedTuple):
    """When it was decided and when it is due, in seconds of the controller's clock."""

    since: float
    due: float


class TaintEviction:
    """One cluster's pods on tainted nodes."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder("taint-eviction-controller")
        self._nodes = assembly.informer(NODES, Node)
        self._pods = pod_informer(assembly)
        self._tainted: dict[str, tuple[Taint, ...]] = {}
        self._evictions: dict[Key, _Eviction] = {}
        self._queue = assembly.controller("taint-eviction", self._evict, workers=_WORKERS)
        self._nodes.add_handler(self._node_changed)
        self._pods.add_handler(self._pod_changed)

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        before = _executing(old)
        after = _executing(new)
        if before == after:
            return
        name = (new or old).metadata.name  # type: ignore[union-attr]  # one of them is there
        if after:
            self._tainted[name] = after
        else:
            self._tainted.pop(name, None)
        if new is not None:
            for pod in self._pods.by_index(NODE, name):
                self._judge(pod, after)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            assert old is not None
            self._call_off(Key(*old.metadata.key))
        elif new.spec.node_name in self._tainted and (
            old is None
            or old.spec.node_name != new.spec.node_name
            or old.spec.tolerations != new.spec.tolerations
        ):
            self._judge(new, self._tainted[new.spec.node_name])

    def _judge(self, pod: Pod, taints: tuple[Taint, ...]) -> None:
        key = Key(*pod.metadata.key)
        if pod.metadata.deletion_timestamp is not None:
            return
        seconds = tolerated_seconds(pod, taints) if taints else None
        if seconds is None:
            self._call_off(key)
            return
        now = self._clock.monotonic()
        planned = self._evictions.get(key)
        since = planned.since if planned is not None and seconds > 0 else now
        due = since + seconds
        if planned is not None and planned.due <= due:
            return
        self._evictions[key] = _Eviction(since, due)
        self._queue.add_after(key, due - now)

    def _call_off(self, key: Key) -> None:
        if self._evictions.pop(key, None) is not None:
            self._note(key, f"Cancelling deletion of Pod {key}")

    async def _evict(self, key: Key) -> Result:
        planned = self._evictions.get(key)
        if planned is None:
            return DONE
        left = planned.due - self._clock.monotonic()
        if left > 0:
            return Result(requeue_after=left)
        pod = self._pods.get(*key)
        if pod is not None:
            self._note(key, f"Marking for deletion Pod {key}")
            if await mark_disrupted(self._client, pod, _REASON, _MESSAGE, self._clock.time()):
                await delete_pod(self._client, pod)
        self._evictions.pop(key, None)
        return DONE

    def _note(self, key: Key, message: str) -> None:
        about = Reference(kind="Pod", name=key.name, namespace=key.namespace, apiVersion="v1")
        self._recorder.event(about, "Normal", "TaintManagerEviction", message)


def tolerated_seconds(pod: Pod, taints: tuple[Taint, ...]) -> float | None:
    """How long the pod may stay with these taints: 0 when it tolerates one of them not at all, None for ever."""
    shortest: float | None = None
    for taint in taints:
        used = next((t for t in pod.spec.tolerations if tolerates((t,), taint)), None)
        if used is None:
            return 0.0
        if used.toleration_seconds is not None:
            seconds = float(max(0, used.toleration_seconds))
            shortest = seconds if shortest is None else min(shortest, seconds)
    return shortest


def _executing(node: Node | None) -> tuple[Taint, ...]:
    if node is None:
        return ()
    return tuple(taint for taint in node.spec.taints if taint.effect == "NoExecute")
