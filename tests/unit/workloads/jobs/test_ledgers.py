"""The ledger of a Job's pods: the same as counting all of them each time."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects import Pod
from argosy.workloads.jobs.indexes import UNKNOWN
from argosy.workloads.jobs.ledgers import Ledger, entry
from tests.unit.workloads.jobs.builders import ledger, pod

pods = st.builds(
    pod,
    st.sampled_from("abcde"),
    st.sampled_from(["Pending", "Running", "Succeeded", "Failed"]),
    index=st.none() | st.integers(0, 3),
    tracked=st.booleans(),
    going=st.booleans(),
    ready=st.none() | st.just(1.0),
    restarts=st.integers(0, 2),
)
events = st.lists(
    st.tuples(st.just("put"), pods)
    | st.tuples(st.sampled_from(["drop", "release", "keep"]), st.sampled_from("abcde"))
)


def summary(made: Ledger) -> dict[str, Any]:
    return {
        "entries": {uid: found.pod for uid, found in made.entries.items()},
        "active": set(made.active),
        "tracked": set(made.tracked),
        "ending": set(made.ending),
        "ready": made.ready,
        "terminating": made.terminating,
        "restarts": made.restarts,
        "active_indexes": dict(made.active_indexes),
        "terminating_indexes": dict(made.terminating_indexes),
    }


@given(events)
def test_events_one_by_one_come_to_the_same_as_a_recount(
    happened: list[tuple[str, Pod | str]],
) -> None:
    made, known, released = Ledger(), dict[str, Pod](), set[str]()
    for what, which in happened:
        if isinstance(which, Pod):
            made.put(which)
            known[which.metadata.uid] = which
            if not which.metadata.finalizers:
                released.discard(which.metadata.uid)
        elif what == "drop":
            made.drop(which)
            known.pop(which, None)
            released.discard(which)
        elif what == "release":
            made.mark_released(which)
            if which in known and known[which].metadata.finalizers:
                released.add(which)
        else:
            made.unmark_released(which)
            released.discard(which)
    want = summary(ledger(*known.values()))
    want["tracked"] -= released
    want["ending"] -= released
    assert summary(made) == want
    assert made.released == released


@given(st.lists(pods), st.integers(0, 4))
def test_surplus_indexes_are_noticed(found: list[Pod], completions: int) -> None:
    made = ledger(*found)
    indexes = [entry(each.pod).index for each in made.active.values()]
    want = len(set(indexes)) < len(indexes) or any(
        index == UNKNOWN or index >= completions for index in indexes
    )
    assert made.has_surplus_indexes(completions) == want


def test_labels_are_checked_when_they_are_new() -> None:
    made = ledger(pod("a"))
    assert made.unchecked == {"a"}
    made.unchecked.clear()
    made.put(pod("a", "Running"))
    assert made.unchecked == set()
