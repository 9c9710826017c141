"""The properties of a cluster that policies select and sort by, as quantities.

`resources.kubernetes-fleet.io/available-cpu` reads what the cluster reported of a resource: its total, allocatable
or available amount. Everything up to the first dash is which of the three, the rest is the resource, so that
`available-ephemeral-storage` and `available-nvidia.com/gpu` work like the others. Any other name is one of the
cluster's own properties, whose text has to be a quantity.

What was promised to placements that are still on their way is taken off the available amount. What is left may be less
than nothing: of two clusters that are promised out, the one with fewer promises is still the better one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.objects.fleet.members import MemberCluster, ResourceUsage
from argosy.api.objects.metadata import Quantities
from argosy.base.quantities import ParseError, Quantity, parse
from argosy.placement.scheduling.snapshots import CycleError

RESOURCE_PREFIX: Final = "resources.kubernetes-fleet.io/"


def value_of(
    cluster: MemberCluster, name: str, reserved: Mapping[str, Quantities]
) -> Quantity | None:
    """The property's value; None if the cluster does not report it. CycleError if that cannot be said."""
    if name.startswith(RESOURCE_PREFIX):
        return _resource(cluster, name.removeprefix(RESOURCE_PREFIX), reserved)
    reported = cluster.status.properties.get(name)
    if reported is None:
        return None
    try:
        return parse(reported.value)
    except ParseError as error:
        raise CycleError(
            f"value {reported.value} of property {name} from cluster {cluster.metadata.name}"
            f" is not a valid quantity: {error}"
        ) from None


def _resource(
    cluster: MemberCluster, name: str, reserved: Mapping[str, Quantities]
) -> Quantity | None:
    which, _, resource = name.partition("-")
    if not which or not resource:
        raise _unreadable(cluster, name, f"invalid resource property name: {name}")
    amounts = _amounts(cluster.status.resource_usage, which)
    if amounts is None:
        text = f"invalid capacity type {which} in resource property name {name}"
        raise _unreadable(cluster, name, text)
    text = amounts.get(resource, "")
    if not text:
        return None
    promised = reserved.get(cluster.metadata.name) if which == "available" else None
    try:
        amount = parse(text)
        if not promised or resource not in promised:
            return amount
        return amount - parse(promised[resource])
    except ParseError as error:
        raise _unreadable(cluster, name, str(error)) from None


def _amounts(usage: ResourceUsage, which: str) -> Quantities | None:
    match which:
        case "total":
            return usage.capacity
        case "allocatable":
            return usage.allocatable
        case "available":
            return usage.available
        case _:
            return None


def _unreadable(cluster: MemberCluster, name: str, why: str) -> CycleError:
    return CycleError(
        f"failed to retrieve resource property value for {name}"
        f" from cluster {cluster.metadata.name}: {why}"
    )
