"""PodDisruptionBudgets: how many of the selected pods evictions must leave standing.

Upstream's code for this kind looks at the spec only and leaves metadata to the server's generic check, so a name only
has to fit into a URL. Spec and status are both written with a version to compare, never blindly.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.apps.rollouts import validate_int_or_percent, validate_percent_limit
from argosy.api.rules.controllers import validate_not_negative
from argosy.api.rules.labels import validate_label_name, validate_label_selector
from argosy.api.rules.metadata import validate_common_create
from argosy.api.rules.names import is_condition_reason, is_path_segment
from argosy.api.rules.wording import Printed, printed
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
)
from argosy.base.types import Object

_BOUNDS: Final = ("minAvailable", "maxUnavailable")
_EVICTION_POLICIES: Final = ("IfHealthyBudget", "AlwaysAllow")
_COUNTS: Final = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
_CONDITION_STATUSES: Final = ("True", "False", "Unknown")
_REASON_LIMIT: Final = 1024
_MESSAGE_LIMIT: Final = 32 * 1024


def _prepare_create(obj: Object) -> None:
    obj["status"] = dict.fromkeys(_COUNTS, 0)


def _validate_spec(obj: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    errors: list[FieldError] = []
    if all(spec.get(bound) is not None for bound in _BOUNDS):
        detail = "minAvailable and maxUnavailable cannot be both set"
        errors.append(invalid("spec", _printed_spec(spec), detail))
    for bound in _BOUNDS:
        if (value := spec.get(bound)) is not None:
            errors += validate_int_or_percent(value, f"spec.{bound}")
            errors += validate_percent_limit(value, f"spec.{bound}")
    errors += validate_label_selector(spec.get("selector"), "spec.selector")
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in _EVICTION_POLICIES:
        errors.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, _EVICTION_POLICIES))
    return errors


def _printed_spec(spec: Object) -> Printed:
    """As upstream's internal struct prints."""
    selector: Object | None = spec.get("selector")
    if selector and (labels := selector.get("matchLabels")):
        selector = selector | {"matchLabels": dict(sorted(labels.items()))}
    shown = {
        "MinAvailable": spec["minAvailable"],
        "Selector": selector,
        "MaxUnavailable": spec["maxUnavailable"],
        "UnhealthyPodEvictionPolicy": spec.get("unhealthyPodEvictionPolicy"),
    }
    return printed(shown)


def _validate(obj: Object) -> list[FieldError]:
    return _validate_spec(obj) or validate_common_create(obj, True)


def _validate_update(new: Object, _old: Object) -> list[FieldError]:
    return _validate_spec(new)


def _validate_status(new: Object, _old: Object) -> list[FieldError]:
    status: Object = new.get("status") or {}
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, condition in enumerate(status.get("conditions") or ()):
        path = f"status.conditions[{index}]"
        if (kind := condition.get("type", "")) in seen:
            errors.append(duplicate(f"{path}.type", kind))
        seen.add(kind)
        errors += _validate_condition(condition, path)
    return errors + validate_not_negative(status, _COUNTS, "status")


def _validate_condition(condition: Object, path: str) -> list[FieldError]:
    errors = validate_label_name(condition.get("type", ""), f"{path}.type")
    if (status := condition.get("status", "")) not in _CONDITION_STATUSES:
        errors.append(not_supported(f"{path}.status", status, _CONDITION_STATUSES))
    if (generation := condition.get("observedGeneration", 0)) < 0:
        detail = "must be greater than or equal to zero"
        errors.append(invalid(f"{path}.observedGeneration", generation, detail))
    if not condition.get("lastTransitionTime"):
        errors.append(required(f"{path}.lastTransitionTime"))
    if not (reason := condition.get("reason", "")):
        errors.append(required(f"{path}.reason"))
    else:
        errors += [invalid(f"{path}.reason", reason, text) for text in is_condition_reason(reason)]
        if len(reason.encode()) > _REASON_LIMIT:
            errors.append(too_long(f"{path}.reason", _REASON_LIMIT))
    if len(condition.get("message", "").encode()) > _MESSAGE_LIMIT:
        errors.append(too_long(f"{path}.message", _MESSAGE_LIMIT))
    return errors


RULES: Final[dict[str, Rules]] = {
    "PodDisruptionBudget": Rules(
        prepare_create=_prepare_create,
        validate=_validate,
        validate_update=_validate_update,
        validate_status=_validate_status,
        name_problems=is_path_segment,
        unconditional_update=False,
    )
}
