"""Laws: whatever is missing from an object, the rules answer with errors and never with an exception."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.rules import rules_for
from argosy.base.types import Json, Object

ANSWERS = Path(__file__).parent / "answers"
# Kind and text of every object there, to be parsed anew for each example.
OBJECTS = [
    (case["kind"], json.dumps(case["object"]))
    for name in ("invalid_pods", "invalid_objects", "defaults", "warnings")
    for case in json.loads((ANSWERS / f"{name}.json").read_text()).values()
]
UPDATES = [
    (case["kind"], case["subresource"], json.dumps(case["new"]), json.dumps(case["old"]))
    for case in json.loads((ANSWERS / "updates.json").read_text()).values()
]


def places(value: Json) -> Iterator[tuple[Json, Json]]:
    """Every key of every object and every index of every list, with what holds it."""
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield value, key
        yield from places(value[key])


def remove(obj: Object, draw: st.DataObject) -> None:
    for _ in range(draw.draw(st.integers(1, 4))):
        found = list(places(obj))
        if found:
            holder, key = found[draw.draw(st.integers(0, len(found) - 1))]
            del holder[key]
    obj.setdefault("metadata", {})


@given(st.data())
def test_creates_with_missing_parts_never_raise(draw: st.DataObject) -> None:
    kind, text = draw.draw(st.sampled_from(OBJECTS))
    obj = json.loads(text)
    remove(obj, draw)
    rules = rules_for("", kind)
    if rules.default is not None:
        rules.default(obj)
    if rules.prepare_create is not None:
        rules.prepare_create(obj)
    assert rules.validate is not None
    errors = rules.validate(obj)
    if rules.warnings is not None and not errors:
        assert all(isinstance(text, str) for text in rules.warnings(obj, None))
    assert all(": " in str(error) for error in errors)


@given(st.data())
def test_updates_with_missing_parts_never_raise(draw: st.DataObject) -> None:
    kind, subresource, text, stored = draw.draw(st.sampled_from(UPDATES))
    new, old = json.loads(text), json.loads(stored)
    remove(new, draw)
    rules = rules_for("", kind)
    if rules.default is not None:
        rules.default(new)
    prepare = rules.prepare_status if subresource else rules.prepare_update
    if prepare is not None:
        prepare(new, old)
    validate = rules.validate_status if subresource else rules.validate_update
    assert validate is not None
    assert all(": " in str(error) for error in validate(new, old))


@given(st.sampled_from(OBJECTS), st.booleans())
def test_validation_changes_nothing(chosen: tuple[str, str], is_defaulted: bool) -> None:
    kind, text = chosen
    rules = rules_for("", kind)
    obj = json.loads(text)
    if is_defaulted and rules.default is not None:
        rules.default(obj)
    want = json.dumps(obj)
    assert rules.validate is not None
    rules.validate(obj)
    assert json.dumps(obj) == want
