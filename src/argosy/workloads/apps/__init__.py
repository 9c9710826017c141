"""Sets of pods that stay: ReplicaSet, Deployment, StatefulSet, DaemonSet, as the controllers of Kubernetes keep them.

A folder per kind: deciding code is pure and has files of its own, a thin controller feeds it and writes its decisions.
What they share stands beside them: `tracking` wakes sets for their pods, `podcontrols` makes and ends pods with events,
`hashes` names revisions exactly as upstream does, `histories` keeps ControllerRevisions.
"""

from __future__ import annotations

from argosy.control.assemblies import Assembly
from argosy.workloads.apps.daemonsets import DaemonSets
from argosy.workloads.apps.deployments import Deployments
from argosy.workloads.apps.replicasets import add_replica_sets
from argosy.workloads.apps.statefulsets import StatefulSets

__all__ = ["add_apps"]


def add_apps(assembly: Assembly) -> None:
    """Have all of them work on a cluster."""
    add_replica_sets(assembly)
    Deployments(assembly)
    StatefulSets(assembly)
    DaemonSets(assembly)
