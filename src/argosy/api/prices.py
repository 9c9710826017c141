"""What running something costs: requests, at the prices that a cluster tells of itself.

A cluster tells what its machines cost over the cores they have, and the same sum over the GiB of memory they have. Each
of the two prices shares out all of the money, so they are not added: a job pays for the share of the machines that it
keeps others from using, which is the larger of the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from argosy.api.objects.fleet.members import PropertyValue
from argosy.base.quantities import NANOS, ParseError, Quantity, parse

# Properties of a MemberCluster, by upstream's names: per hour, in the fleet's currency.
CORE_COST: Final = "kubernetes.azure.com/per-cpu-core-cost"
MEMORY_COST: Final = "kubernetes.azure.com/per-gb-memory-cost"
_GIB: Final = 1 << 30


class Prices(NamedTuple):
    """What an hour costs; None where the cluster does not say."""

    per_core: float | None = None
    per_gib: float | None = None


def prices(properties: Mapping[str, PropertyValue]) -> Prices:
    """The prices among the properties of a MemberCluster."""
    return Prices(_number(properties.get(CORE_COST)), _number(properties.get(MEMORY_COST)))


def per_hour(amounts: Mapping[str, Quantity], at: Prices) -> float | None:
    """What an hour of these requests costs; None without a price that applies to any of them."""
    shares = []
    if at.per_core is not None and "cpu" in amounts:
        shares.append(amounts["cpu"].nanos / NANOS * at.per_core)
    if at.per_gib is not None and "memory" in amounts:
        shares.append(amounts["memory"].nanos / NANOS / _GIB * at.per_gib)
    return max(shares, default=None)


def _number(found: PropertyValue | None) -> float | None:
    try:
        return parse(found.value).nanos / NANOS if found is not None else None
    except ParseError:
        return None
