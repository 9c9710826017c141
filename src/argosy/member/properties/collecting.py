"""Feeds the sums from a cluster's informers, and hands out what they say."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from argosy.api.objects import Node, Pod
from argosy.client.resources import NODES, PODS, WORKLOADS, Resource
from argosy.control.assemblies import Assembly
from argosy.member.properties import facts
from argosy.member.properties.counting import Counts
from argosy.member.properties.facts import Collected
from argosy.member.properties.waiting import Line, WaitingWorkload


class Collector:
    """Follows the nodes, the pods and, where they are served, the Workloads of a cluster."""

    def __init__(self, member: Assembly, *, workloads: Resource = WORKLOADS) -> None:
        self.counts: Final = Counts()
        self.line: Final = Line()
        self._nodes = member.informer(NODES, Node)
        self._pods = member.informer(PODS, Pod)
        self._workloads = member.informer_when_served(workloads, WaitingWorkload)
        self._nodes.add_handler(self._node_changed)
        self._pods.add_handler(self._pod_changed)
        self._workloads.add_handler(self._workload_changed)

    @property
    def is_ready(self) -> bool:
        """Whether all nodes and pods have been seen once."""
        return self._nodes.is_synced and self._pods.is_synced

    async def ready(self) -> None:
        await self._nodes.synced()
        await self._pods.synced()

    def collect(self, now: datetime) -> Collected:
        return facts.collect(self.counts, self.line if self._workloads.is_synced else None, now)

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        if new is not None:
            self.counts.put_node(new)
        elif old is not None:
            self.counts.drop_node(old.metadata.name)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is not None:
            self.counts.put_pod(new)
        elif old is not None:
            self.counts.drop_pod(old.metadata.key)

    def _workload_changed(self, old: WaitingWorkload | None, new: WaitingWorkload | None) -> None:
        if new is not None:
            self.line.put(new)
        elif old is not None:
            self.line.drop(old.metadata.key)
