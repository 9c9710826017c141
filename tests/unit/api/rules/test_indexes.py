"""Sets of completion indexes, and Go's integers they are made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.rules.batch.indexes import IndexesError, count_indexes, first_overlap
from argosy.api.rules.integers import AtoiError, atoi

BAD: dict[str, tuple[str, str]] = {
    "a letter": ("a", 'cannot convert string to integer for index: "a"'),
    "nothing after the comma": ("1,", 'cannot convert string to integer for index: ""'),
    "digits with an underscore": ("1_0", 'cannot convert string to integer for index: "1_0"'),
    "an index that is too large": ("5", 'too large index: "5"'),
    "an interval that ends too late": ("1-9", 'too large index: "9"'),
    "decreasing indexes": ("3,1", "non-increasing order, previous: 3, current: 1"),
    "an index twice": ("0,0", "non-increasing order, previous: 0, current: 0"),
    "an interval that runs backwards": ("3-1", "non-increasing order, previous: 3, current: 1"),
    "an interval of three": (
        "1-2-3",
        (
            'the fragment "1-2-3" violates the requirement that an index interval can have at most '
            "two parts separated by '-'"
        ),
    ),
}


@pytest.mark.parametrize(("text", "want"), BAD.values(), ids=BAD.keys())
def test_problems_of_indexes(text: str, want: str) -> None:
    with pytest.raises(IndexesError) as caught:
        count_indexes(text, 5)
    assert str(caught.value) == want


def written(indexes: set[int]) -> str:
    """The shortest text of a set, as the job controller writes it."""
    parts: list[list[int]] = []
    for index in sorted(indexes):
        if parts and parts[-1][-1] == index - 1:
            parts[-1].append(index)
        else:
            parts.append([index])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


SETS = st.sets(st.integers(0, 29))


@given(SETS)
def test_every_index_is_counted_once(indexes: set[int]) -> None:
    assert count_indexes(written(indexes), 30) == len(indexes)


@given(SETS, SETS)
def test_the_first_index_in_both_sets_is_found(completed: set[int], failed: set[int]) -> None:
    want = min(completed & failed, default=None)
    assert first_overlap(written(completed), written(failed), 30) == want


INTEGERS: dict[str, tuple[str, int]] = {
    "a plain number": ("42", 42),
    "a plus sign": ("+7", 7),
    "leading zeros": ("-007", -7),
    "the largest": ("9223372036854775807", 2**63 - 1),
    "the smallest": ("-9223372036854775808", -(2**63)),
}


@pytest.mark.parametrize(("text", "want"), INTEGERS.values(), ids=INTEGERS.keys())
def test_integers(text: str, want: int) -> None:
    assert atoi(text) == want


NO_INTEGERS: dict[str, tuple[str, str, int]] = {
    "nothing": ("", 'strconv.Atoi: parsing "": invalid syntax', 0),
    "space": (" 1", 'strconv.Atoi: parsing " 1": invalid syntax', 0),
    "digits of another script": ("\u0663", 'strconv.Atoi: parsing "\u0663": invalid syntax', 0),
    "one too many": (
        "9223372036854775808",
        'strconv.Atoi: parsing "9223372036854775808": value out of range',
        2**63 - 1,
    ),
    "far too few": (
        "-99999999999999999999",
        'strconv.Atoi: parsing "-99999999999999999999": value out of range',
        -(2**63),
    ),
}


@pytest.mark.parametrize(("text", "want", "nearest"), NO_INTEGERS.values(), ids=NO_INTEGERS.keys())
def test_texts_that_are_no_integers(text: str, want: str, nearest: int) -> None:
    with pytest.raises(AtoiError) as caught:
        atoi(text)
    assert (str(caught.value), caught.value.nearest) == (want, nearest)
