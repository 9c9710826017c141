"""Go's %v, as Go printed it."""

from __future__ import annotations

import pytest

from argosy.base.types import Json
from argosy.member.comparing.printing import in_hub, in_member

# What `fmt.Sprint` says of a value read by encoding/json.
MEMBER: dict[str, tuple[Json, str]] = {
    "a small number is whole": (123456, "123456"),
    "the last number without an exponent": (999999, "999999"),
    "a million has an exponent": (1000000, "1e+06"),
    "all digits are kept": (123456789, "1.23456789e+08"),
    "below zero": (-2000000, "-2e+06"),
    "a fraction": (1.5, "1.5"),
    "a long fraction from a million on": (1234567.5, "1.2345675e+06"),
    "a tenth": (0.1, "0.1"),
    "the smallest without an exponent": (0.0001, "0.0001"),
    "too small": (0.00001, "1e-05"),
    "very small": (1e-7, "1e-07"),
    "very large": (1e21, "1e+21"),
    "nothing": (0, "0"),
    "null": (None, "<nil>"),
    "true": (True, "true"),
    "false": (False, "false"),
    "text is not quoted": ("s t", "s t"),
    "an empty list": ([], "[]"),
    "an empty map": ({}, "map[]"),
    "keys are sorted, numbers below are floats too": (
        {"b": [1, None, {"x": True}], "a": "s t", "n": 1000000},
        "map[a:s t b:[1 <nil> map[x:true]] n:1e+06]",
    ),
}


@pytest.mark.parametrize("case", MEMBER)
def test_values_of_the_member(case: str) -> None:
    value, want = MEMBER[case]
    assert in_member(value) == want


def test_whole_numbers_of_the_hub_stay_whole() -> None:
    assert in_hub({"n": 1000000, "f": 1.0}) == "map[f:1 n:1000000]"
