"""What a Job asks for: checks of a spec by itself, which a CronJob's template is held to as well.

Errors come in upstream's order. The pod template is by far the largest part and is checked by `pods`.
"""

from __future__ import annotations

from typing import Final

from argosy.api.rules.batch.policies import (
    printed_success_policy,
    validate_failure_policy,
    validate_success_policy,
)
from argosy.api.rules.controllers import (
    MISMATCH,
    selects,
    template_labels,
    validate_not_negative,
)
from argosy.api.rules.labels import validate_label_selector
from argosy.api.rules.names import validate_domain_prefixed_path
from argosy.api.rules.pods import validate_pod_template
from argosy.api.rules.wording import unsupported
from argosy.base.fielderrors import FieldError, invalid, not_supported, required, too_long
from argosy.base.types import Object

_COUNTS: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_MODES: Final = ("NonIndexed", "Indexed")
_REPLACEMENTS: Final = ("Failed", "TerminatingOrFailed")
_MANAGED_BY_LIMIT: Final = 63
_MAX_INDEXED: Final = 100_000
# Above this many completions, status must stay small in other ways.
_MANY_COMPLETIONS: Final = 100_000
_LIMIT_FOR_MANY: Final = 10_000
_NEEDS_INDEXES: Final = "requires indexed completion mode"


def validate_spec(spec: Object, path: str) -> list[FieldError]:
    """A job's spec, whose selector the server has generated or the user has given."""
    errors = validate_template_spec(spec, path)
    selector = spec.get("selector")
    if selector is None:
        errors.append(required(f"{path}.selector"))
    else:
        errors += validate_label_selector(selector, f"{path}.selector")
    labels = template_labels(spec["template"])
    if selects(selector, labels) is False:
        errors.append(invalid(f"{path}.template.metadata.labels", labels or None, MISMATCH))
    return errors


def validate_template_spec(spec: Object, path: str) -> list[FieldError]:
    """A spec without its selector, as CronJobs hold it."""
    get = spec.get
    errors = validate_not_negative(spec, _COUNTS, path)
    if get("maxFailedIndexes") is not None and get("backoffLimitPerIndex") is None:
        detail = "when maxFailedIndexes is specified"
        errors.append(required(f"{path}.backoffLimitPerIndex", detail))
    if (manager := get("managedBy")) is not None:
        errors += validate_domain_prefixed_path(manager, f"{path}.managedBy")
        if len(manager.encode()) > _MANAGED_BY_LIMIT:
            errors.append(too_long(f"{path}.managedBy", _MANAGED_BY_LIMIT))
    errors += _validate_mode(spec, path)
    if get("podFailurePolicy") is not None:
        errors += validate_failure_policy(spec, f"{path}.podFailurePolicy")
    if (policy := get("successPolicy")) is not None:
        at = f"{path}.successPolicy"
        if get("completionMode") == "Indexed":
            errors += validate_success_policy(spec, at)
        else:
            errors.append(invalid(at, printed_success_policy(policy), _NEEDS_INDEXES))
    errors += _validate_replacement(spec, f"{path}.podReplacementPolicy")
    errors += validate_pod_template(spec["template"], f"{path}.template")
    errors += _validate_restart_policy(spec, f"{path}.template.spec.restartPolicy")
    return errors


def _validate_mode(spec: Object, path: str) -> list[FieldError]:
    get = spec.get
    mode = get("completionMode")
    if mode == "Indexed":
        return _validate_indexed(spec, path)
    errors: list[FieldError] = []
    if mode is not None and mode not in _MODES:
        errors.append(unsupported(f"{path}.completionMode", mode, _MODES))
    elif get("backoffLimitPerIndex") is not None or get("maxFailedIndexes") is not None:
        errors += [
            invalid(f"{path}.{field}", value, _NEEDS_INDEXES)
            for field in ("backoffLimitPerIndex", "maxFailedIndexes")
            if (value := get(field)) is not None
        ]
    return errors


def _validate_indexed(spec: Object, path: str) -> list[FieldError]:
    get = spec.get
    errors: list[FieldError] = []
    completions, parallelism = get("completions"), get("parallelism") or 0
    failed = get("maxFailedIndexes")
    if completions is None:
        errors.append(required(f"{path}.completions", "when completion mode is Indexed"))
    if parallelism > _MAX_INDEXED:
        detail = f"must be less than or equal to {_MAX_INDEXED} when completion mode is Indexed"
        errors.append(invalid(f"{path}.parallelism", parallelism, detail))
    if completions is not None and failed is not None and failed > completions:
        detail = "must be less than or equal to completions"
        errors.append(invalid(f"{path}.maxFailedIndexes", failed, detail))
    if failed is not None and failed > _MAX_INDEXED:
        detail = f"must be less than or equal to {_MAX_INDEXED}"
        errors.append(invalid(f"{path}.maxFailedIndexes", failed, detail))
    if (completions or 0) > _MANY_COMPLETIONS and get("backoffLimitPerIndex") is not None:
        errors += _validate_many(parallelism, failed, path)
    return errors


def _validate_many(parallelism: int, failed: int | None, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    detail = (
        f"must be less than or equal to {_LIMIT_FOR_MANY} when completions are above "
        f"{_MANY_COMPLETIONS} and used with backoff limit per index"
    )
    if failed is None:
        text = f"must be specified when completions is above {_MANY_COMPLETIONS}"
        errors.append(required(f"{path}.maxFailedIndexes", text))
    if parallelism > _LIMIT_FOR_MANY:
        errors.append(invalid(f"{path}.parallelism", parallelism, detail))
    if failed is not None and failed > _LIMIT_FOR_MANY:
        errors.append(invalid(f"{path}.maxFailedIndexes", failed, detail))
    return errors


def _validate_replacement(spec: Object, path: str) -> list[FieldError]:
    policy = spec.get("podReplacementPolicy")
    if policy is None:
        return []
    allowed = _REPLACEMENTS if spec.get("podFailurePolicy") is None else ("Failed",)
    return [] if policy in allowed else [not_supported(path, policy, allowed)]


def _validate_restart_policy(spec: Object, path: str) -> list[FieldError]:
    policy = (spec["template"].get("spec") or {}).get("restartPolicy", "")
    if policy == "Never":
        return []
    if policy in {"Always", ""}:
        return [required(path, 'valid values: "OnFailure", "Never"')]
    if policy != "OnFailure":
        return [unsupported(path, policy, ("OnFailure", "Never"))]
    if spec.get("podFailurePolicy") is not None:
        detail = 'only "Never" is supported when podFailurePolicy is specified'
        return [invalid(path, policy, detail)]
    return []
