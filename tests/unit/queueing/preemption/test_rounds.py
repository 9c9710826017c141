"""How often the same workload may be pushed out by the same one."""

from __future__ import annotations

from argosy.queueing.preemption.rounds import Rounds


def _met(rounds: Rounds, times: int, tree: str = "root") -> Rounds:
    for _ in range(times):
        rounds.count(tree, "preemptor", "victim")
    return rounds


def test_a_victim_is_spared_after_so_many_rounds_by_the_same_preemptor_only() -> None:
    assert not _met(Rounds(3), 2).spared("root", "preemptor")
    rounds = _met(Rounds(3), 3)
    assert set(rounds.spared("root", "preemptor")) == {"victim"}
    assert not rounds.spared("root", "another")


def test_what_comes_from_outside_into_a_tree_matters_there_only() -> None:
    rounds = _met(_met(Rounds(3), 3), 3, "another")
    rounds.forget("another")
    assert set(rounds.spared("root", "preemptor")) == {"victim"}
    assert not rounds.spared("another", "preemptor")
    rounds.forget_all()
    assert not rounds.spared("root", "preemptor")


def test_without_a_limit_nobody_is_spared() -> None:
    assert not _met(Rounds(None), 99).spared("root", "preemptor")
