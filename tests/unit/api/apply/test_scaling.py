"""Owners of replicas that are written through the scale subresource."""

from __future__ import annotations

import pytest

from argosy.api.apply.conflicts import Conflicts
from argosy.api.apply.scaling import track_scale
from argosy.base.types import Json, Object
from tests.unit.api.apply.widgets import entry, spec

VERSION = "apps/v1"
OWNER = entry("a", spec(replicas={}, on={}), version=VERSION)
REST = entry("a", spec(on={}), version=VERSION)


def scaled(entries: Json, manager: str = "hpa", **options: Json) -> list[Object]:
    return track_scale(entries, manager, VERSION, ".spec.replicas", **options)


def mine(operation: str = "Update") -> Object:
    return entry("hpa", spec(replicas={}), operation, time="", subresource="scale", version=VERSION)


def test_who_scales_owns_the_replicas() -> None:
    assert scaled([OWNER], changed=True) == [mine(), REST]
    assert scaled([entry("a", spec(replicas={}), version=VERSION)], changed=True) == [mine()]
    assert scaled([mine(), REST], changed=True) == [mine(), REST]


def test_scaling_to_the_same_count_changes_nothing() -> None:
    entries = [OWNER]
    assert scaled(entries, changed=False) is entries


def test_replicas_that_nobody_owns_are_not_tracked() -> None:
    assert scaled([REST], changed=True) == [REST]
    assert scaled(None, changed=True) == []


def test_an_applied_scale_conflicts_and_takes_by_force() -> None:
    with pytest.raises(Conflicts) as caught:
        scaled([OWNER], changed=True, operation="Apply")
    assert caught.value.message == (
        'Apply failed with 1 conflict: conflict with "a" using autoscaling/v1: .spec.replicas'
    )
    assert scaled([OWNER], changed=True, operation="Apply", force=True) == [mine("Apply"), REST]
    assert scaled([OWNER], changed=False, operation="Apply") == [mine("Apply"), OWNER]
