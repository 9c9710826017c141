"""CronJobs: a schedule and the job it makes."""

from __future__ import annotations

import re
from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.batch.defaulting import default_cron_job
from argosy.api.rules.batch.jobs import job_spec_warnings
from argosy.api.rules.batch.schedules import schedule_problem, zone_problem
from argosy.api.rules.batch.specs import validate_template_spec
from argosy.api.rules.controllers import (
    generation_changed,
    name_warnings,
    printed_selector,
    validate_not_negative,
)
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain, max_length
from argosy.api.rules.pods.strategy import drop_disabled
from argosy.api.rules.resets import keep_spec
from argosy.api.rules.wording import unsupported
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Object

# A job's name may have 63 characters, and the time of its start takes eleven of them.
_NAME_LIMIT: Final = 52
_POLICIES: Final = ("Allow", "Forbid", "Replace")
_TEMPLATE: Final = "spec.jobTemplate.spec"
_ZONES: Final = "https://www.iana.org/time-zones"
_TZ_WARNING: Final = (
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)
_zone_part: Final = re.compile(r"[A-Za-z.\-_0-9+]{1,14}").fullmatch


def _prepare_create(obj: Object) -> None:
    obj["status"] = {}
    drop_disabled(obj["spec"]["jobTemplate"]["spec"]["template"]["spec"])


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {})
    drop_disabled(new["spec"]["jobTemplate"]["spec"]["template"]["spec"])


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    errors += _validate_spec(obj["spec"], None)
    name = obj["metadata"].get("name", "")
    if len(name) > _NAME_LIMIT:
        errors.append(invalid("metadata.name", name, max_length(_NAME_LIMIT)))
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    # Names that were taken when there was no limit stay good.
    return validate_metadata_update(new, old) + _validate_spec(new["spec"], old["spec"])


def _validate_spec(spec: Object, before: Object | None) -> list[FieldError]:
    get = spec.get
    errors = _validate_schedule(spec, before)
    errors += validate_not_negative(spec, ("startingDeadlineSeconds",), "spec")
    zone = get("timeZone")
    if zone is not None and (before is None or before.get("timeZone") != zone):
        errors += _validate_zone(zone)
    if not (policy := get("concurrencyPolicy", "")):
        errors.append(required("spec.concurrencyPolicy"))
    elif policy not in _POLICIES:
        errors.append(unsupported("spec.concurrencyPolicy", policy, _POLICIES))
    template: Object = spec["jobTemplate"]["spec"]
    errors += validate_template_spec(template, _TEMPLATE)
    if (selector := template.get("selector")) is not None:
        detail = "`selector` will be auto-generated"
        errors.append(invalid(f"{_TEMPLATE}.selector", printed_selector(selector), detail))
    if template.get("manualSelector"):
        errors.append(unsupported(f"{_TEMPLATE}.manualSelector", True, ("nil", "false")))
    errors += validate_not_negative(
        spec, ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"), "spec"
    )
    return errors


def _validate_schedule(spec: Object, before: Object | None) -> list[FieldError]:
    schedule, path = spec.get("schedule", ""), "spec.schedule"
    if not schedule:
        return [required(path)]
    errors: list[FieldError] = []
    if problem := schedule_problem(schedule):
        errors.append(invalid(path, schedule, problem))
    if "TZ" in schedule:
        detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        if before is None or "TZ" not in before.get("schedule", ""):
            errors.append(invalid(path, schedule, detail))
        elif spec.get("timeZone") is not None:
            detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
            errors.append(invalid(path, schedule, detail))
    return errors


def _validate_zone(zone: str) -> list[FieldError]:
    path = "spec.timeZone"
    if not zone:
        return [invalid(path, zone, "timeZone must be nil or non-empty string")]
    for part in zone.split("/"):
        if part in {".", ".."} or part.startswith("-") or not _zone_part(part):
            return [invalid(path, zone, f"unknown time zone {zone}")]
    errors: list[FieldError] = []
    if zone.lower() == "local":
        detail = f"timeZone must be an explicit time zone as defined in {_ZONES}"
        errors.append(invalid(path, zone, detail))
    if problem := zone_problem(zone):
        errors.append(invalid(path, zone, problem))
    return errors


def _warn(new: Object, old: Object | None) -> list[str]:
    template: Object = new["spec"]["jobTemplate"]["spec"]
    if old is None:
        return name_warnings(new) + job_spec_warnings(template, _TEMPLATE)
    warnings = job_spec_warnings(template, _TEMPLATE) if generation_changed(new, old) else []
    if "TZ" in new["spec"].get("schedule", ""):
        warnings.append(_TZ_WARNING)
    return warnings


CRON_JOB: Final = Rules(
    default=default_cron_job,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    prepare_status=keep_spec,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warn,
    name_problems=is_dns1123_subdomain,
)
