"""Snapshots of overrides, and their hash."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.overrides import (
    ClusterResourceOverride,
    ResourceOverride,
    ResourceOverrideSnapshot,
    ResourceOverrideSpec,
)
from argosy.base.types import Object
from argosy.client.resources import CLUSTER_RESOURCE_OVERRIDES, RESOURCE_OVERRIDES
from argosy.placement.overriding.snapshots import document, hash_of, steps
from tests.unit.placement.golden import cases, objects, view


@dataclass
class Case:
    """Snapshots are written `index hash`, those marked as latest with a star."""

    present: list[str]
    delete: list[int] = field(default_factory=list)
    create: int | None = None
    mark: list[int] = field(default_factory=list)
    unmark: list[int] = field(default_factory=list)


STEPS = {
    "the first": Case([], create=0),
    "nothing changed": Case(["0 old", "1 new *"]),
    "the newest lost its mark": Case(["0 old", "1 new"], mark=[1]),
    "an older one has the mark still": Case(["0 old *", "1 new *"], unmark=[0]),
    "the spec changed": Case(["3 old *"], create=4, unmark=[3]),
    "the spec is what it was before the last": Case(["0 new", "1 old *"], create=2, unmark=[1]),
    "indexes are numbers": Case(["9 old", "10 new *"]),
    "ten are kept": Case(
        [f"{number} old" for number in range(1, 10)] + ["10 old *"],
        delete=[1],
        create=11,
        unmark=[10],
    ),
    "nine may stay": Case([f"{number} old" for number in range(9)], create=9),
    "many are too many": Case(
        [f"{number} old *" for number in range(12)],
        delete=[0, 1, 2],
        create=12,
        unmark=list(range(3, 12)),
    ),
    "nothing is deleted while nothing is made": Case(
        [f"{number} old" for number in range(12)] + ["12 new *"]
    ),
}


def _snapshot(text: str) -> ResourceOverrideSnapshot:
    index, hash_, *mark = text.split()
    labels = {names.OVERRIDE_INDEX: index, names.IS_LATEST: "true" if mark else "false"}
    obj: Object = {
        "metadata": {"name": f"ro-{index}", "labels": labels},
        "spec": {"overrideHash": hash_},
    }
    return view(obj, ResourceOverrideSnapshot)


@pytest.mark.parametrize("case", STEPS.values(), ids=STEPS)
def test_what_becomes_of_snapshots(case: Case) -> None:
    got = steps("new", [_snapshot(each) for each in case.present])
    assert got.create == case.create
    for metas, want in (
        (got.delete, case.delete),
        (got.mark, case.mark),
        (got.unmark, case.unmark),
    ):
        assert [int(meta.name.removeprefix("ro-")) for meta in metas] == want


def test_snapshots_are_those_of_a_real_kubefleet(shared: Path) -> None:
    """Name, labels, owner and hash, to the byte."""
    checked = 0
    folder = cases(shared) / "04-override"
    for what, kind, resource in (
        ("clusterresourceoverride", ClusterResourceOverride, CLUSTER_RESOURCE_OVERRIDES),
        ("resourceoverride", ResourceOverride, RESOURCE_OVERRIDES),
    ):
        golden = {
            each["metadata"]["name"]: each for each in objects(folder / f"{what}snapshots.yaml")
        }
        for raw in objects(folder / f"{what}s.yaml"):
            override = view({**raw, "metadata": {**raw["metadata"], "uid": "<uuid>"}}, kind)
            made = document(override, resource, 0, hash_of(override.spec))
            want = golden[made["metadata"]["name"]]
            got = msgspec.json.decode(msgspec.json.encode(made))
            del want["metadata"]["generation"], want["apiVersion"], want["kind"]
            assert got == want
            checked += 1
    assert checked == 3


def test_the_hash_is_of_gos_json() -> None:
    """Maps in order of their keys, characters of HTML escaped, null for a value that is not given."""
    spec = view(
        {
            "resourceSelectors": [
                {"group": "", "version": "v1", "kind": "ConfigMap", "name": "cm"}
            ],
            "policy": {
                "overrideRules": [
                    {
                        "clusterSelector": {
                            "clusterSelectorTerms": [
                                {"labelSelector": {"matchLabels": {"b": "2", "a": "<1>"}}}
                            ]
                        },
                        "overrideType": "JSONPatch",
                        "jsonPatchOverrides": [
                            {"op": "remove", "path": "/data/a"},
                            {"op": "add", "path": "/data/b", "value": {"z": 1, "y": "a&b"}},
                        ],
                    }
                ]
            },
        },
        ResourceOverrideSpec,
    )
    text = (
        r'{"resourceSelectors":[{"group":"","version":"v1","kind":"ConfigMap","name":"cm"}],'
        r'"policy":{"overrideRules":[{"clusterSelector":{"clusterSelectorTerms":[{"labelSelector":'
        r'{"matchLabels":{"a":"\u003c1\u003e","b":"2"}}}]},"overrideType":"JSONPatch",'
        r'"jsonPatchOverrides":[{"op":"remove","path":"/data/a","value":null},'
        r'{"op":"add","path":"/data/b","value":{"y":"a\u0026b","z":1}}]}]}}'
    )
    assert b64decode(hash_of(spec)).decode() == sha256(text.encode()).hexdigest()
