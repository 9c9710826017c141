"""Every rule of the contract's CRDs: it compiles, it can hold and fail, and Google's engine agrees on each sample."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from argosy.api.cel.declaring import declared, resource
from argosy.api.cel.rules import check_rules, compile_rules
from argosy.api.cel.rulesets import compile_rule
from argosy.api.schema.parsing import parse_schema
from argosy.api.schema.structural import Rule, Schema
from tests.unit.api.cel.google import ERROR, Google, Samples, outcome

SCHEMAS = Path(__file__).parents[4].parent / "shared" / "contract" / "schemas"
_SAMPLES = 2000
_COMPARED = 60


def schemas() -> Iterator[tuple[str, Schema]]:
    for path in sorted(SCHEMAS.glob("*_*.json")):
        document = json.loads(path.read_bytes())
        for version in document["versions"]:
            yield f"{path.stem}/{version['name']}", parse_schema(version["schema"])


def rules(schema: Schema, *, root: bool = True) -> Iterator[tuple[Schema, Rule, bool]]:
    for rule in schema.validations:
        yield schema, rule, root
    below = [*schema.properties.values(), schema.items, schema.additional]
    for child in below:
        if child is not None:
            yield from rules(child, root=False)


def distinct() -> dict[str, tuple[Schema, Rule, bool]]:
    if not SCHEMAS.is_dir():
        return {}
    found: dict[str, tuple[Schema, Rule, bool]] = {}
    for _, schema in schemas():
        for place in rules(schema):
            found.setdefault(place[1].rule, place)
    return found


RULES = distinct()


@pytest.fixture(scope="module")
def google() -> Google:
    return Google()


def test_every_schema_passes_the_review(shared: Path) -> None:
    got = {name: check_rules(schema, "") for name, schema in schemas()}
    assert got == {key: [] for key in got}


def test_rules_are_found_where_they_are(shared: Path) -> None:
    compiled = sum(compile_rules(schema) is not None for _, schema in schemas())
    assert (len(RULES), compiled > 30) == (72, True)


@pytest.mark.parametrize("text", RULES)
def test_rule_agrees_with_google(text: str, google: Google) -> None:
    schema, rule, root = RULES[text]
    t = declared(schema, root=root)
    assert t is not None
    seen = resource(schema) if root else schema
    program = compile_rule(rule, t, seen).program
    assert program is not None
    samples = Samples(text, seed=1)
    missing = {("bool", True), ("bool", False)}
    for count in range(_SAMPLES):
        this, old = samples.value(seen), samples.value(seen)
        got = outcome(program, this, old)
        if count < _COMPARED or got in missing or got[0] == ERROR:
            assert (this, old, got) == (this, old, google.run(text, this, old))
        missing.discard(got)
        if count >= _COMPARED and not missing:
            break
    assert missing == set()
