"""Namespace affinity: a placement of a namespace goes where that namespace is, on clusters that tell theirs."""

from __future__ import annotations

from typing import Final

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.metadata import find_condition

COLLECTED: Final = "NamespaceCollectionSucceeded"
_UNKNOWN: Final = "cluster has no namespace information available"
_ABSENT: Final = "target namespace does not exist on cluster"


def absence(cluster: MemberCluster, namespace: str) -> str:
    """Why a placement of the namespace cannot go there; "" if it can. Placements of the whole cluster always can."""
    if not namespace or find_condition(cluster.status.conditions, COLLECTED) is None:
        return ""
    if cluster.status.namespaces is None:
        return _UNKNOWN
    return "" if namespace in cluster.status.namespaces else _ABSENT
