"""Taints keep placements off a cluster unless they tolerate every one. They never drive out what is there already."""

from __future__ import annotations

from collections.abc import Sequence

from argosy.api.objects.fleet.members import MemberCluster, Taint
from argosy.api.objects.fleet.policies import Toleration


def repulsion(cluster: MemberCluster, tolerations: Sequence[Toleration]) -> str:
    """The first taint that is not tolerated, as upstream prints it; "" if there is none."""
    for taint in cluster.spec.taints:
        if not any(_tolerates(each, taint) for each in tolerations):
            # Go's %+v of a pointer, which users know by now.
            shown = f"&{{Key:{taint.key} Value:{taint.value} Effect:{taint.effect}}}"
            return f"taint {shown} cannot be tolerated"
    return ""


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.operator == "Exists":
        return not toleration.key or toleration.key == taint.key
    return toleration.key == taint.key and toleration.value == taint.value
