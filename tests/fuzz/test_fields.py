"""Every field of every kind with a wrong value, created, replaced, patched and applied.

Each field gets a few of the wrong values of its type by turns, so that each value of each type and each verb are
tried many times over all kinds; ARGOSY_FUZZ=all tries every value with every verb (a few minutes).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.fuzz.chains import Answer, Chain, lawful
from tests.fuzz.samples import SAMPLES, WIDGETS, Raw, path_of
from tests.fuzz.spoiling import Path, paths, spoiled, wrong_values

ALL = os.environ.get("ARGOSY_FUZZ") == "all"
VERBS = ("create", "replace", "merge", "apply", "status")
# Values tried per field unless ALL. Pod has so many fields that one is enough.
TRIES = 2


def names(raw: Raw) -> str:
    return f"{raw['kind']} {raw['apiVersion']}"


@pytest.mark.parametrize("raw", [WIDGETS, *SAMPLES], ids=names)
def test_wrong_values(chain: Chain, raw: Raw) -> None:
    group, _, version = raw["apiVersion"].rpartition("/")
    kind = chain.server.cluster.scheme.by_kind(group, raw["kind"])
    assert kind is not None
    codes: Counter[int] = Counter()
    is_pod = raw["kind"] == "Pod"
    fields = list(paths(kind.versions[version].schema, is_pod=is_pod))
    for number, (path, schema) in enumerate(fields):
        values = wrong_values(schema)
        tries = len(values) if ALL else 1 if is_pod else TRIES
        for turn in range(tries):
            value = values[(number + turn) % len(values)]
            verbs = VERBS if ALL else (VERBS[(number + turn) % len(VERBS)],)
            for verb in verbs:
                codes[lawful(send(chain, verb, raw, path, value)).status] += 1
    assert codes[400] + codes[422] > codes[201], codes
    assert set(codes) <= {200, 201, 400, 403, 404, 405, 409, 422}, codes


def send(chain: Chain, verb: str, raw: Raw, path: Path, value: object) -> Answer:
    bad = spoiled(raw, path, value)
    where = path_of(raw, named=True)
    match verb:
        case "create":
            if isinstance(bad["metadata"], dict) and path[:2] != ("metadata", "name"):
                bad = spoiled(bad, ("metadata", "name"), "new")
            return chain.send("POST", path_of(raw), bad, query="dryRun=All")
        case "replace":
            return chain.send("PUT", where, bad, query="dryRun=All&fieldValidation=Strict")
        case "status":
            return chain.send("PUT", f"{where}/status", bad, query="dryRun=All")
        case "merge":
            content = "application/merge-patch+json"
            return chain.send("PATCH", where, bad, query="dryRun=All", content_type=content)
        case _:
            query = "dryRun=All&fieldManager=fuzz&force=true"
            content = "application/apply-patch+yaml"
            return chain.send("PATCH", where, bad, query=query, content_type=content)


def missing(raw: Raw) -> Iterator[Raw]:
    """The object without one of its fields, for each."""

    def drop(value: object) -> Iterator[object]:
        if isinstance(value, dict):
            for key in value:
                yield {k: v for k, v in value.items() if k != key}
                for inner in drop(value[key]):
                    yield {**value, key: inner}
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield value[:index] + value[index + 1 :]
                for inner in drop(item):
                    yield [*value[:index], inner, *value[index + 1 :]]

    for one in drop(raw):
        assert isinstance(one, dict)
        yield one


@pytest.mark.parametrize("raw", [WIDGETS, *SAMPLES], ids=names)
def test_missing_fields(chain: Chain, raw: Raw) -> None:
    for bad in missing(raw):
        lawful(chain.send("POST", path_of(raw), bad, query="dryRun=All"))
        lawful(chain.send("PUT", path_of(raw, named=True), bad, query="dryRun=All"))
