"""The Endpoints object of a service: its pods' addresses, grouped by the ports they offer. Pure.

The API is deprecated and kept for clients that read nothing else. It names 1000 addresses at most, the ready ones
first. Mirrors pkg/controller/endpoint; where pods of one service offer different ports, subsets are ordered by their
ports instead of by a hash of everything in them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil
from typing import Final, TypeAlias

from argosy.api.objects import Pod, is_true
from argosy.api.objects.services import EndpointPort, Service
from argosy.base.types import Object
from argosy.workloads.endpoints.endpoints import (
    addresses,
    families,
    find_port,
    fnv128,
    has_hostname,
    is_listed,
    target,
)
from argosy.workloads.endpoints.slicing import HEADLESS

MOST_ADDRESSES: Final = 1000
MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
CONTROLLER: Final = "endpoint-controller"
OVER_CAPACITY: Final = "endpoints.kubernetes.io/over-capacity"

# Address, uid and readiness: what makes two ports offered by the same pods.
_Offer: TypeAlias = tuple[str, str, bool]


@dataclass(slots=True)
class _Subset:
    ports: list[EndpointPort] = field(default_factory=list)
    ready: list[Object] = field(default_factory=list)
    waiting: list[Object] = field(default_factory=list)


def subsets_of(service: Service, pods: Iterable[Pod]) -> tuple[list[Object], bool]:
    """The subsets, and whether addresses had to be left out."""
    offers: dict[EndpointPort | None, dict[_Offer, Object]] = {}
    for pod in pods:
        _offer(service, pod, offers)
    found: dict[tuple[_Offer, ...], _Subset] = {}
    for port, by_offer in offers.items():
        key = tuple(sorted(by_offer))
        subset = found.get(key)
        if subset is None:
            subset = found[key] = _Subset()
            for offer in key:
                (subset.ready if offer[2] else subset.waiting).append(by_offer[offer])
        if port is not None:
            subset.ports.append(port)
    for subset in found.values():
        subset.ports.sort(key=_order)
    subsets = sorted(found.values(), key=lambda one: [_order(port) for port in one.ports])
    is_truncated = _truncate(subsets)
    return [_printed(subset) for subset in subsets], is_truncated


def _offer(
    service: Service, pod: Pod, offers: dict[EndpointPort | None, dict[_Offer, Object]]
) -> None:
    """Note the pod's address under each port it offers; under None for a headless service without ports."""
    publishes = service.spec.publish_not_ready_addresses
    if not is_listed(pod, with_leaving=publishes):
        return
    found = addresses(pod, families(service)[0])
    if not found:
        return
    is_ready = publishes or is_true(pod.status.conditions, "Ready")
    key = (found[0], pod.metadata.uid, is_ready)
    address = _address(pod, service, found[0])
    if not service.spec.ports:
        if service.spec.cluster_ip == "None":
            offers.setdefault(None, {})[key] = address
        return
    for port in service.spec.ports:
        if (number := find_port(pod, port)) is not None:
            offered = EndpointPort(port.name, port.protocol, number, port.app_protocol)
            offers.setdefault(offered, {})[key] = address


def labels(service: Service) -> dict[str, str]:
    kept = {key: value for key, value in service.metadata.labels.items() if key != HEADLESS}
    if service.is_headless:
        kept[HEADLESS] = ""
    return kept | {MANAGED_BY: CONTROLLER}


def _address(pod: Pod, service: Service, ip: str) -> Object:
    made: Object = {"ip": ip, "nodeName": pod.spec.node_name, "targetRef": target(pod)}
    if has_hostname(pod, service):
        made["hostname"] = pod.spec.hostname
    return made


def _printed(subset: _Subset) -> Object:
    made: Object = {}
    if subset.ready:
        made["addresses"] = subset.ready
    if subset.waiting:
        made["notReadyAddresses"] = subset.waiting
    if subset.ports:
        made["ports"] = [_printed_port(port) for port in subset.ports]
    return made


def _printed_port(port: EndpointPort) -> Object:
    made: Object = {"port": port.port, "protocol": port.protocol}
    if port.name:
        made["name"] = port.name
    if port.app_protocol is not None:
        made["appProtocol"] = port.app_protocol
    return made


@lru_cache(maxsize=4096)
def _order(port: EndpointPort) -> int:
    """The hash by which a subset's ports are ordered."""
    return fnv128(
        f"(v1.EndpointPort){{Name:(string){port.name} Port:(int32){port.port} "
        f"Protocol:(v1.Protocol){port.protocol} AppProtocol:(*string){port.app_protocol or '<nil>'}}}"
    )


def _truncate(subsets: list[_Subset]) -> bool:
    """Shorten the lists to what an object may hold, each by its share; ready addresses go before others."""
    ready = sum(len(subset.ready) for subset in subsets)
    waiting = sum(len(subset.waiting) for subset in subsets)
    if ready + waiting <= MOST_ADDRESSES:
        return False
    only_ready = ready > MOST_ADDRESSES
    total, room = (ready, MOST_ADDRESSES) if only_ready else (waiting, MOST_ADDRESSES - ready)
    left = room
    for subset in subsets:
        chosen = subset.ready if only_ready else subset.waiting
        del chosen[min(left, ceil(len(chosen) / total * room)) :]
        left -= len(chosen)
        if only_ready:
            subset.waiting.clear()
    return True
