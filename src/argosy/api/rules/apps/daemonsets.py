"""DaemonSets: one pod on every node.

The server counts changes of the template in an annotation, which is where upstream's internal `templateGeneration`
shows in apps/v1.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.apps.rollouts import (
    amount,
    default_strategy,
    printed_strategy,
    validate_int_or_percent,
    validate_percent_limit,
)
from argosy.api.rules.controllers import (
    MISMATCH,
    default_set,
    selects,
    template_labels,
    validate_collisions,
    validate_not_negative,
    validate_restart,
    validate_same_selector,
    validate_selective,
)
from argosy.api.rules.integers import AtoiError, atoi
from argosy.api.rules.labels import validate_label_selector
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.pods import template_warnings, validate_pod_template
from argosy.api.rules.pods.strategy import drop_disabled
from argosy.api.rules.wording import unsupported
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Object

TEMPLATE_GENERATION: Final = "deprecated.daemonset.template.generation"
_STRATEGIES: Final = ("RollingUpdate", "OnDelete")
_PRINTED_COUNTS: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
)
_COUNTS: Final = (
    *_PRINTED_COUNTS,
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)


def _default(obj: Object) -> None:
    spec = default_set(obj)
    default_strategy(spec.setdefault("updateStrategy", {}), 1, 0)
    if spec.get("revisionHistoryLimit") is None:
        spec["revisionHistoryLimit"] = 10
    status: Object = obj.setdefault("status", {})
    for field in _PRINTED_COUNTS:
        status.setdefault(field, 0)
    # Whoever writes a DaemonSet owns the annotation too, so it is there before fields are counted.
    meta: Object = obj.setdefault("metadata", {})
    if TEMPLATE_GENERATION not in (meta.get("annotations") or {}):
        meta["annotations"] = (meta.get("annotations") or {}) | {TEMPLATE_GENERATION: "0"}


def template_generation(obj: Object) -> int:
    """How often the template has changed; 0 where nothing, or no number, says so."""
    text = (obj["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION, "")
    try:
        return atoi(text)
    except AtoiError:
        return 0


def _set_template_generation(obj: Object, generation: int) -> None:
    annotations: Object = obj["metadata"].get("annotations") or {}
    obj["metadata"]["annotations"] = annotations | {TEMPLATE_GENERATION: str(generation)}


def _prepare_create(obj: Object) -> None:
    obj["status"] = dict.fromkeys(_PRINTED_COUNTS, 0)
    _set_template_generation(obj, max(template_generation(obj), 1))
    drop_disabled(obj["spec"]["template"]["spec"])


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {})
    drop_disabled(new["spec"]["template"]["spec"])
    changed = new["spec"]["template"] != old["spec"]["template"]
    _set_template_generation(new, template_generation(old) + changed)


def _prepare_status(new: Object, old: Object) -> None:
    new["spec"] = old.get("spec", {})
    _set_template_generation(new, template_generation(old))


def _validate_spec(spec: Object) -> list[FieldError]:
    selector, template = spec.get("selector"), spec["template"]
    labels = template_labels(template)
    errors = validate_label_selector(selector, "spec.selector")
    if selects(selector, labels) is False:
        errors.append(invalid("spec.template.metadata.labels", labels or None, MISMATCH))
    if selector is not None:
        errors += validate_selective(selector, "spec.selector", "daemonset")
    errors += validate_pod_template(template, "spec.template")
    errors += validate_restart(template, "spec.template", "DaemonSet")
    errors += validate_not_negative(spec, ("minReadySeconds",), "spec")
    errors += _validate_strategy(spec["updateStrategy"], "spec.updateStrategy")
    errors += validate_not_negative(spec, ("revisionHistoryLimit",), "spec")
    return errors


def _validate_strategy(strategy: Object, path: str) -> list[FieldError]:
    rolling = strategy.get("rollingUpdate")
    match strategy.get("type", ""):
        case "OnDelete":
            return []
        case "RollingUpdate":
            return _validate_rolling(rolling or {}, f"{path}.rollingUpdate")
        case kind:
            return [unsupported(path, printed_strategy(kind, rolling), _STRATEGIES)]


def _validate_rolling(rolling: Object, path: str) -> list[FieldError]:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    errors: list[FieldError] = []
    for check in (validate_int_or_percent, validate_percent_limit):
        errors += check(unavailable, f"{path}.maxUnavailable")
        errors += check(surge, f"{path}.maxSurge")
    if amount(unavailable) != 0 and amount(surge) != 0:
        detail = "may not be set when maxUnavailable is non-zero"
        errors.append(invalid(f"{path}.maxSurge", surge, detail))
    elif amount(unavailable) == 0 and amount(surge) == 0:
        detail = "cannot be 0 when maxSurge is 0"
        errors.append(required(f"{path}.maxUnavailable", detail))
    return errors


def _validate(obj: Object) -> list[FieldError]:
    return validate_metadata(obj, True, is_dns1123_subdomain) + _validate_spec(obj["spec"])


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += validate_same_selector(new, old)
    errors += _validate_spec(new["spec"])
    return errors


def _validate_status(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += validate_not_negative(new.get("status") or {}, _COUNTS, "status")
    errors += validate_collisions(new, old)
    return errors


def _warn(new: Object, old: Object | None) -> list[str]:
    if old is not None and template_generation(new) == template_generation(old):
        return []
    return template_warnings(new["spec"]["template"], "spec.template")


DAEMON_SET: Final = Rules(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    prepare_status=_prepare_status,
    validate=_validate,
    validate_update=_validate_update,
    validate_status=_validate_status,
    warnings=_warn,
    name_problems=is_dns1123_subdomain,
)
