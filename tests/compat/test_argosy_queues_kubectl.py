"""What kubectl sees of queues: the visibility API, and the verbs that `argosy` leaves to kubectl."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from argosy.api.objects.kueue.workloads import Workload, WorkloadSpec
from argosy.api.objects.metadata import ObjectMeta
from tests.compat.queues import Queues, queueing
from tests.support.kubectls import Kubectl, find_kubectl
from tests.support.processes import command

pytestmark = pytest.mark.kubectl

GROUP = "/apis/visibility.kueue.x-k8s.io"


@pytest.fixture(scope="module")
def queues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queues]:
    with queueing(tmp_path_factory.mktemp("queues")) as made:
        made.cluster_queue("team", "lab")
        meta = ObjectMeta(name="w", namespace="default")
        waiting = Workload(metadata=meta, spec=WorkloadSpec(queue_name="lq", priority=7))
        made.line.queues["team"] = [waiting]
        made.line.locals["default", "lq"] = "team"
        yield made


@pytest.fixture(scope="module")
def kubectl(queues: Queues, tmp_path_factory: pytest.TempPathFactory) -> Kubectl:
    home = tmp_path_factory.mktemp("home")
    return Kubectl(find_kubectl(), queues.host.kubeconfig, home, "default")


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
@pytest.mark.parametrize(
    "queue", ["clusterqueues/team", "namespaces/default/localqueues/lq"], ids=["cluster", "local"]
)
def test_pending_workloads_by_path(kubectl: Kubectl, version: str, queue: str) -> None:
    got = json.loads(
        kubectl("get", "--raw", f"{GROUP}/{version}/{queue}/pendingworkloads?limit=5").stdout
    )
    assert got["apiVersion"] == f"visibility.kueue.x-k8s.io/{version}"
    assert got["items"] == [
        {
            "metadata": {"name": "w", "namespace": "default"},
            "priority": 7,
            "localQueueName": "lq",
            "positionInClusterQueue": 0,
            "positionInLocalQueue": 0,
        }
    ]


def test_an_unknown_queue(kubectl: Kubectl) -> None:
    said = kubectl.fails("get", "--raw", f"{GROUP}/v1beta2/clusterqueues/nope/pendingworkloads")
    want = 'clusterqueue.visibility.kueue.x-k8s.io "nope" not found'
    assert said == f"Error from server (NotFound): {want}\n"


def test_queues_go_on_to_mean_kueues_own(kubectl: Kubectl) -> None:
    assert kubectl("get", "clusterqueue", "-o", "name").lines == [
        "clusterqueue.kueue.x-k8s.io/team"
    ]
    assert kubectl("get", "cq").rows == [
        ["NAME", "COHORT", "PENDING", "WORKLOADS"],
        ["team", "lab"],
    ]
    groups = kubectl("api-versions").lines
    assert {"visibility.kueue.x-k8s.io/v1beta1", "visibility.kueue.x-k8s.io/v1beta2"} <= set(groups)
    assert (
        kubectl("api-resources", "--api-group=visibility.kueue.x-k8s.io", "--no-headers").rows == []
    )


def test_other_verbs_are_kubectls(kubectl: Kubectl) -> None:
    def passed(*arguments: str) -> str:
        environment = {**kubectl.environment, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            command(*arguments),
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert passed("get", "cq", "team", "-o", "jsonpath={.spec.cohortName}") == "lab"
    assert passed("describe", "clusterqueue", "team").startswith("Name:         team\n")
    done = passed("delete", "clusterqueue", "team")
    assert done.startswith('clusterqueue.kueue.x-k8s.io "team" deleted')
