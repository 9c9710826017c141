"""`argosy list` against a served cluster: kueuectl's columns, filters and words."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import yaml

from argosy.api.objects.kueue.workloads import Workload, WorkloadSpec
from argosy.api.objects.metadata import ObjectMeta
from tests.compat.queues import Argosy, Queues, aged, condition, queueing

OWNER = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "made-up"}


@pytest.fixture(scope="module")
def queues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queues]:
    with queueing(tmp_path_factory.mktemp("queues")) as made:
        made.api.create("/api/v1/namespaces", {"metadata": {"name": "other"}})
        made.make("resourceflavors", "default")
        made.make("resourceflavors", "spot", {"nodeLabels": {"zone": "b", "kind": "spot"}})
        made.make("cohorts", "lab", {"parentName": "org", "fairSharing": {"weight": "2"}})
        active = {
            "conditions": [condition("Active")],
            "pendingWorkloads": 3,
            "admittedWorkloads": 2,
        }
        made.cluster_queue("team-a", "lab", "8", active)
        inactive = {"conditions": [condition("Active", "False")]}
        made.cluster_queue("team-b", "", "4", inactive)
        made.local_queue("lq", "team-a", {"pendingWorkloads": 3, "admittedWorkloads": 2})
        made.local_queue("lq", "team-b", namespace="other")
        _workloads(made)
        yield made


def _workloads(made: Queues) -> None:
    job = made.api.create(
        "/apis/batch/v1/namespaces/default/jobs",
        {
            "metadata": {"name": "train"},
            "spec": {"suspend": True, "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}},
        },
    )  # fmt: skip
    owner = {**OWNER, "uid": job["metadata"]["uid"]}
    labels = {"kueue.x-k8s.io/job-uid": job["metadata"]["uid"]}
    made.workload("w-pending", "lq", ownerReferences=[owner], labels=labels)
    made.workload("w-later", "lq", labels={"team": "x"})
    made.workload("w-admitted", "lq", admitted="team-a", conditions=[condition("QuotaReserved", ago=7300), condition("Admitted", ago=7300)])  # fmt: skip
    made.workload("w-reserved", "lq", admitted="team-a", conditions=[condition("QuotaReserved")])
    made.workload(
        "w-finished", "lq", admitted="team-a",
        conditions=[condition("QuotaReserved"), condition("Admitted", ago=4000), condition("Finished", ago=400)],
    )  # fmt: skip
    made.workload("w-lost", "nowhere")
    made.workload("elsewhere", "lq", namespace="other")
    made.line.queues["team-a"] = [_waiting("w-later"), _waiting("w-pending")]


def _waiting(name: str) -> Workload:
    meta = ObjectMeta(name=name, namespace="default")
    return Workload(metadata=meta, spec=WorkloadSpec(queue_name="lq"))


@pytest.fixture(scope="module")
def argosy(queues: Queues) -> Argosy:
    return queues.argosy


TABLES: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "ClusterQueues": (
        ("list", "clusterqueue"),
        [
            "NAME COHORT PENDING WORKLOADS ADMITTED WORKLOADS ACTIVE AGE",
            "team-a lab 3 2 true",
            "team-b 0 0 false",
        ],
    ),
    "active ClusterQueues": (("list", "cq", "--active", "true"), ["team-a lab 3 2 true"]),
    "ClusterQueues that are not": (("list", "cq", "--active=false"), ["team-b 0 0 false"]),
    "one ClusterQueue by field": (
        ("list", "cq", "--field-selector", "metadata.name=team-b"),
        ["team-b 0 0 false"],
    ),
    "LocalQueues of the namespace": (
        ("list", "localqueue"),
        ["NAME CLUSTERQUEUE PENDING WORKLOADS ADMITTED WORKLOADS AGE", "lq team-a 3 2"],
    ),
    "LocalQueues everywhere": (
        ("list", "lq", "-A"),
        [
            "NAMESPACE NAME CLUSTERQUEUE PENDING WORKLOADS ADMITTED WORKLOADS AGE",
            "default lq team-a 3 2",
            "other lq team-b 0 0",
        ],
    ),
    "LocalQueues of a ClusterQueue": (
        ("list", "lq", "-A", "-c", "team-b"),
        ["other lq team-b 0 0"],
    ),
    "flavors": (
        ("list", "rf"),
        ["NAME NODE LABELS AGE", "default", "spot kind=spot, zone=b"],
    ),
    "cohorts": (("list", "cohort"), ["NAME PARENT WEIGHT AGE", "lab org 2"]),
    "workloads": (
        ("list", "wl"),
        [
            "NAME JOB TYPE JOB NAME LOCALQUEUE CLUSTERQUEUE STATUS POSITION IN QUEUE EXEC TIME AGE",
            "w-admitted lq team-a ADMITTED 121m",
            "w-finished lq team-a FINISHED 60m",
            "w-later lq team-a PENDING 0",
            "w-lost nowhere PENDING",
            "w-pending job train lq team-a PENDING 1",
            "w-reserved lq team-a QUOTARESERVED",
        ],
    ),
    "workloads by status": (
        ("list", "workload", "--status", "admitted", "--status=finished"),
        ["w-admitted lq team-a ADMITTED 121m", "w-finished lq team-a FINISHED 60m"],
    ),
    "workloads of all statuses": (
        ("list", "wl", "--status", "all", "-q", "nowhere"),
        ["w-lost nowhere PENDING"],
    ),
    "workloads that hold quota somewhere": (
        ("list", "wl", "-c", "team-a", "--status=QuotaReserved"),
        ["w-reserved lq team-a QUOTARESERVED"],
    ),
    "workloads by label": (("list", "wl", "-l", "team=x"), ["w-later lq team-a PENDING 0"]),
    "workloads of another namespace": (
        ("list", "wl", "-n", "other"),
        ["elsewhere lq team-b PENDING"],
    ),
    "workloads of a job": (
        ("list", "wl", "--for", "job.batch/train"),
        ["w-pending job train lq team-a PENDING 1"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES.values(), ids=TABLES)
def test_tables(argosy: Argosy, case: tuple[tuple[str, ...], list[str]]) -> None:
    arguments, want = case
    got = aged(argosy(*arguments))
    assert (got if want[0].isupper() else got[1:]) == want


def test_cells_are_aligned_as_kubectl_aligns_them(argosy: Argosy) -> None:
    head, *rows = argosy("list", "clusterqueue").splitlines()
    assert head == "NAME     COHORT   PENDING WORKLOADS   ADMITTED WORKLOADS   ACTIVE   AGE"
    assert rows[0].startswith(
        "team-a   lab      3                   2                    true     "
    )
    assert rows[1].startswith(
        "team-b            0                   0                    false    "
    )


NOTHING: dict[str, tuple[tuple[str, ...], str]] = {
    "in a namespace": (("list", "lq", "-n", "empty"), "No resources found in empty namespace.\n"),
    "anywhere": (("list", "wl", "-A", "-l", "a=b"), "No resources found\n"),
    "cluster-wide": (("list", "cq", "-l", "a=b"), "No resources found\n"),
    "for a job that is not there": (
        ("list", "wl", "--for", "job/nope"),
        "No resources found in default namespace.\n",
    ),
    "pods of a job that is not there": (
        ("list", "pods", "--for", "job/nope", "-A"),
        "No resources found.\n",
    ),
    "pods of a job that has none": (
        ("list", "pods", "--for", "job/train"),
        "No resources found in default namespace.\n",
    ),
}


@pytest.mark.parametrize("case", NOTHING.values(), ids=NOTHING)
def test_nothing_is_found(argosy: Argosy, case: tuple[tuple[str, ...], str]) -> None:
    arguments, want = case
    got = argosy.run(*arguments)
    assert (got.code, got.stdout, got.stderr) == (0, "", want)


def test_documents_and_names(argosy: Argosy) -> None:
    listed = json.loads(argosy("list", "cq", "-o", "json"))
    assert (listed["kind"], listed["apiVersion"]) == ("ClusterQueueList", "kueue.x-k8s.io/v1beta2")
    assert [item["metadata"]["name"] for item in listed["items"]] == ["team-a", "team-b"]
    assert "managedFields" not in listed["items"][0]["metadata"]
    kept = yaml.safe_load(argosy("list", "cq", "-o", "yaml", "--show-managed-fields"))
    assert "managedFields" in kept["items"][0]["metadata"]
    assert (
        argosy("list", "wl", "-n", "other", "-o", "name") == "workload.kueue.x-k8s.io/elsewhere\n"
    )


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "an output that is not there": (
        ("list", "cq", "-o", "wide"),
        'unable to match a printer suitable for the output format "wide", allowed formats are: json,name,yaml',
    ),
    "a status that is not there": (
        ("list", "wl", "--status", "done"),
        'invalid status value (done). Must be "all", "pending", "admitted" or "finished"',
    ),
    "active twice": (
        ("list", "cq", "--active", "true", "--active", "false"),
        "only one active flag can be provided",
    ),
    "active and no truth": (
        ("list", "cq", "--active", "maybe"),
        'invalid argument "maybe" for "--active" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    ),
    "a job without its type": (
        ("list", "wl", "--for", "train"),
        "--for must be in resource/name form",
    ),
    "pods of a job without its type": (
        ("list", "pods", "--for", "train"),
        "invalid value 'train' used in --for flag; value must be in the format TYPE[.API-GROUP]/NAME",
    ),
    "two slashes": (
        ("list", "wl", "--for", "job/train/x"),
        "arguments in resource/name form may not have more than one slash",
    ),
    "a type that is not there": (
        ("list", "wl", "--for", "spaceship/x"),
        'the server doesn\'t have a resource type "spaceship"',
    ),
    "pods of a kind that has none": (
        ("list", "pods", "--for", "namespace/default"),
        "unsupported kind: Namespace",
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refusals(argosy: Argosy, case: tuple[tuple[str, ...], str]) -> None:
    arguments, want = case
    assert argosy.fails(*arguments) == f"Error: {want}\n"


def test_pods_of_a_job(queues: Queues, argosy: Argosy) -> None:
    labels = {"batch.kubernetes.io/job-name": "train", "app": "x"}
    queues.host.run_pod("train-0", labels=labels)
    queues.host.run_pod("train-1", labels={"batch.kubernetes.io/job-name": "train"})
    queues.host.run_pod("stranger")
    try:
        assert aged(argosy("list", "pods", "--for", "job/train")) == [
            "NAME READY STATUS RESTARTS AGE",
            "train-0 0/1 Running 0",
            "train-1 0/1 Running 0",
        ]
        wide = aged(
            argosy("list", "po", "--for", "jobs.batch/train", "-l", "app=x", "-A", "-o", "wide")
        )
        assert wide == [
            "NAMESPACE NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES",
            "default train-0 0/1 Running 0 <none> host <none> <none>",
        ]
        named = argosy("list", "pods", "--for", "job/train", "-o", "name")
        assert named == "pod/train-0\npod/train-1\n"
    finally:
        for name in ("train-0", "train-1", "stranger"):
            queues.api.delete(f"/api/v1/namespaces/default/pods/{name}", {"gracePeriodSeconds": 0})


def test_a_context_that_is_not_there(argosy: Argosy) -> None:
    missing = argosy.fails("list", "cq", "--context", "nope")
    assert 'context "nope" does not exist; there are hosted' in missing
