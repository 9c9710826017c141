"""StatefulSets: pods with names, an order and claims of their own.

Seven fields of the spec may change; a template that was bad when it was stored is not held against later updates.
maxUnavailable is off in this version: it is dropped silently.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.claims import validate_claim_spec
from argosy.api.rules.controllers import (
    MISMATCH,
    default_set,
    generation_changed,
    printed_selector,
    selects,
    template_labels,
    validate_collisions,
    validate_counts,
    validate_not_negative,
    validate_restart,
    validate_selector,
)
from argosy.api.rules.labels import validate_annotations, validate_labels
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_label
from argosy.api.rules.persistentvolumeclaims import RULES as CLAIM_RULES
from argosy.api.rules.pods import template_warnings, validate_pod_template
from argosy.api.rules.pods.annotations import validate_pod_annotations
from argosy.api.rules.pods.strategy import drop_disabled
from argosy.api.rules.pods.warnings import warn_claim_fractions
from argosy.api.rules.resets import keep_spec
from argosy.api.rules.wording import NOT_NEGATIVE, printed, unsupported
from argosy.base.fielderrors import FieldError, forbidden, invalid
from argosy.base.types import Object

_MUTABLE: Final = frozenset(
    {
        "replicas",
        "ordinals",
        "template",
        "updateStrategy",
        "revisionHistoryLimit",
        "persistentVolumeClaimRetentionPolicy",
        "minReadySeconds",
    }
)
_FORBIDDEN: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
    "'minReadySeconds' are forbidden"
)
_KEEPS_ALL: Final = (
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is "
    "recommended"
)
_COUNTS: Final = (
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
)
_RETENTIONS: Final = ("Retain", "Delete")
_NEW_STATUS: Final = ("replicas", "availableReplicas")


def _default(obj: Object) -> None:
    spec = default_set(obj)
    spec.setdefault("serviceName", "")
    for claim in spec.get("volumeClaimTemplates") or ():
        _default_claim(claim)
    if not spec.get("podManagementPolicy"):
        spec["podManagementPolicy"] = "OrderedReady"
    strategy: Object = spec.setdefault("updateStrategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        if strategy.get("rollingUpdate") is None:
            strategy["rollingUpdate"] = {}
    rolling = strategy.get("rollingUpdate")
    if (
        strategy["type"] == "RollingUpdate"
        and rolling is not None
        and rolling.get("partition") is None
    ):
        rolling["partition"] = 0
    retention: Object = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    for field in ("whenDeleted", "whenScaled"):
        if not retention.get(field):
            retention[field] = "Retain"
    if spec.get("replicas") is None:
        spec["replicas"] = 1
    if spec.get("revisionHistoryLimit") is None:
        spec["revisionHistoryLimit"] = 10
    status: Object = obj.setdefault("status", {})
    for field in _NEW_STATUS:
        status.setdefault(field, 0)


def _default_claim(claim: Object) -> None:
    claim.setdefault("apiVersion", "v1")
    claim.setdefault("kind", "PersistentVolumeClaim")
    claim.setdefault("metadata", {})
    fill_in = CLAIM_RULES["PersistentVolumeClaim"].default
    if fill_in is not None:
        fill_in(claim)


def _prepare_create(obj: Object) -> None:
    obj["status"] = dict.fromkeys(_NEW_STATUS, 0)
    _drop(obj["spec"])


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {})
    _drop(new["spec"])


def _drop(spec: Object) -> None:
    if rolling := spec["updateStrategy"].get("rollingUpdate"):
        rolling.pop("maxUnavailable", None)
    drop_disabled(spec["template"]["spec"])


def _validate_spec(
    spec: Object, *, created: bool = False, check_template: bool = True
) -> list[FieldError]:
    errors = _validate_policies(spec)
    if created:
        for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
            at = f"spec.volumeClaimTemplates[{index}].spec"
            errors += validate_claim_spec(claim.get("spec") or {}, at)
    errors += validate_not_negative(spec, ("replicas", "minReadySeconds"), "spec")
    start = (spec.get("ordinals") or {}).get("start") or 0
    if start < 0:
        errors.append(invalid("spec.ordinals.start", start, NOT_NEGATIVE))
    if created and (service := spec.get("serviceName")):
        errors += [invalid("spec.serviceName", service, text) for text in is_dns1123_label(service)]
    errors += validate_selector(spec, "statefulset")
    errors += _validate_template(spec, check_template=check_template)
    return errors


def _validate_policies(spec: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    if (policy := spec.get("podManagementPolicy", "")) not in {"OrderedReady", "Parallel"}:
        detail = "must be 'OrderedReady' or 'Parallel'"
        errors.append(invalid("spec.podManagementPolicy", policy, detail))
    errors += _validate_strategy(spec["updateStrategy"], "spec.updateStrategy")
    retention: Object = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    errors += [
        unsupported(
            f"spec.persistentVolumeClaimRetentionPolicy.{field}", retention[field], _RETENTIONS
        )
        for field in ("whenDeleted", "whenScaled")
        if retention.get(field, "Retain") not in _RETENTIONS
    ]
    return errors


def _validate_strategy(strategy: Object, path: str) -> list[FieldError]:
    rolling = strategy.get("rollingUpdate")
    inner = rolling and {
        "Partition": rolling.get("partition") or 0,
        "MaxUnavailable": rolling.get("maxUnavailable"),
    }
    match strategy.get("type", ""):
        case "OnDelete":
            if rolling is None:
                return []
            detail = "only allowed for updateStrategy 'RollingUpdate'"
            return [invalid(f"{path}.rollingUpdate", printed(inner), detail)]
        case "RollingUpdate":
            return validate_not_negative(rolling or {}, ("partition",), f"{path}.rollingUpdate")
        case kind:
            shown = printed({"Type": kind, "RollingUpdate": inner})
            return [invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")]


def _validate_template(spec: Object, *, check_template: bool) -> list[FieldError]:
    path, selector = "spec.template", spec.get("selector")
    template = _checked_template(spec)
    labels = template_labels(template)
    taken = selects(selector, labels)
    errors: list[FieldError] = []
    if taken is None:
        errors.append(invalid("spec.selector", printed_selector(selector), ""))
    else:
        if not taken:
            errors.append(invalid(f"{path}.metadata.labels", labels or None, MISMATCH))
        if check_template:
            errors += validate_pod_template(template, path)
        annotations = (template.get("metadata") or {}).get("annotations") or {}
        errors += validate_labels(labels, f"{path}.labels")
        errors += validate_annotations(annotations, f"{path}.annotations")
        errors += validate_pod_annotations(annotations, template["spec"], f"{path}.annotations")
    errors += validate_restart(template, path, "StatefulSet")
    return errors


def _checked_template(spec: Object) -> Object:
    """The template as pods will have it: with the claims' volumes, without what the controller overwrites."""
    template: Object = spec["template"]
    pod: Object = template["spec"]
    claims = spec.get("volumeClaimTemplates") or ()
    if not claims and not pod.get("subdomain") and not pod.get("hostname"):
        return template
    pod = {key: value for key, value in pod.items() if key not in {"subdomain", "hostname"}}
    if claims:
        names = dict.fromkeys((each.get("metadata") or {}).get("name", "") for each in claims)
        volumes: list[Object] = [
            {"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names
        ]
        volumes += [each for each in pod.get("volumes") or () if each.get("name") not in names]
        pod["volumes"] = volumes
    return template | {"spec": pod}


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_label)
    errors += _validate_spec(obj["spec"], created=True)
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    spec, before = new["spec"], old["spec"]
    problems = _validate_spec(spec)
    if problems and _validate_spec(before):
        problems = _validate_spec(spec, check_template=False)
    errors += problems
    if any(spec.get(key) != before.get(key) for key in (spec.keys() | before.keys()) - _MUTABLE):
        errors.append(forbidden("spec", _FORBIDDEN))
    return errors


def _validate_status(new: Object, old: Object) -> list[FieldError]:
    status: Object = new.get("status") or {}
    errors = validate_counts(status, _COUNTS, _COUNTS[1:5], "status.readyReplicas")
    errors += validate_metadata_update(new, old)
    errors += validate_collisions(new, old)
    return errors


def _warn(new: Object, old: Object | None) -> list[str]:
    spec: Object = new["spec"]
    warnings: list[str] = []
    if old is None or generation_changed(new, old):
        warnings += template_warnings(spec["template"], "spec.template")
    # Upstream's path ends here on create and goes on with a capital on update.
    tail = "" if old is None else ".Spec"
    for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
        at = f"spec.volumeClaimTemplates[{index}]{tail}"
        warnings += warn_claim_fractions(claim.get("spec") or {}, at)
    if spec.get("revisionHistoryLimit", 0) < 0:
        warnings.append(_KEEPS_ALL)
    return warnings


STATEFUL_SET: Final = Rules(
    default=_default,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    prepare_status=keep_spec,
    validate=_validate,
    validate_update=_validate_update,
    validate_status=_validate_status,
    warnings=_warn,
    name_problems=is_dns1123_label,
)
