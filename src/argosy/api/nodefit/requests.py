"""Amounts as small integers: what pods ask for, what nodes have to give, and what is missing.

CPU counts in thousandths, everything else in whole units, each rounded up once after summing, as kube-scheduler counts.
A resource that nobody asks for is absent. The number of pods is not a request: it is a limit of the node.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from argosy.api import podresources
from argosy.api.objects import Container, Node, PodSpec
from argosy.base.quantities import parse
from argosy.base.types import Object

# Resource names and their amounts.
Resources: TypeAlias = dict[str, int]

# What a container that asks for nothing counts for when nodes are ranked, so that such pods do not pile up on one.
_ASSUMED: Final = {"cpu": "100m", "memory": str(200 << 20)}
_FIRST: Final = ("cpu", "memory", "ephemeral-storage")
# Amounts end here: no machine has more, and sums and scores of them stay within 64 bits.
_MOST: Final = 1 << 53


def counted(quantities: Mapping[str, str]) -> Resources:
    """Quantities of an API object in the units of this module."""
    return {name: _units(name, value) for name, value in quantities.items()}


def allocatable(node: Node) -> Resources:
    """What a node has to give to pods; `pods` is how many it takes."""
    return counted(node.status.allocatable)


def requested(spec: PodSpec) -> Resources:
    """What a pod needs of a node: containers, init containers, sidecars, pod-level resources, overhead."""
    total = podresources.requests(_raw(spec, {}))
    return {name: _rounded(name, amount.nanos) for name, amount in total.items() if amount.nanos}


def requested_for_scoring(spec: PodSpec) -> tuple[int, int]:
    """CPU and memory as they count when nodes are ranked: containers that ask for nothing count for a little."""
    total = podresources.requests(_raw(spec, _ASSUMED))
    cpu, memory = total.get("cpu"), total.get("memory")
    return (
        _rounded("cpu", cpu.nanos) if cpu else 0,
        _rounded("memory", memory.nanos) if memory else 0,
    )


def shortages(requests: Mapping[str, int], free: Mapping[str, int]) -> list[str]:
    """The resources of which `free` has too little, in kube-scheduler's order."""
    short = [name for name, amount in requests.items() if amount > free.get(name, 0)]
    if len(short) > 1:
        short.sort(key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))
    return short


def _units(name: str, value: str) -> int:
    return _rounded(name, parse(value).nanos)


def _rounded(name: str, nanos: int) -> int:
    return min(_MOST, -(-nanos // (1_000_000 if name == "cpu" else 1_000_000_000)))


def _raw(spec: PodSpec, assumed: Mapping[str, str]) -> Object:
    """The part of the spec that sums are made of."""
    return {
        "containers": _containers(spec.containers, assumed),
        "initContainers": _containers(spec.init_containers, assumed),
        "resources": {"requests": spec.resources.requests} if spec.resources else None,
        "overhead": spec.overhead,
    }


def _containers(containers: Iterable[Container], assumed: Mapping[str, str]) -> list[Object]:
    return [
        {
            "resources": {"requests": {**assumed, **container.resources.requests}},
            "restartPolicy": container.restart_policy,
        }
        for container in containers
    ]
