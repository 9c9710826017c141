"""Finding the rules of a kind."""

from __future__ import annotations

import pytest

from argosy.api.kinds import Rules
from argosy.api.rules import rules_for

CORE = (
    "ConfigMap",
    "Endpoints",
    "LimitRange",
    "Namespace",
    "Node",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "PodTemplate",
    "ReplicationController",
    "ResourceQuota",
    "Secret",
    "Service",
    "ServiceAccount",
)


@pytest.mark.parametrize("kind", CORE)
def test_core_kinds_are_validated(kind: str) -> None:
    rules = rules_for("", kind)
    assert rules.validate is not None
    assert rules.validate_update is not None
    assert rules.name_problems is not None


def test_a_kind_without_code_has_empty_rules() -> None:
    assert rules_for("example.com", "Widget") == Rules()
    assert rules_for("", "Binding") == Rules()
