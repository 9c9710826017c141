"""What a real kube-apiserver v1.35.4 answered about workloads, roles, priorities and leases, asked of our rules.

Each story of `answers/{batch,apps,access_and_leases}.json` is a create and merge patches after it. A step has the
causes of its rejection, in order, and then changes nothing; or it is accepted, and may have the object as it came back
and the warnings.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from argosy.api.builtin import builtin_kinds
from argosy.api.kinds import Kind
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.api.rules.metadata import validate_common_create, validate_common_update
from argosy.api.schema.bodies import strict_texts
from argosy.api.schema.decoding import decode
from argosy.base.types import Object

ANSWERS = Path(__file__).parent / "answers"
KINDS = {kind.kind: kind for kind in builtin_kinds()}
UID = "11111111-2222-4333-8444-555555555555"
VOLATILE = ("uid", "creationTimestamp", "resourceVersion")


def answers(name: str) -> dict[str, Object]:
    stories: dict[str, Object] = json.loads((ANSWERS / f"{name}.json").read_text())
    return stories


JOBS, APPS, ACCESS = answers("batch"), answers("apps"), answers("access_and_leases")
ALL = JOBS | APPS | ACCESS


def decoded(kind: Kind, obj: Object) -> Object:
    assert decode(kind.storage.schema, obj).problem is None
    if kind.rules.default is not None:
        kind.rules.default(obj)
    return obj


def shown(obj: Object) -> Object:
    meta = {key: value for key, value in obj["metadata"].items() if key not in VOLATILE}
    return obj | {"metadata": meta}


def create(kind: Kind, step: Object) -> tuple[Object, list[str], list[str]]:
    obj, rules = decoded(kind, copy.deepcopy(step["object"])), kind.rules
    meta = obj["metadata"]
    if kind.namespaced:
        meta.setdefault("namespace", "brules")
    meta |= {"uid": UID, "resourceVersion": "1"}
    if rules.tracks_generation:
        meta["generation"] = 1
    if rules.prepare_create is not None:
        rules.prepare_create(obj)
    assert rules.validate is not None
    errors = rules.validate(obj) or validate_common_create(obj, kind.namespaced)
    warnings = rules.warnings(obj, None) if rules.warnings is not None else []
    # A stored object is read back through its defaults.
    return decoded(kind, obj), [str(error) for error in errors], warnings


def change(kind: Kind, step: Object, old: Object) -> tuple[Object, list[str], list[str]]:
    rules, is_status = kind.rules, step["subresource"] == "status"
    new = apply_merge_patch(copy.deepcopy(old), copy.deepcopy(step["patch"]))
    # What the schema does not know is warned of and dropped.
    unknown = strict_texts([], decode(kind.storage.schema, copy.deepcopy(new)).unknown)
    new = decoded(kind, new)
    if is_status:
        new |= {field: copy.deepcopy(old[field]) for field in old.keys() - {"metadata", "status"}}
    elif "status" in kind.storage.subresources:
        new["status"] = copy.deepcopy(old.get("status"))
    prepare = rules.prepare_status if is_status else rules.prepare_update
    if prepare is not None:
        prepare(new, old)
    fields = (new.keys() | old.keys()) - {"metadata", "status"}
    if rules.tracks_generation and not is_status and any(new.get(f) != old.get(f) for f in fields):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1
    validate = rules.validate_status if is_status else rules.validate_update
    errors = validate_common_update(new, old, kind.namespaced)
    if validate is not None:
        errors += validate(new, old)
    warned = rules.warnings is not None and not is_status
    warnings = rules.warnings(new, old) if warned and rules.warnings is not None else []
    return decoded(kind, new), [str(error) for error in errors], unknown + warnings


def check(story: Object) -> None:
    kind = KINDS[story["kind"]]
    state: Object = {}
    for step in story["steps"]:
        answer = create(kind, step) if "object" in step else change(kind, step, state)
        obj, causes, warnings = answer
        assert causes == step.get("causes", [])
        if causes:
            continue
        state = obj
        if "want" in step:
            assert shown(obj) == step["want"]
            assert warnings == step.get("warnings", [])


@pytest.mark.parametrize("story", JOBS.values(), ids=JOBS.keys())
def test_jobs_and_cron_jobs(story: Object) -> None:
    check(story)


@pytest.mark.parametrize("story", APPS.values(), ids=APPS.keys())
def test_deployments_and_sets(story: Object) -> None:
    check(story)


@pytest.mark.parametrize("story", ACCESS.values(), ids=ACCESS.keys())
def test_roles_priorities_and_leases(story: Object) -> None:
    check(story)


@pytest.mark.parametrize("story", ALL.values(), ids=ALL.keys())
def test_defaulting_what_came_back_changes_nothing(story: Object) -> None:
    default = KINDS[story["kind"]].rules.default
    for step in story["steps"]:
        want = step.get("want", {})
        got = copy.deepcopy(want)
        if want and default is not None:
            default(got)
        assert got == want
