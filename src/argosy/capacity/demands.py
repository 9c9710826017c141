"""The pods that found no node, equal ones together, kept by deltas.

A pod belongs here while the scheduler says that it is Unschedulable and nothing else is on its way to help: it is not
being deleted, no node has been nominated by preemption, and it does not name the only nodes it may run on, as pods of
DaemonSets do. O(1) per change of a pod; a list of demands costs as much as there are kinds of pods.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import msgspec

from argosy.api.nodefit import PodClass, PodClasses
from argosy.api.nodefit.terms import NUMBERING
from argosy.api.objects import ObjectMeta, Pod, find_condition
from argosy.capacity.neighbors import Bound, Wish, is_of_nodes, per_node, wishes
from argosy.capacity.snapshots import Demand
from argosy.client.objects import Key

# The annotation by which a pod says that a ProvisioningRequest's capacity is for it.
CONSUMES: Final = "autoscaling.x-k8s.io/consume-provisioning-request"
# Its name in the first releases, which clients still write beside the new one.
_CONSUMED: Final = "cluster-autoscaler.kubernetes.io/consume-provisioning-request"
_encode: Final = msgspec.json.Encoder(order="sorted").encode


@dataclass(slots=True)
class Group:
    """Equal pods. `request` is the ProvisioningRequest they consume, as namespace/name."""

    key: str
    pods: PodClass
    request: str
    per_node: int | None
    is_sociable: bool
    # What they ask of pods near them, and what those near them see of them.
    wishes: tuple[Wish, ...]
    namespace: str
    labels: dict[str, str]
    members: dict[Key, ObjectMeta] = field(default_factory=dict)

    def demand(self, bounds: tuple[Bound, ...] = ()) -> Demand:
        return Demand(
            self.pods, len(self.members), self.key, self.per_node, self.is_sociable, bounds
        )

    def some(self, count: int, *, after: int = 0) -> list[ObjectMeta]:
        """The pods that have waited longest, after so many others."""
        return list(islice(self.members.values(), after, after + count))


class Demands:
    """All unschedulable pods of a cluster."""

    def __init__(self, classes: PodClasses) -> None:
        self._classes = classes
        self._groups: dict[tuple[object, ...], Group] = {}
        self._where: dict[Key, tuple[object, ...]] = {}
        self._number = 0

    def __len__(self) -> int:
        return len(self._where)

    def groups(self) -> list[Group]:
        return list(self._groups.values())

    def pod_changed(self, old: Pod | None, new: Pod | None) -> bool:
        """Whether the demand has changed."""
        pod = new or old
        assert pod is not None
        key = Key(*pod.metadata.key)
        before = self._where.get(key)
        if new is None or not _is_unschedulable(new):
            if before is not None:
                self._leave(key, before)
            return before is not None
        if before is not None:
            return False
        pods = self._classes.of(new)
        if pods.required.names is not None:
            return False
        self._join(key, new, pods)
        return True

    def _join(self, key: Key, pod: Pod, pods: PodClass) -> None:
        meta = pod.metadata
        request = request_of(meta)
        asked = wishes(pods, meta.namespace, meta.labels)
        labels = _without_numbers(asked, meta.labels)
        social = _encode((meta.namespace, labels)) if asked else b""
        where = (pods, request, social)
        group = self._groups.get(where)
        if group is None:
            # The number tells a group from a later one whose first pod has the same name.
            self._number += 1
            group = Group(
                f"{key}@{self._number}",
                pods,
                request,
                per_node(asked, meta.namespace, labels),
                any(is_of_nodes(wish) for wish in asked),
                asked,
                meta.namespace,
                labels,
            )
            self._groups[where] = group
        group.members[key] = meta
        self._where[key] = where

    def _leave(self, key: Key, where: tuple[object, ...]) -> None:
        del self._where[key]
        group = self._groups[where]
        del group.members[key]
        if not group.members:
            del self._groups[where]


def request_of(meta: ObjectMeta) -> str:
    """The ProvisioningRequest whose capacity a pod consumes, as namespace/name; "" for none."""
    name = meta.annotations.get(CONSUMES) or meta.annotations.get(_CONSUMED, "")
    return f"{meta.namespace}/{name}" if name else ""


def _without_numbers(asked: tuple[Wish, ...], labels: dict[str, str]) -> dict[str, str]:
    """The labels by which pods tell each other apart. An owner's numbers are none, unless somebody asks for them."""
    read = {one.key for wish in asked for one in wish.matcher.selector.requirements()}
    return {key: value for key, value in labels.items() if key not in NUMBERING or key in read}


def _is_unschedulable(pod: Pod) -> bool:
    if pod.spec.node_name or pod.is_terminal or pod.metadata.deletion_timestamp is not None:
        return False
    if pod.status.nominated_node_name:
        return False
    condition = find_condition(pod.status.conditions, "PodScheduled")
    return (
        condition is not None
        and condition.status == "False"
        and condition.reason == "Unschedulable"
    )
