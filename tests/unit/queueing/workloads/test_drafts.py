"""A status as it becomes: conditions, the patch that is written, texts that are too long."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import RequeueState, Workload, WorkloadStatus
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.queueing.workloads.drafts import EVENT_BYTES, difference, happening, truncated
from argosy.queueing.workloads.writing import written
from tests.unit.queueing.workloads.builders import (
    NOW,
    admitted,
    ago,
    check,
    condition,
    draft,
    workload,
)

JSON = st.recursive(
    st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from("abcd"), JSON, max_size=4)


def test_a_condition_that_keeps_its_status_keeps_its_time() -> None:
    changed = draft(workload(condition("Evicted", "True", "Old", "old", seconds_ago=60)))
    assert changed.set_condition("Evicted", "True", "New", "new")
    got = changed.workload.condition("Evicted")
    assert got is not None
    assert (got.reason, got.message, got.last_transition_time) == ("New", "new", ago(60))
    assert changed.set_condition("Evicted", "False", "New", "new")
    got = changed.workload.condition("Evicted")
    assert got is not None
    assert got.last_transition_time == NOW


def test_what_is_said_already_is_no_news() -> None:
    changed = draft(workload(condition("Evicted", "True", "Why", "because", seconds_ago=60)))
    assert not changed.set_condition("Evicted", "True", "Why", "because")
    assert not changed.is_changed
    assert changed.patch() is None


def test_a_patch_has_what_changed_and_nothing_else() -> None:
    changed = draft(
        admitted(requeue_state=RequeueState(2, NOW), admission_checks=(check("a", "Ready"),))
    )
    changed.status = replace(changed.status, requeue_state=RequeueState(2), cluster_name="east")
    assert changed.patch() == {
        "status": {"requeueState": {"requeueAt": None}, "clusterName": "east"}
    }


def test_times_are_stamped_in_whole_seconds() -> None:
    changed = draft(workload())
    exact = type(changed)(workload(), NOW.replace(microsecond=999_999))
    exact.set_condition("Evicted", "True", "Why", "because")
    got = exact.workload.condition("Evicted")
    assert got is not None
    assert got.last_transition_time == NOW


def test_what_the_schema_requires_is_written_even_if_it_is_empty() -> None:
    given = admitted(admission_checks=(check("a", "Ready"),))
    got = written(given.status)
    assert got["admissionChecks"] == [
        {"name": "a", "state": "Ready", "message": "", "lastTransitionTime": "2026-01-01T11:59:00Z"}
    ]
    assert got["conditions"][0] == {
        "type": "QuotaReserved",
        "status": "True",
        "reason": "QuotaReserved",
        "message": "",
        "observedGeneration": 1,
        "lastTransitionTime": "2026-01-01T12:00:00Z",
    }
    assert got["admission"] == {
        "clusterQueue": "cq",
        "podSetAssignments": [
            {
                "name": "main",
                "flavors": {"cpu": "default"},
                "resourceUsage": {"cpu": "1"},
                "count": 1,
            }
        ],
    }


def test_a_status_that_is_written_and_read_is_the_same() -> None:
    given = admitted(admission_checks=(check("a", "Retry", "why", retry_count=2),)).status
    assert msgspec.convert(written(given), WorkloadStatus) == given
    assert msgspec.convert({"status": written(given)}, Workload).status == given


@given(OBJECTS, OBJECTS)
def test_a_difference_applied_to_the_old_gives_the_new(old: dict, new: dict) -> None:
    assert apply_merge_patch(old, difference(old, new)) == new


@given(st.text(max_size=40), st.integers(min_value=8, max_value=60))
def test_truncated_texts_fit_and_say_that_they_were_cut(text: str, limit: int) -> None:
    got = truncated(text, limit)
    assert len(got.encode()) <= limit
    assert got == text or (got.endswith(" ...") and text.startswith(got[: -len(" ...")]))


def test_events_are_cut_at_their_own_limit() -> None:
    assert len(happening("Normal", "Why", "x" * 5000).message) == EVENT_BYTES
