"""Decisions under way: which news count, and when."""

from __future__ import annotations

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cycles.assuming import Assumptions
from tests.support.queues import workload

WORKLOAD = workload("w", "q", {"cpu": 1})
KEY = "ns/w"


def _at(revision: int, uid: str = "uid-w") -> Workload:
    meta = replace(WORKLOAD.metadata, resource_version=str(revision), uid=uid)
    return replace(WORKLOAD, metadata=meta)


def _deciding() -> Assumptions:
    made = Assumptions()
    made.decide(_at(1))
    return made


def test_news_of_a_workload_that_nobody_decided_about_count() -> None:
    assert Assumptions().is_news(_at(1))


def test_news_are_put_aside_while_a_write_is_under_way() -> None:
    assumed = _deciding()
    assert not assumed.is_news(_at(1))
    assert KEY in assumed


def test_older_news_than_what_was_written_never_count() -> None:
    assumed = _deciding()
    assert assumed.written(_at(1), 5) is None
    assert not assumed.is_news(_at(4))
    assert assumed.is_news(_at(5))
    assert KEY not in assumed


def test_news_that_came_before_their_answer_count_with_it() -> None:
    """Also those of what somebody else did next."""
    assumed = _deciding()
    assert not assumed.is_news(_at(5))
    assert not assumed.is_news(_at(6))
    assert assumed.written(_at(1), 5) == _at(6)
    assert KEY not in assumed


def test_a_write_that_failed_is_taken_back_to_the_newest_that_is_known() -> None:
    assumed = _deciding()
    assert not assumed.is_news(_at(3))
    assert assumed.failed(_at(1), _at(2)) == _at(3)
    assert KEY not in assumed


def test_a_write_that_failed_takes_back_nothing_that_another_wrote() -> None:
    """The first of two succeeded, and its news are still to come: older ones would free its quota."""
    assumed = _deciding()
    assumed.decide(_at(1))
    assert assumed.written(_at(1), 5) is None
    assert assumed.failed(_at(1), _at(1)) is None
    assert KEY in assumed
    assert assumed.is_news(_at(5))


def test_answers_about_a_workload_that_is_gone_do_not_concern_another_of_its_name() -> None:
    assumed = _deciding()
    assumed.forget(KEY)
    assert assumed.written(_at(1), 5) is None
    assumed.decide(_at(8, "another"))
    assert assumed.written(_at(1), 5) is None
    assert not assumed.is_news(_at(8, "another"))
    assert assumed.written(_at(8, "another"), 9) is None
    assert assumed.is_news(_at(9, "another"))
