"""What is wrong with a JobSet, in the words of upstream's validating webhook.

Pure. Both functions return messages in upstream's order; what the schema or its CEL rules refuse never comes here. One
order is ours: failure policy rules that share a name are named in the order of the list, where Go's maps have none.

Differs: immutable parts are compared as JSON without empty fields, so a quantity written another way (1 and 1000m) is a
change here.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from argosy.api.objects.jobsets import Coordinator, FailurePolicy, JobSet, JobSetSpec, ReplicatedJob
from argosy.api.rules.metadata import immutable
from argosy.api.rules.names import (
    is_dns1035_label,
    is_dns1123_subdomain,
    validate_domain_prefixed_path,
)
from argosy.base.fielderrors import invalid, too_long
from argosy.base.types import Json, Object
from argosy.workloads.jobsets.names import job_name

_MANAGED_BY_CHARACTERS: Final = 63
_INT32: Final = 2**31 - 1
_RULE_NAME_CHARACTERS: Final = 128
_RULE_NAME: Final = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
# Why a Job may have failed.
_REASONS: Final = frozenset(
    {
        "BackoffLimitExceeded",
        "DeadlineExceeded",
        "FailedIndexes",
        "MaxFailedIndexesExceeded",
        "PodFailurePolicy",
    }
)

# The generic text for names over 63 characters, which gives way to one that says what to shorten.
_TOO_LONG: Final = "must be no more than 63 characters"
_SUBDOMAIN: Final = ".spec.network.subdomain is too long, must be less than 63 characters"
_GROUP: Final = ".spec.replicatedJob[].groupName is too long, must be less than 63 characters"
_JOB: Final = (
    "JobSet name is too long, job names generated for this JobSet will exceed 63 characters"
)
_POD: Final = (
    "JobSet name is too long, pod names generated for this JobSet will exceed 63 characters"
)
# Stands for the five random characters at the end of a pod's name.
_SUFFIX: Final = "-abcde"

# What a queueing system may change in the pod templates of a suspended JobSet.
_MUTABLE_META: Final = ("annotations", "labels")
_MUTABLE_SPEC: Final = ("nodeSelector", "tolerations", "schedulingGates")


def validate_create(jobset: Object) -> list[str]:
    """The problems of a new, defaulted JobSet that its schema accepts."""
    try:
        read = msgspec.convert(jobset, JobSet)
    except msgspec.ValidationError as error:
        # A whole number written as 2.0, which schemas take for an integer and controllers could not read.
        return [str(error)]
    spec = read.spec
    problems: list[str] = []
    jobs = jobset["spec"].get("replicatedJobs") or ()
    if jobs and "dependsOn" in jobs[0]:
        problems.append("DependsOn can't be set for the first ReplicatedJob")
    problems += _subdomain(spec.network.subdomain)
    problems += _managed_by(spec.managed_by)
    names: set[str] = set()
    for index, job in enumerate(spec.replicated_jobs):
        names.add(job.name)
        problems += _replicated_job(read.metadata.name, job, index)
        problems += [
            f"replicatedJob: {job.name} cannot depend on replicatedJob: {on.name}"
            for on in job.depends_on
            if on.name not in names
        ]
    problems += [
        f"invalid replicatedJob name '{name}' does not appear in .spec.ReplicatedJobs"
        for name in spec.success_policy.target_replicated_jobs
        if name not in names
    ]
    if spec.failure_policy is not None:
        problems += _failure_policy(spec.failure_policy, names)
    if spec.coordinator is not None and (problem := _coordinator(spec, spec.coordinator)):
        problems.append(problem)
    return problems


def validate_update(new: Object, old: Object) -> list[str]:
    """What a change may not change. The policies and the network are the schema's concern."""
    now, was = new.get("spec") or {}, old.get("spec") or {}
    jobs = now.get("replicatedJobs") or []
    before = was.get("replicatedJobs") or []
    if now.get("suspend") or was.get("suspend"):
        jobs = [
            _with_old(job, before[index]) if index < len(before) else job
            for index, job in enumerate(jobs)
        ]
    errors = []
    if _substance(jobs) != _substance(before):
        errors += immutable(jobs, before, "spec.replicatedJobs")
    errors += immutable(now.get("managedBy"), was.get("managedBy"), "spec.managedBy")
    return [str(error) for error in errors]


def _replicated_job(jobset: str, job: ReplicatedJob, index: int) -> list[str]:
    path = f"spec.replicatedJobs[{index}]"
    spec = job.template.get("spec") or {}
    problems = []
    if spec.get("parallelism", 1) * job.replicas > _INT32:
        problems.append(
            f"the product of replicas and parallelism must not exceed {_INT32} for replicatedJob '{job.name}'"
        )
    problems += _name_problems(f"{path}.groupName", job.group_name, job.group_name, _GROUP)
    longest = job_name(jobset, job.name, job.replicas - 1)
    problems += _name_problems(f"{path}.name", longest, longest, _JOB)
    completions = spec.get("completions")
    if spec.get("completionMode") == "Indexed" and completions is not None:
        pod = f"{longest}-{completions - 1}{_SUFFIX}"
        problems += _name_problems(f"{path}.name", pod, longest, _POD)
    return problems


