"""Updates of a pod's status: what a kubelet or a scheduler may report."""

from __future__ import annotations

from ipaddress import IPv4Address
from typing import Final

from argosy.api.rules.addresses import parse_ip, validate_legacy_ip
from argosy.api.rules.internals import internal
from argosy.api.rules.metadata import immutable, validate_metadata_update
from argosy.api.rules.names import in_range, is_dns1123_subdomain, is_qualified_name
from argosy.api.rules.pods.annotations import validate_annotation_updates
from argosy.api.rules.wording import printed
from argosy.base.fielderrors import FieldError, duplicate, forbidden, invalid
from argosy.base.types import Object

_HIGHEST_ID: Final = 2147483647
_SYSTEM_CONDITIONS: Final = frozenset({"PodScheduled", "Ready", "Initialized"})
_NEGATIVE: Final = "must be a non-negative integer"
_LISTS: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


def validate_pod_status(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += validate_annotation_updates(new, old, "metadata.annotations")
    status: Object = new.get("status") or {}
    before: Object = old.get("status") or {}
    spec: Object = old.get("spec") or {}
    if conditions := status.get("conditions"):
        errors += _validate_conditions(conditions, "status.conditions")
    errors += _validate_nominated(
        status.get("nominatedNodeName", ""), before.get("nominatedNodeName", ""), spec
    )
    if (generation := status.get("observedGeneration", 0)) < 0:
        errors.append(invalid("status.observedGeneration", generation, _NEGATIVE))
    errors += immutable(status.get("qosClass", ""), before.get("qosClass", ""), "status.qosClass")
    for field, containers in (
        ("containerStatuses", spec.get("containers")),
        ("initContainerStatuses", spec.get("initContainers")),
        ("ephemeralContainerStatuses", None),
    ):
        if before.get(field):
            errors += _validate_transitions(
                status.get(field) or [], before[field], containers or [], spec, f"status.{field}"
            )
    errors += _validate_claim_statuses(status, spec)
    errors += _validate_ips(status, before, "podIPs")
    errors += _validate_host_ips(status, before)
    for field in _LISTS:
        errors += _validate_users(status.get(field) or [], spec, f"status.{field}")
    return errors


def _validate_conditions(conditions: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, condition in enumerate(conditions):
        if (generation := condition.get("observedGeneration", 0)) < 0:
            errors.append(invalid(f"{path}[{index}].observedGeneration", generation, _NEGATIVE))
        kind = condition.get("type", "")
        if kind not in _SYSTEM_CONDITIONS and (problems := is_qualified_name(kind)):
            errors += [invalid(f"{path}[{index}].Type", kind, text) for text in problems]
    return errors


def _validate_nominated(name: str, before: str, spec: Object) -> list[FieldError]:
    if not name or name == before:
        return []
    path = "status.nominatedNodeName"
    errors = [invalid(path, name, text) for text in is_dns1123_subdomain(name)]
    if spec.get("nodeName"):
        errors.append(forbidden(path, "may not be set on pods that are already bound to a node"))
    return errors


def _validate_transitions(
    new: list[Object], old: list[Object], containers: list[Object], spec: Object, path: str
) -> list[FieldError]:
    """A terminated container comes back only where something restarts it."""
    errors: list[FieldError] = []
    by_name = {status.get("name"): status for status in reversed(new)}
    for index, before in enumerate(old):
        ended = (before.get("state") or {}).get("terminated")
        now = by_name.get(before.get("name"))
        if ended is None or now is None or (now.get("state") or {}).get("terminated") is not None:
            continue
        container = next((c for c in containers if c.get("name") == before.get("name")), None)
        if container is None or not _restarts(container, spec, ended.get("exitCode", 0)):
            detail = "may not be transitioned to non-terminated state"
            errors.append(forbidden(f"{path}[{index}].state", detail))
    return errors


def _restarts(container: Object, spec: Object, exit_code: int) -> bool:
    policy = container.get("restartPolicy")
    if policy is not None and any(
        _matches(rule.get("exitCodes"), exit_code)
        for rule in container.get("restartPolicyRules") or ()
    ):
        return True
    match policy or spec.get("restartPolicy"):
        case "OnFailure":
            return exit_code != 0
        case "Never":
            return False
        case _:
            return True


def _matches(codes: Object | None, exit_code: int) -> bool:
    if codes is None:
        return False
    inside = exit_code in (codes.get("values") or ())
    return inside if codes.get("operator") == "In" else not inside


def _validate_claim_statuses(status: Object, spec: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    known = {claim.get("name") for claim in spec.get("resourceClaims") or ()}
    seen: set[str] = set()
    for index, each in enumerate(status.get("resourceClaimStatuses") or ()):
        path = f"status.resourceClaimStatuses[{index}].name"
        name = each.get("name", "")
        if name not in known:
            detail = "must match the name of an entry in `spec.resourceClaims`"
            errors.append(invalid(path, name, detail))
        if name in seen:
            errors.append(duplicate(path, name))
        seen.add(name)
        if (claim := each.get("resourceClaimName")) is not None:
            errors += [invalid(path, claim, text) for text in is_dns1123_subdomain(claim)]
    return errors


def _validate_ips(status: Object, before: Object, field: str) -> list[FieldError]:
    entries: list[Object] = status.get(field) or []
    if not entries:
        return []
    path = f"status.{field}"
    known = {entry.get("ip") for entry in before.get(field) or ()}
    errors: list[FieldError] = []
    for index, entry in enumerate(entries):
        errors += validate_legacy_ip(entry.get("ip", ""), f"{path}[{index}]", known)
    if len(entries) > 1 and not errors:
        parsed = [parse_ip(entry.get("ip", "")) for entry in entries]
        families = {isinstance(address, IPv4Address) for address in parsed}
        if len(entries) > 2 or len(families) < 2:
            kind = "PodIP" if field == "podIPs" else "HostIP"
            shown = printed([internal(kind, entry) for entry in entries])
            detail = "may specify no more than one IP for each IP family"
            errors.append(invalid(path, shown, detail))
    return errors


def _validate_host_ips(status: Object, before: Object) -> list[FieldError]:
    entries: list[Object] = status.get("hostIPs") or []
    if not entries:
        return []
    first = entries[0].get("ip", "")
    errors: list[FieldError] = []
    if status.get("hostIP", "") != first:
        errors.append(invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"))
    errors += _validate_ips(status, before, "hostIPs")
    return errors


def _validate_users(statuses: list[Object], spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, status in enumerate(statuses):
        linux = (status.get("user") or {}).get("linux")
        if linux is None:
            continue
        at = f"{path}[{index}].user.linux"
        if (spec.get("os") or {}).get("name") == "windows":
            errors.append(forbidden(at, "cannot be set for a windows pod"))
            continue
        for field in ("uid", "gid"):
            value = linux.get(field, 0)
            errors += [
                invalid(f"{at}.{field}", value, text) for text in in_range(value, 0, _HIGHEST_ID)
            ]
        for position, group in enumerate(linux.get("supplementalGroups") or ()):
            errors += [
                invalid(f"{at}.supplementalGroups[{position}]", group, text)
                for text in in_range(group, 0, _HIGHEST_ID)
            ]
    return errors
