"""`argosy approve`, `drain` and `uncordon` as they are typed, against a served cluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from argosy.cli.main import main
from tests.compat.queues import Argosy
from tests.fakes.fleets import fleet_definitions
from tests.support.connections import Connection
from tests.support.hosting import hosting

PLACEMENT = "placement.kubernetes-fleet.io"
CLUSTER = "cluster.kubernetes-fleet.io"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Connection, Argosy]]:
    with hosting(tmp_path_factory.mktemp("fleet")) as host:
        for definition in fleet_definitions():
            host.api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
        yield host.api, Argosy(host.kubeconfig)


def approval(api: Connection, kind: str, where: str, name: str) -> str:
    body = {
        "apiVersion": f"{PLACEMENT}/v1beta1",
        "kind": kind,
        "metadata": {"name": name, "labels": {"kubernetes-fleet.io/taskType": "beforeStage"}},
        "spec": {"parentStageRollout": "run", "targetStage": "prod"},
    }
    api.create(f"/apis/{PLACEMENT}/v1beta1/{where}", body)
    return f"/apis/{PLACEMENT}/v1beta1/{where}/{name}"


@pytest.mark.parametrize("word", ["clusterapprovalrequest", "careq", "clusterapprovalrequests"])
def test_approving_for_the_cluster(served: tuple[Connection, Argosy], word: str) -> None:
    api, argosy = served
    path = approval(api, "ClusterApprovalRequest", "clusterapprovalrequests", f"by-{word}")
    assert argosy("approve", word, f"by-{word}") == (
        f"clusterapprovalrequest.{PLACEMENT}/by-{word} approved\n"
        'update run "run" may begin stage "prod"\n'
    )
    [approved] = api.get(path)["status"]["conditions"]
    assert (approved["type"], approved["status"]) == ("Approved", "True")


@pytest.mark.parametrize("word", ["approvalrequest", "areq"])
def test_approving_in_a_namespace(served: tuple[Connection, Argosy], word: str) -> None:
    api, argosy = served
    where = "namespaces/default/approvalrequests"
    path = approval(api, "ApprovalRequest", where, f"by-{word}")
    said = argosy("approve", word, f"by-{word}", "-n", "default", "--timeout", "30s")
    assert said.startswith(f"approvalrequest.{PLACEMENT}/by-{word} approved\n")
    [approved] = api.get(path)["status"]["conditions"]
    assert approved["reason"] == "ApprovalRequestApproved"
    assert argosy.fails("approve", word, "nothing", "-n", "kube-system") == (
        'Error: there is no approvalrequest "nothing": `kubectl get approvalrequests -n kube-system` lists those that '
        "wait\n"
    )


def test_draining_an_empty_cluster_and_taking_it_back(served: tuple[Connection, Argosy]) -> None:
    api, argosy = served
    where = f"/apis/{CLUSTER}/v1beta1/memberclusters"
    body = {
        "apiVersion": f"{CLUSTER}/v1beta1",
        "kind": "MemberCluster",
        "metadata": {"name": "one"},
        "spec": {"identity": {"kind": "User", "name": "one"}},
    }
    api.create(where, body)
    assert argosy("drain", "cluster", "one") == (
        'cluster "one" cordoned\n'
        'no ClusterResourcePlacement is on cluster "one"\n'
        'cluster "one" drained; `argosy uncordon cluster one` takes it back\n'
    )
    assert api.get(f"{where}/one")["spec"]["taints"] == [
        {"key": "cordon-key", "value": "cordon-value", "effect": "NoSchedule"}
    ]
    assert argosy("uncordon", "cluster", "one") == 'cluster "one" uncordoned\n'
    assert "taints" not in api.get(f"{where}/one")["spec"]
    assert "no time to wait" in argosy.fails("uncordon", "cluster", "one", "--timeout", "never")


def test_a_cluster_without_the_kinds(tmp_path: Path) -> None:
    with hosting(tmp_path) as host:
        argosy = Argosy(host.kubeconfig)
        for command, what, group in (
            (("approve", "careq", "x"), "clusterapprovalrequest", PLACEMENT),
            (("approve", "areq", "x"), "approvalrequest", PLACEMENT),
            (("drain", "cluster", "x"), "member cluster", CLUSTER),
            (("uncordon", "cluster", "x"), "member cluster", CLUSTER),
        ):
            assert argosy.fails(*command) == (
                f'Error: the server has no {what} in the group "{group}": KubeFleet\'s kinds are not installed there\n'
            )


@pytest.mark.parametrize("verb", ["approve", "drain", "uncordon"])
def test_a_verb_alone_shows_what_it_takes(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb]) == 2
    assert f"usage: argosy {verb}" in capsys.readouterr().out
