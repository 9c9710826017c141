"""Pod sets of every kind, and the law of starting and restoring."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.base.types import Json, Object
from argosy.queueing.jobs.integrations.batchjobs import BatchJobs
from argosy.queueing.jobs.integrations.jobsets import JobSets
from argosy.queueing.jobs.integrations.rayjobs import RayJobs
from argosy.queueing.jobs.integrations.rays import RayClusters
from argosy.queueing.jobs.kinds import JobKind, Stop
from argosy.queueing.jobs.matching import is_equivalent
from argosy.queueing.jobs.podsets import Permanent, PodSetInfo, assigned, merged, remembered
from tests.unit.queueing.jobs.builders import (
    NOW,
    TRAINING,
    every_kind,
    job,
    ray,
    replicated,
    template,
    workload_of,
)


@dataclass
class Case:
    kind: JobKind
    job: Object
    want: list[Object]


TOPOLOGY = {"annotations": {"kueue.x-k8s.io/podset-required-topology": "rack"}}
OWN_LABELS = {"labels": {"job-name": "j", "batch.kubernetes.io/controller-uid": "u", "a": "b"}}
AUTOSCALER = {"name": "autoscaler", "resources": {"requests": {"cpu": "500m", "memory": "512Mi"}}}

CASES = {
    "a Job runs no more pods at once than it has to complete": Case(
        BatchJobs(),
        job({"parallelism": 5, "completions": 3, "template": template()}),
        [{"name": "main", "count": 3, "template": template()}],
    ),
    "labels of one Job are no part of its pod set": Case(
        BatchJobs(),
        job({"parallelism": 1, "template": template(metadata=OWN_LABELS)}),
        [{"name": "main", "count": 1, "template": template(metadata={"labels": {"a": "b"}})}],
    ),
    "a Job may do with fewer pods": Case(
        BatchJobs(),
        job(annotations={"kueue.x-k8s.io/job-min-parallelism": "1"}),
        [{"name": "main", "count": 2, "minCount": 1, "template": template()}],
    ),
    "a Job asks for a topology": Case(
        BatchJobs(),
        job({"parallelism": 1, "template": template(metadata=TOPOLOGY)}),
        [
            {
                "name": "main",
                "count": 1,
                "template": template(metadata=TOPOLOGY),
                "topologyRequest": {
                    "required": "rack",
                    "podIndexLabel": "batch.kubernetes.io/job-completion-index",
                },
            }
        ],
    ),
    "a JobSet has one per replicated job, with the pods of all replicas": Case(
        JobSets(),
        job(
            {
                "replicatedJobs": [
                    replicated("a", 1, template()),
                    replicated("b", 2, template(metadata=TOPOLOGY), parallelism=3, completions=2),
                ]
            }
        ),
        [
            {"name": "a", "count": 1, "template": template()},
            {
                "name": "b",
                "count": 4,
                "template": template(metadata=TOPOLOGY),
                "topologyRequest": {
                    "required": "rack",
                    "podIndexLabel": "batch.kubernetes.io/job-completion-index",
                    "subGroupIndexLabel": "jobset.sigs.k8s.io/job-index",
                    "subGroupCount": 2,
                },
            },
        ],
    ),
    "a RayCluster has a head and its worker groups, hosts counted": Case(
        RayClusters(),
        job(ray()),
        [
            {"name": "head", "count": 1, "template": template("2")},
            {"name": "big", "count": 4, "template": template("4")},
        ],
    ),
    "an autoscaler stands beside the head": Case(
        RayClusters(),
        job(ray(enableInTreeAutoscaling=True, workerGroupSpecs=[])),
        [
            {
                "name": "head",
                "count": 1,
                "template": {
                    "spec": {"containers": [*template("2")["spec"]["containers"], AUTOSCALER]}
                },
            }
        ],
    ),
    "a RayJob has a submitter of its own": Case(
        RayJobs(),
        job({"rayClusterSpec": ray(workerGroupSpecs=[]), "submitterPodTemplate": template("3")}),
        [
            {"name": "head", "count": 1, "template": template("2")},
            {"name": "submitter", "count": 1, "template": template("3")},
        ],
    ),
    "a RayJob over HTTP has none": Case(
        RayJobs(),
        job({"rayClusterSpec": ray(workerGroupSpecs=[]), "submissionMode": "HTTPMode"}),
        [{"name": "head", "count": 1, "template": template("2")}],
    ),
    "a TFJob lists its roles in upstream's order": Case(
        TRAINING["TFJob"],
        job(
            {
                "tfReplicaSpecs": {
                    "Worker": {"replicas": 2, "template": template()},
                    "PS": {"template": template("2")},
                    "Chief": {"template": template("3")},
                }
            }
        ),
        [
            {"name": "chief", "count": 1, "template": template("3")},
            {"name": "ps", "count": 1, "template": template("2")},
            {"name": "worker", "count": 2, "template": template()},
        ],
    ),
    "an MPIJob begins with its launcher": Case(
        TRAINING["MPIJob"],
        job(
            {
                "mpiReplicaSpecs": {
                    "Worker": {"replicas": 2, "template": template()},
                    "Launcher": {"template": template("2")},
                }
            }
        ),
        [
            {"name": "launcher", "count": 1, "template": template("2")},
            {"name": "worker", "count": 2, "template": template()},
        ],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_pod_sets(case: Case) -> None:
    assert case.kind.pod_sets(case.job) == case.want


def test_the_default_submitter_takes_the_heads_image() -> None:
    (_, submitter) = RayJobs().pod_sets(job({"rayClusterSpec": ray(workerGroupSpecs=[])}))
    assert submitter["template"]["spec"]["containers"] == [
        {
            "name": "ray-job-submitter",
            "image": "i",
            "resources": {
                "requests": {"cpu": "500m", "memory": "200Mi"},
                "limits": {"cpu": "1", "memory": "1Gi"},
            },
        }
    ]


# The law.

_WORDS = st.sampled_from(["a", "b", "c"])
_MAPS = st.dictionaries(_WORDS, _WORDS, max_size=2)
_TOLERATIONS = st.lists(
    st.fixed_dictionaries({"key": _WORDS, "operator": st.just("Exists")}), max_size=2
)


@st.composite
def _templates(draw: st.DrawFn) -> Object:
    """Pod templates without empty parts, as the server stores them."""
    meta = {"labels": draw(_MAPS), "annotations": draw(_MAPS)}
    spec = {"nodeSelector": draw(_MAPS), "tolerations": draw(_TOLERATIONS)}
    gates = draw(st.lists(st.fixed_dictionaries({"name": _WORDS}), max_size=1))
    kept = {key: value for key, value in meta.items() if value}
    pods = template(draw(st.sampled_from(["1", "2"])))["spec"]
    pods |= {key: value for key, value in {**spec, "schedulingGates": gates}.items() if value}
    return {**({"metadata": kept} if kept else {}), "spec": pods}


@st.composite
def _infos(draw: st.DrawFn, names: list[str]) -> list[PodSetInfo]:
    """What contradicts no template: keys of its own."""
    keys = st.sampled_from(["x", "y"])
    maps = st.dictionaries(keys, _WORDS, max_size=2)
    return [
        PodSetInfo(name, 1, draw(maps), draw(maps), draw(maps), draw(_TOLERATIONS), [{"name": "g"}])
        for name in names
    ]


@pytest.mark.parametrize("name", list(every_kind(template())))
@settings(max_examples=40)
@given(data=st.data())
def test_a_job_that_is_started_and_restored_is_what_it_was(name: str, data: st.DataObject) -> None:
    kind, given_job = every_kind(data.draw(_templates()))[name]
    workload = workload_of(kind, given_job)
    names = [each["name"] for each in kind.pod_sets(given_job)]
    started = kind.started(given_job, data.draw(_infos(names)))
    assert not kind.is_suspended(started)
    got = kind.restored(kind.suspended(started), remembered(workload))
    assert got == given_job


@pytest.mark.parametrize("name", list(every_kind(template())))
def test_a_job_runs_as_its_workload_expects(name: str) -> None:
    """Started with what was assigned, it is still the job of its Workload."""
    from tests.unit.queueing.jobs.builders import FLAVOR

    kind, given_job = every_kind(template())[name]
    workload = workload_of(kind, given_job, admitted=True)
    started = kind.started(given_job, assigned(workload, lambda _: FLAVOR))
    assert is_equivalent(kind, started, workload, lambda _: FLAVOR)
    assert is_equivalent(kind, given_job, workload, lambda _: FLAVOR)


@pytest.mark.parametrize("name", list(every_kind(template())))
def test_other_pod_sets_than_the_jobs_are_refused_for_good(name: str) -> None:
    kind, given_job = every_kind(template())[name]
    with pytest.raises(Permanent, match="invalid podset infos: expecting"):
        kind.started(given_job, [])


CONFLICTS = {
    "nodeSelector": (
        {"nodeSelector": {"k": "a"}},
        {"node_selector": {"k": "b"}},
        "conflict for nodeSelector: conflict for key=k, value1=a, value2=b",
    ),
    "labels": (
        {"metadata": {"labels": {"k": "a"}}},
        {"labels": {"k": "b"}},
        "conflict for labels: conflict for key=k, value1=a, value2=b",
    ),
    "annotations": (
        {"metadata": {"annotations": {"k": "a"}}},
        {"annotations": {"k": "b"}},
        "conflict for annotations: conflict for key=k, value1=a, value2=b",
    ),
}


@pytest.mark.parametrize(("pods", "info", "want"), CONFLICTS.values(), ids=CONFLICTS.keys())
def test_what_contradicts_a_template_is_refused_for_good(
    pods: Object, info: dict[str, Json], want: str
) -> None:
    with pytest.raises(Permanent) as caught:
        merged(template(**pods), PodSetInfo("main", **info))
    assert str(caught.value) == f"invalid admission check PodSetUpdate: {want}"


def test_checks_that_contradict_each_other_are_named() -> None:
    from tests.unit.queueing.jobs.builders import FLAVOR

    checks = [
        {
            "name": "one",
            "state": "Ready",
            "podSetUpdates": [{"name": "main", "nodeSelector": {"k": "a"}}],
        },
        {
            "name": "two",
            "state": "Ready",
            "podSetUpdates": [{"name": "main", "nodeSelector": {"k": "b"}}],
        },
    ]
    workload = workload_of(BatchJobs(), job(), admitted=True, admissionChecks=checks)
    with pytest.raises(Permanent) as caught:
        assigned(workload, lambda _: FLAVOR)
    assert str(caught.value) == (
        'in admission check "two": invalid admission check PodSetUpdate: '
        "conflict for nodeSelector: conflict for key=k, value1=a, value2=b"
    )


def test_a_running_job_is_stopped_in_three_steps() -> None:
    kind = BatchJobs()
    given_job = job(
        {"suspend": False, "parallelism": 2, "template": template(nodeSelector={"tier": "spot"})},
        status={"startTime": "2026-01-01T00:00:00Z", "active": 2},
    )
    workload = workload_of(kind, job())
    stop = Stop("x", "y", NOW)
    steps = kind.stopping(given_job, remembered(workload), stop)
    first, second, third = [step.after for step in steps]
    assert first is not None
    assert second is not None
    assert third is not None
    assert (first["spec"]["suspend"], first["metadata"]["annotations"]) == (
        True,
        {"kueue.x-k8s.io/stopping": "true"},
    )
    assert [step.subresource for step in steps] == ["", "status", ""]
    assert [step.is_told for step in steps] == [True, False, False]
    assert second["status"] == {"active": 2}
    assert (third["spec"]["template"], third["metadata"]["annotations"]) == (template(), {})
    # Whoever finds it half way goes on.
    assert not kind.is_suspended(first)
    again = kind.stopping(first, remembered(workload), stop)
    assert [step.subresource for step in again] == ["", "status", ""]
    assert kind.stopping(third, remembered(workload), stop) == []
