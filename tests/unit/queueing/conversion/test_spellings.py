"""Names of fields that people still write."""

from __future__ import annotations

import pytest

from argosy.base.types import Object
from argosy.queueing.conversion.spellings import respell_cohort

READ = "spec.parent: this field is called spec.parentName since v1beta1; it is read so, write spec.parentName instead"

CASES: dict[str, tuple[Object, Object, list[str]]] = {
    "the slide's parent is the parentName": (
        {"spec": {"parent": "org", "fairSharing": {}}},
        {"spec": {"parentName": "org", "fairSharing": {}}},
        [READ],
    ),
    "a patch that takes the parent away": (
        {"spec": {"parent": None}},
        {"spec": {"parentName": None}},
        [READ],
    ),
    "where both are given the API's own name counts": (
        {"spec": {"parent": "a", "parentName": "b"}},
        {"spec": {"parentName": "b"}},
        ['spec.parent: "a" is ignored, because spec.parentName is given; remove spec.parent'],
    ),
    "nothing is said of what is right": (
        {"spec": {"parentName": "b"}},
        {"spec": {"parentName": "b"}},
        [],
    ),
    "a spec that is none is left to validation": ({"spec": "parent"}, {"spec": "parent"}, []),
    "there may be no spec": ({}, {}, []),
}


@pytest.mark.parametrize(("given", "want", "warnings"), CASES.values(), ids=CASES.keys())
def test_a_cohort_with_the_names_of_today(given: Object, want: Object, warnings: list[str]) -> None:
    assert respell_cohort(given) == (want, warnings)
