"""Resource transformations: what a pod asks for, told in the resources that quotas are given for.

An input is kept or replaced; each output is a multiple of the input (and of another request, where `multiplyBy` names
one). Outputs add up over inputs and to requests of the same name; outputs may be negative and are floored at zero
before they are added, so a credit never eats into a real request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from argosy.base.quantities import NANOS, Quantity, parse

RETAIN: Final = "Retain"
REPLACE: Final = "Replace"


@dataclass(slots=True, frozen=True)
class Transformation:
    """What becomes of one requested resource."""

    outputs: Mapping[str, str] = field(default_factory=dict)
    strategy: str = RETAIN
    multiply_by: str = ""


def transformed(
    requests: Mapping[str, Quantity], transformations: Mapping[str, Transformation]
) -> dict[str, Quantity]:
    """The requests of a pod after all transformations."""
    kept: dict[str, Quantity] = {}
    made: dict[str, Quantity] = {}
    for resource in sorted(requests):
        quantity = requests[resource]
        rule = transformations.get(resource)
        if rule is None or rule.strategy != REPLACE:
            kept[resource] = quantity
        if rule is not None:
            factor = _factor(requests, rule, quantity)
            for output, text in rule.outputs.items():
                product = _product(parse(text), factor)
                made[output] = made[output] + product if output in made else product
    for output, quantity in made.items():
        floored = quantity if quantity.sign >= 0 else Quantity.of(0)
        kept[output] = kept[output] + floored if output in kept else floored
    return kept


def _factor(requests: Mapping[str, Quantity], rule: Transformation, quantity: Quantity) -> Quantity:
    other = requests.get(rule.multiply_by) if rule.multiply_by else None
    return quantity if other is None else _product(other, quantity)


def _product(one: Quantity, other: Quantity) -> Quantity:
    nanos = one.nanos * other.nanos
    return Quantity(-(-nanos // NANOS) if nanos >= 0 else -(nanos // -NANOS), one.format)
