"""LimitRanges of a namespace, summed up: bounds for what pods ask, and what they get who do not say.

Of several ranges the tightest bound and the first default count. A bound speaks of a resource only where the pod or
container names it; the total of a pod is what schedulers count. Requests of a container lie between the smaller and
the larger of its requests and limits, both of which are held against the bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from argosy.api import podresources
from argosy.api.objects.limits import LimitRange, LimitRangeItem
from argosy.api.objects.metadata import Quantities
from argosy.api.podresources import Amounts
from argosy.base.fielderrors import FieldError, invalid
from argosy.base.quantities import Quantity
from argosy.base.types import Object

POD: Final = "Pod"
CONTAINER: Final = "Container"
ABOVE_MAX: Final = "requests must not be above the limitRange max"
BELOW_MIN: Final = "requests must not be below the limitRange min"


@dataclass(slots=True, frozen=True)
class Bounds:
    """The ranges of one type together."""

    max: Amounts = field(default_factory=dict)
    min: Amounts = field(default_factory=dict)
    default: Quantities = field(default_factory=dict)
    default_request: Quantities = field(default_factory=dict)
    max_limit_request_ratio: Amounts = field(default_factory=dict)

    def tightened(self, item: LimitRangeItem) -> Bounds:
        return Bounds(
            _merged(self.max, podresources.amounts(item.max), min),
            _merged(self.min, podresources.amounts(item.min), max),
            {**item.default, **self.default},
            {**item.default_request, **self.default_request},
            _merged(
                self.max_limit_request_ratio,
                podresources.amounts(item.max_limit_request_ratio),
                min,
            ),
        )


# The bounds of a namespace, by the type of what they are for.
Summary: TypeAlias = Mapping[str, Bounds]


def summarize(ranges: Iterable[LimitRange]) -> dict[str, Bounds]:
    """All ranges of a namespace as one, in the order given."""
    summary: dict[str, Bounds] = {}
    for one in ranges:
        for item in one.spec.limits:
            summary[item.type] = summary.get(item.type, Bounds()).tightened(item)
    return summary


def violations(summary: Summary, spec: Object, path: str) -> list[FieldError]:
    """Where a pod's spec, which stands at `path`, leaves the bounds."""
    found: list[FieldError] = []
    bounds = summary.get(CONTAINER)
    if bounds is not None:
        for which in ("initContainers", "containers"):
            for index, container in enumerate(spec.get(which) or ()):
                found += _container(bounds, container, f"{path}.{which}[{index}]")
    bounds = summary.get(POD)
    if bounds is not None:
        total = podresources.requests(spec)
        found += _outside(bounds, total, total, path)
    return found


def _container(bounds: Bounds, container: Object, path: str) -> list[FieldError]:
    resources = container.get("resources") or {}
    requests = podresources.amounts(resources.get("requests"))
    limits = podresources.amounts(resources.get("limits"))
    least, most = _merged(requests, limits, min), _merged(requests, limits, max)
    return _outside(bounds, least, most, path)


def _outside(bounds: Bounds, least: Amounts, most: Amounts, path: str) -> list[FieldError]:
    above = greater_keys(most, bounds.max)
    below = greater_keys(bounds.min, least)
    found = [invalid(path, above, ABOVE_MAX)] if above else []
    return [*found, invalid(path, below, BELOW_MIN)] if below else found


def greater_keys(one: Amounts, other: Amounts) -> list[str]:
    """The resources of both of which there is more in `one`, by name."""
    return sorted(name for name, value in one.items() if name in other and value > other[name])


def _merged(
    one: Amounts, other: Amounts, choose: Callable[[Quantity, Quantity], Quantity]
) -> Amounts:
    result = dict(one)
    for name, value in other.items():
        result[name] = choose(result[name], value) if name in result else value
    return result
