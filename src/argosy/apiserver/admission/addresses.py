"""Addresses of services: cluster IPs and node ports, given out and checked.

Which are taken is known from the services themselves: gathered when the first service comes, and kept as services
come and go. New ones are the next free after the last given, so that an address is not
soon used again.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import ClassVar, Final

from argosy.api.kinds import Kind
from argosy.api.rules.services import needs_health_check_port
from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster
from argosy.base import fielderrors
from argosy.base.errors import InternalError, Invalid
from argosy.base.fielderrors import FieldError
from argosy.base.types import Object
from argosy.store import Record

RANGE: Final = ipaddress.IPv4Network("10.96.0.0/12")
FIRST_NODE_PORT, LAST_NODE_PORT = 30000, 32767
_PORT_RANGE: Final = (
    "provided port is not in the valid range. "
    f"The range of valid ports is {FIRST_NODE_PORT}-{LAST_NODE_PORT}"
)


class ClusterAddresses:
    """Services only. The last plugin that may refuse before quotas."""

    reads: ClassVar = NOTHING
    singly: ClassVar = b""

    def __init__(self) -> None:
        self._ips: dict[str, str] | None = None
        self._ports: dict[int, str] = {}
        # 10.96.0.1 is the API's own and 10.96.0.10 by custom DNS's.
        self._next_ip = int(RANGE.network_address) + 16
        self._next_port = FIRST_NODE_PORT

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if call.kind.resource != "services" or call.subresource or new is None:
            return
        self._gather(cluster)
        spec = new["spec"]
        if spec.get("type") == "ExternalName":
            for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
                if not spec.get(field):
                    spec.pop(field, None)
            return
        if old is not None:
            for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
                if not spec.get(field) and field in old["spec"]:
                    spec[field] = old["spec"][field]
        owner = _owner(new)
        problems = self._assign_ip(spec, owner)
        before = (old or {}).get("spec") or {}
        problems += self._assign_ports(spec, owner, before)
        problems += self._assign_health_port(new, owner, before)
        if problems:
            raise Invalid("Service", new["metadata"].get("name", ""), problems)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        """All was done in `admit`; what is taken is noted when the write is visible."""

    def _gather(self, cluster: Cluster) -> None:
        if self._ips is not None:
            return
        self._ips = {}
        kind = cluster.kind("", "services")
        for record in cluster.store.list("services").records:
            self._note(encoding.from_bytes(kind, record.raw))
        cluster.committed.setdefault("services", []).append(self._changed)

    def _changed(self, kind: Kind, record: Record, deleted: bool) -> None:
        service = encoding.from_bytes(kind, record.raw)
        owner = _owner(service)
        ips = self._taken()
        for ip in [ip for ip, who in ips.items() if who == owner]:
            del ips[ip]
        for port in [port for port, who in self._ports.items() if who == owner]:
            del self._ports[port]
        if not deleted:
            self._note(service)

    def _taken(self) -> dict[str, str]:
        assert self._ips is not None
        return self._ips

    def _note(self, service: Object) -> None:
        owner, spec = _owner(service), service.get("spec") or {}
        for ip in spec.get("clusterIPs") or ():
            if ip != "None":
                self._taken()[ip] = owner
        for port in _node_ports(spec):
            self._ports[port] = owner

    def _assign_ip(self, spec: Object, owner: str) -> list[FieldError]:
        ip = spec.get("clusterIP") or next(iter(spec.get("clusterIPs") or ()), "")
        if ip and ip != "None":
            problem = self._problem(ip, owner)
            if problem:
                path = "spec.clusterIPs"
                return [fielderrors.invalid(path, [ip], f"failed to allocate IP {ip}: {problem}")]
        elif not ip:
            ip = self._free_ip()
        spec["clusterIP"], spec["clusterIPs"] = ip, [ip]
        spec.setdefault("ipFamilies", ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "SingleStack")
        return []

    def _problem(self, ip: str, owner: str) -> str:
        try:
            address = ipaddress.ip_address(ip)
        except ValueError:
            return ""  # the field's own validation says it better
        if address not in RANGE:
            return (
                f"the provided IP ({ip}) is not in the valid range. "
                f"The range of valid IPs is {RANGE}"
            )
        if self._taken().get(ip, owner) != owner:
            return "provided IP is already allocated"
        return ""

    def _free_ip(self) -> str:
        for _ in range(RANGE.num_addresses):
            candidate = str(ipaddress.IPv4Address(self._next_ip))
            self._next_ip += 1
            if self._next_ip >= int(RANGE.broadcast_address):
                self._next_ip = int(RANGE.network_address) + 16
            if candidate not in self._taken():
                return candidate
        raise InternalError("failed to allocate a serviceIP: range is full")

    def _assign_ports(self, spec: Object, owner: str, before: Object) -> list[FieldError]:
        wants = spec.get("type") == "NodePort" or (
            spec.get("type") == "LoadBalancer"
            and spec.get("allocateLoadBalancerNodePorts") is not False
        )
        problems = []
        had = {p.get("port"): p.get("nodePort") for p in before.get("ports") or ()}
        for index, port in enumerate(spec.get("ports") or ()):
            given = port.get("nodePort")
            if given:
                path = f"spec.ports[{index}].nodePort"
                if not FIRST_NODE_PORT <= given <= LAST_NODE_PORT:
                    problems.append(fielderrors.invalid(path, given, _PORT_RANGE))
                elif self._ports.get(given, owner) != owner:
                    problems.append(
                        fielderrors.invalid(path, given, "provided port is already allocated")
                    )
            elif wants:
                port["nodePort"] = had.get(port.get("port")) or self._free_port()
        return problems

    def _assign_health_port(self, service: Object, owner: str, before: Object) -> list[FieldError]:
        """The port where nodes tell load balancers whether they have an endpoint."""
        spec, field = service["spec"], "healthCheckNodePort"
        given = spec.get(field)
        if needs_health_check_port(service):
            spec[field] = before.get(field) or self._free_port()
        elif given and self._ports.get(given, owner) != owner:
            text = f"failed to allocate requested HealthCheck NodePort {given}: provided port is already allocated"
            return [fielderrors.invalid(f"spec.{field}", given, text)]
        return []

    def _free_port(self) -> int:
        for _ in range(LAST_NODE_PORT - FIRST_NODE_PORT + 1):
            candidate = self._next_port
            self._next_port = candidate + 1 if candidate < LAST_NODE_PORT else FIRST_NODE_PORT
            if candidate not in self._ports:
                return candidate
        raise InternalError("failed to allocate a nodePort: range is full")


def _owner(service: Object) -> str:
    meta = service["metadata"]
    return f"{meta.get('namespace', '')}/{meta.get('name', '')}"


def _node_ports(spec: Object) -> Iterator[int]:
    yield from (port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort"))
    if spec.get("healthCheckNodePort"):
        yield spec["healthCheckNodePort"]
