"""Who hears the news, and how often."""

from __future__ import annotations

import pytest

from argosy.workloads.scheduling.queueing import Group, SchedulingQueue
from argosy.workloads.scheduling.telling import Telling
from tests.unit.workloads.scheduling.builders import decider, pod


@pytest.fixture
def group() -> Group:
    """Three pods that wait and were told nothing."""
    made, queue = decider([]), SchedulingQueue()
    for name in "abc":
        queue.put(made.candidate(pod(name)))
    for candidate in queue.pop(3, made.are_alike, 0.0):
        queue.refused(candidate.pod.metadata.uid, 0.0, candidate.profile)
    (found,) = queue.groups
    return found


def take(telling: Telling, most: int = 10, now: float = 0.03) -> dict[str, str]:
    told = telling.take(most, now)
    return {entry.candidate.pod.metadata.name: message for entry, message in told}


def test_everybody_hears_once(group: Group) -> None:
    telling = Telling()
    telling.heard(group, "full", 0.0)
    assert (telling.next_due(), take(telling, now=0.02)) == (0.03, {})
    assert take(telling) == {"a": "full", "b": "full", "c": "full"}
    telling.heard(group, "full", 0.0)
    assert (take(telling, now=99), telling.next_due()) == ({}, None)


def test_who_knows_already_is_spared(group: Group) -> None:
    telling = Telling()
    group.members["b"].told = "full"
    telling.heard(group, "full", 0.0)
    assert take(telling) == {"a": "full", "c": "full"}


def test_news_in_portions_are_the_newest(group: Group) -> None:
    telling = Telling()
    telling.heard(group, "0/1", 0.0)
    assert take(telling, 1) == {"a": "0/1"}
    telling.heard(group, "0/2", 0.0)
    assert take(telling, 10) == {"b": "0/2", "c": "0/2"}
    assert take(telling, 10, now=0.5) == {}
    due = telling.next_due()
    assert due == pytest.approx(1.06)
    assert take(telling, 10, now=1.1) == {"a": "0/2"}


def test_news_that_are_no_longer_true_are_not_told(group: Group) -> None:
    telling = Telling()
    telling.heard(group, "0/1", 0.0)
    take(telling)
    telling.heard(group, "0/2", 0.0)
    telling.heard(group, "0/1", 0.0)
    assert (take(telling, now=99), telling.next_due()) == ({}, None)
