"""`argosy` against a cluster whose Kueue knows v1beta1 only, and one that knows nothing of Kueue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from argosy.queueing.definitions import definitions
from tests.compat.queues import Argosy, aged
from tests.support.hosting import Host, hosting

OLD = "/apis/kueue.x-k8s.io/v1beta1"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosting(tmp_path_factory.mktemp("old")) as host:
        for definition in definitions():
            first = definition["spec"]["versions"][0]
            assert first["name"] == "v1beta1"
            definition["spec"]["versions"] = [{**first, "storage": True}]
            host.api.create(DEFINITIONS, definition)
        yield host


def test_objects_are_written_and_read_in_the_old_version(old: Host) -> None:
    argosy = Argosy(old.kubeconfig)
    argosy("create", "cq", "team", "--cohort", "lab", "--nominal-quota", "default:cpu=8")
    made = old.api.get(f"{OLD}/clusterqueues/team")
    assert made["spec"]["cohort"] == "lab"
    assert aged(argosy("list", "cq"))[1:] == ["team lab 0 0 false"]
    assert argosy("stop", "cq", "team") == "clusterqueue.kueue.x-k8s.io/team\n"
    assert old.api.get(f"{OLD}/clusterqueues/team")["spec"]["stopPolicy"] == "HoldAndDrain"
    assert "apiVersion: kueue.x-k8s.io/v1beta1\n" in argosy("list", "cq", "-o", "yaml")


def test_a_cluster_without_kueue_says_so(tmp_path: Path) -> None:
    with hosting(tmp_path / "bare") as host:
        said = Argosy(host.kubeconfig).fails("list", "cq")
    assert (
        said
        == 'Error: the server has no group "kueue.x-k8s.io": Kueue\'s kinds are not installed there\n'
    )


def test_a_cluster_that_is_not_there_is_told_soon(tmp_path: Path) -> None:
    with hosting(tmp_path / "gone") as host:
        kubeconfig = host.kubeconfig
    assert "cannot be reached" in Argosy(kubeconfig).fails("list", "cq")
