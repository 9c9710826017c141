"""What a node's state means: conditions of a silent node, taints and labels that follow from others. Pure.

Reasons, messages and taint keys are the node lifecycle controller's of Kubernetes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects import Condition, Node, Taint, find_condition
from argosy.api.wellknown import TAINT_NOT_READY, TAINT_UNREACHABLE, TAINT_UNSCHEDULABLE
from argosy.base.timestamps import format_time
from argosy.base.types import Object

# A kubelet's conditions, which nobody vouches for once it is silent.
_KUBELETS: Final = ("Ready", "MemoryPressure", "DiskPressure", "PIDPressure")
# Which taint a condition asks for, by its status.
_TAINTS: Final = {
    ("Ready", "False"): TAINT_NOT_READY,
    ("Ready", "Unknown"): TAINT_UNREACHABLE,
    ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
    ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
    ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
}
_OURS: Final = frozenset(_TAINTS.values()) | {TAINT_UNSCHEDULABLE}
# Labels that are still known by an old name, too.
_OLD_NAMES: Final = {
    "kubernetes.io/os": "beta.kubernetes.io/os",
    "kubernetes.io/arch": "beta.kubernetes.io/arch",
}
_EXECUTED: Final = {"False": TAINT_NOT_READY, "Unknown": TAINT_UNREACHABLE}


def ready_status(node: Node) -> str:
    """True, False or Unknown; "" when nobody has ever said."""
    ready = find_condition(node.status.conditions, "Ready")
    return ready.status if ready is not None else ""


def old_labels(node: Node) -> dict[str, str]:
    """Labels under old names that are missing, or say something else than those under the new ones."""
    labels = node.metadata.labels
    return {
        old: labels[new]
        for new, old in _OLD_NAMES.items()
        if new in labels and labels.get(old) != labels[new]
    }


def silent_conditions(node: Node, now: float) -> list[Object] | None:
    """The conditions to patch on a node nothing is heard of; None when they say so already.

    In the node's own order, which a patch would otherwise change for everybody who reads them.
    """
    stamp = format_time(now)
    patch = []
    for type_ in _KUBELETS:
        condition = find_condition(node.status.conditions, type_)
        if condition is None:
            patch.append(_unknown(type_, "NodeStatusNeverUpdated", "never", stamp))
            created = node.metadata.creation_timestamp
            if created is not None:
                patch[-1]["lastHeartbeatTime"] = format_time(created.timestamp())
        elif condition.status != "Unknown":
            patch.append(_unknown(type_, "NodeStatusUnknown", "stopped", stamp))
    order = [condition.type for condition in node.status.conditions]
    known = {type_: number for number, type_ in enumerate(order)}
    patch.sort(key=lambda one: known.get(one["type"], len(known)))
    return patch or None


def _unknown(type_: str, reason: str, how: str, stamp: str) -> Object:
    message = "Kubelet never posted node status."
    if how == "stopped":
        message = "Kubelet stopped posting node status."
    return {
        "type": type_,
        "status": "Unknown",
        "reason": reason,
        "message": message,
        "lastTransitionTime": stamp,
    }


def schedule_taints(node: Node) -> tuple[Taint, ...] | None:
    """All taints the node should have, with the NoSchedule ones its conditions ask for; None when it has them."""
    wanted = _asked(node.status.conditions)
    if node.spec.unschedulable:
        wanted.append(TAINT_UNSCHEDULABLE)
    here = {t.key for t in node.spec.taints if t.effect == "NoSchedule" and t.key in _OURS}
    if here == set(wanted):
        return None
    kept = [
        t
        for t in node.spec.taints
        if t.effect != "NoSchedule" or t.key not in _OURS or t.key in wanted
    ]
    added = (Taint(key=key, effect="NoSchedule") for key in wanted if key not in here)
    return (*kept, *added)


def _asked(conditions: Iterable[Condition]) -> list[str]:
    keys = (_TAINTS.get((condition.type, condition.status)) for condition in conditions)
    return [key for key in keys if key is not None]


def executing(node: Node) -> frozenset[str]:
    """The keys of the node's NoExecute taints that this controller gives."""
    return frozenset(
        t.key
        for t in node.spec.taints
        if t.effect == "NoExecute" and t.key in {TAINT_NOT_READY, TAINT_UNREACHABLE}
    )


def execute_taints(node: Node, ready: str) -> tuple[Taint, ...] | None:
    """All taints of the node with the one NoExecute taint its readiness asks for; None when it has them."""
    wanted = _EXECUTED.get(ready)
    here = executing(node)
    if here == ({wanted} if wanted else frozenset()):
        return None
    kept = tuple(t for t in node.spec.taints if not (t.effect == "NoExecute" and t.key in here))
    return (*kept, Taint(key=wanted, effect="NoExecute")) if wanted else kept
