"""ReplicaSets, and what they share with Deployments; upstream says deployment for both."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.controllers import (
    MISMATCH,
    default_set,
    generation_changed,
    name_warnings,
    printed_selector,
    selects,
    template_labels,
    validate_counts,
    validate_not_negative,
    validate_restart,
    validate_same_selector,
    validate_selector,
)
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.pods import template_warnings, validate_pod_template
from argosy.api.rules.pods.strategy import drop_disabled
from argosy.api.rules.resets import keep_spec
from argosy.base.fielderrors import FieldError, invalid
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
    spec = default_set(obj)
    if spec.get("replicas") is None:
        spec["replicas"] = 1
    obj.setdefault("status", {}).setdefault("replicas", 0)


def _prepare_create(obj: Object) -> None:
    obj["status"] = {"replicas": 0}
    drop_disabled(obj["spec"]["template"]["spec"])


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {})
    drop_disabled(new["spec"]["template"]["spec"])


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


def _validate_spec(spec: Object) -> list[FieldError]:
    errors = validate_not_negative(spec, ("replicas", "minReadySeconds"), "spec")
    errors += validate_selector(spec, "deployment")
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
    prepare_status=keep_spec,
    validate=_validate,
    validate_update=_validate_update,
    validate_status=_validate_status,
    warnings=warn_of_template,
    name_problems=is_dns1123_subdomain,
)
