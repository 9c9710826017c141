"""What the machines of a pool look like: the Node object of a new one, and what pods would find on it.

A Node is made complete in one create: labels, taints, capacity, addresses, the conditions a healthy kubelet posts.
Nobody has to write it again before pods run there. What the pool had said of labels and taints at that time is kept
on the node in an annotation, so that a later change of the pool can be carried over without touching what others put
on the node. A change of shape cannot: a machine has the size it was bought with. Pure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Final

import msgspec

from argosy.api.objects import Node, NodeSpec, NodeStatus, ObjectMeta, Taint
from argosy.api.objects.nodepools import MachineShape, NodePool
from argosy.api.wellknown import (
    AGENT_LEASE,
    ARCH,
    HEARTBEAT_LEASE,
    HOSTNAME,
    INSTANCE_TYPE,
    KUBELET_CONDITIONS,
    KUBELET_VERSION,
    NODE_POOL,
    OS,
    PRICE_PER_HOUR,
    PROVIDER,
    REGION,
    RUNTIME,
    SPOT,
    ZONE,
)
from argosy.base.timestamps import format_time
from argosy.base.types import Object

GPU: Final = "nvidia.com/gpu"
GPU_TYPE: Final = "nvidia.com/gpu.product"
# What the pool said when the node was made or last brought up to date (an annotation of the node).
APPLIED: Final = "argosy.dev/nodepool-applied"
_encode: Final = msgspec.json.Encoder(order="sorted").encode


class Applied(msgspec.Struct, frozen=True):
    """What a node has of its pool: labels and taints, and the shape it was bought with."""

    labels: dict[str, str] = msgspec.field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    shape: str = ""


_read_applied: Final = msgspec.json.Decoder(Applied).decode


def amounts(shape: MachineShape) -> dict[str, str]:
    """Capacity of a machine, as quantities."""
    found = {
        "cpu": str(shape.cpu),
        "memory": str(shape.memory),
        "ephemeral-storage": str(shape.ephemeral_storage),
        "pods": str(shape.pods),
    }
    if shape.gpus:
        found[GPU] = str(shape.gpus)
    found.update((name, str(amount)) for name, amount in shape.extended_resources.items())
    return found


def pool_labels(pool: NodePool) -> dict[str, str]:
    """Labels of every machine of the pool. The pool's own come first; those that Argosy goes by cannot be replaced."""
    spec = pool.spec
    labels = {OS: "linux", ARCH: "amd64", **spec.labels}
    optional = {
        INSTANCE_TYPE: spec.machine.instance_type,
        GPU_TYPE: spec.machine.gpu_type,
        REGION: spec.region,
        ZONE: spec.zone,
        PROVIDER: spec.provider,
    }
    labels.update((key, value) for key, value in optional.items() if value)
    labels[NODE_POOL] = pool.metadata.name
    labels[RUNTIME] = spec.runtime
    labels[SPOT] = "true" if spec.spot else "false"
    # The node controller keeps the old names beside the new ones; with both from the start it need not.
    labels[f"beta.{OS}"], labels[f"beta.{ARCH}"] = labels[OS], labels[ARCH]
    return labels


def template(pool: NodePool) -> Node:
    """A machine without a name, to ask whether pods would fit."""
    quantities = amounts(pool.spec.machine)
    return Node(
        metadata=ObjectMeta(labels=pool_labels(pool)),
        spec=NodeSpec(taints=pool.spec.taints),
        status=NodeStatus(capacity=quantities, allocatable=quantities),
    )


def shape_of(pool: NodePool) -> str:
    """Equal for machines of equal shape."""
    return hashlib.sha256(_encode(pool.spec.machine)).hexdigest()[:8]


def applied(pool: NodePool) -> Applied:
    return Applied(pool_labels(pool), pool.spec.taints, shape_of(pool))


def applied_to(node: Node) -> Applied:
    """What the node's annotation says; nothing for one that has none or a broken one."""
    return _applied_from(node.metadata.annotations.get(APPLIED, "{}"))


@lru_cache(maxsize=1024)
def _applied_from(text: str) -> Applied:
    """The nodes of a pool have the same text, so it is read once."""
    try:
        return _read_applied(text.encode())
    except msgspec.DecodeError:
        return Applied()


