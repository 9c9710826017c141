"""Which object remembers which record."""

from __future__ import annotations

from datetime import timedelta

from argosy.api.objects.history import HistorySummary, JobHistory, JobRecord
from argosy.api.objects.metadata import ObjectMeta
from argosy.dispatch.pages import Append, Begin, Limits, Steps, name_of, plan, summarized
from tests.unit.dispatch.builders import at, record

LIMITS = Limits(page_size=3, most=6, age=timedelta(hours=1))


def page(number: int, *records: JobRecord, forgotten: float | None = None) -> JobHistory:
    until = at(forgotten) if forgotten is not None else None
    return JobHistory(ObjectMeta(name_of(number)), summarized(records, until), records)


def pages(*given: JobHistory) -> dict[str, JobHistory]:
    return {each.metadata.name: each for each in given}


def some(first: int, count: int) -> tuple[JobRecord, ...]:
    return tuple(record(f"u{number}", number) for number in range(first, first + count))


def test_the_first_records_begin_a_page() -> None:
    got = plan({}, some(0, 2), LIMITS, at(10))
    assert got == Steps((Begin("jobs-000001", some(0, 2), summarized(some(0, 2), None)),))


def test_a_page_is_filled_before_the_next_is_begun() -> None:
    last = page(1, *some(0, 2))
    got = plan(pages(last), some(2, 3), LIMITS, at(10))
    assert [type(each) for each in got.written] == [Append, Begin]
    append, begin = got.written
    assert (append.records, append.summary.jobs) == (some(2, 1), 3)
    assert (begin.records, begin.summary.jobs) == (some(3, 2), 2)


def test_nothing_to_write_is_nothing_to_do() -> None:
    assert plan({}, (), LIMITS, at(10)) == Steps()
    assert plan(pages(page(1, *some(0, 3))), (), LIMITS, at(10)) == Steps()


def test_what_is_too_much_goes_oldest_first_and_the_last_page_says_so() -> None:
    given = pages(page(1, *some(0, 3)), page(2, *some(3, 3)), page(3, *some(6, 2)))
    got = plan(given, some(8, 1), LIMITS, at(10))
    (append,) = got.written
    assert [each.metadata.name for each in got.dropped] == ["jobs-000001"]
    assert append.summary.forgotten_until == at(2)
    assert got.due == at(5) + LIMITS.age


def test_what_is_too_old_goes_without_a_new_record() -> None:
    given = pages(page(1, *some(0, 3)), page(2, *some(3, 1)))
    got = plan(given, (), LIMITS, at(3602))
    (append,) = got.written
    assert isinstance(append, Append)
    assert (append.records, append.summary.forgotten_until) == ((), at(2))
    assert [each.metadata.name for each in got.dropped] == ["jobs-000001"]


def test_a_drop_that_was_announced_is_done_without_a_word() -> None:
    given = pages(page(1, *some(0, 3)), page(2, *some(3, 1), forgotten=2))
    got = plan(given, (), LIMITS, at(3602))
    assert got.written == ()
    assert [each.metadata.name for each in got.dropped] == ["jobs-000001"]


def test_the_last_page_never_goes() -> None:
    assert plan(pages(page(7, *some(0, 3))), (), LIMITS, at(1e6)).dropped == ()


def test_what_was_forgotten_is_said_by_every_later_page() -> None:
    given = pages(page(4, *some(10, 3), forgotten=5))
    (begin,) = plan(given, some(20, 1), LIMITS, at(30)).written
    assert begin.summary.forgotten_until == at(5)


def test_objects_of_others_are_left_alone() -> None:
    mine = JobHistory(ObjectMeta("mine"), HistorySummary(), some(0, 1))
    got = plan({"mine": mine}, some(1, 1), LIMITS, at(1e6))
    assert [type(each) for each in got.written] == [Begin]
    assert got.dropped == ()


def test_a_summary_counts() -> None:
    got = summarized((record("a", 5), record("b", 3)), at(1))
    assert got == HistorySummary(2, 2, 0, 0, at(3), at(5), at(1))
