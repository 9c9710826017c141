"""Fair Sharing: Who gets preempted? Whoever has the highest share value, first."""

from __future__ import annotations

import pytest

from tests.support.plays import Play
from tests.unit.queueing.talk.slides import evicted, fair_play, fill, jobs, queue, usages

LAB = ("first", "second", "third")


def _full(*weights: float) -> Play:
    """Nominal quotas 8, 8, 8; borrowing 6, 2, 0: nothing is free."""
    named = zip(LAB, weights or (1, 1, 1), strict=True)
    play = fair_play(*(queue(name, 8, cohort="lab", weight=w) for name, w in named))
    fill(play, {"first": 14, "second": 10, "third": 0})
    return play


def _shares(play: Play) -> list[float]:
    """Of 24."""
    return [play.share(name).weighted * 24 / 1000 for name in LAB]


def test_the_highest_share_gives() -> None:
    """6/24, 2/24, 0/24; a job of the third queue, and it is 5/24, 2/24, 0/24."""
    play = _full()
    assert _shares(play) == pytest.approx([6, 2, 0])
    play.submit(*jobs("third", 1))
    play.rest()
    assert usages(play, LAB) == {"first": 13, "second": 10, "third": 1}
    assert _shares(play) == pytest.approx([5, 2, 0])
    assert len(evicted(play)) == 1


def test_the_newest_job_of_the_highest_share_goes() -> None:
    """Within a queue, whoever has run for the shortest time."""
    play = _full()
    play.now += 60
    play.delete("ns/first-3")
    play.submit(*jobs("first", 1, first=50))
    play.rest()
    play.submit(*jobs("third", 1))
    play.rest()
    assert evicted(play) == ["first-50"]


def test_job_after_job_the_highest_share_gives() -> None:
    """Until the third queue has its quota and nobody borrows. Where two shares are equal, either may give."""
    play = _full()
    for number in range(8):
        before = _shares(play)
        play.submit(*jobs("third", 1, first=number))
        play.rest()
        after = _shares(play)
        gave = [place for place in range(3) if after[place] < before[place]]
        assert len(gave) == 1
        assert before[gave[0]] == max(before)
    assert usages(play, LAB) == {"first": 8, "second": 8, "third": 8}
    assert len(evicted(play)) == 8


def test_a_greater_weight_is_a_smaller_share() -> None:
    """6/24 by weight 4 is less than 2/24 by weight 1: now the second queue gives."""
    play = _full(4, 1, 1)
    assert _shares(play) == pytest.approx([1.5, 2, 0])
    play.submit(*jobs("third", 1))
    play.rest()
    assert usages(play, LAB) == {"first": 14, "second": 9, "third": 1}


def test_nobody_is_preempted_to_make_things_less_fair() -> None:
    """The first queue borrows most and wants more: it waits."""
    play = _full()
    play.submit(*jobs("first", 1, first=50))
    play.rest()
    assert evicted(play) == []
    assert "first-50" not in play.admitted()


def test_the_lower_share_takes_until_shares_are_equal() -> None:
    """The second queue wants more, too: 6/24 and 2/24 become 4/24 and 4/24, and no job goes back and forth."""
    play = _full()
    play.submit(*jobs("second", 10, first=50))
    play.rest()
    assert usages(play, LAB) == {"first": 12, "second": 12, "third": 0}
    assert len(evicted(play)) == 2


def test_who_borrows_nothing_is_not_preempted() -> None:
    """Its quota is a guarantee: the third queue gets all of its 8, and not one of the others' 8."""
    play = _full()
    play.submit(*jobs("third", 20))
    play.rest()
    assert usages(play, LAB) == {"first": 8, "second": 8, "third": 8}
