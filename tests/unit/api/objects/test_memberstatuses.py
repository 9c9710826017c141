"""A member's status as a merge patch: what it makes of the old one is the new one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.fleet.members import (
    AgentStatus,
    MemberStatus,
    PropertyValue,
    ResourceUsage,
)
from argosy.api.objects.fleet.memberstatuses import status_patch
from argosy.api.objects.metadata import Condition
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.base.types import Object

NOW = datetime(2026, 1, 1, tzinfo=UTC)
times = st.integers(0, 86_400).map(lambda seconds: NOW + timedelta(seconds=seconds))
names = st.sampled_from(["cpu", "memory", "nvidia.com/gpu"])
amounts = st.dictionaries(names, st.sampled_from(["1", "2"]))
conditions = st.lists(
    st.builds(
        Condition,
        type=st.sampled_from(["Joined", "Healthy"]),
        status=st.sampled_from(["True", "False"]),
        reason=st.just("Because"),
        message=st.sampled_from(["", "so"]),
        observed_generation=st.integers(0, 2),
        last_transition_time=times,
    ),
    max_size=2,
    unique_by=lambda each: each.type,
).map(tuple)
statuses = st.builds(
    MemberStatus,
    conditions=conditions,
    properties=st.dictionaries(names, st.builds(PropertyValue, st.sampled_from("12"), times)),
    namespaces=st.one_of(st.none(), st.dictionaries(names, st.sampled_from(["", "work"]))),
    resource_usage=st.builds(ResourceUsage, amounts, amounts, amounts, times),
    agent_status=st.lists(
        st.builds(AgentStatus, st.just("MemberAgent"), conditions, times), max_size=1
    ).map(tuple),
)


@given(statuses, statuses)
def test_the_patch_makes_the_old_status_the_new_one(old: MemberStatus, new: MemberStatus) -> None:
    stored = _applied({}, status_patch(MemberStatus(), old))
    got = _applied(stored, status_patch(old, new))
    assert msgspec.convert(got, MemberStatus) == new
    assert status_patch(new, new) == {}


def test_a_heartbeat_names_only_what_changed() -> None:
    old = MemberStatus(
        properties={"a": PropertyValue("1", NOW), "b": PropertyValue("1", NOW)},
        resource_usage=ResourceUsage({"cpu": "4"}, {"cpu": "4"}, {"cpu": "3"}, NOW),
    )
    new = MemberStatus(
        properties={"b": PropertyValue("2", NOW)},
        resource_usage=ResourceUsage({"cpu": "4"}, {"cpu": "4"}, {"cpu": "2"}, NOW),
    )
    stamp = "2026-01-01T00:00:00Z"
    assert status_patch(old, new) == {
        "properties": {"a": None, "b": {"value": "2", "observationTime": stamp}},
        "resourceUsage": {"observationTime": stamp, "available": {"cpu": "2"}},
    }


def _applied(document: Object, patch: Object) -> Object:
    got: Object = apply_merge_patch(document, patch)
    return got
