"""Revisions of Deployments: which set is the new one, how it is numbered, named and annotated."""

from __future__ import annotations

import msgspec
import pytest

from argosy.api.objects.apps import ReplicaSet
from argosy.workloads.apps.deployments.revisions import (
    REVISION,
    REVISION_HISTORY,
    new_annotations,
    new_replica_set,
    next_revision,
    outdated,
    split,
)
from tests.unit.workloads.apps.building import deployment, replica_set, template


def _hashed(made: ReplicaSet, digest: str) -> ReplicaSet:
    wanted = template()
    wanted["metadata"]["labels"]["pod-template-hash"] = digest
    spec = msgspec.structs.replace(made.spec, template=wanted)
    return msgspec.structs.replace(made, spec=spec)


def test_the_new_set_has_the_same_template_but_for_its_hash() -> None:
    new = _hashed(replica_set("new", 1), "123")
    old = replica_set("old", 1, image="y")
    assert split(deployment(1), [old, new]) == (new, [old])


def test_of_equal_sets_the_oldest_is_the_new_one() -> None:
    younger, older = replica_set("a", 1, age=1), replica_set("b", 1, age=9)
    assert split(deployment(1), [younger, older]) == (older, [younger])


def test_no_set_has_the_template() -> None:
    old = replica_set("old", 1, image="y")
    assert split(deployment(1), [old]) == (None, [old])


def test_the_next_revision_is_one_more_than_the_highest() -> None:
    sets = [
        replica_set("a", 0, annotations={REVISION: "3"}),
        replica_set("b", 0, annotations={REVISION: "nonsense"}),
        replica_set("c", 0),
    ]
    assert next_revision(sets) == 4
    assert next_revision([]) == 1


ANNOTATIONS: dict[str, tuple[dict[str, str], dict[str, str], int, dict[str, str]]] = {
    "the first": ({}, {}, 1, {REVISION: "1"}),
    "what the Deployment says goes along": (
        {"kubernetes.io/change-cause": "x", REVISION: "7"},
        {},
        2,
        {"kubernetes.io/change-cause": "x", REVISION: "2"},
    ),
    "a set that comes back keeps its number in its history": (
        {},
        {REVISION: "1"},
        3,
        {REVISION: "3", REVISION_HISTORY: "1"},
    ),
    "and the one after": (
        {},
        {REVISION: "3", REVISION_HISTORY: "1"},
        5,
        {REVISION: "5", REVISION_HISTORY: "1,3"},
    ),
    "the newest already": ({}, {REVISION: "4"}, 3, {}),
    "a number nobody can read is left alone": ({}, {REVISION: "x"}, 3, {}),
    "what is there need not be said again": ({"a": "b"}, {"a": "b", REVISION: "1"}, 1, {}),
}


@pytest.mark.parametrize(
    ("of_deployment", "of_set", "revision", "want"), ANNOTATIONS.values(), ids=ANNOTATIONS.keys()
)
def test_annotations(
    of_deployment: dict[str, str], of_set: dict[str, str], revision: int, want: dict[str, str]
) -> None:
    made = deployment(1, annotations=of_deployment)
    assert new_annotations(made, of_set, revision) == want


def test_a_long_history_loses_its_beginning() -> None:
    history = ",".join(["1000"] * 400)
    got = new_annotations(deployment(1), {REVISION: "9", REVISION_HISTORY: history}, 10)
    assert len(got[REVISION_HISTORY]) <= 2000
    assert got[REVISION_HISTORY].endswith("1000,9")


def test_the_new_set_as_it_is_made() -> None:
    got = new_replica_set(deployment(10, min_ready_seconds=5), [replica_set("old", 10, image="y")])
    labels = {"app": "a", "pod-template-hash": "854fd865cc"}
    want = {
        "metadata": {
            "name": "web-854fd865cc",
            "namespace": "ns",
            "labels": labels,
            "annotations": {
                "deployment.kubernetes.io/revision": "1",
                "deployment.kubernetes.io/desired-replicas": "10",
                "deployment.kubernetes.io/max-replicas": "13",
            },
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "name": "web",
                    "uid": "uid-web",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "replicas": 3,
            "minReadySeconds": 5,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": "x"}]},
            },
        },
    }
    assert got == want


def test_old_sets_beyond_the_limit_go_by_revision_once_they_are_empty() -> None:
    sets = [
        replica_set("c", 0, annotations={REVISION: "3"}),
        replica_set("a", 0, annotations={REVISION: "1"}),
        replica_set("b", 2, annotations={REVISION: "2"}),
        replica_set("d", 0, annotations={REVISION: "4"}),
    ]
    got = [each.metadata.name for each in outdated(deployment(1, revision_history_limit=2), sets)]
    assert got == ["a"]
    assert outdated(deployment(1, revision_history_limit=4), sets) == []
