"""Where one more can go so that the domains stay alike."""

from __future__ import annotations

import msgspec
import pytest

from argosy.api.objects.fleet.policies import PlacementPolicy
from argosy.base.types import Object
from argosy.placement.scheduling.spreading import count_by_domain, skew_after, spread
from tests.support.placing import member, spread_over

FLEET = (
    member("a1", labels={"zone": "a", "rack": "1"}),
    member("a2", labels={"zone": "a", "rack": "2"}),
    member("b1", labels={"zone": "b", "rack": "1"}),
    member("c1", labels={"zone": "c"}),
    member("none"),
)


def test_domains_without_any_count_and_clusters_without_the_label_do_not() -> None:
    assert count_by_domain("zone", FLEET, {"a1", "b1", "none"}) == {"a": 1, "b": 1, "c": 0}


# Counts of domains a, b, c; where one more goes; the skew then and by how much it changes.
SKEWS = {
    "all alike: one more is a step up": ((1, 1, 1), "a", (1, 1)),
    "a domain alone grows with every one": ((3,), "a", (1, 1)),
    "the only smallest: a step down": ((0, 1, 2), "a", (1, -1)),
    "one of several smallest: no change": ((0, 0, 2), "a", (2, 0)),
    "between: no change": ((0, 1, 2), "b", (2, 0)),
    "the largest: a step up": ((0, 1, 2), "c", (3, 1)),
    "one of several largest: a step up": ((0, 2, 2), "c", (3, 1)),
    "the smaller of two": ((1, 3), "a", (1, -1)),
    "the larger of two": ((1, 3), "b", (3, 1)),
}


@pytest.mark.parametrize(("counts", "domain", "want"), SKEWS.values(), ids=SKEWS.keys())
def test_the_skew_after_one_more(
    counts: tuple[int, ...], domain: str, want: tuple[int, int]
) -> None:
    assert skew_after(dict(zip("abc", counts, strict=False)), domain) == want


def _spread(selected: set[str], *constraints: Object) -> tuple[dict[str, str], dict[str, int]]:
    document = {"topologySpreadConstraints": list(constraints)}
    return spread(msgspec.convert(document, PlacementPolicy), FLEET, selected)


def test_without_constraints_everybody_scores_nothing() -> None:
    assert _spread({"a1"}) == ({}, {"a1": 0, "a2": 0, "b1": 0, "c1": 0, "none": 0})


def test_a_strict_constraint_keeps_out_whoever_breaks_it() -> None:
    violations, scores = _spread({"a1"}, spread_over("zone"))
    want = 'violated doNotSchedule topology spread constraint "zone" (max skew 1)'
    assert violations == {"a1": want, "a2": want}
    # Two domains are the smallest, so one more in either changes nothing.
    assert scores == {"b1": 0, "c1": 0, "none": 0}


def test_a_loose_constraint_costs_a_thousand() -> None:
    violations, scores = _spread({"a1", "b1"}, spread_over("zone", anyway=True))
    assert violations == {}
    assert scores == {"a1": -1000, "a2": -1000, "b1": -1000, "c1": 1, "none": 0}


def test_a_skew_that_nobody_gives_is_one() -> None:
    given = _spread({"a1"}, spread_over("zone", skew=1))
    assert _spread({"a1"}, spread_over("zone", skew=None)) == given


def test_a_step_in_the_right_direction_that_is_too_short_is_a_violation() -> None:
    fleet = (
        *tuple(member(f"a{n}", labels={"zone": "a"}) for n in range(4)),
        member("b0", labels={"zone": "b"}),
    )
    document = {"topologySpreadConstraints": [spread_over("zone")]}
    policy = msgspec.convert(document, PlacementPolicy)
    found = spread(policy, fleet, {"a0", "a1", "a2"})
    assert "b0" in found.violations


def test_constraints_add_up_and_strict_ones_come_first() -> None:
    violations, scores = _spread(
        {"a1"}, spread_over("rack", anyway=True), spread_over("zone", skew=2)
    )
    assert violations == {}
    # zone: a 1, b 0, c 0; rack: 1 has one, 2 has none.
    assert scores == {
        "a1": -1 - 1000,
        "a2": -1 + 1,
        "b1": 0 - 1000,
        "c1": 0,
        "none": 0,
    }
