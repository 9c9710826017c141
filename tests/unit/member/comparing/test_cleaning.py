"""What is left of an object for a comparison, and for a write."""

from __future__ import annotations

import copy

from argosy.base.types import Object
from argosy.member.comparing.cleaning import cleaned, sanitized
from argosy.member.comparing.hashing import manifest_hash

FULL: Object = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {
        "name": "c",
        "namespace": "ns",
        "generateName": "c-",
        "uid": "u",
        "resourceVersion": "7",
        "generation": 3,
        "selfLink": "/x",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "deletionTimestamp": "2026-01-01T00:00:00Z",
        "deletionGracePeriodSeconds": 0,
        "finalizers": ["a/b"],
        "managedFields": [{"manager": "m"}],
        "ownerReferences": [{"uid": "o"}],
        "labels": {
            "app": "x",
            "batch.kubernetes.io/controller-uid": "u",
            "kueue.x-k8s.io/q": "q",
        },
        "annotations": {
            "mine": "1",
            "kubernetes-fleet.io/spec-hash": "h",
            "kubernetes-fleet.io/last-applied-configuration": "{}",
            "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "deployment.kubernetes.io/revision": "1",
        },
    },
    "spec": {
        "template": {"metadata": {"creationTimestamp": None, "labels": {"a": "b"}}},
        "jobTemplate": {"spec": {"template": {"metadata": {"creationTimestamp": None}}}},
    },
    "status": {"active": 1},
}


def test_a_comparison_sees_what_a_user_said() -> None:
    before = copy.deepcopy(FULL)
    assert cleaned(FULL) == {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {
            "labels": {"app": "x"},
            "annotations": {"mine": "1"},
            "finalizers": [],
            "managedFields": [],
            "ownerReferences": [],
        },
        "spec": {
            "template": {"metadata": {"labels": {"a": "b"}}},
            "jobTemplate": {"spec": {"template": {"metadata": {}}}},
        },
    }
    assert before == FULL


def test_a_write_has_no_bookkeeping() -> None:
    before = copy.deepcopy(FULL)
    got = sanitized(FULL)
    assert got["metadata"] == {
        "name": "c",
        "namespace": "ns",
        "generateName": "c-",
        "finalizers": ["a/b"],
        "labels": FULL["metadata"]["labels"],
        "annotations": {"mine": "1"},
    }
    assert "status" not in got
    assert got["spec"] == FULL["spec"]
    assert before == FULL


def test_odd_metadata_is_taken_as_none() -> None:
    assert cleaned({"kind": "X"})["metadata"]["labels"] == {}
    assert cleaned({"metadata": {"labels": None, "annotations": []}})["metadata"]["labels"] == {}
    assert sanitized({"metadata": None}) == {"metadata": {}}


def test_the_hash_is_of_what_counts_and_of_nothing_else() -> None:
    one = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "<&>", "b": "2"}}
    other = {
        "kind": "ConfigMap",
        "data": {"b": "2", "a": "<&>"},
        "apiVersion": "v1",
        "metadata": {"name": "x", "uid": "u"},
        "status": {},
    }
    assert manifest_hash(one) == manifest_hash(other)
    assert manifest_hash(one) != manifest_hash({**one, "data": {"a": "1"}})
