"""Services: what the server fills in and keeps. Their validation is in `servicevalidation`.

Addresses and node ports are given out by the server, which asks `needs_cluster_ip`, `needs_node_ports` and
`needs_health_check_port` before it validates. This cluster has one address family, IPv4.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.addresses import warnings_for_cidr, warnings_for_ip
from argosy.api.rules.names import is_dns1035_label
from argosy.api.rules.resets import keep_spec
from argosy.api.rules.serviceaddresses import is_headless
from argosy.api.rules.servicevalidation import (
    is_externally_accessible,
    needs_health_check,
    validate_service,
    validate_service_status,
    validate_service_update,
)
from argosy.base.fielderrors import quote
from argosy.base.types import Object

_AFFINITY_SECONDS: Final = 10800
_OLD_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_MODE: Final = "service.kubernetes.io/topology-mode"


def _default(obj: Object) -> None:
    spec: Object = obj.setdefault("spec", {})
    if not spec.get("sessionAffinity"):
        spec["sessionAffinity"] = "None"
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if client.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _AFFINITY_SECONDS}}
    if not spec.get("type"):
        spec["type"] = "ClusterIP"
    for port in spec.get("ports") or ():
        if not port.get("protocol"):
            port["protocol"] = "TCP"
        if not port.get("targetPort"):
            port["targetPort"] = port.get("port", 0)
    if is_externally_accessible(spec) and not spec.get("externalTrafficPolicy"):
        spec["externalTrafficPolicy"] = "Cluster"
    if spec.get("internalTrafficPolicy") is None and spec["type"] in {
        "ClusterIP",
        "NodePort",
        "LoadBalancer",
    }:
        spec["internalTrafficPolicy"] = "Cluster"
    status: Object = obj.setdefault("status", {})
    balancer: Object = status.setdefault("loadBalancer", {})
    if spec["type"] == "LoadBalancer":
        if spec.get("allocateLoadBalancerNodePorts") is None:
            spec["allocateLoadBalancerNodePorts"] = True
        for ingress in balancer.get("ingress") or ():
            if ingress.get("ip") and ingress.get("ipMode") is None:
                ingress["ipMode"] = "VIP"


def needs_cluster_ip(obj: Object) -> bool:
    """The server has to give it an address: not an alias, not headless, none asked for."""
    spec: Object = obj.get("spec") or {}
    return (
        spec.get("type") != "ExternalName"
        and not spec.get("clusterIP")
        and not spec.get("clusterIPs")
    )


def needs_node_ports(obj: Object) -> bool:
    """Some of its ports has to be given a port on every node."""
    spec: Object = obj.get("spec") or {}
    if spec.get("type") == "LoadBalancer":
        wanted = spec.get("allocateLoadBalancerNodePorts") is not False
    else:
        wanted = spec.get("type") == "NodePort"
    return wanted and any(not port.get("nodePort") for port in spec.get("ports") or ())


def needs_health_check_port(obj: Object) -> bool:
    spec: Object = obj.get("spec") or {}
    return needs_health_check(spec) and not spec.get("healthCheckNodePort")


def _prepare_create(obj: Object) -> None:
    obj["status"] = {"loadBalancer": {}}
    spec: Object = obj["spec"]
    if spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]]
    elif spec.get("clusterIPs") and not spec.get("clusterIP"):
        # Left as it is: validation says that both are needed.
        return
    _fill_families(spec, None)


def _fill_families(spec: Object, before: Object | None) -> None:
    if spec.get("type") == "ExternalName":
        return
    selectorless = spec.get("clusterIP") == "None" and not spec.get("selector")
    if spec.get("ipFamilyPolicy") is None:
        if before is not None and before.get("ipFamilyPolicy") is not None:
            spec["ipFamilyPolicy"] = before["ipFamilyPolicy"]
        else:
            spec["ipFamilyPolicy"] = "RequireDualStack" if selectorless else "SingleStack"
    if not spec.get("ipFamilies"):
        spec["ipFamilies"] = ["IPv4"]
    if selectorless and len(spec["ipFamilies"]) == 1 and spec["ipFamilyPolicy"] != "SingleStack":
        # Nothing is allocated for it, so it may promise both.
        spec["ipFamilies"] = (
            ["IPv4", "IPv6"] if spec["ipFamilies"] == ["IPv4"] else ["IPv6", "IPv4"]
        )


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = old.get("status", {"loadBalancer": {}})
    spec, before = new["spec"], old.get("spec") or {}
    _keep_allocated(spec, before)
    _normalize_cluster_ips(spec, before)
    _drop_of_old_type(spec, before)
    _fill_families(spec, before)
    if spec.get("type") != "LoadBalancer":
        new["status"] = new["status"] | {"loadBalancer": {}}


def _keep_allocated(spec: Object, before: Object) -> None:
    """What the server gave and the writer left out stays."""
    if "ExternalName" not in {spec.get("type"), before.get("type")}:
        if not spec.get("clusterIP") and before.get("clusterIP"):
            spec["clusterIP"] = before["clusterIP"]
        if not spec.get("clusterIPs") and before.get("clusterIPs"):
            spec["clusterIPs"] = list(before["clusterIPs"])
    if _has_node_ports(spec) and _has_node_ports(before):
        stored = {
            port.get("name", ""): port.get("nodePort", 0) for port in before.get("ports") or ()
        }
        used = {port.get("nodePort", 0) for port in spec.get("ports") or ()}
        for port in spec.get("ports") or ():
            number = stored.get(port.get("name", ""), 0)
            if not port.get("nodePort") and number and number not in used:
                port["nodePort"] = number
    if needs_health_check(spec) and needs_health_check(before):
        number = before.get("healthCheckNodePort")
        if number and not spec.get("healthCheckNodePort"):
            spec["healthCheckNodePort"] = number


def _has_node_ports(spec: Object) -> bool:
    return spec.get("type") in {"NodePort", "LoadBalancer"}


def _normalize_cluster_ips(spec: Object, before: Object) -> None:
    """A client that knows only the singular field changes the plural one through it."""
    ip, stored = spec.get("clusterIP", ""), before.get("clusterIP", "")
    unchanged = (spec.get("clusterIPs") or []) == (before.get("clusterIPs") or [])
    if ip != stored and unchanged:
        if ip:
            spec["clusterIPs"] = [ip]
        else:
            spec.pop("clusterIPs", None)


def _drop_of_old_type(spec: Object, before: Object) -> None:
    """A change of type takes along what only the old type had, unless the writer touched it."""

    def drop(*fields: str) -> None:
        for field in fields:
            if spec.get(field) == before.get(field):
                spec.pop(field, None)

    kind, old_kind = spec.get("type"), before.get("type")
    if kind == "ExternalName" and old_kind != "ExternalName":
        if (spec.get("clusterIP"), spec.get("clusterIPs")) == (
            before.get("clusterIP"),
            before.get("clusterIPs"),
        ):
            spec.pop("clusterIP", None)
            spec.pop("clusterIPs", None)
        drop("ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy")
    if _has_node_ports(before) and not _has_node_ports(spec):
        stored = {port.get("nodePort", 0) for port in before.get("ports") or ()}
        ports = spec.get("ports") or []
        if all(port.get("nodePort", 0) in stored | {0} for port in ports):
            for port in ports:
                port.pop("nodePort", None)
    if needs_health_check(before) and not needs_health_check(spec):
        drop("healthCheckNodePort")
    if old_kind == "LoadBalancer" and kind != "LoadBalancer":
        drop("allocateLoadBalancerNodePorts", "loadBalancerClass")
    if is_externally_accessible(before) and not is_externally_accessible(spec):
        drop("externalTrafficPolicy")


def _warn(new: Object, _old: Object | None) -> list[str]:
    spec: Object = new.get("spec") or {}
    warnings: list[str] = []
    if _OLD_HINTS in ((new.get("metadata") or {}).get("annotations") or {}):
        warnings.append(f"annotation {_OLD_HINTS} is deprecated, please use {_MODE} instead")
    headless = spec.get("type") == "ClusterIP" and is_headless(spec)
    if not headless:
        for index, ip in enumerate(spec.get("clusterIPs") or ()):
            warnings += warnings_for_ip(ip, f"spec.clusterIPs[{index}]")
    else:
        warnings += [
            f"spec.{shown} is ignored for headless services"
            for shown, given in (
                ("loadBalancerIP", spec.get("loadBalancerIP")),
                ("externalIPs", spec.get("externalIPs")),
                ("SessionAffinity", spec.get("sessionAffinity") != "None"),
            )
            if given
        ]
    for index, ip in enumerate(spec.get("externalIPs") or ()):
        warnings += warnings_for_ip(ip, f"spec.externalIPs[{index}]")
    if ip := spec.get("loadBalancerIP"):
        warnings += warnings_for_ip(ip, "spec.loadBalancerIP")
    for index, cidr in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        warnings += warnings_for_cidr(cidr, f"spec.loadBalancerSourceRanges[{index}]")
    alias = quote("ExternalName")
    if spec.get("type") == "ExternalName" and spec.get("externalIPs"):
        warnings.append(f"spec.externalIPs is ignored when spec.type is {alias}")
    if spec.get("type") != "ExternalName" and spec.get("externalName"):
        warnings.append(f"spec.externalName is ignored when spec.type is not {alias}")
    if spec.get("trafficDistribution") == "PreferClose":
        warnings.append(
            'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'
        )
    return warnings


RULES: Final[dict[str, Rules]] = {
    "Service": Rules(
        default=_default,
        prepare_create=_prepare_create,
        prepare_update=_prepare_update,
        prepare_status=keep_spec,
        validate=validate_service,
        validate_update=validate_service_update,
        validate_status=validate_service_status,
        warnings=_warn,
        name_problems=is_dns1035_label,
        selectable={
            "spec.clusterIP": lambda obj: str((obj.get("spec") or {}).get("clusterIP", "")),
            "spec.type": lambda obj: str((obj.get("spec") or {}).get("type", "")),
        },
        create_on_update=True,
        tracks_generation=False,
    )
}
