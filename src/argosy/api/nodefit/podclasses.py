"""Pods that are alike to every node, compiled once.

The pods of a Job differ in name only. What matters to nodes is taken from the spec, encoded, and looked up: a pod that
is like one seen before costs a few microseconds. A class lives as long as somebody holds it, so no pod of the past is
remembered. Labels and namespace are no part of it: nodes do not look at them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from argosy.api.nodefit.affinities import PreferredTerms, RequiredAffinity
from argosy.api.nodefit.ports import HostPort, host_ports
from argosy.api.nodefit.requests import Resources, requested, requested_for_scoring
from argosy.api.nodefit.taints import tolerates, untolerated
from argosy.api.objects import Container, Node, Pod, PodSpec, Taint, Toleration
from argosy.api.wellknown import TAINT_UNSCHEDULABLE
from argosy.base.types import Object

_encode: Final = msgspec.json.Encoder().encode
_CORDONED: Final = Taint(key=TAINT_UNSCHEDULABLE, effect="NoSchedule")


class PodClass:
    """What nodes need to know of a pod. Compared by identity; `PodClasses` gives equal pods the same one."""

    __slots__ = (
        "__weakref__", "affinity", "affinity_key", "ports", "preferred", "requests", "required",
        "scoring", "spread", "tolerates_cordon", "tolerations",
    )  # fmt: skip

    def __init__(self, spec: PodSpec) -> None:
        node_affinity = (spec.affinity or {}).get("nodeAffinity")
        self.requests: Final[Resources] = requested(spec)
        # CPU and memory as they count in ranking.
        self.scoring: Final[tuple[int, int]] = requested_for_scoring(spec)
        self.required: Final = RequiredAffinity(spec.node_selector, node_affinity)
        self.preferred: Final = PreferredTerms(node_affinity)
        # Equal for classes whose node selectors and node affinities are.
        self.affinity_key: Final[bytes] = _encode((spec.node_selector, node_affinity))
        self.tolerations: Final[tuple[Toleration, ...]] = spec.tolerations
        self.tolerates_cordon: Final = tolerates(spec.tolerations, _CORDONED)
        self.ports: Final[tuple[HostPort, ...]] = host_ports(spec)
        # Affinity to other pods and topology spread, for those who know the other pods.
        self.affinity: Final[Object] = spec.affinity or {}
        self.spread: Final[tuple[Object, ...]] = spec.topology_spread_constraints

    def admits(self, node: Node) -> bool:
        """Whether the node's labels, name, cordon and taints let the pod in; resources and ports apart."""
        return (
            (not node.spec.unschedulable or self.tolerates_cordon)
            and untolerated(self.tolerations, node.spec.taints) is None
            and self.required.matches(node.metadata.labels, node.metadata.name)
        )


class PodClasses:
    """Finds the class of a pod."""

    def __init__(self) -> None:
        self._classes: WeakValueDictionary[bytes, PodClass] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._classes)

    def of(self, pod: Pod) -> PodClass:
        return self.of_spec(pod.spec)

    def of_spec(self, spec: PodSpec) -> PodClass:
        key = _key(spec)
        found = self._classes.get(key)
        if found is None:
            found = self._classes[key] = PodClass(spec)
        return found


def _key(spec: PodSpec) -> bytes:
    return _encode(
        (
            spec.node_selector,
            spec.affinity,
            spec.tolerations,
            spec.topology_spread_constraints,
            spec.resources,
            spec.overhead,
            _shapes(spec.containers),
            _shapes(spec.init_containers),
        )
    )


def _shapes(containers: Iterable[Container]) -> list[tuple[object, object, str]]:
    return [(c.resources.requests, c.ports, c.restart_policy) for c in containers]
