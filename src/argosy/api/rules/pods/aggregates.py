"""Sums of what a pod's containers ask for, as scheduling and pod-level resources count them.

Init containers run one after another before the others, so the largest of them counts; those that restart always
(sidecars) run beside everything that follows them. The result for a resource is the larger of the running containers
with all sidecars and of each init container with the sidecars started before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.base.quantities import Quantity
from argosy.base.types import Object

HUGE_PAGES_PREFIX: Final = "hugepages-"

Amounts = dict[str, Quantity]


def is_pod_level_resource(name: str) -> bool:
    return name in {"cpu", "memory"} or name.startswith(HUGE_PAGES_PREFIX)


def container_requests(spec: Object) -> Amounts:
    return _aggregate(spec, "requests")


def container_limits(spec: Object) -> Amounts:
    return _aggregate(spec, "limits")


def _amounts(container: Object, kind: str) -> Iterable[tuple[str, Quantity]]:
    resources = container.get("resources") or {}
    for name, value in (resources.get(kind) or {}).items():
        yield name, Quantity.parse(value)


def _add(total: Amounts, more: Iterable[tuple[str, Quantity]]) -> None:
    for name, amount in more:
        total[name] = total[name] + amount if name in total else amount


def _raise_to(total: Amounts, other: Amounts) -> None:
    for name, amount in other.items():
        if name not in total or total[name] < amount:
            total[name] = amount


def _aggregate(spec: Object, kind: str) -> Amounts:
    total: Amounts = {}
    for container in spec.get("containers") or ():
        _add(total, _amounts(container, kind))
    sidecars: Amounts = {}
    starting: Amounts = {}
    for container in spec.get("initContainers") or ():
        own = _amounts(container, kind)
        if container.get("restartPolicy") == "Always":
            own = list(own)
            _add(total, own)
            _add(sidecars, own)
            needed = dict(sidecars)
        else:
            needed = dict(sidecars)
            _add(needed, own)
        _raise_to(starting, needed)
    _raise_to(total, starting)
    return total
