"""When a Work is looked at again."""

from __future__ import annotations

from argosy.member.applying.backoffs import Backoff, Pace, after


def sequence(count: int, *, is_settled: bool, pace: Pace | None = None) -> list[float]:
    state: Backoff | None = None
    out = []
    for _ in range(count):
        state = after(state, 1, "same", is_settled=is_settled, pace=pace or Pace())
        out.append(round(state.seconds, 3))
    return out


def test_a_work_that_is_not_available_yet_is_looked_at_often() -> None:
    got = sequence(40, is_settled=False)
    assert got[:5] == [5.0, 2.0, 2.4, 2.88, 3.456]
    # The last step of a fifth that stays below 15 seconds, then steps of a half.
    assert got[12:15] == [14.86, 22.29, 33.435]
    assert got[-1] == 900.0


def test_an_available_work_is_soon_left_alone() -> None:
    got = sequence(30, is_settled=True)
    assert got[:6] == [5.0, 2.0, 3.0, 4.5, 6.75, 10.125]
    assert got[-1] == 900.0
    assert sorted(got[1:]) == got[1:]


def test_another_generation_or_result_begins_anew() -> None:
    state = after(None, 1, "a", is_settled=True)
    for _ in range(10):
        state = after(state, 1, "a", is_settled=True)
    assert after(state, 1, "a", is_settled=True).seconds > 60
    assert after(state, 2, "a", is_settled=True).seconds == 5
    assert after(state, 1, "b", is_settled=True).seconds == 5


def test_becoming_available_speeds_up_the_slowing_down() -> None:
    state = after(after(None, 1, "a", is_settled=False), 1, "a", is_settled=False)
    assert after(state, 1, "a", is_settled=True).seconds == 3.0


def test_all_of_it_can_be_set() -> None:
    pace = Pace(2, 10.0, 20.0, 1.5, 30.0, 2.0, 90.0)
    assert sequence(6, is_settled=False, pace=pace) == [10.0, 10.0, 20.0, 30.0, 60.0, 90.0]
