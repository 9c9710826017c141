"""How the endpoints of a service are spread over slices, with as few slices written as can be. Pure.

Endpoints with the same ports share slices of at most 100. What is there already stays in its slice: endpoints that are
gone are taken out, those that differ are replaced, and new ones go first into slices that change anyway, then together
into the fullest slice that has room for all of them, then into new slices. A slice that becomes empty goes. There is
always one slice, if need be an empty one, so that watchers can tell "nobody" from "not known yet". Mirrors the
reconciler of k8s.io/endpointslice; hints for zones are not given.

The plan is deterministic: slices are taken by name and endpoints in the order they are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from argosy.api.objects.services import EndpointSlice, Service
from argosy.base.types import Object
from argosy.client.resources import SERVICES
from argosy.workloads.endpoints.endpoints import Identity, Ports, identity, ordered
from argosy.workloads.pods.templates import owner_reference

MOST_PER_SLICE: Final = 100
SERVICE_NAME: Final = "kubernetes.io/service-name"
MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
CONTROLLER: Final = "endpointslice-controller.k8s.io"
HEADLESS: Final = "service.kubernetes.io/headless"
_RESERVED: Final = frozenset({SERVICE_NAME, MANAGED_BY, HEADLESS})
# Longer names leave no room for a dash before the generated part.
_NAME_CHARACTERS: Final = 252


@dataclass(slots=True)
class Draft:
    """A slice as it should be; `name` and `revision` are empty for a new one."""

    ports: Ports
    family: str
    endpoints: list[Object] = field(default_factory=list)
    name: str = ""
    revision: str = ""


@dataclass(slots=True)
class Plan:
    """What to write."""

    create: list[Draft] = field(default_factory=list)
    update: list[Draft] = field(default_factory=list)
    delete: list[EndpointSlice] = field(default_factory=list)


def plan(
    service: Service,
    family: str,
    wanted: Mapping[Ports, Mapping[Identity, Object]],
    existing: Iterable[EndpointSlice],
) -> Plan:
    """Bring the slices of one family to the endpoints that are wanted, by their ports."""
    result = Plan()
    by_ports: dict[Ports, list[EndpointSlice]] = {}
    existing = sorted(existing, key=lambda one: one.metadata.name)
    for one in existing:
        if is_owned(one, service):
            by_ports.setdefault(ordered(one.ports or ()), []).append(one)
        else:
            result.delete.append(one)
    for ports, endpoints in wanted.items():
        _fit(service, family, ports, dict(endpoints), by_ports.pop(ports, []), result)
    for unwanted in by_ports.values():
        result.delete += unwanted
    if len(result.delete) == len(existing) and not result.create:
        _keep_one(service, family, result)
    _reuse(service, result)
    return result


def _fit(
    service: Service,
    family: str,
    ports: Ports,
    missing: dict[Identity, Object],
    existing: list[EndpointSlice],
    result: Plan,
) -> None:
    changed: list[Draft] = []
    unchanged: list[EndpointSlice] = []
    for one in existing:
        before = one.endpoints or ()
        after = [now for found in before if (now := missing.pop(identity(found), None)) is not None]
        if len(after) < len(before) and not after:
            result.delete.append(one)
        elif [_bare(found) for found in before] != after or not has_labels(one, service):
            changed.append(_draft_of(one, ports, after))
        else:
            unchanged.append(one)
    rest = list(missing.values())
    for draft in sorted(changed, key=lambda one: -len(one.endpoints)):
        rest = _fill(draft, rest)
    if rest and len(rest) < MOST_PER_SLICE:
        fits = [one for one in unchanged if len(one.endpoints or ()) + len(rest) <= MOST_PER_SLICE]
        if fits:
            fullest = max(fits, key=lambda one: len(one.endpoints or ()))
            draft = _draft_of(fullest, ports, list(fullest.endpoints or ()))
            rest = _fill(draft, rest)
            changed.append(draft)
    while rest:
        draft = Draft(ports, family)
        rest = _fill(draft, rest)
        result.create.append(draft)
    result.update += changed


def _keep_one(service: Service, family: str, result: Plan) -> None:
    """There is to be one slice at least, without endpoints if there are none."""
    if len(result.delete) == 1:
        last = result.delete[0]
        is_empty = not last.endpoints and not last.ports
        if is_empty and is_owned(last, service) and has_labels(last, service):
            result.delete.clear()
            return
    result.create.append(Draft((), family))


def _reuse(service: Service, result: Plan) -> None:
    """Turn pairs of a new slice and one that would go into updates."""
    kept = []
    for one in result.delete:
        if not result.create or not is_owned(one, service):
            kept.append(one)
            continue
        draft = result.create.pop()
        draft.name, draft.revision = one.metadata.name, one.metadata.resource_version
        result.update.append(draft)
    result.delete = kept


def _draft_of(one: EndpointSlice, ports: Ports, endpoints: list[Object]) -> Draft:
    meta = one.metadata
    return Draft(ports, one.address_type, endpoints, meta.name, meta.resource_version)


def _fill(draft: Draft, rest: list[Object]) -> list[Object]:
    room = MOST_PER_SLICE - len(draft.endpoints)
    draft.endpoints += rest[:room]
    return rest[room:]


def _bare(found: Object) -> Object:
    """Without what others add."""
    return {key: value for key, value in found.items() if key != "hints"}


def is_owned(one: EndpointSlice, service: Service) -> bool:
    return any(
        owner.uid == service.metadata.uid and owner.kind == "Service"
        for owner in one.metadata.owner_references
    )


def labels(service: Service) -> dict[str, str]:
    """The labels of the service's slices."""
    kept = {key: value for key, value in service.metadata.labels.items() if key not in _RESERVED}
    if service.is_headless:
        kept[HEADLESS] = ""
    return kept | {SERVICE_NAME: service.metadata.name, MANAGED_BY: CONTROLLER}


def has_labels(one: EndpointSlice, service: Service) -> bool:
    """Whether the slice has the service's labels; reserved ones aside, they alone do not cause a write."""
    mine = {key: value for key, value in one.metadata.labels.items() if key not in _RESERVED}
    return mine == {
        key: value for key, value in service.metadata.labels.items() if key not in _RESERVED
    }


def new_slice(draft: Draft, service: Service, annotations: dict[str, str]) -> Object:
    """The object of a new slice."""
    name = service.metadata.name
    return {
        "metadata": {
            "generateName": f"{name}-" if len(name) <= _NAME_CHARACTERS else name,
            "labels": labels(service),
            "annotations": annotations,
            "ownerReferences": [owner_reference(SERVICES, service.metadata)],
        },
        "addressType": draft.family,
        "endpoints": draft.endpoints,
        "ports": printed_ports(draft.ports),
    }


def printed_ports(ports: Ports) -> list[Object]:
    """Ports as they are written; an empty name is written too."""
    printed = []
    for port in ports:
        entry: Object = {"name": port.name, "protocol": port.protocol, "port": port.port}
        if port.app_protocol is not None:
            entry["appProtocol"] = port.app_protocol
        printed.append(entry)
    return printed
