"""ResourceQuotas: what all objects of a namespace may use together, as a whole or in scopes of pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.internals import printed_internal
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.pods.aggregates import HUGE_PAGES_PREFIX
from argosy.api.rules.pods.defaulting import round_up
from argosy.api.rules.pods.resources import quantity, validate_quantity, validate_resource_name
from argosy.api.rules.resets import keep_spec, keep_status
from argosy.api.rules.wording import IMMUTABLE, printed
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Object

_QUOTA_RESOURCES: Final = frozenset(
    {
        "cpu",
        "memory",
        "ephemeral-storage",
        "requests.cpu",
        "requests.memory",
        "requests.storage",
        "requests.ephemeral-storage",
        "limits.cpu",
        "limits.memory",
        "limits.ephemeral-storage",
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "persistentvolumeclaims",
        "configmaps",
        "services.nodeports",
        "services.loadbalancers",
    }
)
_POD_RESOURCES: Final = frozenset(
    {
        "pods",
        "cpu",
        "memory",
        "limits.cpu",
        "limits.memory",
        "requests.cpu",
        "requests.memory",
    }
)
# The resources each scope can count; a scope that is not here counts everything.
_SCOPES: Final[Mapping[str, frozenset[str]]] = {
    "Terminating": _POD_RESOURCES,
    "NotTerminating": _POD_RESOURCES,
    "BestEffort": frozenset({"pods"}),
    "NotBestEffort": _POD_RESOURCES,
    "PriorityClass": _POD_RESOURCES,
    "CrossNamespacePodAffinity": _POD_RESOURCES,
    "VolumeAttributesClass": frozenset({"persistentvolumeclaims", "requests.storage"}),
}
_EXISTS_ONLY: Final = frozenset(_SCOPES) - {"PriorityClass", "VolumeAttributesClass"}
_CONFLICTS: Final = (("BestEffort", "NotBestEffort"), ("NotTerminating", "Terminating"))
_EXISTS_TEXT: Final = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
    "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort "
    "or ResourceQuotaScopeCrossNamespacePodAffinity"
)


def _default(obj: Object) -> None:
    spec: Object = obj.setdefault("spec", {})
    status: Object = obj.setdefault("status", {})
    for amounts in (spec.get("hard"), status.get("hard"), status.get("used")):
        if amounts:
            round_up(amounts)


def _prepare_create(obj: Object) -> None:
    obj["status"] = {}


def _is_quota_resource(name: str) -> bool:
    return name in _QUOTA_RESOURCES or name.startswith((HUGE_PAGES_PREFIX, "requests.hugepages-"))


def _validate_amounts(amounts: Object | None, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, value in (amounts or {}).items():
        at = f"{path}[{name}]"
        errors += validate_resource_name(name, at)
        if "/" not in name and not _is_quota_resource(name):
            errors.append(invalid(at, name, "must be a standard resource for quota"))
        errors += validate_quantity(name, value, at)
    return errors


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    errors += _validate_spec(obj.get("spec") or {})
    errors += _validate_status(obj)
    return errors


def _validate_spec(spec: Object) -> list[FieldError]:
    errors = _validate_amounts(spec.get("hard"), "spec.hard")
    names = sorted(spec.get("hard") or ())
    scopes: list[str] = spec.get("scopes") or []
    shown = printed(scopes or None)
    path = "spec.scopes"
    for scope in scopes:
        if scope not in _SCOPES:
            errors.append(invalid(path, shown, "unsupported scope"))
        errors += [
            invalid(path, shown, "unsupported scope applied to resource")
            for name in names
            if not _counts(scope, name)
        ]
    errors += [
        invalid(path, shown, "conflicting scopes")
        for pair in _CONFLICTS
        if scopes and all(scope in scopes for scope in pair)
    ]
    if (selector := spec.get("scopeSelector")) is not None:
        path = "spec.scopeSelector.matchExpressions"
        errors += _validate_scope_selector(selector, names, path)
        given = {each.get("scopeName") for each in selector.get("matchExpressions") or ()}
        errors += [
            invalid(path, shown, "conflicting scopes")
            for pair in _CONFLICTS
            if all(scope in given for scope in pair)
        ]
    return errors


def _counts(scope: str, name: str) -> bool:
    return not _is_quota_resource(name) or name in _SCOPES.get(scope, {name})


def _validate_scope_selector(selector: Object, names: list[str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for each in selector.get("matchExpressions") or ():
        scope, operator = each.get("scopeName", ""), each.get("operator", "")
        values = each.get("values") or []
        if scope not in _SCOPES:
            errors.append(invalid(f"{path}.scopeName", scope, "unsupported scope"))
        errors += [
            invalid(
                path,
                printed_internal("ScopeSelector", selector),
                "unsupported scope applied to resource",
            )
            for name in names
            if not _counts(scope, name)
        ]
        if scope in _EXISTS_ONLY and operator != "Exists":
            errors.append(invalid(f"{path}.operator", operator, _EXISTS_TEXT))
        match operator:
            case "In" | "NotIn":
                if not values:
                    errors.append(
                        required(
                            f"{path}.values",
                            "must be at least one value when `operator` is 'In' or 'NotIn' for "
                            "scope selector",
                        )
                    )
            case "Exists" | "DoesNotExist":
                if values:
                    errors.append(
                        invalid(
                            f"{path}.values",
                            printed(values),
                            "must be no value when `operator` is 'Exist' or 'DoesNotExist' for "
                            "scope selector",
                        )
                    )
            case _:
                detail = "not a valid selector operator"
                errors.append(invalid(f"{path}.operator", operator, detail))
    return errors


def _validate_status(obj: Object) -> list[FieldError]:
    status: Object = obj.get("status") or {}
    errors = _validate_amounts(status.get("hard"), "status.hard")
    errors += _validate_amounts(status.get("used"), "status.used")
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    spec: Object = new.get("spec") or {}
    errors += _validate_spec(spec)
    scopes = spec.get("scopes") or []
    if set(scopes) != set((old.get("spec") or {}).get("scopes") or ()):
        errors.append(invalid("spec.scopes", printed(scopes or None), IMMUTABLE))
    return errors


def _validate_status_update(new: Object, old: Object) -> list[FieldError]:
    return validate_metadata_update(new, old) + _validate_status(new)


def _warn(new: Object, old: Object | None) -> list[str]:
    if old is not None:
        return []
    hard: Object = (new.get("spec") or {}).get("hard") or {}
    warnings: list[str] = []
    for name in ("cpu", "memory", "ephemeral-storage"):
        request = f"requests.{name}"
        if request not in hard and name != "ephemeral-storage" and name in hard:
            request = name
        limit = f"limits.{name}"
        if request in hard and limit in hard:
            asked, most = quantity(hard[request]), quantity(hard[limit])
            if asked > most:
                text = f"ResourceQuota {request} ({asked}) should be less than {limit} ({most})"
                warnings.append(text)
    return warnings


RULES: Final[dict[str, Rules]] = {
    "ResourceQuota": Rules(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=keep_status,
        prepare_status=keep_spec,
        validate=_validate,
        validate_update=_validate_update,
        validate_status=_validate_status_update,
        warnings=_warn,
        name_problems=is_dns1123_subdomain,
        tracks_generation=False,
    )
}
