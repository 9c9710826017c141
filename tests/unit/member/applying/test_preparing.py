"""What is written down first, and what is left over."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from argosy.api.objects.fleet.placements import DEFAULT_APPLY
from argosy.api.objects.fleet.works import (
    ManifestCondition,
    Work,
    WorkResourceIdentifier,
    WorkSpec,
    WorkStatus,
)
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.client.resources import CONFIG_MAPS
from argosy.member.applying.manifests import Manifest
from argosy.member.applying.preparing import preparation
from argosy.member.applying.reasons import ResultType

NOW = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)


def identifier(name: str, ordinal: int = 0) -> WorkResourceIdentifier:
    return WorkResourceIdentifier(ordinal, "", "v1", "ConfigMap", "configmaps", "ns", name)


def entry(name: str, status: str, reason: str) -> ManifestCondition:
    return ManifestCondition(
        identifier(name), (Condition(type="Applied", status=status, reason=reason),)
    )


def work(*entries: ManifestCondition, seen: int = 0, report: bool = False) -> Work:
    conditions = (Condition(type="Applied", status="True", observed_generation=seen),)
    strategy = (
        msgspec.structs.replace(DEFAULT_APPLY, type="ReportDiff") if report else DEFAULT_APPLY
    )
    return Work(
        ObjectMeta(generation=2),
        WorkSpec(apply_strategy=strategy),
        WorkStatus(conditions if seen else (), entries),
    )


def manifest(name: str, failure: ResultType | None = None) -> Manifest:
    return Manifest(identifier(name), {}, CONFIG_MAPS, failure)


def test_new_manifests_are_announced_and_old_ones_keep_what_is_said() -> None:
    old = entry("old", "True", "Applied")
    got = preparation(work(old), [manifest("old"), manifest("new")], NOW)
    assert got is not None
    assert got.status.manifest_conditions[0] == old
    (announced,) = got.status.manifest_conditions[1].conditions
    assert announced == Condition(
        type="Applied",
        status="False",
        reason="PreparingToProcess",
        message="The manifest is being prepared for processing.",
        observed_generation=2,
        last_transition_time=NOW.replace(microsecond=0),
    )
    assert got.left_over == ()


def test_left_over_is_what_was_ever_named_and_is_wanted_no_more() -> None:
    before = (
        entry("applied", "True", "Applied"),
        entry("announced", "False", "PreparingToProcess"),
        entry("refused", "False", "ManifestApplyFailed"),
        entry("kept", "True", "Applied"),
        ManifestCondition(WorkResourceIdentifier(4), ()),
    )
    got = preparation(work(*before), [manifest("kept")], NOW)
    assert got is not None
    assert [each.name for each in got.left_over] == ["applied", "announced", "refused"]


def test_a_manifest_that_cannot_be_applied_is_not_announced() -> None:
    got = preparation(work(), [manifest("x", ResultType.DUPLICATED)], NOW)
    assert got is not None
    assert got.status.manifest_conditions == ()


def test_a_generation_is_prepared_for_once() -> None:
    assert preparation(work(seen=2), [manifest("new")], NOW) is None
    assert preparation(work(seen=1), [manifest("new")], NOW) is not None


def test_whoever_reports_diffs_prepares_nothing() -> None:
    assert preparation(work(entry("x", "True", "Applied"), report=True), [], NOW) is None
