"""The table of built-in kinds."""

from __future__ import annotations

import subprocess
import sys

from argosy.api.builtin import builtin_kinds, is_virtual, subresources
from argosy.api.kinds import Kind, Scheme


def kind_of(group: str, plural: str) -> Kind:
    found = Scheme(builtin_kinds()).find(group, plural)
    assert found is not None
    return found


def test_kinds_are_made_once_and_are_all_different() -> None:
    kinds = builtin_kinds()
    assert builtin_kinds() is kinds
    assert len({(kind.group, kind.plural) for kind in kinds}) == len(kinds) == 53


def test_every_version_has_the_schema_of_its_type() -> None:
    got = {
        (kind.kind, name): version.schema.name
        for kind in builtin_kinds()
        for name, version in kind.versions.items()
        if kind.kind in {"Pod", "Role", "HorizontalPodAutoscaler"}
    }
    assert got == {
        ("Pod", "v1"): "io.k8s.api.core.v1.Pod",
        ("Role", "v1"): "io.k8s.api.rbac.v1.Role",
        ("HorizontalPodAutoscaler", "v1"): "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler",
        ("HorizontalPodAutoscaler", "v2"): "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler",
    }


def test_what_is_answered_and_never_stored_is_virtual() -> None:
    got = {kind.plural for kind in builtin_kinds() if is_virtual(kind)}
    assert got == {
        "bindings",
        "componentstatuses",
        "tokenreviews",
        "selfsubjectreviews",
        "selfsubjectaccessreviews",
        "selfsubjectrulesreviews",
        "subjectaccessreviews",
        "localsubjectaccessreviews",
    }


def test_events_of_both_groups_are_stored_as_one_resource() -> None:
    core, other = kind_of("", "events"), kind_of("events.k8s.io", "events")
    assert (core.stored_resource, other.stored_resource) == ("events", "events")
    version = other.storage
    assert version.to_storage is not None
    assert version.from_storage is not None
    assert core.storage.to_storage is None


def test_only_versions_that_differ_convert() -> None:
    got = [
        (kind.resource, name)
        for kind in builtin_kinds()
        for name, version in kind.versions.items()
        if version.to_storage is not None
    ]
    assert got == [("horizontalpodautoscalers.autoscaling", "v1"), ("events.events.k8s.io", "v1")]


def test_every_subresource_is_known() -> None:
    used = {name for k in builtin_kinds() for v in k.versions.values() for name in v.subresources}
    assert used == subresources().keys()


def test_importing_the_table_loads_no_schema_and_no_rules() -> None:
    script = (
        "import sys, argosy.api.builtin;"
        "print(any(m.startswith(('argosy.api.rules', 'argosy.api.schema.builtin')) for m in sys.modules))"
    )
    got = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert got.stdout == "False\n"
