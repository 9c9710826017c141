"""What a real kube-apiserver v1.35.4 answered about kinds outside the core group, and events, asked of our rules.

`answers/groups/*.json` hold requests (`object`, or `new` and `old`, in the version `version` or the stored one) and what
came of them: every cause of a rejection in order, both of the generic server's checks included, or the object as it came
back and the warnings. Left out is what differs each time and what admission adds.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.builtin import builtin_kinds
from argosy.api.kinds import Kind
from argosy.api.rules.metadata import validate_common_create, validate_common_update
from argosy.api.schema.decoding import decode
from argosy.base.types import Json, Object

ANSWERS = Path(__file__).parent / "answers" / "groups"
KINDS = {(kind.group, kind.kind): kind for kind in builtin_kinds()}
VOLATILE = ("uid", "creationTimestamp", "resourceVersion", "generation")

ALL: dict[str, Object] = {
    name: case
    for path in sorted(ANSWERS.glob("*.json"))
    for name, case in json.loads(path.read_text()).items()
}
CREATED = {name: case for name, case in ALL.items() if "object" in case}
UPDATED = {name: case for name, case in ALL.items() if "new" in case}


def kind_of(case: Object) -> Kind:
    return KINDS[case["group"], case["kind"]]


def stored(case: Object, body: Object) -> Object:
    """A body as the rules see it: decoded, in the storage version and with defaults."""
    kind = kind_of(case)
    version = kind.versions[case.get("version", kind.storage_version)]
    obj = copy.deepcopy(body)
    assert decode(version.schema, obj).problem is None
    if version.to_storage is not None:
        obj = version.to_storage(obj)
    if kind.rules.default is not None:
        kind.rules.default(obj)
    return obj


def shown(case: Object, obj: Object) -> Object:
    """An object as an answer has it."""
    kind = kind_of(case)
    convert = kind.versions[case.get("version", kind.storage_version)].from_storage
    if convert is not None:
        obj = convert(obj)
    metadata = {key: value for key, value in obj["metadata"].items() if key not in VOLATILE}
    return obj | {"metadata": metadata}


def create(case: Object) -> Object:
    """What we answer: causes, or an object and warnings."""
    kind, obj = kind_of(case), stored(case, case["object"])
    rules = kind.rules
    if kind.namespaced:
        obj["metadata"].setdefault("namespace", "other")
    if rules.prepare_create is not None:
        rules.prepare_create(obj)
    assert rules.validate is not None
    errors = rules.validate(obj) or validate_common_create(obj, kind.namespaced)
    if errors:
        return {"causes": [str(error) for error in errors]}
    warnings = rules.warnings(obj, None) if rules.warnings is not None else []
    return {"object": shown(case, obj), "warnings": warnings}


def update(case: Object) -> Object:
    """The same for an update of the object or of its status."""
    kind, new, old = kind_of(case), stored(case, case["new"]), stored(case, case["old"])
    rules, is_status = kind.rules, case["subresource"] == "status"
    if is_status:
        new |= {field: old[field] for field in old.keys() - {"metadata", "status"}}
    elif "status" in kind.storage.subresources:
        new["status"] = old["status"]
    prepare = rules.prepare_status if is_status else rules.prepare_update
    if prepare is not None:
        prepare(new, old)
    validate = rules.validate_status if is_status else rules.validate_update
    assert validate is not None
    if errors := validate_common_update(new, old, kind.namespaced) + validate(new, old):
        return {"causes": [str(error) for error in errors]}
    warned = rules.warnings is not None and not is_status
    warnings = rules.warnings(new, old) if warned and rules.warnings is not None else []
    return {"object": shown(case, new), "warnings": warnings}


@pytest.mark.parametrize("case", CREATED.values(), ids=CREATED.keys())
def test_creates_are_answered_alike(case: Object) -> None:
    assert create(case) == case["want"]


@pytest.mark.parametrize("case", UPDATED.values(), ids=UPDATED.keys())
def test_updates_are_answered_alike(case: Object) -> None:
    assert update(case) == case["want"]


@pytest.mark.parametrize("case", CREATED.values(), ids=CREATED.keys())
def test_defaulting_twice_changes_nothing(case: Object) -> None:
    want = stored(case, case["object"])
    got = copy.deepcopy(want)
    default = kind_of(case).rules.default
    if default is not None:
        default(got)
    assert got == want


def places(value: Json) -> list[tuple[Json, Json]]:
    """Every key of every object and every index of every list, with what holds it."""
    match value:
        case dict():
            keys: list[Json] = list(value)
        case list():
            keys = list(range(len(value)))
        case _:
            return []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


@given(st.sampled_from(sorted(ALL)), st.data())
def test_whatever_is_missing_the_rules_never_fail(name: str, data: st.DataObject) -> None:
    case = copy.deepcopy(ALL[name])
    for part in ("object", "new"):
        found = places(case.get(part, {}))
        if found:
            holder, key = found[data.draw(st.integers(0, len(found) - 1))]
            if key != "metadata":
                del holder[key]
    got = create(case) if "object" in case else update(case)
    assert got.keys() in ({"causes"}, {"object", "warnings"})
