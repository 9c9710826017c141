"""What a real kube-apiserver v1.35.4 answered, asked of our rules.

`answers/*.json` hold requests and the server's own words: every cause of a rejection in order, objects as they came
back after defaulting, causes of rejected updates (both of the generic server's checks included), and warnings.
Left out of the objects is what admission adds (tokens, tolerations, priorities, addresses) and what differs each time.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argosy.api.rules import rules_for
from argosy.api.rules.metadata import validate_common_update
from argosy.base.types import Object

ANSWERS = Path(__file__).parent / "answers"
CLUSTER_SCOPED = {"Namespace", "Node", "PersistentVolume"}


def answers(name: str) -> dict[str, Object]:
    cases: dict[str, Object] = json.loads((ANSWERS / f"{name}.json").read_text())
    return cases


def created(kind: str, obj: Object) -> Object:
    """The object as it is when it is validated, with what admission would have set."""
    rules = rules_for("", kind)
    if kind not in CLUSTER_SCOPED:
        obj["metadata"]["namespace"] = "team-a"
    if rules.default is not None:
        rules.default(obj)
    if rules.prepare_create is not None:
        rules.prepare_create(obj)
    return obj


INVALID = answers("invalid_pods") | answers("invalid_objects")
DEFAULTS = answers("defaults")
UPDATES = answers("updates")
WARNINGS = answers("warnings")


@pytest.mark.parametrize("case", INVALID.values(), ids=INVALID.keys())
def test_rejects_in_the_same_words(case: Object) -> None:
    obj = created(case["kind"], case["object"])
    if case["kind"] == "Pod":
        obj["spec"].setdefault("serviceAccountName", "default")
    validate = rules_for("", case["kind"]).validate
    assert validate is not None
    got = [str(error) for error in validate(obj)]
    assert got == case["want"]


@pytest.mark.parametrize("case", DEFAULTS.values(), ids=DEFAULTS.keys())
def test_defaults_to_the_same_object(case: Object) -> None:
    got = created(case["kind"], case["object"])
    got["metadata"].pop("namespace", None)
    assert got == case["want"]


@pytest.mark.parametrize("case", DEFAULTS.values(), ids=DEFAULTS.keys())
def test_defaulting_twice_changes_nothing(case: Object) -> None:
    default = rules_for("", case["kind"]).default
    obj = case["want"]
    want = json.loads(json.dumps(obj))
    if default is not None:
        default(obj)
    if case["kind"] == "LimitRange":
        want, obj = want["spec"], obj["spec"]
    assert obj == want


@pytest.mark.parametrize("case", UPDATES.values(), ids=UPDATES.keys())
def test_rejects_updates_in_the_same_words(case: Object) -> None:
    rules = rules_for("", case["kind"])
    new, old = case["new"], case["old"]
    if rules.default is not None:
        rules.default(new)
    if case["subresource"]:
        prepare, validate = rules.prepare_status, rules.validate_status
    else:
        prepare, validate = rules.prepare_update, rules.validate_update
    if prepare is not None:
        prepare(new, old)
    assert validate is not None
    errors = validate_common_update(new, old, case["kind"] not in CLUSTER_SCOPED)
    got = [str(error) for error in errors + validate(new, old)]
    assert got == case["want"]


@pytest.mark.parametrize("case", WARNINGS.values(), ids=WARNINGS.keys())
def test_warns_in_the_same_words(case: Object) -> None:
    warnings = rules_for("", case["kind"]).warnings
    assert warnings is not None
    got = warnings(created(case["kind"], case["object"]), None)
    assert got == case["want"]
