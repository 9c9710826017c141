"""Ingresses: from host and path to a port of a service, or to another object.

Only Exact and Prefix paths are held to a form; ImplementationSpecific ones belong to the controller. The class was once
an annotation: both may be given for a new Ingress if they agree, and the annotation alone earns a warning.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.addresses import parse_ip, validate_legacy_ip
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import (
    is_dns1035_label,
    is_dns1123_subdomain,
    is_port_name,
    is_port_number,
    is_wildcard_dns1123_subdomain,
)
from argosy.api.rules.networking.references import validate_typed_reference
from argosy.base.fielderrors import FieldError, invalid, not_supported, required
from argosy.base.types import Object

_CLASS: Final = "kubernetes.io/ingress.class"
_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")
_BAD_SEQUENCES: Final = ("//", "/./", "/../", "%2f", "%2F")
_BAD_ENDS: Final = ("/..", "/.")
_NOT_AN_IP: Final = "must be a DNS name, not an IP address"


def _prepare_create(obj: Object) -> None:
    obj["status"] = {"loadBalancer": {}}


def _validate(obj: Object) -> list[FieldError]:
    errors = _validate_object(obj)
    named = (obj.get("spec") or {}).get("ingressClassName")
    annotated = ((obj.get("metadata") or {}).get("annotations") or {}).get(_CLASS)
    if named is not None and annotated is not None and named != annotated:
        detail = "must match `ingressClassName` when both are specified"
        errors.append(invalid(f"annotations.{_CLASS}", annotated, detail))
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    return validate_metadata_update(new, old) + _validate_object(new)


def _validate_object(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    spec: Object = obj.get("spec") or {}
    rules, backend = spec.get("rules") or [], spec.get("defaultBackend")
    if not rules and backend is None:
        errors.append(invalid("spec", None, "either `defaultBackend` or `rules` must be specified"))
    if backend is not None:
        errors += _validate_backend(backend, "spec.defaultBackend")
    for index, rule in enumerate(rules):
        errors += _validate_rule(rule, f"spec.rules[{index}]")
    for index, tls in enumerate(spec.get("tls") or ()):
        errors += _validate_tls(tls, f"spec.tls[{index}]")
    if (name := spec.get("ingressClassName")) is not None:
        problems = is_dns1123_subdomain(name)
        errors += [invalid("spec.ingressClassName", name, text) for text in problems]
    return errors


def _host_problems(host: str) -> list[str]:
    return is_wildcard_dns1123_subdomain(host) if "*" in host else is_dns1123_subdomain(host)


def _validate_rule(rule: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if host := rule.get("host", ""):
        if parse_ip(host) is not None:
            errors.append(invalid(f"{path}.host", host, _NOT_AN_IP))
        errors += [invalid(f"{path}.host", host, text) for text in _host_problems(host)]
    if (http := rule.get("http")) is not None:
        paths = http.get("paths") or []
        if not paths:
            errors.append(required(f"{path}.http.paths"))
        for index, each in enumerate(paths):
            errors += _validate_path(each, f"{path}.http.paths[{index}]")
    return errors


def _validate_path(entry: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    kind, text, at = entry.get("pathType"), entry.get("path", ""), f"{path}.path"
    match kind:
        case None:
            return [required(f"{path}.pathType", "pathType must be specified")]
        case "Exact" | "Prefix":
            if not text.startswith("/"):
                errors.append(invalid(at, text, "must be an absolute path"))
            errors += [
                invalid(at, text, f"must not contain '{sequence}'")
                for sequence in _BAD_SEQUENCES
                if sequence in text
            ]
            errors += [
                invalid(at, text, f"cannot end with '{end}'")
                for end in _BAD_ENDS
                if text.endswith(end)
            ]
        case "ImplementationSpecific":
            if text and not text.startswith("/"):
                errors.append(invalid(at, text, "must be an absolute path"))
        case _:
            errors.append(not_supported(f"{path}.pathType", kind, _PATH_TYPES))
    return errors + _validate_backend(entry.get("backend") or {}, f"{path}.backend")


def _validate_backend(backend: Object, path: str) -> list[FieldError]:
    resource, service = backend.get("resource"), backend.get("service")
    if resource is not None and service is not None:
        return [invalid(path, "", "cannot set both resource and service backends")]
    if resource is not None:
        return validate_typed_reference(resource, f"{path}.resource")
    if service is not None:
        return _validate_service(service, path)
    return [invalid(path, "", "resource or service backend is required")]


def _validate_service(service: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    at = f"{path}.service"
    if not (name := service.get("name", "")):
        errors.append(required(f"{at}.name"))
    else:
        errors += [invalid(f"{at}.name", name, text) for text in is_dns1035_label(name)]
    port: Object = service.get("port") or {}
    match port.get("name", ""), port.get("number", 0):
        case "", 0:
            errors.append(required(path, "port name or number is required"))
        case "", number:
            errors += [invalid(f"{at}.port.number", number, t) for t in is_port_number(number)]
        case named, 0:
            errors += [invalid(f"{at}.port.name", named, text) for text in is_port_name(named)]
        case _:
            errors.append(invalid(path, "", "cannot set both port name & port number"))
    return errors


def _validate_tls(tls: Object, path: str) -> list[FieldError]:
    errors = [
        invalid(f"{path}.hosts[{index}]", host, text)
        for index, host in enumerate(tls.get("hosts") or ())
        for text in _host_problems(host)
    ]
    if secret := tls.get("secretName", ""):
        problems = is_dns1123_subdomain(secret)
        errors += [invalid(f"{path}.secretName", secret, text) for text in problems]
    return errors


def _validate_status(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    known = {ingress.get("ip", "") for ingress in _served_by(old)}
    for index, ingress in enumerate(_served_by(new)):
        path = f"status.loadBalancer.ingress[{index}]"
        if address := ingress.get("ip", ""):
            errors += validate_legacy_ip(address, f"{path}.ip", known)
        if host := ingress.get("hostname", ""):
            at = f"{path}.hostname"
            errors += [invalid(at, host, text) for text in is_dns1123_subdomain(host)]
            if parse_ip(host) is not None:
                errors.append(invalid(at, host, _NOT_AN_IP))
    return errors


def _served_by(obj: Object) -> list[Object]:
    return ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []


def _warn(new: Object, old: Object | None) -> list[str]:
    annotations = (new.get("metadata") or {}).get("annotations") or {}
    named = (new.get("spec") or {}).get("ingressClassName")
    if old is not None or _CLASS not in annotations or named is not None:
        return []
    return [f"annotation \"{_CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"]


INGRESS: Final = Rules(
    prepare_create=_prepare_create,
    validate=_validate,
    validate_update=_validate_update,
    validate_status=_validate_status,
    warnings=_warn,
    name_problems=is_dns1123_subdomain,
)
