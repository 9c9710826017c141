"""Pods that lost their leader: when the leading pod of an exclusively placed Job comes up in another domain, those that
were sent after the old one are ended, so that they come up beside the new one.

They get the condition DisruptionTarget first, which a podFailurePolicy can ignore. Upstream's pod controller is meant
to do the same but, as of v0.10, reports the mismatch as an error and stops there.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects import Node, Pod
from argosy.client.objects import Key
from argosy.client.resources import NODES
from argosy.control.assemblies import Assembly
from argosy.control.disrupting import delete_pod, mark_disrupted
from argosy.control.reconcilers import DONE, Result
from argosy.workloads.jobsets.names import EXCLUSIVE_TOPOLOGY
from argosy.workloads.jobsets.placement import is_leader
from argosy.workloads.pods.caches import CONTROLLER, pod_informer

_REASON: Final = "ExclusivePlacementViolation"
_MESSAGE: Final = "Pod violated JobSet exclusive placement policy"


class FollowerPods:
    """Looks at a Job's pods when its leader is bound."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._pods = pod_informer(assembly)
        self._nodes = assembly.informer(NODES, Node)
        self._queue = assembly.controller("jobset-followers", self._reconcile)
        self._pods.add_handler(self._pod_changed)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is None or not new.spec.node_name or not is_leader(new):
            return
        if old is None or not old.spec.node_name:
            self._queue.add(Key(*new.metadata.key))

    async def _reconcile(self, key: Key) -> Result:
        leader = self._pods.get(*key)
        owner = leader.metadata.controller if leader is not None else None
        if leader is None or owner is None or leader.metadata.deletion_timestamp is not None:
            return DONE
        node = self._nodes.get("", leader.spec.node_name)
        topology = leader.metadata.annotations[EXCLUSIVE_TOPOLOGY]
        domain = node.metadata.labels.get(topology) if node is not None else None
        if domain is None:
            return DONE
        for pod in self._pods.by_index(CONTROLLER, owner.uid):
            if is_astray(pod, topology, domain):
                now = self._clock.time()
                if await mark_disrupted(self._client, pod, _REASON, _MESSAGE, now):
                    await delete_pod(self._client, pod)
        return DONE


def is_astray(pod: Pod, topology: str, domain: str) -> bool:
    """Whether a pod follows a leader that was elsewhere."""
    if is_leader(pod) or pod.metadata.deletion_timestamp is not None:
        return False
    return not pod.is_terminal and pod.spec.node_selector.get(topology) != domain
