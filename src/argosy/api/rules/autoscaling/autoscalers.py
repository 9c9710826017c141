"""HorizontalPodAutoscalers: what to scale, between which bounds, by which metrics and how fast.

Without metrics it scales by CPU at 80 %. A behavior that says something is filled up with the defaults for all it does
not say, in both directions; an empty list of policies says nothing here, where upstream refuses it. The annotations
that carry v2 fields through v1 are an encoding and never stored. Generation is not counted, and scaling to zero is off
in this version.
"""

from __future__ import annotations

from typing import Final

from argosy.api.conversions.autoscaling import ROUND_TRIP, cpu_metric
from argosy.api.kinds import Rules
from argosy.api.rules.autoscaling.metrics import validate_metrics, validate_reference
from argosy.api.rules.controllers import validate_not_negative
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.pods.resources import quantity
from argosy.api.rules.wording import NOT_NEGATIVE
from argosy.base.fielderrors import FieldError, invalid, not_supported, required
from argosy.base.types import Object

_MAX_PERIOD: Final = 1800
_MAX_WINDOW: Final = 3600
_POLICY_TYPES: Final = ("Percent", "Pods")
_SELECTIONS: Final = ("Disabled", "Max", "Min")


def _policy(kind: str, value: int) -> Object:
    return {"type": kind, "value": value, "periodSeconds": 15}


def _default(obj: Object) -> None:
    _drop_round_trip(obj)
    spec: Object = obj.setdefault("spec", {})
    if spec.get("minReplicas") is None:
        spec["minReplicas"] = 1
    if not spec.get("metrics"):
        spec["metrics"] = [cpu_metric()]
    behavior = spec.get("behavior")
    if behavior is None:
        return
    up: Object = behavior.setdefault("scaleUp", {})
    down: Object = behavior.setdefault("scaleDown", {})
    up.setdefault("stabilizationWindowSeconds", 0)
    for rules in (up, down):
        rules.setdefault("selectPolicy", "Max")
    if not up.get("policies"):
        up["policies"] = [_policy("Pods", 4), _policy("Percent", 100)]
    if not down.get("policies"):
        down["policies"] = [_policy("Percent", 100)]


def _drop_round_trip(obj: Object) -> None:
    meta: Object = obj.get("metadata") or {}
    annotations: Object = meta.get("annotations") or {}
    if ROUND_TRIP.isdisjoint(annotations):
        return
    kept = {key: value for key, value in annotations.items() if key not in ROUND_TRIP}
    if kept:
        meta["annotations"] = kept
    else:
        del meta["annotations"]


def _prepare_create(obj: Object) -> None:
    obj["status"] = {"desiredReplicas": 0, "currentMetrics": None}


def _validate(obj: Object) -> list[FieldError]:
    return validate_metadata(obj, True, is_dns1123_subdomain) + _validate_spec(obj)


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    return validate_metadata_update(new, old) + _validate_spec(new)


def _validate_spec(obj: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    least, most = spec.get("minReplicas"), spec.get("maxReplicas", 0)
    errors: list[FieldError] = []
    if least is not None and least < 1:
        errors.append(invalid("spec.minReplicas", least, "must be greater than or equal to 1"))
    if most < 1:
        errors.append(invalid("spec.maxReplicas", most, "must be greater than 0"))
    if least is not None and most < least:
        detail = "must be greater than or equal to `minReplicas`"
        errors.append(invalid("spec.maxReplicas", most, detail))
    target: Object = spec.get("scaleTargetRef") or {}
    # Of the core group only ReplicationControllers scale, and their apiVersion has no group to name.
    errors += validate_reference(
        target, "spec.scaleTargetRef", needs_group=target.get("kind") != "ReplicationController"
    )
    errors += validate_metrics(spec.get("metrics") or [], least, "spec.metrics")
    behavior: Object = spec.get("behavior") or {}
    for way in ("scaleUp", "scaleDown"):
        if (rules := behavior.get(way)) is not None:
            errors += _validate_scaling(rules, f"spec.behavior.{way}")
    return errors


def _validate_scaling(rules: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    window, at = rules.get("stabilizationWindowSeconds"), f"{path}.stabilizationWindowSeconds"
    if window is not None and window < 0:
        errors.append(invalid(at, window, "must be greater than or equal to zero"))
    if window is not None and window > _MAX_WINDOW:
        errors.append(invalid(at, window, f"must be less than or equal to {_MAX_WINDOW}"))
    selection = rules.get("selectPolicy")
    if selection is not None and selection not in _SELECTIONS:
        errors.append(not_supported(f"{path}.selectPolicy", selection, _SELECTIONS))
    policies = rules.get("policies") or []
    if not policies:
        errors.append(required(f"{path}.policies", "must specify at least one Policy"))
    for index, policy in enumerate(policies):
        errors += _validate_policy(policy, f"{path}.policies[{index}]")
    if (tolerance := rules.get("tolerance")) is not None and quantity(tolerance).sign < 0:
        errors.append(invalid(f"{path}.tolerance", str(quantity(tolerance)), NOT_NEGATIVE))
    return errors


def _validate_policy(policy: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if (kind := policy.get("type", "")) not in _POLICY_TYPES:
        errors.append(not_supported(f"{path}.type", kind, _POLICY_TYPES))
    errors += [
        invalid(f"{path}.{field}", value, "must be greater than zero")
        for field in ("value", "periodSeconds")
        if (value := policy.get(field, 0)) <= 0
    ]
    if (period := policy.get("periodSeconds", 0)) > _MAX_PERIOD:
        detail = f"must be less than or equal to {_MAX_PERIOD}"
        errors.append(invalid(f"{path}.periodSeconds", period, detail))
    return errors


def _validate_status(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    counts = ("currentReplicas", "desiredReplicas")
    return errors + validate_not_negative(new.get("status") or {}, counts, "status")


HORIZONTAL_POD_AUTOSCALER: Final = Rules(
    default=_default,
    prepare_create=_prepare_create,
    validate=_validate,
    validate_update=_validate_update,
    validate_status=_validate_status,
    name_problems=is_dns1123_subdomain,
    tracks_generation=False,
)
