"""Services, endpoints, ingresses, network policies and addresses."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from argosy.api.columns.formatting import (
    NONE,
    UNKNOWN,
    age,
    clipped,
    labels_text,
    name_of,
    parts,
    selector_text,
)
from argosy.api.columns.printers import AGE, NAME, SELECTOR, Printer, Printers
from argosy.api.kinds import Column
from argosy.base.types import Json, Object


def _service(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    return [
        name_of(obj),
        spec.get("type", ""),
        next(iter(spec.get("clusterIPs") or ()), NONE),
        _external_ip(spec, status),
        ",".join(_service_port(port) for port in spec.get("ports") or ()) or NONE,
        age(obj, now),
        labels_text(spec.get("selector")),
    ]


def _service_port(port: Object) -> str:
    node_port = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port['port']}{node_port}/{port.get('protocol', '')}"


def _external_ip(spec: Object, status: Object) -> str:
    external = list(spec.get("externalIPs") or ())
    match spec.get("type"):
        case "ClusterIP" | "NodePort":
            return ",".join(external) or NONE
        case "LoadBalancer":
            return ",".join(_balancer_addresses(status) + external) or "<pending>"
        case "ExternalName":
            name: str = spec.get("externalName", "")
            return name
        case _:
            return UNKNOWN


def _balancer_addresses(status: Object) -> list[str]:
    points = (status.get("loadBalancer") or {}).get("ingress") or ()
    found = {point.get("ip") or point.get("hostname") or "" for point in points}
    return sorted(found - {""})


def _endpoints(obj: Object, now: datetime) -> list[Json]:
    subsets = obj.get("subsets") or ()
    texts = [text for subset in subsets for text in _subset_addresses(subset)]
    return [name_of(obj), clipped(texts) if texts else NONE if not subsets else "", age(obj, now)]


def _subset_addresses(subset: Object) -> list[str]:
    addresses = [address.get("ip", "") for address in subset.get("addresses") or ()]
    ports = subset.get("ports") or ()
    if not ports:
        return addresses
    return [_host_port(address, port["port"]) for port in ports for address in addresses]


def _host_port(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _endpoint_slice(obj: Object, now: datetime) -> list[Json]:
    ports = []
    for port in obj.get("ports") or ():
        number, name = port.get("port"), port.get("name")
        ports.append(str(number) if number is not None else "*" if name is None else name)
    addresses = [
        address for point in obj.get("endpoints") or () for address in point.get("addresses") or ()
    ]
    return [
        name_of(obj),
        obj.get("addressType", ""),
        clipped(ports),
        clipped(addresses),
        age(obj, now),
    ]


def _ingress(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    class_name = spec.get("ingressClassName")
    return [
        name_of(obj),
        NONE if class_name is None else class_name,
        _hosts(spec.get("rules") or ()),
        ",".join(_balancer_addresses(status)),
        "80, 443" if spec.get("tls") else "80",
        age(obj, now),
    ]


def _hosts(rules: list[Object] | tuple[Object, ...]) -> str:
    """The first three hosts. "More" counts all rules beyond three once a fourth follows three hosts."""
    hosts: list[str] = []
    for rule in rules:
        if len(hosts) == 3:
            return f"{','.join(hosts)} + {len(rules) - 3} more..."
        if rule.get("host"):
            hosts.append(rule["host"])
    return ",".join(hosts) or "*"


def _ingress_class(obj: Object, now: datetime) -> list[Json]:
    spec, _ = parts(obj)
    given = spec.get("parameters")
    text = NONE
    if given is not None:
        group = given.get("apiGroup")
        suffix = "" if group is None else f".{group}"
        text = f"{given.get('kind', '')}{suffix}/{given.get('name', '')}"
    return [name_of(obj), spec.get("controller", ""), text, age(obj, now)]


def _network_policy(obj: Object, now: datetime) -> list[Json]:
    spec, _ = parts(obj)
    return [name_of(obj), selector_text(spec.get("podSelector")) or NONE, age(obj, now)]


def _service_cidr(obj: Object, now: datetime) -> list[Json]:
    spec, _ = parts(obj)
    return [name_of(obj), ",".join(spec.get("cidrs") or ()), age(obj, now)]


def _ip_address(obj: Object, now: datetime) -> list[Json]:
    spec, _ = parts(obj)
    parent = spec.get("parentRef")
    text = NONE
    if parent is not None:
        group, resource = parent.get("group", ""), parent.get("resource", "")
        steps = [f"{resource}.{group}".lower() if group else resource.lower()]
        steps += [parent["namespace"]] if parent.get("namespace") else []
        text = "/".join([*steps, parent.get("name", "")])
    # One cell more than columns, as kube-apiserver sends it.
    return [name_of(obj), text, age(obj, now)]


PRINTERS: Final[Printers] = {
    ("", "Service"): Printer(
        (
            NAME,
            Column("Type", description="How the service is reached."),
            Column("Cluster-IP", description="Address inside the cluster."),
            Column("External-IP", description="Addresses outside the cluster."),
            Column("Port(s)", description="Ports, with the node's port after a colon."),
            AGE,
            SELECTOR,
        ),
        _service,
    ),
    ("", "Endpoints"): Printer(
        (NAME, Column("Endpoints", description="Addresses and ports behind the service."), AGE),
        _endpoints,
    ),
    ("discovery.k8s.io", "EndpointSlice"): Printer(
        (
            NAME,
            Column("AddressType", description="IPv4, IPv6 or FQDN."),
            Column("Ports", description="Ports of every endpoint."),
            Column("Endpoints", description="Addresses."),
            AGE,
        ),
        _endpoint_slice,
    ),
    ("networking.k8s.io", "Ingress"): Printer(
        (
            NAME,
            Column("Class", description="Ingress class that serves it."),
            Column("Hosts", description="Hosts it answers for."),
            Column("Address", description="Addresses it is reached at."),
            Column("Ports", description="Ports it listens on."),
            AGE,
        ),
        _ingress,
    ),
    ("networking.k8s.io", "IngressClass"): Printer(
        (
            NAME,
            Column("Controller", description="Who serves ingresses of this class."),
            Column("Parameters", description="Object with more settings."),
            AGE,
        ),
        _ingress_class,
    ),
    ("networking.k8s.io", "NetworkPolicy"): Printer(
        (NAME, Column("Pod-Selector", description="Pods the policy holds for."), AGE),
        _network_policy,
    ),
    ("networking.k8s.io", "ServiceCIDR"): Printer(
        (NAME, Column("CIDRs", description="Ranges that service addresses come from."), AGE),
        _service_cidr,
    ),
    ("networking.k8s.io", "IPAddress"): Printer(
        (NAME, Column("ParentRef", description="Who uses the address.")), _ip_address
    ),
}
