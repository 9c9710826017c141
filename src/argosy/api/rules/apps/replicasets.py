"""ReplicaSets, and the checks of selector and template they share with Deployments."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.controllers import (
    MISMATCH,
    generation_changed,
    name_warnings,
    printed_selector,
    selects,
    template_labels,
    validate_not_negative,
)
from argosy.api.rules.labels import validate_label_selector
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.pods import default_pod_template, template_warnings, validate_pod_template
from argosy.api.rules.pods.strategy import drop_disabled
from argosy.api.rules.wording import IMMUTABLE, unsupported
from argosy.base.fielderrors import FieldError, forbidden, invalid, required
from argosy.base.types import Object

_COUNTS: Final = (
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
)


def _default(obj: Object) -> None:
    spec: Object = obj.setdefault("spec", {})
    default_pod_template(spec.setdefault("template", {}))
    spec.setdefault("selector", None)
    if spec.get("replicas") is None:
        spec["replicas"] = 1
    obj.setdefault("status", {}).setdefault("replicas", 0)


def _prepare_create(obj: Object) -> None:
    obj["status"] = {"replicas": 0}
    drop_disabled(obj["spec"]["template"]["spec"])


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {})
    drop_disabled(new["spec"]["template"]["spec"])


def _prepare_status(new: Object, old: Object) -> None:
    new["spec"] = old.get("spec", {})


def validate_selector(spec: Object) -> list[FieldError]:
    """The selector of a Deployment or ReplicaSet. Upstream says deployment for both."""
    selector, path = spec.get("selector"), "spec.selector"
    if selector is None:
        return [required(path)]
    errors = validate_label_selector(selector, path)
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        detail = "empty selector is invalid for deployment"
        errors.append(invalid(path, printed_selector(selector), detail))
    return errors


def validate_template(spec: Object) -> list[FieldError]:
    """The template of a Deployment or ReplicaSet, and whether its selector takes what it makes."""
    selector, template, path = spec.get("selector"), spec["template"], "spec.template"
    labels = template_labels(template)
    taken = selects(selector, labels)
    if taken is None:
        detail = "invalid label selector"
        return [invalid("spec.selector", printed_selector(selector), detail)]
    errors: list[FieldError] = []
    if not taken:
        errors.append(invalid(f"{path}.metadata.labels", labels or None, MISMATCH))
    errors += validate_pod_template(template, path)
    errors += validate_restart(template, path, "ReplicaSet")
    return errors


def validate_restart(template: Object, path: str, kind: str) -> list[FieldError]:
    """Pods of a set run until something else ends them."""
    pod: Object = template.get("spec") or {}
    errors: list[FieldError] = []
    if (policy := pod.get("restartPolicy", "")) != "Always":
        errors.append(unsupported(f"{path}.spec.restartPolicy", policy, ("Always",)))
    if pod.get("activeDeadlineSeconds") is not None:
        detail = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.append(forbidden(f"{path}.spec.activeDeadlineSeconds", detail))
    return errors


def validate_same_selector(new: Object, old: Object) -> list[FieldError]:
    selector = new["spec"].get("selector")
    if selector == old["spec"].get("selector"):
        return []
    return [invalid("spec.selector", printed_selector(selector), IMMUTABLE)]


def validate_collisions(new: Object, old: Object) -> list[FieldError]:
    """collisionCount salts the names of what the controller makes, so it never goes back."""
    before = (old.get("status") or {}).get("collisionCount")
    count = (new.get("status") or {}).get("collisionCount") or 0
    if before is None or count >= before:
        return []
    return [invalid("status.collisionCount", count, "cannot be decremented")]


def validate_counts(
    status: Object, counts: tuple[str, ...], parts: tuple[str, ...], ready: str
) -> list[FieldError]:
    """No count is negative, no part larger than the whole, and only ready pods are available."""
    errors = validate_not_negative(status, counts, "status")
    total = status.get("replicas") or 0
    errors += [
        invalid(f"status.{field}", value, "cannot be greater than status.replicas")
        for field in parts
        if (value := status.get(field) or 0) > total
    ]
    available = status.get("availableReplicas") or 0
    if available > (status.get("readyReplicas") or 0):
        detail = f"cannot be greater than {ready}"
        errors.append(invalid("status.availableReplicas", available, detail))
    return errors


def _validate_spec(spec: Object) -> list[FieldError]:
    errors = validate_not_negative(spec, ("replicas", "minReadySeconds"), "spec")
    errors += validate_selector(spec)
    errors += validate_template(spec)
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
    errors += validate_counts(new.get("status") or {}, _COUNTS, _COUNTS[1:4], "readyReplicas")
    return errors


def warn_of_template(new: Object, old: Object | None) -> list[str]:
    """Warnings of a Deployment or ReplicaSet."""
    if old is not None and not generation_changed(new, old):
        return []
    warnings = [] if old is not None else name_warnings(new)
    return warnings + template_warnings(new["spec"]["template"], "spec.template")


REPLICA_SET: Final = Rules(
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
