"""Counting in rounds."""

from __future__ import annotations

from argosy.workloads.jobs.assessing import assess
from argosy.workloads.jobs.tracking import MOST_UNCOUNTED, batches, finish
from tests.unit.workloads.jobs.builders import at, job, ledger, pod


def test_rounds_hold_no_more_than_the_list_may() -> None:
    books = ledger(*(pod(f"p{number}", "Succeeded", ended=1) for number in range(1200)))
    situation = assess(job(completions=2000), books, at(5), is_settled=True)
    sizes, listed = [], []
    for batch in batches(situation, books):
        sizes.append(len(batch))
        listed.append(situation.draft.uncounted)
        for each in batch:
            books.mark_released(each.metadata.uid)
    assert sizes == [MOST_UNCOUNTED, MOST_UNCOUNTED, 200]
    assert listed == [MOST_UNCOUNTED, MOST_UNCOUNTED, 200]
    assert (situation.draft.succeeded, situation.draft.uncounted) == (1200, 0)


def test_a_pod_that_keeps_its_finalizer_stays_uncounted() -> None:
    books = ledger(pod("a", "Succeeded", ended=1), pod("b", "Failed", ended=1))
    situation = assess(job(completions=5), books, at(5), is_settled=True)
    for _ in batches(situation, books):
        books.mark_released("a")
    draft = situation.draft
    assert (draft.succeeded, draft.uncounted_succeeded) == (1, [])
    assert (draft.failed, draft.uncounted_failed) == (0, ["b"])
    assert not finish(situation)


def test_a_crash_after_the_list_was_written_counts_once() -> None:
    status = {"succeeded": 4, "uncountedTerminatedPods": {"succeeded": ["gone", "a"]}}
    books = ledger(pod("a", "Succeeded", ended=1))
    situation = assess(job(status, completions=9), books, at(5), is_settled=True)
    assert situation.succeeded == 6
    for batch in batches(situation, books):
        assert [each.metadata.name for each in batch] == ["a"]
        assert (situation.draft.succeeded, situation.draft.uncounted_succeeded) == (5, ["a"])
        books.mark_released("a")
    assert (situation.draft.succeeded, situation.draft.uncounted_succeeded) == (6, [])


def test_indexes_are_noted_in_order_and_once() -> None:
    books = ledger(
        pod("c", "Succeeded", index=3), pod("a", "Succeeded", index=1), pod("again", "Succeeded", index=0),
        pod("beyond", "Succeeded", index=9), pod("none", "Succeeded"),
    )  # fmt: skip
    status = {"completedIndexes": "0", "succeeded": 1}
    spec = job(status, completionMode="Indexed", completions=5, parallelism=5)
    situation = assess(spec, books, at(5), is_settled=True)
    rounds = [[each.metadata.name for each in batch] for batch in batches(situation, books)]
    assert rounds == [["none", "again", "a", "c", "beyond"]]
    assert (situation.draft.completed_indexes, situation.draft.succeeded) == ("0,1,3", 3)
    assert situation.draft.uncounted == 0


def test_pods_that_still_run_count_as_failed_with_their_job() -> None:
    books = ledger(pod("a", "Running"), pod("b", "Failed", ended=1))
    situation = assess(job(completions=2, backoffLimit=0), books, at(5), is_settled=True)
    (batch,) = batches(situation, books)
    assert [each.metadata.name for each in batch] == ["a", "b"]
    assert situation.draft.uncounted_failed == ["a", "b"]
    assert [each.type for each in situation.draft.conditions] == ["FailureTarget"]


def test_a_failed_pod_waits_for_its_replacement() -> None:
    spec = job(completionMode="Indexed", completions=2, parallelism=2, backoffLimitPerIndex=1)
    failed = pod("a", "Failed", index=0, ended=1)
    books = ledger(failed)
    assert list(batches(assess(spec, books, at(5), is_settled=True), books)) == [()]
    books = ledger(failed, pod("b", index=0))
    assert list(batches(assess(spec, books, at(5), is_settled=True), books)) == [(failed,)]
