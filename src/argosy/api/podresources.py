"""What a pod asks for: the sums schedulers, quotas and queues count by.

A pod needs the larger of what its containers need together and what any step of its start needs: init containers
run one after the other, those that restart always (sidecars) stay and add up. Overhead comes on top.
Pod-level resources take the place of the sum where they are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from argosy.base.quantities import Quantity, parse
from argosy.base.types import Object

Amounts = dict[str, Quantity]

# What may be given for the whole pod.
_POD_LEVEL: Final = ("cpu", "memory")


def requests(spec: Object) -> Amounts:
    """Requests of a whole pod, overhead included."""
    return _total(spec, "requests", with_overhead=True)


def limits(spec: Object) -> Amounts:
    """Limits of a whole pod; overhead counts where there is a limit to add it to."""
    total = _total(spec, "limits", with_overhead=False)
    for name, amount in (spec.get("overhead") or {}).items():
        if name in total:
            total[name] += parse(amount)
    return total


def amounts(given: Mapping[str, str] | None) -> Amounts:
    return {name: parse(value) for name, value in (given or {}).items()}


def add(into: Amounts, more: Mapping[str, Quantity]) -> None:
    for name, amount in more.items():
        into[name] = into[name] + amount if name in into else amount


def _total(spec: Object, which: str, *, with_overhead: bool) -> Amounts:
    total: Amounts = {}
    for container in spec.get("containers") or ():
        add(total, _of(container, which))
    init = spec.get("initContainers")
    if init:
        total = _with_init(total, init, which)
    whole = amounts((spec.get("resources") or {}).get(which))
    total.update(
        {
            name: amount
            for name, amount in whole.items()
            if name in _POD_LEVEL or name.startswith("hugepages-")
        }
    )
    if with_overhead:
        add(total, amounts(spec.get("overhead")))
    return total


def _with_init(running: Amounts, init: Iterable[Object], which: str) -> Amounts:
    total = dict(running)
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in init:
        needs = _of(container, which)
        if container.get("restartPolicy") == "Always":
            add(total, needs)
            add(sidecars, needs)
            step = dict(sidecars)
        else:
            step = dict(needs)
            add(step, sidecars)
        for name, amount in step.items():
            if name not in peak or peak[name] < amount:
                peak[name] = amount
    for name, amount in peak.items():
        if name not in total or total[name] < amount:
            total[name] = amount
    return total


def _of(container: Object, which: str) -> Amounts:
    resources = container.get("resources")
    return amounts(resources.get(which)) if resources else {}