def _name_problems(path: str, name: str, shown: str, too_long_text: str) -> list[str]:
    """Why a name is no DNS label."""
    return [
        str(invalid(path, shown, too_long_text if _TOO_LONG in problem else problem))
        for problem in is_dns1035_label(name)
    ]


def _subdomain(name: str) -> list[str]:
    if not name:
        return []
    path = "spec.network.subdomain"
    problems = [str(invalid(path, name, problem)) for problem in is_dns1123_subdomain(name)]
    return problems + _name_problems(path, name, name, _SUBDOMAIN)


def _managed_by(manager: str | None) -> list[str]:
    if manager is None:
        return []
    path = "spec.managedBy"
    errors = validate_domain_prefixed_path(manager, path)
    if len(manager) > _MANAGED_BY_CHARACTERS:
        errors = [*errors, too_long(path, _MANAGED_BY_CHARACTERS)]
    return [str(error) for error in errors]


def _failure_policy(policy: FailurePolicy, names: set[str]) -> list[str]:
    problems = []
    indices: dict[str, list[int]] = {}
    for index, rule in enumerate(policy.rules):
        indices.setdefault(rule.name, []).append(index)
        length = len(rule.name.encode())
        if not 1 <= length <= _RULE_NAME_CHARACTERS:
            problems.append(
                f"invalid failure policy rule name of length {length}, the rule name must be at least 1 characters "
                f"long and at most {_RULE_NAME_CHARACTERS} characters long"
            )
        if not _RULE_NAME.fullmatch(rule.name):
            problems.append(
                f"invalid failure policy rule name '{rule.name}', a failure policy rule name must start with an "
                "alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must "
                "end with an alphanumeric character or '_'"
            )
        problems += [
            f"invalid replicatedJob name '{name}' in failure policy does not appear in .spec.ReplicatedJobs"
            for name in rule.target_replicated_jobs
            if name not in names
        ]
        problems += [
            f"invalid job failure reason '{reason}' in failure policy is not a recognized job failure reason"
            for reason in rule.on_job_failure_reasons
            if reason not in _REASONS
        ]
    for name, shared in indices.items():
        if len(shared) > 1:
            listed = " ".join(map(str, shared))
            problems.append(
                f"rule names are not unique, rules with indices [{listed}] all have the same name '{name}'"
            )
    return problems


def _coordinator(spec: JobSetSpec, coordinator: Coordinator) -> str:
    name, index, pod = coordinator.replicated_job, coordinator.job_index, coordinator.pod_index
    job = next((job for job in spec.replicated_jobs if job.name == name), None)
    if job is None:
        return f"coordinator replicatedJob {name} does not exist"
    if not 0 <= index < job.replicas:
        return f"coordinator job index {index} is invalid for replicatedJob {name}"
    template = job.template.get("spec") or {}
    completions = template.get("completions")
    if template.get("completionMode") != "Indexed" or completions is None:
        return "job for coordinator pod must be indexed completion mode, and completions number must be set"
    if not 0 <= pod < completions:
        return f"coordinator pod index {pod} is invalid for replicatedJob {name} job index {index}"
    return ""


def _with_old(job: Object, old: Object) -> Object:
    """The replicated job with those parts of its pod template put back that may change."""
    spec = job["template"].get("spec") or {}
    pod, before = spec.get("template") or {}, _pod_template(old)
    pod = pod | {
        "metadata": _put_back(pod.get("metadata"), before.get("metadata"), _MUTABLE_META),
        "spec": _put_back(pod.get("spec"), before.get("spec"), _MUTABLE_SPEC),
    }
    return job | {"template": job["template"] | {"spec": spec | {"template": pod}}}


def _pod_template(job: Object) -> Object:
    template: Object = (job["template"].get("spec") or {}).get("template") or {}
    return template


def _put_back(now: Object | None, was: Object | None, fields: tuple[str, ...]) -> Object:
    kept = {field: value for field, value in (now or {}).items() if field not in fields}
    return kept | {field: was[field] for field in fields if was and field in was}


def _substance(value: Json) -> Json:
    """The value without what is empty, which Go's types do not tell from what is missing."""
    match value:
        case dict():
            parts = ((key, _substance(part)) for key, part in value.items())
            return {key: part for key, part in parts if part not in (None, {}, [])}
        case list():
            return [_substance(part) for part in value]
        case _:
            return value