def node_object(pool: NodePool, name: str, address: str, now: float) -> Object:
    """The Node of a machine that has just booted."""
    spec = pool.spec
    quantities = amounts(spec.machine)
    at = format_time(now)
    node_spec: Object = {"providerID": f"argosy://{spec.provider}/{pool.metadata.name}/{name}"}
    if spec.taints:
        node_spec["taints"] = [taint_object(taint) for taint in spec.taints]
    return {
        "metadata": {
            "name": name,
            "labels": {**pool_labels(pool), HOSTNAME: name},
            "annotations": {
                PRICE_PER_HOUR: f"{spec.price_per_hour:g}",
                HEARTBEAT_LEASE: AGENT_LEASE,
                APPLIED: _encode(applied(pool)).decode(),
            },
        },
        "spec": node_spec,
        "status": {
            "capacity": quantities,
            "allocatable": quantities,
            "addresses": [
                {"type": "InternalIP", "address": address},
                {"type": "Hostname", "address": name},
            ],
            "conditions": [
                {
                    "type": type_,
                    "status": status,
                    "lastHeartbeatTime": at,
                    "lastTransitionTime": at,
                    "reason": reason,
                    "message": message,
                }
                for type_, status, reason, message in KUBELET_CONDITIONS
            ],
            "nodeInfo": _node_info(name, spec.runtime),
        },
    }


def update_patch(pool: NodePool, wanted: Applied, node: Node) -> Object | None:
    """A merge patch that brings labels and taints of a node to what its pool wants now; None when they are.

    What somebody else put on the node stays: only what the pool had put there before is taken away.
    """
    was = applied_to(node)
    price = f"{pool.spec.price_per_hour:g}"
    is_labeled = was.labels == wanted.labels and was.taints == wanted.taints
    if is_labeled and node.metadata.annotations.get(PRICE_PER_HOUR) == price:
        return None
    new = Applied(wanted.labels, wanted.taints, was.shape)
    labels: dict[str, str | None] = {key: None for key in was.labels if key not in new.labels}
    labels.update((k, v) for k, v in new.labels.items() if node.metadata.labels.get(k) != v)
    meta: Object = {
        "annotations": {APPLIED: _encode(new).decode(), PRICE_PER_HOUR: price},
        "resourceVersion": node.metadata.resource_version,
    }
    if labels:
        meta["labels"] = labels
    patch: Object = {"metadata": meta}
    old = {(t.key, t.effect) for t in (*was.taints, *new.taints)}
    taints = [t for t in node.spec.taints if (t.key, t.effect) not in old]
    if was.taints != new.taints:
        all_taints = [taint_object(taint) for taint in (*taints, *new.taints)]
        patch["spec"] = {"taints": all_taints or None}
    return patch


def taint_object(taint: Taint) -> Object:
    made: Object = {"key": taint.key, "effect": taint.effect}
    if taint.value:
        made["value"] = taint.value
    if taint.time_added is not None:
        made["timeAdded"] = format_time(taint.time_added)
    return made


def with_taint(node: Node, taint: Taint) -> Object:
    """A merge patch that adds a taint, only to the node as it was seen."""
    others = [t for t in node.spec.taints if (t.key, t.effect) != (taint.key, taint.effect)]
    return _taints_patch(node, (*others, taint))


def marked_at(taint: Taint) -> float:
    """The moment a taint of ours was put on; long ago for one that does not say."""
    return float(taint.value) if taint.value.isdecimal() else 0.0


def without_taint(node: Node, key: str) -> Object:
    return _taints_patch(node, [t for t in node.spec.taints if t.key != key])


def _taints_patch(node: Node, taints: Collection[Taint]) -> Object:
    return {
        "metadata": {"resourceVersion": node.metadata.resource_version},
        "spec": {"taints": [taint_object(taint) for taint in taints] or None},
    }


def address_for(name: str, taken: Mapping[str, str]) -> str:
    """An address in 10.0.0.0/10 for a node: by its name, then the next that nobody has. Pods and hand-made nodes
    have their addresses elsewhere.
    """
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    while True:
        number = number % (1 << 22) or 1
        address = f"10.{number >> 16}.{(number >> 8) & 255}.{number & 255}"
        if address not in taken and number & 255 not in {0, 255}:
            return address
        number += 1


def _node_info(name: str, runtime: str) -> Object:
    digits = hashlib.sha256(name.encode()).hexdigest()
    return {
        "architecture": "amd64",
        "bootID": _as_uuid(digits),
        "containerRuntimeVersion": "argosy://1",
        "kernelVersion": runtime,
        "kubeProxyVersion": "",
        "kubeletVersion": KUBELET_VERSION,
        "machineID": digits[32:],
        "operatingSystem": "linux",
        "osImage": f"Argosy {runtime} node",
        "systemUUID": _as_uuid(digits[16:]),
    }


def _as_uuid(digits: str) -> str:
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"
