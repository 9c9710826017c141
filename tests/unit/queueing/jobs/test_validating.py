"""What is refused of jobs, in upstream's words."""

from __future__ import annotations

import pytest

from argosy.base.types import Json, Object
from argosy.queueing.jobs.integrations.batchjobs import BatchJobs
from argosy.queueing.jobs.integrations.jobsets import JobSets
from argosy.queueing.jobs.integrations.pods import LonePods
from argosy.queueing.jobs.integrations.rays import RayClusters
from argosy.queueing.jobs.integrations.services import Deployments, StatefulSets
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.validating import validate_create, validate_update
from tests.unit.queueing.jobs.builders import job, replicated, template

PREFIX = "kueue.x-k8s.io/"
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def _label(name: str, value: str, **more: Json) -> Object:
    return job(labels={f"{PREFIX}{name}": value}, **more)


def _annotated(**annotations: str) -> Object:
    given = {f"{PREFIX}{name.replace('_', '-')}": value for name, value in annotations.items()}
    return job(annotations=given)


def _pods(**annotations: str) -> Object:
    given = {f"{PREFIX}{name.replace('_', '-')}": value for name, value in annotations.items()}
    return job(
        {"suspend": True, "parallelism": 2, "template": template(metadata={"annotations": given})}
    )


AT = "spec.template.metadata.annotations"
CREATED: dict[str, tuple[JobKind, Object, list[str]]] = {
    "a good one": (BatchJobs(), job(), []),
    "a queue that can be none": (
        BatchJobs(),
        _label("queue-name", "a_b"),
        [f'metadata.labels[{PREFIX}queue-name]: Invalid value: "a_b": {SUBDOMAIN}'],
    ),
    "a queue in the annotation that can be none": (
        BatchJobs(),
        _annotated(queue_name="a_b"),
        [f'metadata.annotations[{PREFIX}queue-name]: Invalid value: "a_b": {SUBDOMAIN}'],
    ),
    "a time that is no number": (
        BatchJobs(),
        _label("max-exec-time-seconds", "soon"),
        [
            (f'metadata.labels[{PREFIX}max-exec-time-seconds]: Invalid value: "soon": '
            'strconv.Atoi: parsing "soon": invalid syntax')
        ],
    ),
    "no time at all": (
        BatchJobs(),
        _label("max-exec-time-seconds", "0"),
        [f"metadata.labels[{PREFIX}max-exec-time-seconds]: Invalid value: 0: should be greater than 0"],
    ),
    "a prebuilt Workload of a kind that takes none": (
        Deployments(),
        _label("prebuilt-workload-name", "w"),
        [f'metadata.labels[{PREFIX}prebuilt-workload-name]: Forbidden: Is not supported for "apps/v1, Kind=Deployment"'],
    ),
    "an elastic JobSet": (
        JobSets(),
        _annotated(elastic_job="true"),
        [
            (f"metadata.annotations[{PREFIX}elastic-job]: Forbidden: "
            'Is not supported for "jobset.x-k8s.io/v1alpha2, Kind=JobSet"')
        ],
    ),
    "as few pods as it has": (
        BatchJobs(),
        _annotated(job_min_parallelism="2"),
        [f"metadata.annotations[{PREFIX}job-min-parallelism]: Invalid value: 2: should be between 0 and 1"],
    ),
    "a minimum that is no number": (
        BatchJobs(),
        _annotated(job_min_parallelism="few"),
        [
            (f'metadata.annotations[{PREFIX}job-min-parallelism]: Invalid value: "few": '
            'strconv.Atoi: parsing "few": invalid syntax')
        ],
    ),
    "completions that follow in a Job without indexes": (
        BatchJobs(),
        _annotated(job_completions_equal_parallelism="true"),
        [
            (f'metadata.annotations[{PREFIX}job-completions-equal-parallelism]: Invalid value: "true": '
            "should not be enabled for NonIndexed jobs"),
            ("spec.completions: Invalid value: null: should be equal to parallelism when "
            f"{PREFIX}job-completions-equal-parallelism is annotation is true"),
        ],
    ),
    "two topologies at once": (
        BatchJobs(),
        _pods(podset_required_topology="rack", podset_preferred_topology="rack"),
        [
            (f'{AT}: Invalid value: must not contain more than one topology annotation: '
            f'["{PREFIX}podset-required-topology", "{PREFIX}podset-preferred-topology", '
            f'"{PREFIX}podset-unconstrained-topology"]')
        ],
    ),
    "a topology that is neither true nor false": (
        BatchJobs(),
        _pods(podset_unconstrained_topology="maybe"),
        [f'{AT}[{PREFIX}podset-unconstrained-topology]: Invalid value: "maybe": must be a boolean value'],
    ),
    "slices without a size": (
        BatchJobs(),
        _pods(podset_slice_required_topology="rack"),
        [f"{AT}[{PREFIX}podset-slice-size]: Required value: slice size is required if slice topology is requested"],
    ),
    "a size without slices": (
        BatchJobs(),
        _pods(podset_slice_size="1"),
        [
            (f"{AT}[{PREFIX}podset-slice-size]: Forbidden: cannot be set when "
            f"'{PREFIX}podset-slice-required-topology' is not present")
        ],
    ),
    "slices larger than the pod set": (
        BatchJobs(),
        _pods(podset_slice_required_topology="rack", podset_slice_size="3"),
        [f'{AT}[{PREFIX}podset-slice-size]: Invalid value: "3": must not be greater than pod set count 2'],
    ),
    "slices of no pods": (
        BatchJobs(),
        _pods(podset_slice_required_topology="rack", podset_slice_size="0"),
        [f'{AT}[{PREFIX}podset-slice-size]: Invalid value: "0": must be greater than or equal to 1'],
    ),
    "a replicated job is named by its index": (
        JobSets(),
        job(
            {
                "replicatedJobs": [
                    replicated("a", 1, template()),
                    replicated("b", 1, _pods(podset_slice_size="x")["spec"]["template"]),
                ]
            }
        ),
        [
            (f"spec.replicatedJobs[1].template.metadata.annotations[{PREFIX}podset-slice-size]: "
            'Invalid value: "x": must be a numeric value'),
            (f"spec.replicatedJobs[1].template.metadata.annotations[{PREFIX}podset-slice-size]: Forbidden: "
            f"cannot be set when '{PREFIX}podset-slice-required-topology' is not present"),
        ],
    ),
    "a worker group with the name of the head": (
        RayClusters(),
        job({"workerGroupSpecs": [{"groupName": "Head"}]}),
        ['spec.workerGroupSpecs[0].groupName: Invalid value: "Head": "head" is reserved'],
    ),
    "a pod that is managed in another way": (
        LonePods(),
        _label("managed", "false"),
        [f"metadata.labels[{PREFIX}managed]: Forbidden: managed label value can only be 'true'"],
    ),
    "a group without a number": (
        LonePods(),
        _label("pod-group-name", "g"),
        [
            (f"metadata.annotations[{PREFIX}pod-group-total-count]: Required value: both the "
            f"'{PREFIX}pod-group-total-count' annotation and the '{PREFIX}pod-group-name' label should be set")
        ],
    ),
    "a number without a group": (
        LonePods(),
        _annotated(pod_group_total_count="2"),
        [
            (f"metadata.labels[{PREFIX}pod-group-name]: Required value: both the "
            f"'{PREFIX}pod-group-total-count' annotation and the '{PREFIX}pod-group-name' label should be set")
        ],
    ),
    "a group of nobody": (
        LonePods(),
        _label("pod-group-name", "g", annotations={f"{PREFIX}pod-group-total-count": "0"}),
        [
            (f'metadata.annotations[{PREFIX}pod-group-total-count]: Invalid value: "0": incorrect annotation value '
            f"'{PREFIX}pod-group-total-count=0': group total count should be greater than zero")
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "new", "want"), CREATED.values(), ids=CREATED.keys())
def test_create(kind: JobKind, new: Object, want: list[str]) -> None:
    assert [str(error) for error in validate_create(kind, new)] == want


RUNNING: Object = {"suspend": False, "parallelism": 2, "template": template()}
SET: Object = {"replicas": 2, "template": template()}


def _run(label: str = "", value: str = "", **more: Json) -> Object:
    return job(RUNNING, labels={f"{PREFIX}{label}": value} if label else {}, **more)


UPDATED: dict[str, tuple[JobKind, Object, Object, list[str]]] = {
    "another queue while it waits": (
        BatchJobs(), _label("queue-name", "b"), _label("queue-name", "a"), [],
    ),
    "another queue while it runs": (
        BatchJobs(),
        _run("queue-name", "b"),
        _run("queue-name", "a"),
        [f'metadata.labels[{PREFIX}queue-name]: Invalid value: "b": field is immutable'],
    ),
    "another prebuilt Workload while it runs": (
        BatchJobs(),
        _run("prebuilt-workload-name", "b"),
        _run("prebuilt-workload-name", "a"),
        [f'metadata.labels[{PREFIX}prebuilt-workload-name]: Invalid value: "b": field is immutable'],
    ),
    "another priority class while it runs": (
        BatchJobs(), _run("priority-class", "b"), _run("priority-class", "a"), [],
    ),
    "a first priority class while it runs": (
        BatchJobs(),
        _run("priority-class", "b"),
        _run(),
        [
            (f'metadata.labels[{PREFIX}priority-class]: Invalid value: "b": '
            "WorkloadPriorityClass cannot be added to a non-suspended workload")
        ],
    ),
    "no priority class any more": (
        BatchJobs(),
        _run(),
        _run("priority-class", "a"),
        [
            (f'metadata.labels[{PREFIX}priority-class]: Invalid value: "": '
            "WorkloadPriorityClass cannot be removed from a workload")
        ],
    ),
    "another time while it runs": (
        BatchJobs(),
        _run("max-exec-time-seconds", "20"),
        _run("max-exec-time-seconds", "10"),
        [f'metadata.labels[{PREFIX}max-exec-time-seconds]: Invalid value: "20": field is immutable'],
    ),
    "elastic from now on": (
        BatchJobs(),
        _annotated(elastic_job="true"),
        job(),
        [f'metadata.annotations[{PREFIX}elastic-job]: Invalid value: "true": field is immutable'],
    ),
    "another number of pods while fewer were admitted": (
        BatchJobs(),
        job({**RUNNING, "parallelism": 3}, annotations={f"{PREFIX}job-min-parallelism": "1"}),
        job(RUNNING, annotations={f"{PREFIX}job-min-parallelism": "1"}),
        [
            ("spec.parallelism: Forbidden: cannot change when partial admission is enabled and the job is not "
            "suspended")
        ],
    ),
    "a StatefulSet of another size": (
        StatefulSets(),
        job({**SET, "replicas": 3}),
        job(SET),
        ["spec.replicas: Invalid value: 3: field is immutable"],
    ),
    "a StatefulSet back from zero too early": (
        StatefulSets(),
        job(SET, status={"replicas": 1}),
        job({**SET, "replicas": 0}, status={"replicas": 1}),
        ["spec.replicas: Forbidden: scaling down is still in progress"],
    ),
    "a StatefulSet that is not queued": (
        StatefulSets(), job({**SET, "replicas": 3}, labels={}), job(SET, labels={}), [],
    ),
    "another group": (
        LonePods(),
        _label("pod-group-name", "b", annotations={f"{PREFIX}pod-group-total-count": "1"}),
        _label("pod-group-name", "a", annotations={f"{PREFIX}pod-group-total-count": "1"}),
        [f'metadata.labels[{PREFIX}pod-group-name]: Invalid value: "b": field is immutable'],
    ),
    "a group that can be completed after all": (
        LonePods(),
        _label("pod-group-name", "a", annotations={f"{PREFIX}pod-group-total-count": "1"}),
        _label(
            "pod-group-name",
            "a",
            annotations={
                f"{PREFIX}pod-group-total-count": "1",
                f"{PREFIX}retriable-in-group": "false",
            },
        ),
        [
            (f"metadata.annotations[{PREFIX}retriable-in-group]: Forbidden: "
            "unretriable pod group can't be converted to retriable")
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "new", "old", "want"), UPDATED.values(), ids=UPDATED.keys())
def test_update(kind: JobKind, new: Object, old: Object, want: list[str]) -> None:
    assert [str(error) for error in validate_update(kind, new, old)] == want


def test_a_queue_cannot_be_left_where_there_is_a_default() -> None:
    got = validate_update(
        BatchJobs(), job(labels={}), _label("queue-name", "a"), has_default_queue=True
    )
    assert [str(error) for error in got] == [
        (
            f'metadata.labels[{PREFIX}queue-name]: Invalid value: "": '
            "queue-name must not be empty in namespace with default queue"
        )
    ]
