"""Laws of workloads, roles, priorities and leases: whatever is missing, rules answer and never raise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.builtin import builtin_kinds
from argosy.api.kinds import Kind
from argosy.api.schema.decoding import decode
from argosy.base.types import Json, Object

ANSWERS = Path(__file__).parent / "answers"
KINDS = {kind.kind: kind for kind in builtin_kinds()}
# Kind and text of every object there, to be parsed anew for each example.
OBJECTS = [
    (story["kind"], json.dumps(step["object"]))
    for name in ("batch", "apps", "access_and_leases")
    for story in json.loads((ANSWERS / f"{name}.json").read_text()).values()
    for step in story["steps"]
    if "object" in step
]


def places(value: Json) -> Iterator[tuple[Json, Json]]:
    """Every key of every object and every index of every list, with what holds it."""
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield value, key
        yield from places(value[key])


def thinned(text: str, draw: st.DataObject) -> Object:
    obj: Object = json.loads(text)
    for _ in range(draw.draw(st.integers(0, 3))):
        if found := list(places(obj)):
            holder, key = found[draw.draw(st.integers(0, len(found) - 1))]
            del holder[key]
    obj.setdefault("metadata", {})
    return obj


def prepared(kind: Kind, obj: Object) -> Object:
    decode(kind.storage.schema, obj)
    if kind.rules.default is not None:
        kind.rules.default(obj)
    obj["metadata"] |= {"uid": "u", "resourceVersion": "1", "generation": 1}
    if kind.rules.prepare_create is not None:
        kind.rules.prepare_create(obj)
    return obj


@given(st.data())
def test_creates_and_updates_with_missing_parts_never_raise(draw: st.DataObject) -> None:
    name, text = draw.draw(st.sampled_from(OBJECTS))
    kind = KINDS[name]
    old, new = (prepared(kind, thinned(text, draw)) for _ in range(2))
    assert kind.rules.validate is not None
    assert kind.rules.validate_update is not None
    errors = kind.rules.validate(old)
    if kind.rules.warnings is not None:
        assert all(isinstance(text, str) for text in kind.rules.warnings(old, None))
    if kind.rules.prepare_update is not None:
        kind.rules.prepare_update(new, old)
    errors += kind.rules.validate_update(new, old)
    if kind.rules.validate_status is not None:
        errors += kind.rules.validate_status(new, old)
    assert all(str(error) for error in errors)
