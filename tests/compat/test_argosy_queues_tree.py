"""`argosy queue tree` against a served cluster."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.compat.queues import Argosy, Queues, queueing


@pytest.fixture(scope="module")
def argosy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Argosy]:
    with queueing(tmp_path_factory.mktemp("queues")) as made:
        _fill(made)
        yield made.argosy


def _fill(made: Queues) -> None:
    made.make("resourceflavors", "default")
    made.make("cohorts", "lab", {"parentName": "org", "fairSharing": {"weight": "2"}})
    made.cluster_queue("team-a", "lab", "8", limits={"borrowingLimit": "4"})
    made.cluster_queue(
        "team-b", "lab", "8", limits={"lendingLimit": "6"}, fairSharing={"weight": "500m"}
    )
    made.cluster_queue("team-c", "org", "8")
    made.cluster_queue("alone", "", "2")
    made.cluster_queue("halted", "", "2", stopPolicy="Hold")
    made.local_queue("lq", "team-a")
    made.workload("running", "lq", "5", count=2, admitted="team-a")
    made.workload("waiting", "lq")
    made.workload("more", "lq", "3", admitted="alone")


def test_the_tree(argosy: Argosy) -> None:
    assert [line.rstrip() for line in argosy("queue", "tree").splitlines()] == [
        "NAME         FLAVOR    RESOURCE   NOMINAL   SUBTREE   USED   BORROWED   BORROW LIMIT   LENDABLE   FREE   WEIGHT   SHARE   PENDING   RESERVING",
        "org          default   cpu        0         22        10     0          -              0          12     1        -",
        "├─team-c     default   cpu        8         8         0      0          -              8          12     1        0       0         0",
        "└─lab        default   cpu        0         14        10     0          -              14         12     2        0",
        "  ├─team-a   default   cpu        8         8         10     2          4              8          2      1        91      1         1",
        "  └─team-b   default   cpu        8         8         0      0          -              6          14     0.5      0       0         0",
        "alone        default   cpu        2         2         3      0          -              0          -1     1        -       0         1",
        "halted       default   cpu        2         2         0      0          -              0          2      1        -       0         0",
        "ClusterQueue halted: Can't admit new workloads: is stopped.",
    ]  # fmt: skip


def test_one_tree_as_a_document(argosy: Argosy) -> None:
    (tree,) = json.loads(argosy("queue", "tree", "team-b", "-o", "json"))["trees"]
    assert (tree["kind"], tree["name"], tree["isImplicit"]) == ("Cohort", "org", True)
    lab = tree["children"][1]
    assert (lab["name"], lab["isImplicit"], lab["weight"]) == ("lab", False, 2.0)
    assert lab["children"][0] == {
        "kind": "ClusterQueue",
        "name": "team-a",
        "weight": 1.0,
        "weightedShare": 91,
        "dominantResource": "cpu",
        "pendingWorkloads": 1,
        "reservingWorkloads": 1,
        "quotas": [
            {
                "flavor": "default",
                "resource": "cpu",
                "nominal": "8",
                "subtree": "8",
                "used": "10",
                "borrowed": "2",
                "available": "2",
                "lendable": "8",
                "borrowingLimit": "4",
            }
        ],
    }


def test_a_tree_that_is_not_there(argosy: Argosy) -> None:
    assert (
        argosy.fails("queue", "tree", "nope")
        == 'Error: there is no cohort and no ClusterQueue "nope"\n'
    )
