"""What becomes of nodes that fall silent and of the pods on them."""

from __future__ import annotations

from argosy.control.assemblies import Assembly
from argosy.workloads.nodes.evicting import TaintEviction
from argosy.workloads.nodes.lifecycle import NodeLifecycle
from argosy.workloads.nodes.podgc import FINISHED_PODS, PodGarbage


def add_nodes(assembly: Assembly, *, finished_pods: int = FINISHED_PODS) -> None:
    NodeLifecycle(assembly)
    TaintEviction(assembly)
    PodGarbage(assembly, finished_pods=finished_pods)
