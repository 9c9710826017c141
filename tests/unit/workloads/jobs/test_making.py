"""The bodies of a Job's pods."""

from __future__ import annotations

from argosy.workloads.jobs.assessing import assess
from argosy.workloads.jobs.making import PodMaker, generate_name
from tests.unit.workloads.jobs.builders import at, job, ledger, pod

OWNER = {
    "apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "job-uid", "controller": True,
    "blockOwnerDeletion": True,
}  # fmt: skip
TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"


def test_a_pod_of_a_plain_job() -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "main"}]}}
    made = PodMaker(assess(job(template=template), ledger(), at(0), is_settled=True)).make(-1)
    assert made == {
        "metadata": {
            "generateName": "job-", "labels": {"a": "b"}, "finalizers": [TRACKING], "ownerReferences": [OWNER],
        },
        "spec": {"containers": [{"name": "main"}]},
    }  # fmt: skip


def test_a_pod_of_an_index_that_failed_before() -> None:
    template = {
        "spec": {
            "initContainers": [{"name": "i", "env": [{"name": "A"}]}],
            "containers": [{"name": "m"}],
        }
    }
    marks = {"batch.kubernetes.io/job-index-failure-count": "1"}
    failed = pod("f", "Failed", index=2, code=7, annotations=marks)
    policy = {"rules": [{"action": "Ignore", "onExitCodes": {"operator": "In", "values": [7]}}]}
    spec = job(
        template=template, completionMode="Indexed", completions=3, parallelism=3,
        backoffLimitPerIndex=5, podFailurePolicy=policy,
    )  # fmt: skip
    made = PodMaker(assess(spec, ledger(failed), at(0), is_settled=True)).make(2)
    variable = {
        "name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}},
    }  # fmt: skip
    assert made == {
        "metadata": {
            "generateName": "job-2-",
            "labels": {INDEX: "2"},
            "annotations": {
                INDEX: "2",
                "batch.kubernetes.io/job-index-failure-count": "1",
                "batch.kubernetes.io/job-index-ignored-failure-count": "1",
            },
            "finalizers": [TRACKING],
            "ownerReferences": [OWNER],
        },
        "spec": {
            "initContainers": [{"name": "i", "env": [{"name": "A"}, variable]}],
            "containers": [{"name": "m", "env": [variable]}],
            "hostname": "job-2",
        },
    }
    assert "env" not in template["spec"]["containers"][0]


def test_long_names_leave_room_for_the_index() -> None:
    assert generate_name("job", 7) == "job-7-"
    assert generate_name("j" * 63, 12345) == "j" * 51 + "-12345-"
