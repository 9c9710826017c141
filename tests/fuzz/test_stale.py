"""Writes that come too late or name the wrong thing: each is refused, and the object stays as it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.fuzz.chains import Chain, lawful
from tests.fuzz.samples import SAMPLES, Raw, path_of

MERGE = "application/merge-patch+json"


@pytest.fixture
def stored(chain: Chain, request: pytest.FixtureRequest) -> Any:
    raw: Raw = request.param
    return raw, lawful(chain.send("GET", path_of(raw, named=True))).parsed


@pytest.mark.parametrize(
    "stored", SAMPLES, ids=lambda raw: f"{raw['kind']} {raw['apiVersion']}", indirect=True
)
def test_stale_and_mistaken_writes(chain: Chain, stored: tuple[Raw, Raw]) -> None:
    raw, before = stored
    path = path_of(raw, named=True)
    meta = before["metadata"]
    wrong_uid = "0a0a0a0a-0000-4000-8000-000000000000"

    def changed(**more: Any) -> Raw:
        return {**before, "metadata": {**meta, "labels": {"new": "yes"}, **more}}

    attempts = {
        "a stale replace": chain.send("PUT", path, changed(resourceVersion="1")),
        "a replace of another": chain.send("PUT", path, changed(uid=wrong_uid)),
        "a replace under another name": chain.send("PUT", path, changed(name="other")),
        "a replace of nothing": chain.send(
            "PUT", f"{path.rpartition('/')[0]}/none", changed(name="none", resourceVersion="1")
        ),
        "a stale patch": chain.send(
            "PATCH", path, {"metadata": {"resourceVersion": "1"}}, content_type=MERGE
        ),
        "a patch of another": chain.send(
            "PATCH", path, {"metadata": {"uid": wrong_uid}}, content_type=MERGE
        ),
        "a patch of nothing": chain.send("PATCH", f"{path}none", {}, content_type=MERGE),
        "a second create": chain.send("POST", path_of(raw), raw),
        "a stale delete": chain.send("DELETE", path, {"preconditions": {"resourceVersion": "1"}}),
        "a delete of another": chain.send("DELETE", path, {"preconditions": {"uid": wrong_uid}}),
        "a delete of nothing": chain.send("DELETE", f"{path}none"),
    }
    codes = {name: lawful(answer).status for name, answer in attempts.items()}
    assert {
        name: code for name, code in codes.items() if code not in {400, 404, 405, 409, 422}
    } == {}
    assert lawful(chain.send("GET", path)).parsed == before
