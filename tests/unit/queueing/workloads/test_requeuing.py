"""When a workload may be queued again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.kueue.workloads import RequeueState, Workload
from argosy.queueing.workloads.requeuing import (
    back_off,
    end_back_off,
    later_retry,
    not_requeued_for,
    queued_since,
    seconds_to_wait,
    set_requeue_state,
)
from tests.unit.queueing.workloads.builders import NOW, ago, check, condition, draft, workload

SOON, LATER = ago(-60), ago(-600)


@dataclass
class Setting:
    before: RequeueState | None
    until: datetime
    count: bool
    want: RequeueState
    changes: bool = True


SETTINGS = {
    "nothing is set yet": Setting(None, SOON, False, RequeueState(None, SOON)),
    "a later moment replaces an earlier one": Setting(
        RequeueState(2, SOON), LATER, False, RequeueState(2, LATER)
    ),
    "an earlier one does not": Setting(
        RequeueState(2, LATER), SOON, False, RequeueState(2, LATER), changes=False
    ),
    "an eviction is counted all the same": Setting(
        RequeueState(2, LATER), SOON, True, RequeueState(3, LATER)
    ),
}


@pytest.mark.parametrize("case", SETTINGS.values(), ids=SETTINGS.keys())
def test_the_moment_only_moves_later(case: Setting) -> None:
    changed = draft(workload(requeue_state=case.before))
    assert set_requeue_state(changed, case.until, count=case.count) is case.changes
    assert changed.status.requeue_state == case.want


@dataclass
class BackOff:
    count: int
    seconds: int


BACK_OFFS = {
    "the first time is the base": BackOff(0, 60),
    "each time doubles it": BackOff(3, 480),
    "up to the most": BackOff(6, 3600),
    "however often it happened": BackOff(100_000, 3600),
}


@pytest.mark.parametrize("case", BACK_OFFS.values(), ids=BACK_OFFS.keys())
def test_pauses_double(case: BackOff) -> None:
    changed = draft(workload(requeue_state=RequeueState(case.count)))
    back_off(changed, base_seconds=60, max_seconds=3600)
    want = RequeueState(case.count + 1, NOW + timedelta(seconds=case.seconds))
    assert changed.status.requeue_state == want


@given(st.integers(0, 200), st.integers(1, 100), st.integers(100, 10_000))
def test_a_pause_is_never_shorter_than_the_one_before(count: int, base: int, most: int) -> None:
    ends = []
    for times in (count, count + 1):
        changed = draft(workload(requeue_state=RequeueState(times)))
        back_off(changed, base_seconds=base, max_seconds=most)
        assert changed.status.requeue_state is not None
        ends.append(changed.status.requeue_state.requeue_at)
    first, second = ends
    assert first is not None
    assert second is not None
    assert NOW < first <= second <= NOW + timedelta(seconds=most)


@pytest.mark.parametrize(
    ("state", "want"),
    [(RequeueState(2, SOON), RequeueState(2)), (RequeueState(None, SOON), None), (None, None)],
    ids=["the count stays", "nothing stays that says nothing", "nothing was set"],
)
def test_a_pause_that_is_over_is_forgotten(
    state: RequeueState | None, want: RequeueState | None
) -> None:
    changed = draft(workload(requeue_state=state))
    end_back_off(changed)
    assert changed.status.requeue_state == want


@dataclass
class Retry:
    workload: Workload
    want: datetime | None


RETRIES = {
    "no check asks for one": Retry(workload(admission_checks=(check("a", "Pending"),)), None),
    "a check asks for a moment ahead": Retry(
        workload(admission_checks=(check("a", "Retry", requeue_after_seconds=120),)), SOON
    ),
    "a moment that is past is none": Retry(
        workload(admission_checks=(check("a", "Retry", requeue_after_seconds=60),)), None
    ),
    "one that is set for later stays": Retry(
        workload(
            admission_checks=(check("a", "Retry", requeue_after_seconds=120),),
            requeue_state=RequeueState(None, SOON),
        ),
        None,
    ),
    "one that is set for earlier does not": Retry(
        workload(
            admission_checks=(check("a", "Retry", requeue_after_seconds=120),),
            requeue_state=RequeueState(None, ago(-1)),
        ),
        SOON,
    ),
}


@pytest.mark.parametrize("case", RETRIES.values(), ids=RETRIES.keys())
def test_checks_ask_to_wait(case: Retry) -> None:
    assert later_retry(case.workload, NOW) == case.want


def test_what_is_waited_for_is_read_from_the_status() -> None:
    given_up = workload(condition("Requeued", "False", "PodsReadyTimeout"))
    assert not_requeued_for(given_up) == "PodsReadyTimeout"
    assert not_requeued_for(workload(condition("Requeued", "True", "BackoffFinished"))) == ""
    assert not_requeued_for(workload()) == ""
    assert seconds_to_wait(workload(requeue_state=RequeueState(1, SOON)), NOW) == 60
    assert seconds_to_wait(workload(requeue_state=RequeueState(1)), NOW) == 0


def test_waiting_begins_with_creation_or_with_the_last_word_on_requeuing() -> None:
    made = workload(metadata={"creation_timestamp": ago(600)})
    assert queued_since(made) == ago(600)
    again = workload(
        condition("Requeued", "True", "Preempted", seconds_ago=30),
        metadata={"creation_timestamp": ago(600)},
    )
    assert queued_since(again) == ago(30)
