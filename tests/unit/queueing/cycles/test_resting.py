"""When another cycle would find nothing new."""

from __future__ import annotations

from argosy.queueing.cycles.resting import Rest
from argosy.queueing.workloads.infos import LastAssignment

ALL = LastAssignment(({"cpu": -1},), 0)
SOME = LastAssignment(({"cpu": 0},), 0)


def _look(rest: Rest, next_heads: set[str], **looked_at: LastAssignment | None) -> bool:
    rest.begin()
    rest.look(looked_at, next_heads)
    return rest.is_due


def test_the_same_heads_twice_are_enough() -> None:
    rest = Rest()
    assert not _look(rest, {"a"}, a=ALL)
    assert _look(rest, {"a"}, a=ALL)


def test_nobody_to_look_at_is_enough_at_once() -> None:
    assert _look(Rest(), set())


def test_somebody_behind_a_head_that_was_parked_is_looked_at() -> None:
    rest = Rest()
    assert not _look(rest, {"b"}, a=ALL)
    assert not _look(rest, {"b"}, a=ALL)
    assert not _look(rest, {"b"}, b=ALL)
    assert _look(rest, {"b"}, b=ALL)


def test_who_was_in_the_way_of_another_and_is_parked_is_not_in_it_again() -> None:
    rest = Rest()
    assert not _look(rest, {"a"}, a=SOME, b=ALL)
    # The second flavor; the first one was only tried with b in the way.
    assert not _look(rest, {"a"}, a=ALL)
    assert not _look(rest, {"a"}, a=SOME)
    assert _look(rest, {"a"}, a=ALL)


def test_heads_that_try_their_flavors_in_turn_need_not_do_so_in_step() -> None:
    rest = Rest()
    looks = [{"a": SOME, "b": ALL}, {"a": ALL, "b": SOME}] * 3
    found = [_look(rest, {"a", "b"}, **one) for one in looks]
    assert found == [False, False, False, True, True, True]


def test_decisions_and_disturbances_begin_it_anew() -> None:
    for begin_anew in (Rest.decide, lambda rest: setattr(rest, "is_disturbed", True)):
        rest = Rest()
        _look(rest, {"a"}, a=ALL)
        assert _look(rest, {"a"}, a=ALL)
        begin_anew(rest)
        assert not rest.is_due
        assert not _look(rest, {"a"}, a=ALL)
        assert _look(rest, {"a"}, a=ALL)
