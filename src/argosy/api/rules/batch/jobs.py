"""Jobs: what the server sets on create, keeps on update, and lets nobody change.

Unless `manualSelector` says otherwise, a job selects its pods by its own uid: the server writes uid and name into the
labels of the template and the uid into the selector. Afterwards the template is fixed, but for where pods may run, and
that only while the job is suspended and has not started.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.batch.defaulting import default_job
from argosy.api.rules.batch.policies import printed_failure_policy, printed_success_policy
from argosy.api.rules.batch.specs import validate_spec
from argosy.api.rules.batch.statuses import validate_job_status
from argosy.api.rules.controllers import (
    generation_changed,
    name_warnings,
    printed_selector,
    printed_template,
    selects,
    template_labels,
)
from argosy.api.rules.metadata import immutable, validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_label, is_dns1123_subdomain
from argosy.api.rules.pods import template_warnings
from argosy.api.rules.pods.strategy import drop_disabled
from argosy.api.rules.resets import keep_spec
from argosy.api.rules.wording import IMMUTABLE
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Object

UID_LABEL: Final = "batch.kubernetes.io/controller-uid"
NAME_LABEL: Final = "batch.kubernetes.io/job-name"
OLD_UID_LABEL: Final = "controller-uid"
OLD_NAME_LABEL: Final = "job-name"

_MANY: Final = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than "
    "10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
)


def _prepare_create(job: Object) -> None:
    spec: Object = job["spec"]
    if not spec.get("manualSelector"):
        _generate_selector(job["metadata"], spec)
    job["status"] = {}
    drop_disabled(spec["template"]["spec"])


def _generate_selector(meta: Object, spec: Object) -> None:
    """Labels that are there already stay; validation says if they are wrong."""
    template_meta: Object = spec["template"]["metadata"]
    labels: Object = template_meta.get("labels") or {}
    defaulted = bool(labels) and meta.get("labels") is labels
    for label in (OLD_NAME_LABEL, NAME_LABEL):
        labels.setdefault(label, meta.get("name", ""))
    for label in (OLD_UID_LABEL, UID_LABEL):
        labels.setdefault(label, meta.get("uid", ""))
    template_meta["labels"] = labels
    if defaulted:
        meta["labels"] = dict(labels)
    elif not meta.get("labels"):
        meta["labels"] = labels
    selector: Object = dict(spec.get("selector") or {})
    selector["matchLabels"] = {UID_LABEL: meta.get("uid", "")} | (selector.get("matchLabels") or {})
    spec["selector"] = selector


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {})
    drop_disabled(new["spec"]["template"]["spec"])


def _validate(job: Object) -> list[FieldError]:
    errors = _validate_identity(job, prefixed=True)
    errors += validate_spec(job["spec"], "spec")
    errors += _validate_hostnames(job)
    return errors


def _validate_identity(job: Object, *, prefixed: bool) -> list[FieldError]:
    spec: Object = job["spec"]
    errors = validate_metadata(_as_given(job), True, is_dns1123_subdomain)
    if spec.get("selector") is not None and not spec.get("manualSelector"):
        errors += _validate_generated(job["metadata"], spec, prefixed=prefixed)
    return errors


def _as_given(job: Object) -> Object:
    """Without labels nobody gave: upstream sees them only after the job is stored."""
    meta: Object = job["metadata"]
    if not (labels := meta.get("labels")) or labels is not template_labels(job["spec"]["template"]):
        return job
    return {"metadata": {field: value for field, value in meta.items() if field != "labels"}}


def _validate_generated(meta: Object, spec: Object, *, prefixed: bool) -> list[FieldError]:
    """Labels and selector are the generated ones. Jobs older than the prefixed labels do without them."""
    uid, name = meta.get("uid", ""), meta.get("name", "")
    labels = template_labels(spec["template"])
    wanted = {OLD_UID_LABEL: uid, OLD_NAME_LABEL: name}
    if prefixed:
        wanted |= {UID_LABEL: uid, NAME_LABEL: name}
    errors = [] if uid else [required("metadata.uid")]
    for key, value in wanted.items():
        at = f"spec.template.metadata.labels[{key}]"
        if key not in labels:
            errors.append(required(at, f"must be '{value}'"))
        elif labels[key] != value:
            errors.append(invalid(at, labels, f"must be '{value}'"))
    selector = spec["selector"]
    if selects(selector, wanted) is False:
        detail = "`selector` not auto-generated"
        errors.append(invalid("spec.selector", printed_selector(selector), detail))
    return errors


def _validate_hostnames(job: Object) -> list[FieldError]:
    """The index of a pod is part of its hostname; the longest one must fit."""
    spec: Object = job["spec"]
    completions = spec.get("completions") or 0
    if spec.get("completionMode") != "Indexed" or completions <= 0:
        return []
    name = job["metadata"].get("name", "")
    longest = f"{name}-{completions - 1}"
    if not is_dns1123_label(longest):
        return []
    detail = f"will not able to create pod with invalid DNS label: {longest}"
    return [invalid("metadata.name", name, detail)]


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    stored = template_labels(old["spec"]["template"])
    errors = _validate_identity(new, prefixed=NAME_LABEL in stored and UID_LABEL in stored)
    of_spec = validate_spec(new["spec"], "spec")
    errors += of_spec
    errors += _validate_hostnames(new)
    errors += validate_metadata_update(new, old)
    # Upstream looks at the spec a second time, and repeats what it finds among the causes.
    errors += of_spec
    errors += _validate_fixed(new["spec"], old)
    return errors


def _validate_fixed(spec: Object, old: Object) -> list[FieldError]:
    before: Object = old["spec"]
    errors = _validate_completions(spec, before)
    if spec.get("selector") != before.get("selector"):
        shown = printed_selector(spec.get("selector"))
        errors.append(invalid("spec.selector", shown, IMMUTABLE))
    if spec["template"] != _allowed_template(spec["template"], old):
        errors.append(invalid("spec.template", printed_template(spec["template"]), IMMUTABLE))
    errors += immutable(
        spec.get("completionMode"), before.get("completionMode"), "spec.completionMode"
    )
    if (policy := spec.get("podFailurePolicy")) != before.get("podFailurePolicy"):
        shown = printed_failure_policy(policy)
        errors.append(invalid("spec.podFailurePolicy", shown, IMMUTABLE))
    for field in ("backoffLimitPerIndex", "managedBy"):
        errors += immutable(spec.get(field), before.get(field), f"spec.{field}")
    if (policy := spec.get("successPolicy")) != before.get("successPolicy"):
        errors.append(invalid("spec.successPolicy", printed_success_policy(policy), IMMUTABLE))
    return errors


def _validate_completions(spec: Object, before: Object) -> list[FieldError]:
    """Indexed jobs are elastic: completions may change together with parallelism."""
    value, path = spec.get("completions"), "spec.completions"
    if spec.get("completionMode") != "Indexed":
        return immutable(value, before.get("completions"), path)
    if value in {None, before.get("completions"), spec.get("parallelism")}:
        return []
    return [invalid(path, value, "can only be modified in tandem with spec.parallelism")]


def _allowed_template(template: Object, old: Object) -> Object:
    """The stored template, with what of the new one may differ put into it."""
    stored: Object = old["spec"]["template"]
    started = (old.get("status") or {}).get("startTime") is not None
    if not old["spec"].get("suspend") or started or template == stored:
        return stored
    meta, pod = dict(stored.get("metadata") or {}), dict(stored.get("spec") or {})
    new_meta, new_pod = template.get("metadata") or {}, template.get("spec") or {}
    _take(meta, new_meta, "annotations", "labels")
    _take(pod, new_pod, "nodeSelector", "tolerations", "schedulingGates")
    affinity, given = pod.get("affinity"), new_pod.get("affinity")
    if affinity is not None or given is not None:
        merged = dict(affinity or {})
        _take(merged, given or {}, "nodeAffinity")
        if merged or given is not None:
            pod["affinity"] = merged
        else:
            pod.pop("affinity", None)
    return stored | {"metadata": meta, "spec": pod}


def _take(into: Object, given: Object, *fields: str) -> None:
    for field in fields:
        if field in given:
            into[field] = given[field]
        else:
            into.pop(field, None)


def job_spec_warnings(spec: Object, path: str) -> list[str]:
    """Warnings about a job's spec, or about the template of one."""
    warnings: list[str] = []
    if (
        spec.get("completionMode") == "Indexed"
        and (spec.get("completions") or 0) > 100_000
        and (spec.get("parallelism") or 0) > 10_000
    ):
        warnings.append(f"{path}: {_MANY}")
    warnings += template_warnings(spec.get("template") or {}, f"{path}.template")
    return warnings


def _warn(new: Object, old: Object | None) -> list[str]:
    if old is None:
        return name_warnings(new) + job_spec_warnings(new["spec"], "spec")
    return job_spec_warnings(new["spec"], "spec") if generation_changed(new, old) else []


JOB: Final = Rules(
    default=default_job,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    prepare_status=keep_spec,
    validate=_validate,
    validate_update=_validate_update,
    validate_status=validate_job_status,
    warnings=_warn,
    name_problems=is_dns1123_subdomain,
    selectable={
        "status.successful": lambda job: str((job.get("status") or {}).get("succeeded", 0))
    },
)
