"""Options of a request: what is read, and what is refused, all at once and in Kubernetes' words."""

from __future__ import annotations

from typing import Any

import pytest

from argosy.apiserver.options import APPLY, DEFAULTS, Options, parse, with_delete_body
from argosy.base.errors import BadRequest, Invalid, StatusError

MERGE = "application/merge-patch+json"
READ: dict[str, tuple[dict[str, str], str, Options]] = {
    "nothing": ({}, "create", DEFAULTS),
    "a dry run": ({"dryRun": "All"}, "create", Options(dry_run=True)),
    "a manager": ({"fieldManager": "x"}, "update", Options(field_manager="x")),
    "no validation given": ({"fieldValidation": ""}, "create", DEFAULTS),
    "validation": ({"fieldValidation": "Strict"}, "create", Options(field_validation="Strict")),
    "a policy": ({"propagationPolicy": "Orphan"}, "delete", Options(propagation="Orphan")),
    "orphans": ({"orphanDependents": "true"}, "delete", Options(propagation="Orphan")),
    "no orphans": ({"orphanDependents": "0"}, "delete", Options(propagation="Background")),
    "a grace": ({"gracePeriodSeconds": "+5"}, "delete", Options(grace_seconds=5)),
    "a switch without a value": ({"watch": ""}, "list", Options(watch=True)),
    "a policy where it means nothing": (
        {"propagationPolicy": "x"},
        "list",
        Options(propagation="x"),
    ),
}


@pytest.mark.parametrize("name", READ)
def test_read(name: str) -> None:
    query, verb, want = READ[name]
    assert parse(query, verb) == want


REFUSED: dict[str, tuple[dict[str, str], str, str, str]] = {
    "an empty dry run": (
        {"dryRun": ""}, "create", "",
        'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]: supported values: "All"',
    ),
    "a manager that cannot be printed": (
        {"fieldManager": "a\ab"}, "update", "",
        ('UpdateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\ab": invalid character U+0007 '
        "(at position 1)"),
    ),
    "a long manager": (
        {"fieldManager": "x" * 129}, "create", "",
        'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
    ),
    "no manager of an apply": (
        {}, "patch", APPLY,
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    ),
    "force of another patch, even if it is false, and more": (
        {"force": "false", "dryRun": "no", "fieldValidation": "foo"}, "patch", MERGE,
        ('PatchOptions.meta.k8s.io "" is invalid: [force: Forbidden: may not be specified for non-apply patch, '
        'dryRun: Unsupported value: ["no"]: supported values: "All", fieldValidation: Unsupported value: "foo": '
        'supported values: "", "Ignore", "Strict", "Warn"]'),
    ),
    "a policy": (
        {"propagationPolicy": "Sometimes"}, "delete", "",
        ('DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sometimes": supported '
        'values: "Foreground", "Background", "Orphan", "nil"'),
    ),
    "a policy twice": (
        {"propagationPolicy": "Orphan", "orphanDependents": "true"}, "deletecollection", "",
        ('DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and '
        "deletionPropagation cannot be both set"),
    ),
    "a word for a number": (
        {"gracePeriodSeconds": "soon"}, "delete", "", 'strconv.ParseInt: parsing "soon": invalid syntax',
    ),
    "a Python number": ({"limit": "1_0"}, "list", "", 'strconv.ParseInt: parsing "1_0": invalid syntax'),
    "a large number": (
        {"limit": "9" * 20}, "list", "", f'strconv.ParseInt: parsing "{"9" * 20}": value out of range',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    query, verb, patch, want = REFUSED[name]
    with pytest.raises(StatusError) as got:
        parse(query, verb, patch)
    assert (got.value.message, type(got.value)) == (
        want,
        Invalid if " is invalid: " in want else BadRequest,
    )


BODIES: dict[str, tuple[dict[str, Any], Options]] = {
    "an empty body takes the query's place": ({}, Options(label_selector="a=b")),
    "everything": (
        {
            "dryRun": ["All"], "gracePeriodSeconds": 0, "propagationPolicy": "Foreground",
            "preconditions": {"uid": "u", "resourceVersion": "5"},
        },
        Options(
            dry_run=True, grace_seconds=0, propagation="Foreground", precondition_uid="u", precondition_revision="5",
            label_selector="a=b",
        ),
    ),
    "orphans": ({"orphanDependents": False}, Options(propagation="Background", label_selector="a=b")),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_a_delete_body(name: str) -> None:
    body, want = BODIES[name]
    query = Options(dry_run=True, grace_seconds=7, propagation="Orphan", label_selector="a=b")
    assert with_delete_body(query, body) == want


def test_a_refused_delete_body() -> None:
    with pytest.raises(
        Invalid, match=r'dryRun: Unsupported value: \["x"\]: supported values: "All"'
    ):
        with_delete_body(DEFAULTS, {"dryRun": ["x"]})
