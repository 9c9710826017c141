"""IngressClasses: which controller serves an Ingress. That never changes, its parameters may."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import immutable, validate_metadata, validate_metadata_update
from argosy.api.rules.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    validate_domain_prefixed_path,
)
from argosy.api.rules.networking.references import validate_typed_reference
from argosy.base.fielderrors import (
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from argosy.base.types import Object

_CONTROLLER_LIMIT: Final = 250
_SCOPES: Final = ("Cluster", "Namespace")


def _default(obj: Object) -> None:
    parameters = (obj.get("spec") or {}).get("parameters")
    if parameters is not None and parameters.get("scope") is None:
        parameters["scope"] = "Cluster"


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, False, is_dns1123_subdomain)
    spec: Object = obj.get("spec") or {}
    controller = spec.get("controller", "")
    if len(controller.encode()) > _CONTROLLER_LIMIT:
        errors.append(too_long("spec.controller", _CONTROLLER_LIMIT))
    errors += validate_domain_prefixed_path(controller, "spec.controller")
    if (parameters := spec.get("parameters")) is not None:
        errors += _validate_parameters(parameters, "spec.parameters")
    return errors


def _validate_parameters(parameters: Object, path: str) -> list[FieldError]:
    errors = validate_typed_reference(parameters, path)
    namespace, at = parameters.get("namespace"), f"{path}.namespace"
    match scope := parameters.get("scope"):
        case None:
            errors.append(required(f"{path}.scope"))
        case "Namespace":
            if namespace is None:
                errors.append(required(at, "`parameters.scope` is set to 'Namespace'"))
            else:
                errors += [invalid(at, namespace, text) for text in is_dns1123_label(namespace)]
        case "Cluster":
            if namespace is not None:
                errors.append(forbidden(at, "`parameters.scope` is set to 'Cluster'"))
        case _:
            errors.append(not_supported(f"{path}.scope", scope, _SCOPES))
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    controller = (new.get("spec") or {}).get("controller", "")
    before = (old.get("spec") or {}).get("controller", "")
    errors += immutable(controller, before, "spec.controller")
    return errors + _validate(new)


INGRESS_CLASS: Final = Rules(
    default=_default,
    validate=_validate,
    validate_update=_validate_update,
    name_problems=is_dns1123_subdomain,
)
