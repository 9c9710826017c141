"""What child Jobs are made of."""

from __future__ import annotations

import hashlib

import msgspec

from argosy.base.types import Object
from argosy.workloads.jobsets.making import child_job, headless_service, resumed_template
from argosy.workloads.jobsets.names import EXCLUSIVE_TOPOLOGY, NODE_SELECTOR_STRATEGY
from tests.unit.workloads.jobsets.builders import job, jobset, replicated

OWNER = {
    "apiVersion": "jobset.x-k8s.io/v1alpha2",
    "kind": "JobSet",
    "name": "js",
    "uid": "u1",
    "controller": True,
    "blockOwnerDeletion": True,
}


def test_a_child_job_knows_who_it_is() -> None:
    second = replicated("b", 2, groupName="workers")
    second["template"] |= {"metadata": {"labels": {"mine": "yes"}}}
    parent = jobset(
        replicated("a", 3),
        second,
        replicated("c", groupName="workers"),
        coordinator={"replicatedJob": "a", "jobIndex": 2, "podIndex": 1},
        network={"enableDNSHostnames": True, "subdomain": "net"},
        status={"restarts": 4},
        suspend=True,
    )
    got = child_job(parent, parent.spec.replicated_jobs[1], 1)
    identity = {
        "jobset.sigs.k8s.io/jobset-name": "js",
        "jobset.sigs.k8s.io/jobset-uid": "u1",
        "jobset.sigs.k8s.io/replicatedjob-name": "b",
        "jobset.sigs.k8s.io/restart-attempt": "4",
        "jobset.sigs.k8s.io/replicatedjob-replicas": "2",
        "jobset.sigs.k8s.io/global-replicas": "6",
        "jobset.sigs.k8s.io/job-index": "1",
        "jobset.sigs.k8s.io/job-key": hashlib.sha1(b"ns/js-b-1").hexdigest(),
        "jobset.sigs.k8s.io/job-global-index": "4",
        "jobset.sigs.k8s.io/group-name": "workers",
        "jobset.sigs.k8s.io/group-replicas": "3",
        "jobset.sigs.k8s.io/job-group-index": "1",
        "jobset.sigs.k8s.io/coordinator": "js-a-2-1.net",
    }
    want = {
        "metadata": {
            "name": "js-b-1",
            "namespace": "ns",
            "labels": {"mine": "yes", **identity},
            "annotations": identity,
            "ownerReferences": [OWNER],
        },
        "spec": {
            "suspend": True,
            "template": {
                "metadata": {"labels": identity, "annotations": identity},
                "spec": {"containers": [{"name": "main", "image": "x"}], "subdomain": "net"},
            },
        },
    }
    assert got == want


def test_a_template_is_not_changed_by_what_is_made_from_it() -> None:
    parent = jobset(
        replicated("a"),
        metadata={"annotations": {EXCLUSIVE_TOPOLOGY: "rack", NODE_SELECTOR_STRATEGY: "true"}},
    )
    before = msgspec.json.encode(parent)
    child_job(parent, parent.spec.replicated_jobs[0], 0)
    assert msgspec.json.encode(parent) == before


def test_exclusive_placement_of_one_replicated_job_only() -> None:
    marked = replicated("b")
    marked["template"] |= {"metadata": {"annotations": {EXCLUSIVE_TOPOLOGY: "rack"}}}
    parent = jobset(replicated("a"), marked)
    got = [
        child_job(parent, each, 0)["spec"]["template"]["metadata"]["annotations"].get(
            EXCLUSIVE_TOPOLOGY
        )
        for each in parent.spec.replicated_jobs
    ]
    assert got == [None, "rack"]


def test_the_node_selector_strategy_pins_and_tolerates() -> None:
    parent = jobset(
        replicated("a"),
        metadata={"annotations": {EXCLUSIVE_TOPOLOGY: "rack", NODE_SELECTOR_STRATEGY: "true"}},
    )
    spec = child_job(parent, parent.spec.replicated_jobs[0], 0)["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"alpha.jobset.sigs.k8s.io/namespaced-job": "ns_js-a-0"}
    assert spec["tolerations"] == [
        {
            "key": "alpha.jobset.sigs.k8s.io/no-schedule",
            "operator": "Exists",
            "effect": "NoSchedule",
        }
    ]


def test_the_service_is_named_after_the_jobset_unless_told() -> None:
    want: Object = {
        "metadata": {"name": "js", "namespace": "ns", "ownerReferences": [OWNER]},
        "spec": {
            "clusterIP": "None",
            "selector": {"jobset.sigs.k8s.io/jobset-name": "js"},
            "publishNotReadyAddresses": True,
        },
    }
    assert headless_service(jobset()) == want
    named = jobset(network={"subdomain": "net", "publishNotReadyAddresses": False})
    got = headless_service(named)
    assert (got["metadata"]["name"], got["spec"]["publishNotReadyAddresses"]) == ("net", False)


def test_what_a_job_takes_over_when_it_resumes() -> None:
    changed = replicated("a")
    changed["template"]["spec"]["template"] = {
        "metadata": {"labels": {"a": "new"}},
        "spec": {"nodeSelector": {"b": "new"}, "tolerations": [{"key": "t"}, {"key": "new"}]},
    }
    now = {
        "metadata": {"labels": {"a": "old", "c": "kept"}},
        "spec": {"nodeSelector": {"d": "kept"}, "tolerations": [{"key": "t"}]},
    }
    parent = jobset(changed)
    got = resumed_template(job("a", template=now), parent.spec.replicated_jobs[0])
    assert got == {
        "metadata": {"labels": {"a": "new", "c": "kept"}, "annotations": {}},
        "spec": {
            "nodeSelector": {"d": "kept", "b": "new"},
            "tolerations": [{"key": "t"}, {"key": "new"}],
            "schedulingGates": None,
        },
    }
