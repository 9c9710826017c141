"""Nodes: readiness, roles and what runs on them."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from argosy.api.columns.formatting import NONE, UNKNOWN, age, name_of, parts
from argosy.api.columns.printers import AGE, NAME, Printer, Printers
from argosy.api.kinds import Column
from argosy.base.types import Json, Object

_ROLE_PREFIX: Final = "node-role.kubernetes.io/"
_ROLE: Final = "kubernetes.io/role"


def _node(obj: Object, now: datetime) -> list[Json]:
    _, status = parts(obj)
    info = status.get("nodeInfo") or {}
    return [
        name_of(obj),
        _status(obj),
        _roles(obj),
        age(obj, now),
        info.get("kubeletVersion", ""),
        _address(status, "InternalIP"),
        _address(status, "ExternalIP"),
        info.get("osImage") or UNKNOWN,
        info.get("kernelVersion") or UNKNOWN,
        info.get("containerRuntimeVersion") or UNKNOWN,
    ]


def _status(obj: Object) -> str:
    spec, status = parts(obj)
    text = "Unknown"
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Ready":
            text = "Ready" if condition.get("status") == "True" else "NotReady"
    return f"{text},SchedulingDisabled" if spec.get("unschedulable") else text


def _roles(obj: Object) -> str:
    labels: dict[str, str] = obj["metadata"].get("labels") or {}
    roles = {key.removeprefix(_ROLE_PREFIX) for key in labels if key.startswith(_ROLE_PREFIX)}
    roles.add(labels.get(_ROLE, ""))
    return ",".join(sorted(roles - {""})) or NONE


def _address(status: Object, kind: str) -> str:
    addresses = status.get("addresses") or ()
    return next((a.get("address", "") for a in addresses if a.get("type") == kind), NONE)


PRINTERS: Final[Printers] = {
    ("", "Node"): Printer(
        (
            NAME,
            Column("Status", description="Whether pods can run there, and whether new ones may."),
            Column("Roles", description="What the node is labeled for."),
            AGE,
            Column("Version", description="Version of the kubelet."),
            Column("Internal-IP", priority=1, description="First address inside the cluster."),
            Column("External-IP", priority=1, description="First address outside the cluster."),
            Column("OS-Image", priority=1, description="Operating system."),
            Column("Kernel-Version", priority=1, description="Version of the kernel."),
            Column("Container-Runtime", priority=1, description="Container runtime."),
        ),
        _node,
    )
}
