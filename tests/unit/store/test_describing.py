"""Reading an object's facts from its bytes, and keeping equal ones once."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import pytest

from argosy.store import Key, Meta, Record, describe
from argosy.store.describing import Sharing
from argosy.store.records import restamp


@dataclass
class Case:
    metadata: object
    want: Meta


CASES: dict[str, Case] = {
    "nothing but a name": Case({"name": "a"}, Meta()),
    "everything": Case(
        {
            "labels": {"app": "x"},
            "ownerReferences": [{"kind": "Job", "uid": "o1"}, {"kind": "Job", "uid": "o2"}],
            "uid": "u",
        },
        Meta("u", {"app": "x"}, ("o1", "o2")),
    ),
    "nulls": Case({"labels": None, "ownerReferences": None}, Meta()),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_an_object_is_described_by_its_metadata(case: Case) -> None:
    raw = msgspec.json.encode({"metadata": case.metadata, "spec": {"labels": {"no": "no"}}})
    assert describe("pods", raw) == case.want


def test_bytes_that_are_no_object_are_an_error() -> None:
    for raw in (b"", b"[]", b'{"metadata":', b'{"spec":{}}'):
        with pytest.raises(msgspec.MsgspecError):
            describe("pods", raw)


def test_sharing_copies_what_it_keeps_and_never_grows_past_its_limit() -> None:
    sharing = Sharing()
    mine = {"app": "x"}
    kept = sharing.meta(Meta("u", mine, ("o",))).labels
    mine["app"] = "y"
    assert kept == {"app": "x"}
    assert sharing.meta(Meta("v", {"app": "x"})).labels is kept
    for i in range(2 * Sharing.LIMIT):
        sharing.meta(Meta("u", {"i": str(i)}, (str(i),)))
    assert len(sharing._pool) <= Sharing.LIMIT
    assert len(sharing._owners) <= Sharing.LIMIT


def test_restamping_changes_the_objects_own_revision_only() -> None:
    body = {
        "involvedObject": {"resourceVersion": "5"},
        "metadata": {"name": "a", "resourceVersion": "5"},
        "spec": {"manifest": {"metadata": {"resourceVersion": "5"}}, "text": "a\u00e9\u2028/"},
    }
    raw = msgspec.json.encode(body, order="deterministic")
    got = restamp(Record(Key("events", "", "a"), 5, raw, Meta()), 9)
    body["metadata"]["resourceVersion"] = "9"
    assert got == Record(
        Key("events", "", "a"), 9, msgspec.json.encode(body, order="deterministic"), Meta()
    )
