"""batch/v1 Job.

Its pod template may change only while it is suspended and has no start time, so stopping takes three writes: suspend
(and note that this is under way, in an annotation), forget the start, restore the template. A Job in between counts as
not suspended: whoever finds it goes on from there.

A Job that names a minimum of parallelism may be started with fewer pods; completions follow where it says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from argosy.base.fielderrors import FieldError, forbidden, invalid
from argosy.base.types import Object
from argosy.client.resources import JOBS, Resource
from argosy.queueing.jobs import names
from argosy.queueing.jobs.kinds import JobKind, Outcome, Step
from argosy.queueing.jobs.podsets import Permanent, PodSetInfo, merged, restored
from argosy.queueing.jobs.topologies import (
    parse_bool,
    parse_int,
    topology_request,
    validate_topology,
    with_topology,
)

# Labels that the Job controller gives to pods of one Job.
OWN_LABELS: Final = (
    "job-name", "controller-uid", "batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid",
)  # fmt: skip
COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
_MIN_PATH: Final = f"metadata.annotations[{names.MIN_PARALLELISM}]"
_SYNC_PATH: Final = f"metadata.annotations[{names.COMPLETIONS_EQUAL_PARALLELISM}]"


class BatchJobs(JobKind):
    """Jobs of Kubernetes itself."""

    framework: ClassVar = "batch/job"
    resource: ClassVar[Resource] = JOBS
    is_builtin: ClassVar = True

    def is_suspended(self, job: Object) -> bool:
        is_told = bool(job["spec"].get("suspend"))
        return is_told and _annotations(job).get(names.STOPPING) != "true"

    def suspended(self, job: Object) -> Object:
        return {**job, "spec": {**job["spec"], "suspend": True}}

    def is_active(self, job: Object) -> bool:
        return bool((job.get("status") or {}).get("active"))

    def pod_sets(self, job: Object) -> list[Object]:
        template = without_own_labels(job["spec"]["template"])
        pod_set: Object = {
            "name": names.MAIN,
            "count": pods_count(job["spec"]),
            "template": template,
        }
        least = _least(job)
        if least is not None:
            pod_set["minCount"] = least
        request = topology_request(template, pod_index_label=COMPLETION_INDEX)
        return [with_topology(pod_set, request)]

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        if len(infos) != 1:
            raise Permanent(f"invalid podset infos: expecting 1 podset, got {len(infos)}")
        spec = {**job["spec"], "suspend": False}
        spec |= self._counts(job, infos[0])
        spec["template"] = merged(spec["template"], infos[0])
        return {**job, "spec": spec}

    def restored(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        if not infos:
            return job
        spec = {**job["spec"], **self._counts(job, infos[0])}
        spec["template"] = restored(spec["template"], infos[0], OWN_LABELS)
        return {**job, "spec": spec}

    def _counts(self, job: Object, info: PodSetInfo) -> Object:
        if _least(job) is None:
            return {}
        counts = {"parallelism": info.count}
        return counts | ({"completions": info.count} if _follows(job) else {})

    def stopping(self, job: Object, infos: Sequence[PodSetInfo]) -> list[Step]:
        steps = []
        if not self.is_suspended(job):
            annotations = {**_annotations(job), names.STOPPING: "true"}
            job = {
                **self.suspended(job),
                "metadata": {**job["metadata"], "annotations": annotations},
            }
            steps.append(Step(job))
        if (job.get("status") or {}).get("startTime"):
            job = {**job, "status": _without(job["status"], "startTime")}
            steps.append(Step(job, "status"))
        back = self.restored(job, infos)
        if names.STOPPING in _annotations(back):
            annotations = _without(_annotations(back), names.STOPPING)
            back = {**back, "metadata": {**back["metadata"], "annotations": annotations}}
        if back != job:
            steps.append(Step(back))
        return steps

    def finished(self, job: Object) -> Outcome | None:
        for condition in (job.get("status") or {}).get("conditions") or ():
            if condition["type"] in {"Complete", "Failed"} and condition["status"] == "True":
                return Outcome(condition["type"] == "Complete", condition.get("message", ""))
        return None

    def are_pods_ready(self, job: Object) -> bool:
        """Pods that have succeeded and are not counted yet are neither ready nor succeeded, and were both."""
        status = job.get("status") or {}
        uncounted = (status.get("uncountedTerminatedPods") or {}).get("succeeded") or ()
        done = status.get("succeeded", 0) + status.get("ready", 0) + len(uncounted)
        return bool(done >= pods_count(job["spec"]))

    def reclaimable(self, job: Object) -> Mapping[str, int]:
        spec, status = job["spec"], job.get("status") or {}
        parallelism = spec.get("parallelism", 1)
        ended = _ended(spec, status)
        if parallelism == 1 or not ended:
            return {}
        remaining = spec.get("completions", parallelism) - ended
        return {names.MAIN: parallelism - remaining} if remaining < parallelism else {}

    def can_be_dispatched(self, job: Object) -> bool:
        return job["spec"].get("managedBy") in {None, "kubernetes.io/job-controller"}

    # Rules.

    def validate(self, job: Object) -> list[FieldError]:
        count = pods_count(job["spec"])
        return [
            *_validate_completions(job),
            *validate_topology(job["spec"]["template"], "spec.template.metadata", count),
        ]

    def validate_create(self, job: Object) -> list[FieldError]:
        return _validate_least(job)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        given, before = _annotations(new), _annotations(old)
        errors: list[FieldError] = []
        if given.get(names.MIN_PARALLELISM) != before.get(names.MIN_PARALLELISM):
            errors += _validate_least(new)
        is_fixed = names.MIN_PARALLELISM in before and not old["spec"].get("suspend")
        if is_fixed and new["spec"].get("parallelism", 1) != old["spec"].get("parallelism", 1):
            detail = "cannot change when partial admission is enabled and the job is not suspended"
            errors.append(forbidden("spec.parallelism", detail))
        runs = not self.is_suspended(new) and not self.is_suspended(old)
        if runs and _follows(new) != _follows(old):
            errors.append(
                forbidden(_SYNC_PATH, "field is immutable while the job is not suspended")
            )
        return errors


def pods_count(spec: Object) -> int:
    """How many pods of a Job run at once."""
    parallelism: int = spec.get("parallelism", 1)
    completions: int | None = spec.get("completions")
    return parallelism if completions is None else min(parallelism, completions)


def without_own_labels(template: Object) -> Object:
    """A Job's template without the labels that no other Job's pods have."""
    meta = template.get("metadata") or {}
    labels = meta.get("labels") or {}
    if not labels.keys() & set(OWN_LABELS):
        return template
    kept = _without(labels, *OWN_LABELS)
    rest = {**_without(meta, "labels"), **({"labels": kept} if kept else {})}
    return {**_without(template, "metadata"), **({"metadata": rest} if rest else {})}


def _ended(spec: Object, status: Object) -> int:
    """Pods, or indexes, that will not run again."""
    if spec.get("completionMode") != "Indexed":
        return int(status.get("succeeded", 0))
    indexes = _indexes(status.get("completedIndexes", ""))
    return len(indexes | _indexes(status.get("failedIndexes") or ""))


def _indexes(text: str) -> set[int]:
    """The indexes that `1,3-5` stands for."""
    found: set[int] = set()
    for piece in text.split(",") if text else ():
        first, _, last = piece.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def _annotations(job: Object) -> dict[str, str]:
    found: dict[str, str] = job["metadata"].get("annotations") or {}
    return found


def _without(mapping: Object, *keys: str) -> Object:
    return {key: value for key, value in mapping.items() if key not in keys}


def _least(job: Object) -> int | None:
    return parse_int(_annotations(job).get(names.MIN_PARALLELISM, ""))


def _follows(job: Object) -> bool:
    """Whether completions follow parallelism."""
    return parse_bool(_annotations(job).get(names.COMPLETIONS_EQUAL_PARALLELISM, "")) is True


def _validate_least(job: Object) -> list[FieldError]:
    text = _annotations(job).get(names.MIN_PARALLELISM)
    if text is None:
        return []
    least = parse_int(text)
    if least is None:
        problem = f'strconv.Atoi: parsing "{text}": invalid syntax'
        return [invalid(_MIN_PATH, text, problem)]
    count = pods_count(job["spec"])
    if 0 < least < count:
        return []
    return [invalid(_MIN_PATH, least, f"should be between 0 and {count - 1}")]


def _validate_completions(job: Object) -> list[FieldError]:
    text, spec = _annotations(job).get(names.COMPLETIONS_EQUAL_PARALLELISM), job["spec"]
    if text is None:
        return []
    value = parse_bool(text)
    if value is None:
        problem = f'strconv.ParseBool: parsing "{text}": invalid syntax'
        return [invalid(_SYNC_PATH, text, problem)]
    errors: list[FieldError] = []
    if value and spec.get("completionMode", "NonIndexed") == "NonIndexed":
        errors.append(invalid(_SYNC_PATH, text, "should not be enabled for NonIndexed jobs"))
    if value and spec.get("parallelism", 1) != spec.get("completions", 1):
        key = names.COMPLETIONS_EQUAL_PARALLELISM
        detail = f"should be equal to parallelism when {key} is annotation is true"
        errors.append(invalid("spec.completions", spec.get("completions"), detail))
    return errors
