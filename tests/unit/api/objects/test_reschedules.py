"""What `argosy.dev/reschedule` may say."""

from __future__ import annotations

import pytest

from argosy.api.objects.fleet.reschedules import (
    SHORTEST_SECONDS,
    beat_seconds,
    fence_seconds,
    parse_reschedule,
    read_reschedule,
)

GOOD = {"after=10m": 600.0, "after=1h30m": 5400.0, "after=60s": 60.0, "after=1m0.5s": 60.5}
BAD = {
    "nothing at all": "",
    "a duration alone": "10m",
    "no duration": "after=",
    "a number without a unit": "after=10",
    "a unit nobody knows": "after=10d",
    "spaces": "after= 10m",
    "another word": "before=10m",
    "less than a minute": "after=59s",
    "less than nothing": "after=-10m",
    "two things": "after=10m,after=20m",
}


@pytest.mark.parametrize(("text", "want"), GOOD.items(), ids=GOOD)
def test_times_that_can_be_read(text: str, want: float) -> None:
    assert parse_reschedule(text) == want
    assert read_reschedule({"key": text}, "key") == want


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_whatever_cannot_be_read_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(ValueError, match="Allowed is after=DURATION") as error:
        parse_reschedule(text)
    assert f'"{text}"' in str(error.value)
    assert read_reschedule({"key": text}, "key") is None


def test_an_agent_gives_up_well_before_the_hub_and_beats_more_often_than_that() -> None:
    for after in (SHORTEST_SECONDS, 600.0):
        assert 4 * beat_seconds(after) < fence_seconds(after) <= 0.75 * after
