"""Endpoints: addresses behind a service, in the old form that EndpointSlices replace."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.addresses import parse_ip, validate_legacy_ip, warnings_for_ip
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_port_number,
)
from argosy.api.rules.ports import validate_application_protocol, validate_protocol
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Object

_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
_KINDS: Final = ("addresses", "notReadyAddresses")


def _default(obj: Object) -> None:
    for subset in obj.get("subsets") or ():
        for port in subset.get("ports") or ():
            if not port.get("protocol"):
                port["protocol"] = "TCP"


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    errors += _validate_subsets(obj)
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += validate_metadata(new, True, is_dns1123_subdomain)
    # Subsets that were stored under older rules stay writable.
    if (new.get("subsets") or []) != (old.get("subsets") or []):
        errors += _validate_subsets(new)
    return errors


def _validate_subsets(obj: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, subset in enumerate(obj.get("subsets") or ()):
        path = f"subsets[{index}]"
        if not any(subset.get(kind) for kind in _KINDS):
            errors.append(required(path, "must specify `addresses` or `notReadyAddresses`"))
        for kind in _KINDS:
            for position, address in enumerate(subset.get(kind) or ()):
                errors += _validate_address(address, f"{path}.{kind}[{position}]")
        ports = subset.get("ports") or []
        for position, port in enumerate(ports):
            errors += _validate_port(port, len(ports) > 1, f"{path}.ports[{position}]")
    return errors


def _validate_address(address: Object, path: str) -> list[FieldError]:
    value = address.get("ip", "")
    errors = validate_legacy_ip(value, f"{path}.ip")
    if hostname := address.get("hostname"):
        errors += [
            invalid(f"{path}.hostname", hostname, text) for text in is_dns1123_label(hostname)
        ]
    if (node := address.get("nodeName")) is not None:
        errors += [invalid(f"{path}.nodeName", node, text) for text in is_dns1123_subdomain(node)]
    errors += validate_endpoint_ip(value, f"{path}.ip")
    return errors


def validate_endpoint_ip(value: str, path: str) -> list[FieldError]:
    """An address that traffic may be sent to."""
    address = parse_ip(value)
    if address is None:
        return [invalid(path, value, "must be a valid IP address")]
    errors: list[FieldError] = []
    if address.is_unspecified:
        errors.append(invalid(path, value, f"may not be unspecified ({value})"))
    if address.is_loopback:
        detail = "may not be in the loopback range (127.0.0.0/8, ::1/128)"
        errors.append(invalid(path, value, detail))
    if address.is_link_local:
        detail = "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
        errors.append(invalid(path, value, detail))
    text = str(address)
    if text.startswith("224.0.0.") or (address.is_multicast and text.startswith("ff02:")):
        detail = "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
        errors.append(invalid(path, value, detail))
    return errors


def _validate_port(port: Object, needs_name: bool, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    name = port.get("name", "")
    if needs_name and not name:
        errors.append(required(f"{path}.name"))
    elif name:
        errors += [invalid(f"{path}.name", name, text) for text in is_dns1123_label(name)]
    number = port.get("port", 0)
    errors += [invalid(f"{path}.port", number, text) for text in is_port_number(number)]
    errors += validate_protocol(port.get("protocol", ""), f"{path}.protocol")
    return errors + validate_application_protocol(port, path)


def _warn(new: Object, _old: Object | None) -> list[str]:
    labels = (new.get("metadata") or {}).get("labels") or {}
    if labels.get(_MANAGED_BY) == "endpoint-controller":
        return []
    warnings: list[str] = []
    for index, subset in enumerate(new.get("subsets") or ()):
        for kind in _KINDS:
            for position, address in enumerate(subset.get(kind) or ()):
                path = f"subsets[{index}].{kind}[{position}].ip"
                warnings += warnings_for_ip(address.get("ip", ""), path)
    return warnings


RULES: Final[dict[str, Rules]] = {
    "Endpoints": Rules(
        default=_default,
        validate=_validate,
        validate_update=_validate_update,
        warnings=_warn,
        name_problems=is_dns1123_subdomain,
        create_on_update=True,
        tracks_generation=False,
    )
}
