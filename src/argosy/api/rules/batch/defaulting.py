"""Defaults of Jobs and CronJobs."""

from __future__ import annotations

from typing import Final

from argosy.api.rules.pods import default_pod_template
from argosy.base.types import Object

_BACKOFF_LIMIT: Final = 6
# With a limit per index, the one of the whole job must not end it first.
_NO_BACKOFF_LIMIT: Final = 2**31 - 1


def default_job(job: Object) -> None:
    spec: Object = job.setdefault("spec", {})
    _default_spec(spec)
    get = spec.get
    if get("parallelism") is None:
        if get("completions") is None:
            spec["completions"] = 1
        spec["parallelism"] = 1
    if get("backoffLimit") is None:
        per_index = get("backoffLimitPerIndex") is not None
        spec["backoffLimit"] = _NO_BACKOFF_LIMIT if per_index else _BACKOFF_LIMIT
    meta: Object = job.setdefault("metadata", {})
    labels = (spec["template"].get("metadata") or {}).get("labels")
    if labels and not meta.get("labels"):
        # The very same labels: what the server adds to the template's shows on the job as well.
        meta["labels"] = labels
    if get("completionMode") is None:
        spec["completionMode"] = "NonIndexed"
    if get("suspend") is None:
        spec["suspend"] = False
    if get("podReplacementPolicy") is None:
        failures = get("podFailurePolicy") is not None
        spec["podReplacementPolicy"] = "Failed" if failures else "TerminatingOrFailed"
    if get("manualSelector") is None:
        spec["manualSelector"] = False
    job.setdefault("status", {})


def default_cron_job(cron_job: Object) -> None:
    spec: Object = cron_job.setdefault("spec", {})
    template: Object = spec.setdefault("jobTemplate", {})
    template.setdefault("metadata", {})
    # A template is no job yet: it gets its defaults when the job is made.
    _default_spec(template.setdefault("spec", {}))
    get = spec.get
    if not get("concurrencyPolicy"):
        spec["concurrencyPolicy"] = "Allow"
    if get("suspend") is None:
        spec["suspend"] = False
    if get("successfulJobsHistoryLimit") is None:
        spec["successfulJobsHistoryLimit"] = 3
    if get("failedJobsHistoryLimit") is None:
        spec["failedJobsHistoryLimit"] = 1
    cron_job.setdefault("status", {})


def _default_spec(spec: Object) -> None:
    """What a job and a template of one have in common."""
    default_pod_template(spec.setdefault("template", {}))
    if policy := spec.get("podFailurePolicy"):
        for rule in policy.get("rules") or ():
            for pattern in rule.get("onPodConditions") or ():
                if not pattern.get("status"):
                    pattern["status"] = "True"
