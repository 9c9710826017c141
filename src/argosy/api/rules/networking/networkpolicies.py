"""NetworkPolicies: which peers and ports the selected pods may talk to.

A policy that names no direction means incoming traffic, and outgoing traffic too if it has rules for that. Updates are
checked by both of upstream's functions, so every cause of a rejected one comes twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.addresses import parse_cidr, validate_legacy_cidr, warnings_for_cidr
from argosy.api.rules.labels import validate_label_selector
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain, is_port_name, is_port_number
from argosy.api.rules.wording import printed, unsupported
from argosy.base.fielderrors import FieldError, forbidden, invalid, required
from argosy.base.types import Object

# The directions in which there are rules, and what each calls its peers.
_DIRECTIONS: Final = (("ingress", "from"), ("egress", "to"))
_POLICY_TYPES: Final = ("Ingress", "Egress")
_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")


def _rules(obj: Object) -> Iterator[tuple[Object, str, str]]:
    """Every rule with its path and what it calls its peers."""
    spec: Object = obj.get("spec") or {}
    for direction, peers in _DIRECTIONS:
        for index, rule in enumerate(spec.get(direction) or ()):
            yield rule, f"spec.{direction}[{index}]", peers


def _default(obj: Object) -> None:
    for rule, _, _ in _rules(obj):
        for port in rule.get("ports") or ():
            if port.get("protocol") is None:
                port["protocol"] = "TCP"
    spec: Object = obj.get("spec") or {}
    if not spec.get("policyTypes"):
        spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]


def _validate(obj: Object) -> list[FieldError]:
    return validate_metadata(obj, True, is_dns1123_subdomain) + _validate_spec(obj)


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    return _validate(new) + validate_metadata_update(new, old) + _validate_spec(new)


def _validate_spec(obj: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    errors = validate_label_selector(spec.get("podSelector"), "spec.podSelector")
    for rule, path, peers in _rules(obj):
        for index, port in enumerate(rule.get("ports") or ()):
            errors += _validate_port(port, f"{path}.ports[{index}]")
        for index, peer in enumerate(rule.get(peers) or ()):
            errors += _validate_peer(peer, f"{path}.{peers}[{index}]")
    types = spec.get("policyTypes") or []
    if len(types) > len(_POLICY_TYPES):
        detail = "may not specify more than two policyTypes"
        errors.append(invalid("spec.policyTypes", printed(types), detail))
        return errors
    errors += [
        unsupported(f"spec.policyTypes[{index}]", kind, _POLICY_TYPES)
        for index, kind in enumerate(types)
        if kind not in _POLICY_TYPES
    ]
    return errors


def _validate_port(port: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    protocol, value, end = port.get("protocol"), port.get("port"), port.get("endPort")
    if protocol is not None and protocol not in _PROTOCOLS:
        errors.append(unsupported(f"{path}.protocol", protocol, _PROTOCOLS))
    match value:
        case None:
            if end is not None:
                detail = "may not be specified when `port` is not specified"
                errors.append(invalid(f"{path}.endPort", end, detail))
        case int():
            errors += [invalid(f"{path}.port", value, text) for text in is_port_number(value)]
            if end is not None:
                if end < value:
                    detail = "must be greater than or equal to `port`"
                    errors.append(invalid(f"{path}.endPort", value, detail))
                errors += [invalid(f"{path}.endPort", end, text) for text in is_port_number(end)]
        case _:
            if end is not None:
                detail = "may not be specified when `port` is non-numeric"
                errors.append(invalid(f"{path}.endPort", end, detail))
            errors += [invalid(f"{path}.port", value, text) for text in is_port_name(value)]
    return errors


def _validate_peer(peer: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    given = 0
    for field in ("podSelector", "namespaceSelector"):
        if (selector := peer.get(field)) is not None:
            given += 1
            errors += validate_label_selector(selector, f"{path}.{field}")
    block = peer.get("ipBlock")
    if block is not None:
        errors += _validate_block(block, f"{path}.ipBlock")
        if given:
            errors.append(forbidden(path, "may not specify both ipBlock and another peer"))
    elif not given:
        errors.append(required(path, "must specify a peer"))
    return errors


def _validate_block(block: Object, path: str) -> list[FieldError]:
    if not (cidr := block.get("cidr", "")):
        return [required(f"{path}.cidr")]
    errors = validate_legacy_cidr(cidr, f"{path}.cidr")
    if (parsed := parse_cidr(cidr)) is None:
        return errors
    network = parsed[1]
    for index, text in enumerate(block.get("except") or ()):
        at = f"{path}.except[{index}]"
        errors += validate_legacy_cidr(text, at)
        if (inner := parse_cidr(text)) is None:
            continue
        inside = inner[1].network_address in network
        if not inside or network.prefixlen >= inner[1].prefixlen:
            errors.append(invalid(at, text, "must be a strict subset of `cidr`"))
    return errors


def _warn(new: Object, _old: Object | None) -> list[str]:
    warnings: list[str] = []
    for rule, path, peers in _rules(new):
        for index, peer in enumerate(rule.get(peers) or ()):
            if (block := peer.get("ipBlock")) is None:
                continue
            at = f"{path}.{peers}[{index}].ipBlock"
            warnings += warnings_for_cidr(block.get("cidr", ""), f"{at}.cidr")
            for position, text in enumerate(block.get("except") or ()):
                warnings += warnings_for_cidr(text, f"{at}.except[{position}]")
    return warnings


NETWORK_POLICY: Final = Rules(
    default=_default,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warn,
    name_problems=is_dns1123_subdomain,
)
