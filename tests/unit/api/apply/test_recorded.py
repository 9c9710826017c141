"""Writes to a real kube-apiserver (v1.35.4), step by step, and the managedFields it answered with.

`recorded.json` holds one chain per object: what was created, patched or applied, the object that came of it, and the
entries or the error. Each step starts from the object and the entries of the step before.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argosy.api.apply.applying import apply
from argosy.api.apply.resets import reset_fields
from argosy.api.apply.tracking import track_update
from argosy.api.schema.builtin import builtin_schema
from argosy.base.errors import StatusError
from argosy.base.types import Json, Object
from tests.unit.api.apply.widgets import managed

CHAINS: dict[str, Object] = json.loads((Path(__file__).parent / "recorded.json").read_text())
STEPS = {
    f"{name} {number}: {step['does']}"[:120]: (chain, number)
    for name, chain in CHAINS.items()
    for number, step in enumerate(chain["steps"])
}


def before(chain: Object, number: int) -> Object | None:
    done = [step for step in chain["steps"][:number] if "object" in step]
    if not done:
        return None
    obj = chain["steps"][number].get("from", done[-1]["object"])
    return managed(obj, done[-1]["want"]) if done[-1]["want"] else obj


@pytest.mark.parametrize(("chain", "number"), STEPS.values(), ids=STEPS)
def test_as_recorded(chain: Object, number: int) -> None:
    step = chain["steps"][number]
    schema = builtin_schema(chain["type"])
    subresource = step.get("subresource", "")
    has_status = "status" in schema.properties
    reset = reset_fields(chain["group"], chain["kind"], subresource, has_status=has_status)
    old = before(chain, number)
    if "config" not in step:
        new = managed(step["object"], step["sent"]) if "sent" in step else step["object"]
        got = track_update(
            schema, old, new, step["manager"], chain["apiVersion"], subresource, step["now"], reset=reset
        )  # fmt: skip
        assert got == step["want"]
        return
    got_error: Json = None
    try:
        _, got = apply(
            schema, old, step["config"], step["manager"], chain["apiVersion"],
            step.get("force", False), subresource, step["now"], reset=reset,
        )  # fmt: skip
        assert got == step["want"]
    except StatusError as error:
        got_error = json.loads(json.dumps(error.to_status()))
    want_error = step.get("error")
    if want_error is not None and want_error["code"] == 500:
        # Bad input that upstream has no reason for is a bad request here, with the same text.
        want_error = {**want_error, "code": 400, "reason": "BadRequest"}
    assert got_error == want_error
