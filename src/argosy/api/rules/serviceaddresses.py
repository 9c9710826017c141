"""Addresses and address families of Services: what may be asked for and what may change.

A service has one address, or one of each family where the cluster has both. This cluster has IPv4 only.
"""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Final

from argosy.api.rules.addresses import parse_ip, validate_legacy_ip
from argosy.api.rules.wording import printed
from argosy.base.fielderrors import FieldError, duplicate, invalid, not_supported, required
from argosy.base.types import Object

_FAMILIES: Final = ("IPv4", "IPv6")
_FAMILY_POLICIES: Final = ("PreferDualStack", "RequireDualStack", "SingleStack")
SET_ONCE: Final = "may not change once set"


def is_headless(spec: Object) -> bool:
    return (spec.get("clusterIPs") or [spec.get("clusterIP")]) == ["None"]


def validate_stack(spec: Object, before: Object) -> list[FieldError]:
    """What one address family cannot give."""
    if spec.get("type") == "ExternalName":
        return []
    if errors := validate_cluster_ips(spec, before):
        return errors
    policy, families = spec.get("ipFamilyPolicy"), spec.get("ipFamilies") or []
    ips = spec.get("clusterIPs") or []
    path = "spec.ipFamilyPolicy"
    errors = []
    if policy == "SingleStack":
        for count, what in ((len(ips), "cluster IPs"), (len(families), "IP families")):
            if count == 2:
                detail = (
                    "must be 'RequireDualStack' or 'PreferDualStack' when multiple "
                    f"{what} are specified"
                )
                errors.append(invalid(path, policy, detail))
    errors += [
        invalid(f"spec.clusterIPs[{index}]", printed(ips), "IPv6 is not configured on this cluster")
        for index, ip in enumerate(ips)
        if _is_ipv6(ip) and index >= len(families)
    ]
    if errors or (spec.get("clusterIP") == "None" and not spec.get("selector")):
        return errors
    if policy == "RequireDualStack":
        detail = "this cluster is not configured for dual-stack services"
        errors.append(invalid(path, policy, detail))
    errors += [
        invalid(f"spec.ipFamilies[{index}]", family, "not configured on this cluster")
        for index, family in enumerate(families)
        if family != "IPv4"
    ]
    return errors


def _is_ipv6(ip: str) -> bool:
    return isinstance(parse_ip(ip), IPv6Address)


def validate_cluster_ips(spec: Object, before: Object) -> list[FieldError]:
    if spec.get("type") == "ExternalName":
        return []
    errors: list[FieldError] = []
    path = "spec.clusterIPs"
    ip, ips = spec.get("clusterIP", ""), spec.get("clusterIPs") or []
    if ip and not ips:
        errors.append(required(path))
    elif ip and ips[0] != ip:
        errors.append(invalid(path, printed(ips), "first value must match `clusterIP`"))
    elif ips and not ip:
        detail = "must be empty when `clusterIP` is not specified"
        errors.append(invalid(path, printed(ips), detail))
    families = spec.get("ipFamilies") or []
    for index, family in enumerate(families):
        if family not in _FAMILIES:
            errors.append(not_supported(f"spec.ipFamilies[{index}]", family, _FAMILIES))
        if family in families[:index]:
            errors.append(duplicate(f"spec.ipFamilies[{index}]", family))
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in _FAMILY_POLICIES:
        errors.append(not_supported("spec.ipFamilyPolicy", policy, _FAMILY_POLICIES))
    bad: list[FieldError] = []
    known = before.get("clusterIPs") or []
    for index, each in enumerate(ips):
        if index == 0 and each == "None":
            if len(ips) > 1:
                detail = "'None' must be the first and only value"
                bad.append(invalid(path, printed(ips), detail))
        else:
            bad += validate_legacy_ip(each, f"{path}[{index}]", known)
    errors += bad
    if len(ips) > 2:
        errors.append(invalid(path, printed(ips), "may only hold up to 2 values"))
    if bad:
        return errors
    if len(ips) > 1 and len({_is_ipv6(each) for each in ips}) < 2:
        detail = "may specify no more than one IP for each IP family"
        errors.append(invalid(path, printed(ips), detail))
    if ips != ["None"]:
        for index, (each, family) in enumerate(zip(ips, families, strict=False)):
            if family in _FAMILIES and _is_ipv6(each) != (family == "IPv6"):
                detail = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
                errors.append(invalid(f"{path}[{index}]", each, detail))
    return errors


def validate_kept_ips(spec: Object, before: Object) -> list[FieldError]:
    """Addresses are set once; a second one may come and go."""
    ips, stored = spec.get("clusterIPs") or [], before.get("clusterIPs") or []
    if ips == ["None"] and stored == ["None"]:
        return []
    path = "spec.clusterIPs"
    shown = printed(ips or None)
    if len(ips) == len(stored):
        return [
            invalid(f"{path}[{index}]", shown, SET_ONCE)
            for index, (ip, old) in enumerate(zip(ips, stored, strict=True))
            if ip != old
        ]
    errors: list[FieldError] = []
    if not ips:
        errors.append(invalid(f"{path}[0]", shown, "primary clusterIP can not be unset"))
    elif stored and ips[0] != stored[0]:
        errors.append(invalid(f"{path}[0]", shown, SET_ONCE))
    if len(stored) > len(ips) == 1 and spec.get("ipFamilyPolicy") != "SingleStack":
        detail = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        errors.append(invalid("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), detail))
    return errors


def validate_kept_families(spec: Object, before: Object) -> list[FieldError]:
    if is_headless(spec) or is_headless(before):
        return []
    families, stored = spec.get("ipFamilies") or [], before.get("ipFamilies") or []
    path = "spec.ipFamilies[0]"
    if len(families) == len(stored):
        return [
            invalid(path, printed(families), SET_ONCE)
            for family, old in zip(families, stored, strict=True)
            if family != old
        ]
    errors: list[FieldError] = []
    if families and stored and families[0] != stored[0]:
        errors.append(invalid(path, printed(spec.get("clusterIPs")), SET_ONCE))
    if len(stored) > len(families) == 1 and spec.get("ipFamilyPolicy") != "SingleStack":
        detail = "must be set to 'SingleStack' when releasing the secondary ipFamily"
        errors.append(invalid("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), detail))
    return errors
