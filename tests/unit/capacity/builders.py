"""Short ways to say pools, rooms and demands."""

from __future__ import annotations

from typing import Final

from argosy.api.nodefit import PodClasses, counted
from argosy.api.objects import Node, NodeSpec, ObjectMeta, PodSpec, Taint
from argosy.api.objects.pods import Container, ResourceRequirements, Toleration
from argosy.capacity.snapshots import Demand, IdleNode, PoolState, Room, Stage

_CLASSES: Final = PodClasses()
_HELD: Final = []


def demand(
    count: int,
    cpu: str = "1",
    *,
    key: str = "ns/a",
    gpus: int = 0,
    selector: dict[str, str] | None = None,
    tolerations: tuple[Toleration, ...] = (),
    **more: object,
) -> Demand:
    requests = {"cpu": cpu, "memory": "1Gi"}
    if gpus:
        requests["nvidia.com/gpu"] = str(gpus)
    container = Container(name="main", resources=ResourceRequirements(requests=requests))
    spec = PodSpec(containers=(container,), node_selector=selector or {}, tolerations=tolerations)
    pods = _CLASSES.of_spec(spec)
    _HELD.append(pods)
    return Demand(pods, count, key, **more)  # type: ignore[arg-type]


def machine(cpu: str = "4", memory: str = "16Gi", gpus: int = 0, pods: int = 110) -> dict[str, int]:
    amounts = {"cpu": cpu, "memory": memory, "pods": str(pods)}
    if gpus:
        amounts["nvidia.com/gpu"] = str(gpus)
    return counted(amounts)


def node(labels: dict[str, str] | None = None, *taints: Taint) -> Node:
    return Node(metadata=ObjectMeta(labels=labels or {}), spec=NodeSpec(taints=taints))


def pool(
    name: str = "a",
    cpu: str = "4",
    *,
    gpus: int = 0,
    labels: dict[str, str] | None = None,
    taints: tuple[Taint, ...] = (),
    **more: object,
) -> PoolState:
    return PoolState(name, node(labels, *taints), machine(cpu, gpus=gpus), **more)  # type: ignore[arg-type]


def idle(*since: float, cpu: str = "4", pool: str = "a") -> Room:
    """Idle nodes a-0, a-1, ... of a pool."""
    nodes = [IdleNode(f"{pool}-{number}", at) for number, at in enumerate(since)]
    return Room(node(), machine(cpu), len(nodes), Stage.IDLE, pool, nodes=nodes)


def busy(count: int, cpu: str = "0", pool: str = "a") -> Room:
    return Room(node(), machine(cpu), count, Stage.BUSY, pool)
