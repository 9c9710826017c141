"""Nodes, pods and whole clusters for tables."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from argosy.api.objects import Node, Pod
from argosy.base.types import Object
from argosy.workloads.scheduling.deciding import Assigned, Decider, Refused
from argosy.workloads.scheduling.placements import placement

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
APP = {"app": "web"}


def node(
    name: str,
    *,
    cpu: int | str = 4,
    memory: str = "8Gi",
    pods: int = 10,
    zone: str = "",
    labels: dict[str, str] | None = None,
    taints: Iterable[Object] = (),
    cordoned: bool = False,
    **more: object,
) -> Node:
    """`more` are further resources, with underscores for dots and two for slashes."""
    extra = {k.replace("__", "/").replace("_", "."): str(v) for k, v in more.items()}
    zoned = {ZONE: zone} if zone else {}
    return msgspec.convert(
        {
            "metadata": {"name": name, "labels": {HOST: name, **zoned, **(labels or {})}},
            "spec": {"taints": list(taints), "unschedulable": cordoned},
            "status": {
                "allocatable": {"cpu": str(cpu), "memory": memory, "pods": str(pods), **extra}
            },
        },
        Node,
    )


def pod(
    name: str,
    *,
    cpu: int | str = 1,
    on: str = "",
    priority: int = 0,
    labels: dict[str, str] | None = None,
    namespace: str = "ns",
    requests: dict[str, str] | None = None,
    ports: Iterable[int] = (),
    owner: Object | None = None,
    started: str | None = None,
    nominated: str = "",
    **spec: object,
) -> Pod:
    asked = {"cpu": str(cpu), **(requests or {})} if cpu else (requests or {})
    container = {
        "name": "c",
        "resources": {"requests": asked},
        "ports": [{"containerPort": port, "hostPort": port} for port in ports],
    }
    metadata: Object = {
        "name": name,
        "namespace": namespace,
        "uid": name,
        "labels": labels or {},
        "ownerReferences": [owner] if owner else [],
    }
    return msgspec.convert(
        {
            "metadata": metadata,
            "spec": {
                "containers": [container],
                "nodeName": on,
                "priority": priority,
                "schedulerName": "default-scheduler",
                **spec,
            },
            "status": {"startTime": started, "nominatedNodeName": nominated},
        },
        Pod,
    )


def spread(
    topology: str = ZONE,
    *,
    skew: int = 1,
    when: str = "DoNotSchedule",
    selector: dict[str, str] | None = None,
    **more: object,
) -> Object:
    return {
        "topologyKey": topology,
        "maxSkew": skew,
        "whenUnsatisfiable": when,
        "labelSelector": {"matchLabels": APP if selector is None else selector},
        **more,
    }


def term(topology: str = ZONE, selector: dict[str, str] | None = None, **more: object) -> Object:
    labels = APP if selector is None else selector
    return {"topologyKey": topology, "labelSelector": {"matchLabels": labels}, **more}


def required(kind: str, *terms: Object) -> Object:
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def preferred(kind: str, given: Object, weight: int = 1) -> Object:
    weighted = {"weight": weight, "podAffinityTerm": given}
    return {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}}


def decider(nodes: Iterable[Node], pods: Iterable[Pod] = ()) -> Decider:
    """A cluster with these nodes and pods."""
    made = Decider()
    for each in nodes:
        made.ledger.put_node(each)
    for each in pods:
        made.ledger.place(placement(each, made.profiles.of(each), each.spec.node_name))
    return made


def decide(made: Decider, *pods: Pod) -> list[Assigned | Refused]:
    """Decide one by one."""
    return [made.decide([made.candidate(each)])[0] for each in pods]


def outcome(decided: Assigned | Refused) -> str:
    """The node, or the message."""
    return decided.node if isinstance(decided, Assigned) else decided.diagnosis.message()
