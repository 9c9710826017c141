"""`argosy create`, `stop`, `resume` and `delete` against a served cluster: what is sent, and what is said of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.compat.queues import KUEUE, Argosy, Queues, queueing


@pytest.fixture(scope="module")
def queues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queues]:
    with queueing(tmp_path_factory.mktemp("queues")) as made:
        yield made


@pytest.fixture(scope="module")
def argosy(queues: Queues) -> Argosy:
    return queues.argosy


def spec(queues: Queues, path: str) -> Any:
    return queues.api.get(f"{KUEUE}/{path}")["spec"]


def test_a_cluster_queue_with_everything(queues: Queues, argosy: Argosy) -> None:
    said = argosy(
        "create", "clusterqueue", "full", "--cohort", "lab", "--queuing-strategy", "StrictFIFO",
        "--namespace-selector", "team=a,zone=b", "--reclaim-within-cohort", "Any",
        "--preemption-within-cluster-queue", "LowerPriority",
        "--nominal-quota", "alpha:cpu=9;memory=36Gi,beta:memory=72Gi;cpu=18",
        "--nominal-quota", "gpus:nvidia.com/gpu=8",
        "--borrowing-limit", "alpha:cpu=1;memory=1Gi", "--lending-limit", "alpha:cpu=2;memory=2Gi",
    )  # fmt: skip
    assert said == "clusterqueue.kueue.x-k8s.io/full created\n"
    got = spec(queues, "clusterqueues/full")
    assert got["cohortName"] == "lab"
    assert got["queueingStrategy"] == "StrictFIFO"
    assert got["namespaceSelector"] == {"matchLabels": {"team": "a", "zone": "b"}}
    assert got["preemption"]["reclaimWithinCohort"] == "Any"
    assert got["preemption"]["withinClusterQueue"] == "LowerPriority"
    assert got["resourceGroups"] == [
        {
            "coveredResources": ["cpu", "memory"],
            "flavors": [
                {
                    "name": "alpha",
                    "resources": [
                        {"name": "cpu", "nominalQuota": "9", "borrowingLimit": "1", "lendingLimit": "2"},
                        {"name": "memory", "nominalQuota": "36Gi", "borrowingLimit": "1Gi", "lendingLimit": "2Gi"},
                    ],
                },
                {
                    "name": "beta",
                    "resources": [{"name": "cpu", "nominalQuota": "18"}, {"name": "memory", "nominalQuota": "72Gi"}],
                },
            ],
        },
        {
            "coveredResources": ["nvidia.com/gpu"],
            "flavors": [{"name": "gpus", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "8"}]}],
        },
    ]  # fmt: skip


def test_a_plain_cluster_queue_takes_all_namespaces(queues: Queues, argosy: Argosy) -> None:
    argosy("create", "cq", "plain")
    got = spec(queues, "clusterqueues/plain")
    assert got["namespaceSelector"] == {}
    assert got["queueingStrategy"] == "BestEffortFIFO"
    assert "resourceGroups" not in got


def test_local_queues_want_their_cluster_queue(queues: Queues, argosy: Argosy) -> None:
    refused = argosy.fails("create", "localqueue", "lq", "-c", "missing")
    assert refused == 'Error: clusterqueues.kueue.x-k8s.io "missing" not found\n'
    said = argosy("create", "lq", "lq", "-c", "missing", "-i")
    assert said == "localqueue.kueue.x-k8s.io/lq created\n"
    assert spec(queues, "namespaces/default/localqueues/lq")["clusterQueue"] == "missing"
    twice = argosy.fails("create", "lq", "lq", "-c", "missing", "--ignore-unknown-cq=true")
    assert twice == 'Error: localqueues.kueue.x-k8s.io "lq" already exists\n'


def test_a_flavor_with_labels_taints_and_tolerations(queues: Queues, argosy: Argosy) -> None:
    argosy(
        "create", "rf", "spot", "--node-labels", "kind=spot,zone=b", "--node-taints", "spot=yes:NoSchedule,gone:NoExecute",
        "--tolerations", "spot=yes:NoSchedule", "--tolerations", "any", "--tolerations", ":NoExecute",
    )  # fmt: skip
    got = spec(queues, "resourceflavors/spot")
    assert got["nodeLabels"] == {"kind": "spot", "zone": "b"}
    assert got["nodeTaints"] == [
        {"key": "spot", "value": "yes", "effect": "NoSchedule"},
        {"key": "gone", "effect": "NoExecute"},
    ]
    assert got["tolerations"] == [
        {"key": "spot", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
        {"key": "any", "operator": "Exists"},
        {"operator": "Exists", "effect": "NoExecute"},
    ]


def test_a_cohort(queues: Queues, argosy: Argosy) -> None:
    said = argosy(
        "create", "cohort", "lab", "--parent", "org", "--weight", "0.5", "--nominal-quota", "alpha:cpu=4",
    )  # fmt: skip
    assert said == "cohort.kueue.x-k8s.io/lab created\n"
    got = spec(queues, "cohorts/lab")
    assert (got["parentName"], got["fairSharing"]) == ("org", {"weight": "0.5"})
    assert got["resourceGroups"][0]["flavors"][0]["resources"] == [
        {"name": "cpu", "nominalQuota": "4"}
    ]


def test_dry_runs_keep_nothing(queues: Queues, argosy: Argosy) -> None:
    for strategy in ("client", "server"):
        said = argosy("create", "cq", "dry", "--dry-run", strategy)
        assert said == f"clusterqueue.kueue.x-k8s.io/dry created ({strategy} dry run)\n"
    shown = yaml.safe_load(argosy("create", "cq", "dry", "--dry-run=client", "-o", "yaml"))
    assert shown == {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ClusterQueue",
        "metadata": {"name": "dry"},
        "spec": {
            "namespaceSelector": {},
            "preemption": {"reclaimWithinCohort": "Never", "withinClusterQueue": "Never"},
            "queueingStrategy": "BestEffortFIFO",
        },
    }
    checked = json.loads(argosy("create", "cq", "dry", "--dry-run=server", "-o", "json"))
    assert checked["spec"]["stopPolicy"] == "None"
    assert argosy("create", "cq", "dry", "--dry-run=server", "-o", "name") == (
        "clusterqueue.kueue.x-k8s.io/dry\n"
    )
    assert queues.api.request("GET", f"{KUEUE}/clusterqueues/dry").code == 404


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "a dry run of no known way": (
        ("create", "cq", "x", "--dry-run", "maybe"),
        'invalid dry-run value (maybe). Must be "none", "server", or "client"',
    ),
    "a quota without a flavor": (
        ("create", "cq", "x", "--nominal-quota", "cpu=1"),
        "invalid resources specification",
    ),
    "a quota that is no quantity": (
        ("create", "cq", "x", "--nominal-quota", "alpha:cpu=a"),
        "invalid resource quota",
    ),
    "limits of other resources than the quota's": (
        ("create", "cq", "x", "--nominal-quota", "alpha:cpu=1", "--borrowing-limit", "alpha:memory=1"),
        "invalid flavor",
    ),
    "a resource in two groups": (
        ("create", "cq", "x", "--nominal-quota", "alpha:cpu=1;memory=1,beta:cpu=1"),
        "invalid resource group",
    ),
    "a selector that is no pair": (
        ("create", "cq", "x", "--namespace-selector", "team"),
        'invalid argument "team" for "--namespace-selector" flag: team must be formatted as key=value',
    ),
    "a taint without an effect": (
        ("create", "rf", "x", "--node-taints", "key=value"),
        "invalid taint spec: key=value",
    ),
    "an effect that quota does not know": (
        ("create", "rf", "x", "--node-taints", "key:PreferNoSchedule"),
        "invalid taint effect: PreferNoSchedule, unsupported taint effect",
    ),
    "a taint twice": (
        ("create", "rf", "x", "--node-taints", "key=a:NoSchedule,key=b:NoSchedule"),
        "duplicated taints with the same key and effect: {key b NoSchedule <nil>}",
    ),
    "a toleration of a value without a key": (
        ("create", "rf", "x", "--tolerations", "=value:NoSchedule"),
        "invalid toleration spec: =value:NoSchedule",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refusals(argosy: Argosy, case: tuple[tuple[str, ...], str]) -> None:
    arguments, want = case
    assert argosy.fails(*arguments) == f"Error: {want}\n"


def test_what_the_server_refuses_is_told(argosy: Argosy) -> None:
    refused = argosy.fails("create", "cq", "x", "--queuing-strategy", "LIFO")
    assert refused.startswith('Error: ClusterQueue.kueue.x-k8s.io "x" is invalid: ')
    assert 'spec.queueingStrategy: Unsupported value: "LIFO"' in refused


def test_stopping_and_resuming(queues: Queues, argosy: Argosy) -> None:
    queues.cluster_queue("halt")
    queues.local_queue("halt", "halt")
    queues.workload("halt", "halt")
    for kind, path in (("clusterqueue", "clusterqueues"), ("lq", "namespaces/default/localqueues")):
        named = {"clusterqueue": "clusterqueue", "lq": "localqueue"}[kind]
        said = f"{named}.kueue.x-k8s.io/halt\n"
        assert argosy("stop", kind, "halt") == said
        assert spec(queues, f"{path}/halt")["stopPolicy"] == "HoldAndDrain"
        assert argosy("stop", kind, "halt", "--keep-already-running") == said
        assert spec(queues, f"{path}/halt")["stopPolicy"] == "Hold"
        assert argosy("resume", kind, "halt") == said
        assert spec(queues, f"{path}/halt")["stopPolicy"] == "None"
    path = "namespaces/default/workloads/halt"
    assert argosy("stop", "wl", "halt") == "workload.kueue.x-k8s.io/halt stopped\n"
    assert spec(queues, path)["active"] is False
    dry = argosy("resume", "workload", "halt", "--dry-run=client")
    assert dry == "workload.kueue.x-k8s.io/halt resumed (client dry run)\n"
    assert spec(queues, path)["active"] is False
    assert argosy("resume", "workload", "halt") == "workload.kueue.x-k8s.io/halt resumed\n"
    assert spec(queues, path)["active"] is True
    missing = argosy.fails("stop", "wl", "nope", "-n", "other")
    assert missing == 'Error: workloads.kueue.x-k8s.io "nope" not found\n'


def job(queues: Queues, name: str) -> Any:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    body = {"metadata": {"name": name}, "spec": {"suspend": True, "template": template}}
    made = queues.api.create("/apis/batch/v1/namespaces/default/jobs", body)
    return {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": made["metadata"]["uid"]}


def there(queues: Queues, path: str) -> bool:
    return queues.api.request("GET", path).code == 200


JOBS = "/apis/batch/v1/namespaces/default/jobs"
WORKLOADS = f"{KUEUE}/namespaces/default/workloads"


def test_deleting_asks_for_the_job(queues: Queues, argosy: Argosy) -> None:
    queues.workload("owned", "lq", ownerReferences=[job(queues, "owner")])
    asked = (
        "This operation will also delete:\n"
        "  - jobs.batch/owner associated with the default/owned workload\n"
        "Do you want to proceed (y/n)? "
    )
    assert (
        argosy.answering("n\n")("delete", "workload", "owned") == f"{asked}Deletion is canceled\n"
    )
    assert argosy("delete", "workload", "owned") == f"{asked}Deletion is canceled\n"
    assert there(queues, f"{JOBS}/owner")
    for strategy in ("client", "server"):
        said = argosy("delete", "wl", "owned", "--dry-run", strategy)
        assert said == f"jobs.batch/owner deleted ({strategy} dry run)\n"
    assert there(queues, f"{JOBS}/owner")
    done = argosy.answering("Y\n")("delete", "workload", "owned")
    assert done == f"{asked}jobs.batch/owner deleted\n"
    assert not there(queues, f"{JOBS}/owner")


def test_a_job_that_was_made_anew_stays(queues: Queues, argosy: Argosy) -> None:
    owner = job(queues, "anew")
    queues.workload("stale", "lq", ownerReferences=[{**owner, "uid": "of-the-one-before"}])
    refused = argosy.fails("delete", "workload", "stale", "-y")
    assert "the UID in the precondition (of-the-one-before) does not match" in refused
    assert there(queues, f"{JOBS}/anew")


def test_a_workload_without_a_job_goes_itself(queues: Queues, argosy: Argosy) -> None:
    queues.workload("alone", "lq")
    got = argosy.run("delete", "workload", "alone", "nope")
    assert (got.code, got.stdout, got.stderr) == (
        0,
        "workload.kueue.x-k8s.io/alone deleted\n",
        'workloads.kueue.x-k8s.io "nope" not found\n',
    )
    assert not there(queues, f"{WORKLOADS}/alone")


def test_deleting_all(queues: Queues, argosy: Argosy) -> None:
    queues.api.create("/api/v1/namespaces", {"metadata": {"name": "full"}})
    queues.workload("one", "lq", namespace="full")
    queues.workload("two", "lq", namespace="full")
    assert argosy("delete", "workload", "--all", "-n", "full", "-y").splitlines() == [
        "workload.kueue.x-k8s.io/one deleted",
        "workload.kueue.x-k8s.io/two deleted",
    ]
    queues.workload("owned-too", "lq", ownerReferences=[job(queues, "owner-too")])
    asked = argosy.answering("no\n")("delete", "workload", "--all", "-A")
    assert asked == (
        "This operation will also delete the jobs associated with these workloads.\n"
        "Do you want to proceed (y/n)? Deletion is canceled\n"
    )


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        ((), "requires at least 1 arg(s), only received 0"),
        (("x", "--all"), "name cannot be provided when a selector is specified"),
        (("x", "-A"), "a resource cannot be retrieved by name across all namespaces"),
    ],
)
def test_deleting_what_is_not_clear(argosy: Argosy, arguments: tuple[str, ...], want: str) -> None:
    assert argosy.fails("delete", "workload", *arguments) == f"Error: {want}\n"
