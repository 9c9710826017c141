"""What is refused of any kind of job: queue names that are none, changes of what has been decided upon."""

from __future__ import annotations

from typing import Final

from argosy.base.fielderrors import FieldError, forbidden, invalid
from argosy.base.names import is_dns1123_subdomain
from argosy.base.types import Object
from argosy.queueing.jobs import names
from argosy.queueing.jobs.ancestry import queue_name
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.mirroring import prebuilt_name
from argosy.queueing.jobs.topologies import parse_int

IMMUTABLE: Final = "field is immutable"
_ELASTIC: Final = frozenset(
    {"batch/job", "ray.io/raycluster", "ray.io/rayjob", "ray.io/rayservice"}
)


def _label(name: str) -> str:
    return f"metadata.labels[{name}]"


def _annotation(name: str) -> str:
    return f"metadata.annotations[{name}]"


def validate_create(kind: JobKind, job: Object) -> list[FieldError]:
    return [*_validate_always(kind, job), *kind.validate(job), *kind.validate_create(job)]


def validate_update(
    kind: JobKind, new: Object, old: Object, *, has_default_queue: bool = False
) -> list[FieldError]:
    return [
        *_validate_always(kind, new),
        *kind.validate(new),
        *_validate_queue_change(kind, new, old, has_default_queue=has_default_queue),
        *_validate_prebuilt_change(kind, new, old),
        *_validate_priority_change(kind, new, old),
        *_validate_time_change(kind, new, old),
        *_validate_elastic_change(new, old),
        *kind.validate_update(new, old),
    ]


def _validate_always(kind: JobKind, job: Object) -> list[FieldError]:
    errors = validate_queue_name(job)
    meta = job["metadata"]
    labels, annotations = meta.get("labels") or {}, meta.get("annotations") or {}
    for where, mapping in ((_label, labels), (_annotation, annotations)):
        path = where(names.PREBUILT_WORKLOAD)
        if names.PREBUILT_WORKLOAD in mapping:
            errors += _validate_name(mapping[names.PREBUILT_WORKLOAD], path)
            if not kind.takes_prebuilt:
                errors.append(forbidden(path, f'Is not supported for "{kind.gvk}"'))
    if annotations.get(names.ELASTIC_JOB) == "true" and kind.framework not in _ELASTIC:
        path = _annotation(names.ELASTIC_JOB)
        errors.append(forbidden(path, f'Is not supported for "{kind.gvk}"'))
    return errors + _validate_time(labels)


def validate_queue_name(job: Object) -> list[FieldError]:
    meta = job["metadata"]
    errors: list[FieldError] = []
    for where, mapping in (
        (_label, meta.get("labels") or {}),
        (_annotation, meta.get("annotations") or {}),
    ):
        if names.QUEUE_NAME in mapping:
            errors += _validate_name(mapping[names.QUEUE_NAME], where(names.QUEUE_NAME))
    return errors


def _validate_name(value: str, path: str) -> list[FieldError]:
    problems = is_dns1123_subdomain(value)
    return [invalid(path, value, ",".join(problems))] if problems else []


def _validate_time(labels: dict[str, str]) -> list[FieldError]:
    path, text = _label(names.MAX_EXEC_TIME_SECONDS), labels.get(names.MAX_EXEC_TIME_SECONDS)
    if text is None:
        return []
    seconds = parse_int(text)
    if seconds is None:
        return [invalid(path, text, f'strconv.Atoi: parsing "{text}": invalid syntax')]
    return [] if seconds > 0 else [invalid(path, seconds, "should be greater than 0")]


# Changes.


def _validate_queue_change(
    kind: JobKind, new: Object, old: Object, *, has_default_queue: bool
) -> list[FieldError]:
    path, queue, before = _label(names.QUEUE_NAME), queue_name(new), queue_name(old)
    errors: list[FieldError] = []
    if not kind.is_suspended(new) and queue != before:
        errors.append(invalid(path, queue, IMMUTABLE))
    if before and not queue and has_default_queue:
        detail = "queue-name must not be empty in namespace with default queue"
        errors.append(invalid(path, "", detail))
    return errors


def _validate_prebuilt_change(kind: JobKind, new: Object, old: Object) -> list[FieldError]:
    name, before = prebuilt_name(new), prebuilt_name(old)
    if kind.is_suspended(new) or name == before:
        return []
    return [invalid(_label(names.PREBUILT_WORKLOAD), name, IMMUTABLE)]


def _validate_priority_change(kind: JobKind, new: Object, old: Object) -> list[FieldError]:
    path = _label(names.PRIORITY_CLASS)
    name, before = _priority(new), _priority(old)
    if name == before or kind.is_suspended(new):
        return []
    if not before:
        detail = "WorkloadPriorityClass cannot be added to a non-suspended workload"
        return [invalid(path, name, detail)]
    if not name:
        detail = "WorkloadPriorityClass cannot be removed from a workload"
        return [invalid(path, name, detail)]
    return []


def _priority(job: Object) -> str:
    found: str = (job["metadata"].get("labels") or {}).get(names.PRIORITY_CLASS, "")
    return found


def _validate_time_change(kind: JobKind, new: Object, old: Object) -> list[FieldError]:
    key = names.MAX_EXEC_TIME_SECONDS
    if kind.is_suspended(new) and kind.is_suspended(old):
        return []
    text = (new["metadata"].get("labels") or {}).get(key, "")
    if text == (old["metadata"].get("labels") or {}).get(key, ""):
        return []
    return [invalid(_label(key), text, IMMUTABLE)]


def _validate_elastic_change(new: Object, old: Object) -> list[FieldError]:
    key = names.ELASTIC_JOB
    text = (new["metadata"].get("annotations") or {}).get(key, "")
    if text == (old["metadata"].get("annotations") or {}).get(key, ""):
        return []
    return [invalid(_annotation(key), text, IMMUTABLE)]
