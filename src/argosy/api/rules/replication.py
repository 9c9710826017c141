"""ReplicationControllers, the ancestors of ReplicaSets: selectors are plain maps, labels follow the template."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_label, is_dns1123_subdomain
from argosy.api.rules.pods import default_pod_template, template_warnings, validate_pod_template
from argosy.api.rules.pods.strategy import drop_disabled
from argosy.api.rules.wording import NOT_NEGATIVE, unsupported
from argosy.base.fielderrors import FieldError, forbidden, invalid, required
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


def _prepare_status(new: Object, old: Object) -> None:
    new["spec"] = old.get("spec", {})


def _drop(obj: Object) -> None:
    if template := obj["spec"].get("template"):
        drop_disabled(template["spec"])


def _validate(obj: Object) -> list[FieldError]:
    return validate_metadata(obj, True, is_dns1123_subdomain) + _validate_spec(obj)


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    return validate_metadata_update(new, old) + _validate_spec(new)


def _validate_spec(obj: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    errors = _validate_count(spec, "minReadySeconds")
    selector: Object = spec.get("selector") or {}
    if not selector:
        errors.append(required("spec.selector"))
    errors += _validate_count(spec, "replicas")
    template = spec.get("template")
    path = "spec.template"
    if template is None:
        return [*errors, required(path)]
    labels = (template.get("metadata") or {}).get("labels") or {}
    if any(labels.get(key) != value for key, value in selector.items()):
        detail = "`selector` does not match template `labels`"
        errors.append(invalid(f"{path}.metadata.labels", labels or None, detail))
    errors += validate_pod_template(template, path)
    pod: Object = template.get("spec") or {}
    if (policy := pod.get("restartPolicy", "")) != "Always":
        errors.append(unsupported(f"{path}.spec.restartPolicy", policy, ("Always",)))
    if pod.get("activeDeadlineSeconds") is not None:
        detail = "activeDeadlineSeconds in ReplicationController is not Supported"
        errors.append(forbidden(f"{path}.spec.activeDeadlineSeconds", detail))
    return errors


def _validate_count(spec: Object, field: str) -> list[FieldError]:
    if (value := spec.get(field, 0)) >= 0:
        return []
    return [invalid(f"spec.{field}", value, NOT_NEGATIVE)]


def _validate_status(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    status: Object = new.get("status") or {}
    errors += [
        invalid(f"status.{field}", status[field], NOT_NEGATIVE)
        for field in _COUNTS
        if status.get(field, 0) < 0
    ]
    total = status.get("replicas", 0)
    errors += [
        invalid(f"status.{field}", status.get(field, 0), "cannot be greater than status.replicas")
        for field in _COUNTS[1:4]
        if status.get(field, 0) > total
    ]
    if (available := status.get("availableReplicas", 0)) > status.get("readyReplicas", 0):
        detail = "cannot be greater than readyReplicas"
        errors.append(invalid("status.availableReplicas", available, detail))
    return errors


def _warn(new: Object, old: Object | None) -> list[str]:
    template = (new.get("spec") or {}).get("template") or {}
    if old is not None:
        if new.get("spec") == old.get("spec"):
            return []
        return template_warnings(template, "spec.template")
    warnings: list[str] = []
    if problems := is_dns1123_label((new.get("metadata") or {}).get("name", "")):
        warnings.append(
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
            f"behavior; a DNS label is recommended: [{' '.join(problems)}]"
        )
    warnings += template_warnings(template, "spec.template")
    return warnings


RULES: Final[dict[str, Rules]] = {
    "ReplicationController": Rules(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=_prepare_update,
        prepare_status=_prepare_status,
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
