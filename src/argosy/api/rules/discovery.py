"""EndpointSlices: addresses behind a service, a thousand to an object at most.

The type of the addresses never changes. `deprecatedTopology` cannot be written in this version; where it named a node,
that name moves to `nodeName`, so that a writer who sends back what it read loses nothing. Labels decide who owns
a slice, which is why a change of them counts as a new generation here.
"""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.addresses import parse_ip, validate_ip, validate_legacy_ip, warnings_for_ip
from argosy.api.rules.endpoints import validate_endpoint_ip
from argosy.api.rules.metadata import immutable, validate_metadata
from argosy.api.rules.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_label_value,
)
from argosy.api.rules.ports import PROTOCOLS, validate_application_protocol
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
    too_many,
)
from argosy.base.types import Object

_ADDRESS_TYPES: Final = ("FQDN", "IPv4", "IPv6")
_MAX_ADDRESSES: Final = 100
_MAX_PORTS: Final = 20_000
_MAX_ENDPOINTS: Final = 1000
_MAX_HINTS: Final = 8
_MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
# Their addresses are known to be in good form.
_CONTROLLERS: Final = frozenset(
    {"endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"}
)
_HOSTNAME: Final = "kubernetes.io/hostname"


def _default(obj: Object) -> None:
    for port in obj.get("ports") or ():
        if port.get("name") is None:
            port["name"] = ""
        if port.get("protocol") is None:
            port["protocol"] = "TCP"


def _drop_topology(obj: Object, old: Object | None) -> None:
    before = (old or {}).get("endpoints") or []
    endpoints = obj.get("endpoints") or []
    if old is not None and endpoints == before:
        return
    known = {(endpoint.get("deprecatedTopology") or {}).get(_HOSTNAME) for endpoint in before}
    for endpoint in endpoints:
        node = (endpoint.pop("deprecatedTopology", None) or {}).get(_HOSTNAME)
        if node and node in known and endpoint.get("nodeName") is None:
            endpoint["nodeName"] = node


def _prepare_create(obj: Object) -> None:
    _drop_topology(obj, None)


def _prepare_update(new: Object, old: Object) -> None:
    meta, before = new["metadata"], old["metadata"]
    if (meta.get("labels") or {}) != (before.get("labels") or {}):
        meta["generation"] = before.get("generation", 0) + 1
    _drop_topology(new, old)


def _validate(obj: Object) -> list[FieldError]:
    return _validate_all_but_endpoints(obj) + _validate_endpoints(obj)


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = _validate_all_but_endpoints(new)
    # Endpoints that were stored under older rules stay writable.
    if (new.get("endpoints") or []) != (old.get("endpoints") or []):
        errors += _validate_endpoints(new)
    return errors + immutable(new.get("addressType"), old.get("addressType"), "addressType")


