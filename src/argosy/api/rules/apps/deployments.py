"""Deployments: a template, how many, and how to get from one template to the next."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.apps.replicasets import validate_template, warn_of_template
from argosy.api.rules.apps.rollouts import (
    amount,
    default_strategy,
    printed_strategy,
    validate_int_or_percent,
    validate_percent_limit,
)
from argosy.api.rules.controllers import (
    default_set,
    validate_collisions,
    validate_counts,
    validate_not_negative,
    validate_same_selector,
    validate_selector,
)
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.pods.strategy import drop_disabled
from argosy.api.rules.resets import keep_metadata, keep_spec
from argosy.api.rules.wording import unsupported
from argosy.base.fielderrors import FieldError, forbidden, invalid
from argosy.base.types import Object

_STRATEGIES: Final = ("Recreate", "RollingUpdate")
_COUNTS: Final = (
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
)


def _default(obj: Object) -> None:
    spec = default_set(obj)
    if spec.get("replicas") is None:
        spec["replicas"] = 1
    default_strategy(spec.setdefault("strategy", {}), "25%", "25%")
    if spec.get("revisionHistoryLimit") is None:
        spec["revisionHistoryLimit"] = 10
    if spec.get("progressDeadlineSeconds") is None:
        spec["progressDeadlineSeconds"] = 600
    obj.setdefault("status", {})


def _prepare_create(obj: Object) -> None:
    obj["status"] = {}
    drop_disabled(obj["spec"]["template"]["spec"])


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {})
    drop_disabled(new["spec"]["template"]["spec"])
    meta, before = new["metadata"], old["metadata"]
    # Annotations are copied to the ReplicaSets, so they are part of what is wished for.
    if (meta.get("annotations") or {}) != (before.get("annotations") or {}):
        meta["generation"] = before.get("generation", 0) + 1


def _prepare_status(new: Object, old: Object) -> None:
    keep_spec(new, old)
    keep_metadata(new, old, ("labels",))


def _validate_spec(spec: Object) -> list[FieldError]:
    errors = validate_not_negative(spec, ("replicas",), "spec")
    errors += validate_selector(spec, "deployment")
    errors += validate_template(spec)
    errors += _validate_strategy(spec["strategy"], "spec.strategy")
    errors += validate_not_negative(
        spec, ("minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"), "spec"
    )
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= (spec.get("minReadySeconds") or 0):
        detail = "must be greater than minReadySeconds"
        errors.append(invalid("spec.progressDeadlineSeconds", deadline, detail))
    return errors


def _validate_strategy(strategy: Object, path: str) -> list[FieldError]:
    rolling = strategy.get("rollingUpdate")
    match strategy.get("type", ""):
        case "Recreate":
            if rolling is None:
                return []
            detail = "may not be specified when strategy `type` is 'Recreate'"
            return [forbidden(f"{path}.rollingUpdate", detail)]
        case "RollingUpdate":
            return _validate_rolling(rolling or {}, f"{path}.rollingUpdate")
        case kind:
            return [unsupported(path, printed_strategy(kind, rolling), _STRATEGIES)]


def _validate_rolling(rolling: Object, path: str) -> list[FieldError]:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    errors = validate_int_or_percent(unavailable, f"{path}.maxUnavailable")
    errors += validate_int_or_percent(surge, f"{path}.maxSurge")
    if amount(unavailable) == 0 and amount(surge) == 0:
        detail = "may not be 0 when `maxSurge` is 0"
        errors.append(invalid(f"{path}.maxUnavailable", unavailable, detail))
    errors += validate_percent_limit(unavailable, f"{path}.maxUnavailable")
    return errors


def _validate(obj: Object) -> list[FieldError]:
    return validate_metadata(obj, True, is_dns1123_subdomain) + _validate_spec(obj["spec"])


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += _validate_spec(new["spec"])
    errors += validate_same_selector(new, old)
    return errors


def _validate_status(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += validate_counts(new.get("status") or {}, _COUNTS, _COUNTS[2:5], "readyReplicas")
    errors += validate_collisions(new, old)
    return errors


DEPLOYMENT: Final = Rules(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    prepare_status=_prepare_status,
    validate=_validate,
    validate_update=_validate_update,
    validate_status=_validate_status,
    warnings=warn_of_template,
    name_problems=is_dns1123_subdomain,
)
