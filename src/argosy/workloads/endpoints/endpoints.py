"""What a pod is to a service: an endpoint with addresses, ports, conditions and its place. Pure.

Mirrors k8s.io/endpointslice, whose order of ports is that of a hash of what Go prints; the same order is kept here, so
that slices of a cluster that is taken over need not be rewritten.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address
from typing import Final, TypeAlias

from argosy.api.objects import Container, Pod, is_true
from argosy.api.objects.services import EndpointPort, Service, ServicePort
from argosy.base.types import Object

Ports: TypeAlias = tuple[EndpointPort, ...]
# Addresses, hostname, namespace and name: the same endpoint, perhaps in another condition.
Identity: TypeAlias = tuple[tuple[str, ...], str, str, str]

_FNV_OFFSET: Final = 0x6C62272E07BB014262B821756295C58D
_FNV_PRIME: Final = 0x0000000001000000000000000000013B
_FNV_MASK: Final = (1 << 128) - 1


def is_listed(pod: Pod, *, with_leaving: bool) -> bool:
    """Whether the pod is an endpoint at all: it has an address and has not ended."""
    if pod.is_terminal or not (pod.status.pod_ip or pod.status.pod_ips):
        return False
    return with_leaving or pod.metadata.deletion_timestamp is None


def is_changed(old: Pod, new: Pod) -> bool:
    """Whether the pod, its labels apart, is another endpoint than before."""
    before, after = old.status, new.status
    return (
        before.pod_ips != after.pod_ips
        or is_true(before.conditions, "Ready") != is_true(after.conditions, "Ready")
        or old.is_terminal != new.is_terminal
        or old.metadata.deletion_timestamp != new.metadata.deletion_timestamp
        or (old.spec.hostname, old.spec.subdomain) != (new.spec.hostname, new.spec.subdomain)
    )


def families(service: Service) -> tuple[str, ...]:
    """The kinds of addresses the service deals in."""
    if service.spec.ip_families:
        return service.spec.ip_families
    if service.is_headless:
        return ("IPv4", "IPv6")
    return (_family(service.spec.cluster_ip),)


def addresses(pod: Pod, family: str) -> list[str]:
    return [found for entry in pod.status.pod_ips if (found := _canonical(entry.ip, family))]


def endpoint(pod: Pod, service: Service, family: str, zone: str) -> Object:
    """The endpoint of a slice."""
    is_serving = is_true(pod.status.conditions, "Ready")
    is_leaving = pod.metadata.deletion_timestamp is not None
    publishes = service.spec.publish_not_ready_addresses
    made: Object = {
        "addresses": addresses(pod, family),
        "conditions": {
            "ready": publishes or (is_serving and not is_leaving),
            "serving": is_serving,
            "terminating": is_leaving,
        },
        "targetRef": target(pod),
    }
    if has_hostname(pod, service):
        made["hostname"] = pod.spec.hostname
    if pod.spec.node_name:
        made["nodeName"] = pod.spec.node_name
    if zone:
        made["zone"] = zone
    return made


def identity(found: Object) -> Identity:
    about = found.get("targetRef") or {}
    return (
        tuple(sorted(found["addresses"])),
        found.get("hostname") or "",
        about.get("namespace", ""),
        about.get("name", ""),
    )


def target(pod: Pod) -> Object:
    meta = pod.metadata
    return {"kind": "Pod", "namespace": meta.namespace, "name": meta.name, "uid": meta.uid}


def has_hostname(pod: Pod, service: Service) -> bool:
    """Whether the pod has a name of its own below the service's."""
    return bool(pod.spec.hostname) and pod.spec.subdomain == service.metadata.name


def slice_ports(service: Service, pod: Pod) -> Ports:
    """The service's ports as this pod has them, in upstream's order; those it does not have are left out."""
    found = [
        EndpointPort(port.name, port.protocol, number, port.app_protocol)
        for port in service.spec.ports
        if (number := find_port(pod, port)) is not None
    ]
    return tuple(sorted(found, key=_slice_order)) if len(found) > 1 else tuple(found)


def ordered(ports: Iterable[EndpointPort]) -> Ports:
    """In the order of a slice."""
    return tuple(sorted(ports, key=_slice_order))


def find_port(pod: Pod, port: ServicePort) -> int | None:
    """The port of the pod that a service's port means: a number as it is, a name by the pod's containers."""
    wanted = port.target_port
    if isinstance(wanted, int):
        return wanted
    for container in _serving_containers(pod):
        for offered in container.ports:
            if offered.name == wanted and offered.protocol == port.protocol:
                return offered.container_port
    return None


def _serving_containers(pod: Pod) -> Iterable[Container]:
    yield from pod.spec.containers
    for container in pod.spec.init_containers:
        if container.restart_policy == "Always":
            yield container


@lru_cache(maxsize=4096)
def _slice_order(port: EndpointPort) -> int:
    """The hash by which a slice's ports are ordered."""
    return fnv128(
        f"(v1.EndpointPort){{Name:(*string){port.name} Protocol:(*v1.Protocol){port.protocol} "
        f"Port:(*int32){port.port} AppProtocol:(*string){port.app_protocol or '<nil>'}}}"
    )


def fnv128(text: str) -> int:
    """FNV-1a in 128 bits."""
    value = _FNV_OFFSET
    for byte in text.encode():
        value = ((value ^ byte) * _FNV_PRIME) & _FNV_MASK
    return value


@lru_cache(maxsize=65536)
def _canonical(text: str, family: str) -> str:
    """The address as it is written, if it is of the family."""
    address = ip_address(text)
    return str(address) if f"IPv{address.version}" == family else ""


def _family(text: str) -> str:
    return f"IPv{ip_address(text).version}"
