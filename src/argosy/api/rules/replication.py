"""ReplicationControllers, the ancestors of ReplicaSets: selectors are plain maps, labels follow the template."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.controllers import (
    MISMATCH,
    name_warnings,
    template_labels,
    validate_counts,
    validate_not_negative,
    validate_restart,
)
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.pods import default_pod_template, template_warnings, validate_pod_template
from argosy.api.rules.pods.strategy import drop_disabled
from argosy.api.rules.resets import keep_spec
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Object

_COUNTS: Final = (
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
)


def _default(obj: Object) -> None:
    spec: Object = obj.setdefault("spec", {})
    if (template := spec.get("template")) is not None:
        default_pod_template(template)
        if labels := template["metadata"].get("labels"):
            if not spec.get("selector"):
                spec["selector"] = dict(labels)
            meta: Object = obj.setdefault("metadata", {})
            if not meta.get("labels"):
                meta["labels"] = dict(labels)
    if spec.get("replicas") is None:
        spec["replicas"] = 1
    obj.setdefault("status", {}).setdefault("replicas", 0)


def _prepare_create(obj: Object) -> None:
    obj["status"] = {"replicas": 0}
    _drop(obj)


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {})
    _drop(new)


def _drop(obj: Object) -> None:
    if template := obj["spec"].get("template"):
        drop_disabled(template["spec"])


def _validate(obj: Object) -> list[FieldError]:
    return validate_metadata(obj, True, is_dns1123_subdomain) + _validate_spec(obj)


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    return validate_metadata_update(new, old) + _validate_spec(new)


def _validate_spec(obj: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    errors = validate_not_negative(spec, ("minReadySeconds",), "spec")
    selector: Object = spec.get("selector") or {}
    if not selector:
        errors.append(required("spec.selector"))
    errors += validate_not_negative(spec, ("replicas",), "spec")
    template = spec.get("template")
    path = "spec.template"
    if template is None:
        return [*errors, required(path)]
    labels = template_labels(template)
    if any(labels.get(key) != value for key, value in selector.items()):
        errors.append(invalid(f"{path}.metadata.labels", labels or None, MISMATCH))
    errors += validate_pod_template(template, path)
    errors += validate_restart(template, path, "ReplicationController")
    return errors


def _validate_status(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += validate_counts(new.get("status") or {}, _COUNTS, _COUNTS[1:4], "readyReplicas")
    return errors


def _warn(new: Object, old: Object | None) -> list[str]:
    template = (new.get("spec") or {}).get("template") or {}
    if old is not None and new.get("spec") == old.get("spec"):
        return []
    warnings = [] if old is not None else name_warnings(new)
    return warnings + template_warnings(template, "spec.template")


RULES: Final[dict[str, Rules]] = {
    "ReplicationController": Rules(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=_prepare_update,
        prepare_status=keep_spec,
        validate=_validate,
        validate_update=_validate_update,
        validate_status=_validate_status,
        warnings=_warn,
        name_problems=is_dns1123_subdomain,
        selectable={
            "status.replicas": lambda obj: str((obj.get("status") or {}).get("replicas", 0))
        },
    )
}
