"""Counts the pods that others care for, by zone or whatever label they name.

Only asked while pods with such rules wait: a count is one pass over the nodes and their pods, and questions that are
the same within one look are answered once.
"""

from __future__ import annotations

from collections.abc import Mapping

from argosy.api.nodefit import PodClass
from argosy.api.objects import Namespace
from argosy.capacity.neighbors import Bound, Rule, Wish, is_of_nodes
from argosy.capacity.occupancy import Occupancy, Occupied
from argosy.client.resources import NAMESPACES
from argosy.control.assemblies import Assembly


class Survey:
    """The pods of a cluster, for those who have rules about them."""

    def __init__(self, assembly: Assembly, occupancy: Occupancy) -> None:
        self._occupancy = occupancy
        self._namespaces = assembly.informer(NAMESPACES, Namespace)
        self._answers: dict[tuple[Wish, bytes], dict[str, int]] = {}

    def renew(self) -> None:
        """A new look begins."""
        self._answers.clear()

    def bounds(
        self,
        pods: PodClass,
        namespace: str,
        labels: Mapping[str, str],
        wishes: tuple[Wish, ...],
    ) -> tuple[Bound, ...]:
        """What wishes for domains larger than a node come to now."""
        return tuple(
            Bound(
                wish.rule,
                wish.topology,
                self._count(wish, pods),
                wish.matcher.matches(namespace, self._labels_of(namespace), labels),
                wish.skew,
                wish.min_domains,
            )
            for wish in wishes
            if not is_of_nodes(wish)
        )

    def _count(self, wish: Wish, pods: PodClass) -> dict[str, int]:
        key = wish, pods.affinity_key if wish.honors_affinity else b""
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = {}
            for node in self._occupancy:
                meta = node.node.metadata
                value = meta.labels.get(wish.topology)
                if value is None:
                    continue
                if wish.honors_affinity and not pods.required.matches(meta.labels, meta.name):
                    continue
                found[value] = found.get(value, 0) + self._matching(wish, node)
        return found

    def _matching(self, wish: Wish, node: Occupied) -> int:
        count = 0
        for one in node.bound.values():
            meta = one.pod.metadata
            # Pods that are going still keep others away, but do not count for an even spread.
            if wish.rule is Rule.EVEN and meta.deletion_timestamp is not None:
                continue
            namespace = self._labels_of(meta.namespace)
            count += wish.matcher.matches(meta.namespace, namespace, meta.labels)
        return count

    def _labels_of(self, namespace: str) -> Mapping[str, str]:
        found = self._namespaces.get("", namespace)
        return found.metadata.labels if found is not None else {}
