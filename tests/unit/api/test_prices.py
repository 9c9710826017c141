"""What requests cost at a cluster's prices."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from argosy.api.objects.fleet.members import PropertyValue
from argosy.api.podresources import amounts
from argosy.api.prices import CORE_COST, MEMORY_COST, Prices, per_hour, prices


class Case(NamedTuple):
    requests: dict[str, str]
    at: Prices
    want: float | None


CASES = {
    "cores at the price of cores": Case({"cpu": "2"}, Prices(0.5, 0.1), 1.0),
    "the larger share counts, not the sum": Case(
        {"cpu": "1", "memory": "10Gi"}, Prices(0.5, 0.1), 1.0
    ),
    "half of a machine by both costs half of it": Case(
        {"cpu": "4", "memory": "16Gi"}, Prices(1 / 8, 1 / 32), 0.5
    ),
    "fractions count": Case({"cpu": "250m"}, Prices(1.0, None), 0.25),
    "no price, no cost": Case({"cpu": "1"}, Prices(), None),
    "nothing asked for that has a price": Case({"nvidia.com/gpu": "1"}, Prices(1.0, 1.0), None),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_cost_of_an_hour(case: Case) -> None:
    assert per_hour(amounts(case.requests), case.at) == case.want


def test_prices_are_read_from_properties() -> None:
    told = {CORE_COST: PropertyValue("0.048"), MEMORY_COST: PropertyValue("dear")}
    assert prices(told) == Prices(0.048, None)
    assert prices({}) == Prices()
