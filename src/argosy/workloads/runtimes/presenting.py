"""What a kubelet says of its own node: that it is ready, what it has, and where it is reached.

Nodes of a pool are made complete. Those that somebody makes by hand (`kubectl apply` of a Node with a capacity and the
label `argosy.dev/runtime`) get what is missing, and every node whose Ready condition does not say True while its agent
is there gets it again. Pure: a node in, patches out, nothing when there is nothing to say. Patches of the status are to
be sent as strategic ones: conditions are merged by type then, and those of others stay.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Final

from argosy.api.objects import Node, find_condition, is_true
from argosy.api.wellknown import (
    AGENT_LEASE,
    ARCH,
    HEARTBEAT_LEASE,
    HOSTNAME,
    KUBELET_CONDITIONS,
    KUBELET_VERSION,
    OS,
    RUNTIME,
)
from argosy.base.timestamps import format_time
from argosy.base.types import Object

_POD_LIMIT: Final = "pods"
_PODS: Final = "110"


def is_ready(node: Node) -> bool:
    return is_true(node.status.conditions, "Ready")


def is_presented(node: Node) -> bool:
    """Whether the node says all that it should; O(1), because it is asked at every change of a node."""
    status = node.status
    return (
        is_ready(node)
        and _POD_LIMIT in status.allocatable
        and bool(status.addresses)
        and HEARTBEAT_LEASE in node.metadata.annotations
    )


def metadata_patch(node: Node) -> Object | None:
    """Labels and annotations that a kubelet sets when it registers its node."""
    meta = node.metadata
    labels = {HOSTNAME: meta.name, OS: "linux", ARCH: "amd64"}
    missing = {key: value for key, value in labels.items() if key not in meta.labels}
    patch: Object = {}
    if missing:
        patch["labels"] = missing
    if HEARTBEAT_LEASE not in meta.annotations:
        patch["annotations"] = {HEARTBEAT_LEASE: AGENT_LEASE}
    return {"metadata": patch} if patch else None


def status_patch(node: Node, now: datetime) -> Object | None:
    """What the status lacks, and the conditions of a node whose kubelet is there."""
    status: Object = {}
    told = node.status
    if _POD_LIMIT not in told.allocatable:
        status["capacity"] = {_POD_LIMIT: _PODS, **(told.capacity or told.allocatable)}
        status["allocatable"] = {**status["capacity"], **told.allocatable}
    if not told.addresses:
        status["addresses"] = [
            {"type": "InternalIP", "address": address_of(node)},
            {"type": "Hostname", "address": node.metadata.name},
        ]
    if not is_ready(node):
        status["conditions"] = _conditions(node, format_time(now))
        status["nodeInfo"] = node_info(node)
    return {"status": status} if status else None


def address_of(node: Node) -> str:
    """An address for a node that has none: the same for the same name, out of the way of pods and services."""
    digest = hashlib.sha256(node.metadata.name.encode()).digest()
    return f"10.{64 + digest[0] % 32}.{digest[1]}.{1 + digest[2] % 254}"


def node_info(node: Node) -> Object:
    """What the node says it runs on; ids are the same as long as the node is."""
    unique = hashlib.sha256(node.metadata.uid.encode()).hexdigest()
    runtime = node.metadata.labels.get(RUNTIME, "")
    return {
        "architecture": node.metadata.labels.get(ARCH, "amd64"),
        "bootID": _as_uuid(unique),
        "containerRuntimeVersion": f"{runtime}://1.0.0",
        "kernelVersion": "argosy",
        "kubeProxyVersion": "",
        "kubeletVersion": KUBELET_VERSION,
        "machineID": unique[32:],
        "operatingSystem": node.metadata.labels.get(OS, "linux"),
        "osImage": f"Argosy ({runtime})",
        "systemUUID": _as_uuid(unique[16:]),
    }


def _conditions(node: Node, now: str) -> list[Object]:
    """The kubelet's own conditions as of now."""
    conditions: list[Object] = []
    for type_, status, reason, message in KUBELET_CONDITIONS:
        last = find_condition(node.status.conditions, type_)
        moved = last.last_transition_time if last is not None and last.status == status else None
        conditions.append(
            {
                "type": type_,
                "status": status,
                "lastHeartbeatTime": now,
                "lastTransitionTime": format_time(moved) if moved is not None else now,
                "reason": reason,
                "message": message,
            }
        )
    return conditions


def _as_uuid(digits: str) -> str:
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"
