"""Events between core/v1 and events.k8s.io/v1."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.conversions.events import from_core, to_core
from argosy.base.types import Object

CORE: Object = {
    "metadata": {"name": "e"},
    "involvedObject": {"kind": "Pod", "name": "p"},
    "message": "it started",
    "source": {"component": "kubelet"},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "count": 2,
    "reportingComponent": "kubelet",
    "reportingInstance": "n1",
    "reason": "Started",
    "type": "Normal",
    "eventTime": None,
}
NEW: Object = {
    "metadata": {"name": "e"},
    "regarding": {"kind": "Pod", "name": "p"},
    "note": "it started",
    "deprecatedSource": {"component": "kubelet"},
    "deprecatedFirstTimestamp": None,
    "deprecatedLastTimestamp": None,
    "deprecatedCount": 2,
    "reportingController": "kubelet",
    "reportingInstance": "n1",
    "reason": "Started",
    "type": "Normal",
    "eventTime": None,
}


def test_the_two_forms_convert_into_each_other() -> None:
    assert (from_core(CORE), to_core(NEW)) == (NEW, CORE)


def test_an_unnamed_reporter_is_written_out_in_core_only() -> None:
    core = to_core({"note": "n"})
    assert core == {"message": "n", "reportingComponent": "", "reportingInstance": ""}
    assert from_core(core) == {"note": "n"}


@given(st.sets(st.sampled_from(sorted(NEW))).map(lambda keys: {key: NEW[key] for key in keys}))
def test_nothing_is_lost_on_the_way_through_core(event: Object) -> None:
    assert from_core(to_core(event)) == event
