"""The timeout parameter is a Go duration."""

from __future__ import annotations

import pytest

from argosy.apiserver.deadlines import check_timeout
from argosy.base.errors import BadRequest

GOOD = ("", "0", "10s", "1h2m3s", "1.5m", ".5s", "100ms", "-1s", "+2us", "3\u00b5s")
BAD = {
    "soon": 'invalid duration "soon"',
    "10": 'missing unit in duration "10"',
    "3d": 'unknown unit "d" in duration "3d"',
    "1s2": 'missing unit in duration "1s2"',
    "-": 'invalid duration "-"',
    "1s.": 'invalid duration "1s."',
}


@pytest.mark.parametrize("given", GOOD)
def test_good_ones_pass(given: str) -> None:
    assert check_timeout(given) is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize("given", BAD)
def test_bad_ones_are_told_in_go_s_words(given: str) -> None:
    with pytest.raises(BadRequest) as got:
        check_timeout(given)
    assert got.value.message == (
        f"invalid timeout specified in the request URL - time: {BAD[given]}"
    )
