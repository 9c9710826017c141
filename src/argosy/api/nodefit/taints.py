"""Which taints keep a pod away from a node.

NoSchedule and NoExecute refuse, PreferNoSchedule only counts against the node. The comparison operators Gt and Lt of
tolerations are refused by the API of v1.35 and tolerate nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from argosy.api.objects import Taint, Toleration


def tolerates(tolerations: Iterable[Toleration], taint: Taint) -> bool:
    """Whether any of the tolerations covers the taint."""
    return any(_covers(toleration, taint) for toleration in tolerations)


def untolerated(tolerations: Sequence[Toleration], taints: Iterable[Taint]) -> Taint | None:
    """The first taint that keeps the pod off the node; None if none does."""
    for taint in taints:
        if taint.effect in {"NoSchedule", "NoExecute"} and not tolerates(tolerations, taint):
            return taint
    return None


def intolerable_preferences(tolerations: Sequence[Toleration], taints: Iterable[Taint]) -> int:
    """How many PreferNoSchedule taints the pod does not tolerate."""
    return sum(
        taint.effect == "PreferNoSchedule" and not tolerates(tolerations, taint) for taint in taints
    )


def _covers(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "" | "Equal":
            return toleration.value == taint.value
        case "Exists":
            return True
        case _:
            return False
