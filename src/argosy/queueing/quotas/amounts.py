"""Amounts of resources as whole numbers: thousandths of a CPU, units of everything else.

Each quantity is rounded up once, when it is read; sums and differences are exact from there. Texts are canonical
quantities, in the notation Kueue prints them (memory and storage in powers of two).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from argosy.base.quantities import Format, Quantity, parse

# More than any machine has: Kueue's own largest amount, which it reads as "no limit".
UNLIMITED: Final = 2**63 - 1
CPU: Final = "cpu"
PODS: Final = "pods"
_BINARY: Final = ("memory", "ephemeral-storage")


class FlavorResource(NamedTuple):
    """A resource of a flavor: the thing quotas are given for."""

    flavor: str
    resource: str


# Resources and amounts, as a pod or a pod set asks for them.
Requests: TypeAlias = dict[str, int]
# Amounts by flavor and resource, as a workload uses them.
Usage: TypeAlias = dict[FlavorResource, int]


@lru_cache(maxsize=1 << 14)
def amount(resource: str, quantity: str | float) -> int:
    """A quantity of an API object as a whole number."""
    return rounded(resource, parse(quantity))


def rounded(resource: str, quantity: Quantity) -> int:
    return min(quantity.milli() if resource == CPU else quantity.value(), UNLIMITED)


def amounts(quantities: Mapping[str, str]) -> Requests:
    return {resource: amount(resource, text) for resource, text in quantities.items()}


@lru_cache(maxsize=1 << 14)
def printed(resource: str, value: int) -> str:
    """The quantity of an amount."""
    if resource == CPU:
        return str(Quantity.of_milli(value))
    if resource in _BINARY or resource.startswith("hugepages-"):
        return str(Quantity.of(value, Format.BINARY_SI))
    return str(Quantity.of(value))


def quantities(requests: Mapping[str, int]) -> dict[str, str]:
    return {resource: printed(resource, value) for resource, value in requests.items()}


def add(into: dict[FlavorResource, int], more: Mapping[FlavorResource, int]) -> None:
    for flavor_resource, value in more.items():
        into[flavor_resource] = into.get(flavor_resource, 0) + value