def _validate_all_but_endpoints(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    if not (kind := obj.get("addressType", "")):
        errors.append(required("addressType"))
    elif kind not in _ADDRESS_TYPES:
        errors.append(not_supported("addressType", kind, _ADDRESS_TYPES))
    return errors + _validate_ports(obj.get("ports") or [])


def _validate_ports(ports: list[Object]) -> list[FieldError]:
    if len(ports) > _MAX_PORTS:
        return [too_many("ports", len(ports), _MAX_PORTS)]
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, port in enumerate(ports):
        path = f"ports[{index}]"
        name, protocol = port.get("name") or "", port.get("protocol")
        if name:
            errors += [invalid(f"{path}.name", name, text) for text in is_dns1123_label(name)]
        if name in seen:
            errors.append(duplicate(f"{path}.name", name))
        seen.add(name)
        if protocol is None:
            errors.append(required(f"{path}.protocol"))
        elif protocol not in PROTOCOLS:
            errors.append(not_supported(f"{path}.protocol", protocol, PROTOCOLS))
        errors += validate_application_protocol(port, path)
    return errors


def _validate_endpoints(obj: Object) -> list[FieldError]:
    endpoints = obj.get("endpoints") or []
    if len(endpoints) > _MAX_ENDPOINTS:
        return [too_many("endpoints", len(endpoints), _MAX_ENDPOINTS)]
    check = _ADDRESS_CHECKS.get(obj.get("addressType", ""))
    errors: list[FieldError] = []
    for index, endpoint in enumerate(endpoints):
        path = f"endpoints[{index}]"
        addresses = endpoint.get("addresses") or []
        if not addresses:
            errors.append(required(f"{path}.addresses", "must contain at least 1 address"))
        elif len(addresses) > _MAX_ADDRESSES:
            errors.append(too_many(f"{path}.addresses", len(addresses), _MAX_ADDRESSES))
        if check is not None:
            for position, address in enumerate(addresses):
                errors += check(address, f"{path}.addresses", position)
        if (node := endpoint.get("nodeName")) is not None:
            problems = is_dns1123_subdomain(node)
            errors += [invalid(f"{path}.nodeName", node, text) for text in problems]
        if (host := endpoint.get("hostname")) is not None:
            errors += [invalid(f"{path}.hostname", host, text) for text in is_dns1123_label(host)]
        if (hints := endpoint.get("hints")) is not None:
            errors += _validate_hints(hints, f"{path}.hints")
    return errors


def _validate_ipv4(address: str, path: str, position: int) -> list[FieldError]:
    if errors := validate_legacy_ip(address, f"{path}[{position}]"):
        return errors
    if not isinstance(parse_ip(address), IPv4Address):
        errors.append(invalid(path, address, "must be an IPv4 address"))
    return errors + validate_endpoint_ip(address, f"{path}[{position}]")


def _validate_ipv6(address: str, path: str, position: int) -> list[FieldError]:
    if errors := validate_ip(address, f"{path}[{position}]"):
        return errors
    if not isinstance(parse_ip(address), IPv6Address):
        errors.append(invalid(path, address, "must be an IPv6 address"))
    return errors + validate_endpoint_ip(address, f"{path}[{position}]")


def _validate_fqdn(address: str, path: str, position: int) -> list[FieldError]:
    at = f"{path}[{position}]"
    if not address:
        return [required(at)]
    name = address.removesuffix(".")
    if problems := is_dns1123_subdomain(name):
        return [invalid(at, name, ",".join(problems))]
    labels = name.split(".")
    if len(labels) < 2:
        detail = "should be a domain with at least two segments separated by dots"
        return [invalid(at, name, detail)]
    bad = ((label, is_dns1123_label(label)) for label in labels)
    return [invalid(at, label, ",".join(problems)) for label, problems in bad if problems][:1]


_ADDRESS_CHECKS: Final[dict[str, Callable[[str, str, int], list[FieldError]]]] = {
    "IPv4": _validate_ipv4,
    "IPv6": _validate_ipv6,
    "FQDN": _validate_fqdn,
}


def _validate_hints(hints: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for field, check in (("forZones", is_label_value), ("forNodes", is_dns1123_subdomain)):
        targets = hints.get(field) or []
        if len(targets) > _MAX_HINTS:
            errors.append(too_many(f"{path}.{field}", len(targets), _MAX_HINTS))
            return errors
        seen: set[str] = set()
        for index, target in enumerate(targets):
            at, name = f"{path}.{field}[{index}].name", target.get("name", "")
            if name in seen:
                errors.append(duplicate(at, name))
            seen.add(name)
            errors += [invalid(at, name, text) for text in check(name)]
    return errors


def _warn(new: Object, old: Object | None) -> list[str]:
    warnings: list[str] = []
    if old is None and new.get("addressType") == "FQDN":
        warnings.append("spec.addressType: FQDN endpoints are deprecated")
    labels = (new.get("metadata") or {}).get("labels") or {}
    if labels.get(_MANAGED_BY) in _CONTROLLERS:
        return warnings
    for index, endpoint in enumerate(new.get("endpoints") or ()):
        for position, address in enumerate(endpoint.get("addresses") or ()):
            warnings += warnings_for_ip(address, f"endpoints[{index}].addresses[{position}]")
    return warnings


RULES: Final[dict[str, Rules]] = {
    "EndpointSlice": Rules(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=_prepare_update,
        validate=_validate,
        validate_update=_validate_update,
        warnings=_warn,
        name_problems=is_dns1123_subdomain,
    )
}
