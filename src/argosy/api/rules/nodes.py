"""Nodes: created whole by their kubelets, status included."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.addresses import parse_cidr, validate_legacy_cidr, warnings_for_cidr
from argosy.api.rules.internals import printed_internal
from argosy.api.rules.labels import validate_label_name, validate_taint_effect
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain, is_label_value
from argosy.api.rules.pods.defaulting import round_up
from argosy.api.rules.pods.resources import validate_quantity
from argosy.api.rules.wording import printed
from argosy.base.fielderrors import FieldError, duplicate, forbidden, invalid, required
from argosy.base.types import Object

# Printed on every node, known or not.
_NODE_INFO: Final = (
    "architecture",
    "bootID",
    "containerRuntimeVersion",
    "kernelVersion",
    "kubeProxyVersion",
    "kubeletVersion",
    "machineID",
    "operatingSystem",
    "osImage",
    "systemUUID",
)


def _default(obj: Object) -> None:
    spec: Object = obj.setdefault("spec", {})
    if cidr := spec.get("podCIDR"):
        # The singular field wins over a list that disagrees.
        if (spec.get("podCIDRs") or [None])[0] != cidr:
            spec["podCIDRs"] = [cidr]
    elif cidrs := spec.get("podCIDRs"):
        spec["podCIDR"] = cidrs[0]
    status: Object = obj.setdefault("status", {})
    if status.get("capacity"):
        round_up(status["capacity"])
        if status.get("allocatable") is None:
            status["allocatable"] = dict(status["capacity"])
    if status.get("allocatable"):
        round_up(status["allocatable"])
    status.setdefault("daemonEndpoints", {}).setdefault("kubeletEndpoint", {}).setdefault("Port", 0)
    info: Object = status.setdefault("nodeInfo", {})
    for field in _NODE_INFO:
        info.setdefault(field, "")


def _prepare_create(obj: Object) -> None:
    obj["spec"].pop("configSource", None)
    obj["status"].pop("config", None)
    obj["status"].pop("declaredFeatures", None)


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {})
    new["spec"].pop("configSource", None)


def _prepare_status(new: Object, old: Object) -> None:
    new["spec"] = old.get("spec", {})
    new["status"].pop("config", None)
    new["status"].pop("declaredFeatures", None)


def validate_taints(taints: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        at = f"{path}[{index}]"
        key, value = taint.get("key", ""), taint.get("value", "")
        effect = taint.get("effect", "")
        errors += validate_label_name(key, f"{at}.key")
        if problems := is_label_value(value):
            errors.append(invalid(f"{at}.value", value, ";".join(problems)))
        if not effect:
            errors.append(required(f"{at}.effect"))
        else:
            errors += validate_taint_effect(effect, f"{at}.effect")
        if (key, effect) in seen:
            errors.append(
                FieldError(
                    "FieldValueDuplicate",
                    at,
                    printed_internal("Taint", taint),
                    "taints must be unique by key and effect pair",
                )
            )
        seen.add((key, effect))
    return errors


def _validate_resources(obj: Object) -> list[FieldError]:
    status: Object = obj.get("status") or {}
    errors: list[FieldError] = []
    for field in ("capacity", "allocatable"):
        for name, value in (status.get(field) or {}).items():
            errors += validate_quantity(name, value, f"status.{field}.{name}")
    return errors


def _validate(obj: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    errors = validate_metadata(obj, False, is_dns1123_subdomain)
    # Upstream's path of taints starts at the wrong parent.
    errors += validate_taints(spec.get("taints") or [], "metadata.taints")
    errors += _validate_resources(obj)
    if cidrs := spec.get("podCIDRs"):
        errors += _validate_pod_cidrs(cidrs, "spec.podCIDRs")
    return errors


def _validate_pod_cidrs(cidrs: list[str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, cidr in enumerate(cidrs):
        errors += validate_legacy_cidr(cidr, f"{path}[{index}]")
    if len(cidrs) > 1 and not errors:
        parsed = [parse_cidr(cidr) for cidr in cidrs]
        families = {isinstance(each[1], IPv4Network) for each in parsed if each}
        if len(cidrs) > 2 or len(families) < 2:
            detail = "may specify no more than one CIDR for each IP family"
            errors.append(invalid(path, printed(cidrs), detail))
    return errors


def _validate_change(new: Object, old: Object) -> list[FieldError]:
    spec: Object = new.get("spec") or {}
    before: Object = old.get("spec") or {}
    errors = validate_metadata_update(new, old)
    errors += _validate_resources(new)
    seen: list[Object] = []
    for index, address in enumerate((new.get("status") or {}).get("addresses") or ()):
        if address in seen:
            shown = printed_internal("NodeAddress", address)
            errors.append(duplicate(f"status.addresses[{index}]", shown))
        seen.append(address)
    errors += _validate_kept_cidrs(spec.get("podCIDRs") or [], before.get("podCIDRs") or [])
    if before.get("providerID") and before["providerID"] != spec.get("providerID"):
        detail = 'node updates may not change providerID except from "" to valid'
        errors.append(forbidden("spec.providerID", detail))
    errors += validate_taints(spec.get("taints") or [], "metadata.taints")
    if spec.get("externalID", "") != before.get("externalID", ""):
        errors.append(forbidden("spec.externalID", "may not be updated"))
    return errors


def _validate_kept_cidrs(new: list[str], old: list[str]) -> list[FieldError]:
    if not old:
        return []
    changed = 1 if len(new) != len(old) else sum(a != b for a, b in zip(new, old, strict=True))
    detail = 'node updates may not change podCIDR except from "" to valid'
    return [forbidden("spec.podCIDRs", detail)] * changed


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    return _validate(new) + _validate_change(new, old)


def _warn(new: Object, _old: Object | None) -> list[str]:
    spec: Object = new.get("spec") or {}
    warnings: list[str] = []
    if spec.get("externalID"):
        warnings.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for index, cidr in enumerate(spec.get("podCIDRs") or ()):
        warnings += warnings_for_cidr(cidr, f"spec.podCIDRs[{index}]")
    return warnings


RULES: Final[dict[str, Rules]] = {
    "Node": Rules(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=_prepare_update,
        prepare_status=_prepare_status,
        validate=_validate,
        validate_update=_validate_update,
        validate_status=_validate_change,
        warnings=_warn,
        name_problems=is_dns1123_subdomain,
        selectable={
            "spec.unschedulable": lambda obj: (
                "true" if (obj.get("spec") or {}).get("unschedulable") else "false"
            )
        },
        tracks_generation=False,
    )
}
