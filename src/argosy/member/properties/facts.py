"""The sums of a cluster in the words of a MemberCluster's status.

Upstream's names where it has one: the number of nodes, the price of a core and of a GiB, the number of nodes of a SKU.
Everything that is not a number cannot be compared by a placement's selectors and sorters, which take values for
quantities and fail on anything else. So a region is told twice: by name, for people, and as the number of nodes in it,
for placements; zones by number and the nodes of each.

Prices are those of the nodes that have one: what they cost together, over what they have together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple

from argosy.api.nodefit.requests import Resources
from argosy.api.objects.fleet.members import PropertyValue, ResourceUsage
from argosy.api.prices import CORE_COST, MEMORY_COST
from argosy.base.quantities import NANOS, Format, Quantity
from argosy.member.properties.counting import Counts
from argosy.member.properties.waiting import Line

NODE_COUNT: Final = "kubernetes-fleet.io/node-count"
_SKU_COUNT: Final = "kubernetes.azure.com/vm-sizes/{}/count"
REGION: Final = "argosy.dev/region"
ZONES: Final = "argosy.dev/zones"
_REGION_COUNT: Final = "argosy.dev/regions/{}/count"
_ZONE_COUNT: Final = "argosy.dev/zones/{}/count"
PENDING_WORKLOADS: Final = "argosy.dev/pending-workloads"
QUEUE_WAIT: Final = "argosy.dev/queue-wait-seconds"

_CPU: Final = "cpu"
_MEMORY: Final = "memory"
# Told of even where no node is: columns and sorters want a number.
_ALWAYS: Final = (_CPU, _MEMORY)
_BINARY: Final = (_MEMORY, "ephemeral-storage")
_GIB: Final = 1 << 30


class Collected(NamedTuple):
    """What a heartbeat carries of a cluster."""

    properties: dict[str, PropertyValue]
    usage: ResourceUsage


def collect(counts: Counts, line: Line | None, now: datetime) -> Collected:
    """What the sums say now; `line` is None where no queueing is."""
    values = {NODE_COUNT: str(counts.nodes)}
    values |= _prices(counts)
    values |= _numbers(_SKU_COUNT, counts.skus)
    values |= _places(counts)
    if line is not None:
        values[PENDING_WORKLOADS] = str(len(line))
        values[QUEUE_WAIT] = str(line.longest_seconds(now))
    usage = ResourceUsage(
        _quantities(counts.capacity.amounts()),
        _quantities(counts.allocatable.amounts()),
        _quantities(counts.available()),
        now,
    )
    return Collected({name: PropertyValue(value, now) for name, value in values.items()}, usage)


def _prices(counts: Counts) -> dict[str, str]:
    cores, memory = counts.priced.of(_CPU), counts.priced.of(_MEMORY)
    price = counts.price / NANOS
    prices = {}
    if cores:
        prices[CORE_COST] = f"{price / (cores / 1000):.3f}"
    if memory:
        prices[MEMORY_COST] = f"{price / (memory / _GIB):.3f}"
    return prices


def _places(counts: Counts) -> dict[str, str]:
    places = _numbers(_REGION_COUNT, counts.regions) | _numbers(_ZONE_COUNT, counts.zones)
    if counts.regions:
        # Where most nodes are; of equals the first by name.
        places[REGION] = min(counts.regions, key=lambda name: (-counts.regions[name], name))
    if counts.zones:
        places[ZONES] = str(len(counts.zones))
    return places


def _numbers(name: str, counter: Counter[str]) -> dict[str, str]:
    return {name.format(each): str(number) for each, number in sorted(counter.items())}


def _quantities(amounts: Mapping[str, int]) -> dict[str, str]:
    whole: Resources = dict.fromkeys(_ALWAYS, 0) | dict(amounts)
    return {name: str(_quantity(name, amount)) for name, amount in whole.items()}


def _quantity(name: str, amount: int) -> Quantity:
    """As Kubernetes prints it: cores in decimal, bytes in powers of two, everything else by number."""
    if name == _CPU:
        return Quantity.of_milli(amount)
    is_bytes = name in _BINARY or name.startswith("hugepages-")
    return Quantity.of(amount, Format.BINARY_SI if is_bytes else Format.DECIMAL_SI)
