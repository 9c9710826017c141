"""Validation of Services: types, ports, affinity, balancers and traffic; addresses are in `serviceaddresses`."""

from __future__ import annotations

from typing import Final

from argosy.api.rules.addresses import parse_ip, validate_legacy_cidr, validate_legacy_ip
from argosy.api.rules.endpoints import validate_endpoint_ip
from argosy.api.rules.internals import printed_internal
from argosy.api.rules.labels import validate_labels
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import (
    is_dns1035_label,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_port_number,
    is_qualified_name,
)
from argosy.api.rules.pods.probes import validate_port_number_or_name
from argosy.api.rules.ports import validate_application_protocol, validate_protocol
from argosy.api.rules.serviceaddresses import (
    SET_ONCE,
    is_headless,
    validate_cluster_ips,
    validate_kept_families,
    validate_kept_ips,
    validate_stack,
)
from argosy.api.rules.wording import IMMUTABLE, unsupported
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from argosy.base.types import Object

_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_TRAFFIC_POLICIES: Final = ("Cluster", "Local")
_DISTRIBUTIONS: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_OLD_HINTS: Final = "service.kubernetes.io/topology-aware-hints"
_MODE: Final = "service.kubernetes.io/topology-mode"
_RANGES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"
_BALANCER_ONLY: Final = "may only be used when `type` is 'LoadBalancer'"
_ALIAS: Final = "may not be set for ExternalName services"


def is_externally_accessible(spec: Object) -> bool:
    kind = spec.get("type")
    return kind in {"LoadBalancer", "NodePort"} or (
        kind == "ClusterIP" and bool(spec.get("externalIPs"))
    )


def needs_health_check(spec: Object) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def validate_service(obj: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    # The allocator looks first, and stops the request by itself.
    if errors := validate_stack(spec, {}):
        return errors
    errors = validate_metadata(obj, True, is_dns1035_label)
    errors += _validate(obj, {})
    return errors


def validate_service_update(new: Object, old: Object) -> list[FieldError]:
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if errors := validate_stack(spec, before):
        return errors
    errors = validate_metadata_update(new, old)
    if "ExternalName" not in {spec.get("type"), before.get("type")}:
        errors += validate_kept_ips(spec, before)
        errors += validate_kept_families(spec, before)
    errors += _validate_balancer_class(spec, before)
    if (
        needs_health_check(before)
        and needs_health_check(spec)
        and spec.get("healthCheckNodePort", 0) != before.get("healthCheckNodePort", 0)
    ):
        errors.append(forbidden("spec.healthCheckNodePort", IMMUTABLE))
    errors += _validate(new, before)
    return errors


def validate_service_status(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    path = "status.loadBalancer.ingress"
    entries = ((new.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    if entries and (new.get("spec") or {}).get("type") != "LoadBalancer":
        detail = "may only be used when `spec.type` is 'LoadBalancer'"
        errors.append(forbidden(path, detail))
        return errors
    stored = ((old.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    known = {entry.get("ip") for entry in stored}
    for index, entry in enumerate(entries):
        errors += validate_ingress_point(entry, f"{path}[{index}]", known)
    return errors


def validate_ingress_point(entry: Object, path: str, known: set[str]) -> list[FieldError]:
    errors: list[FieldError] = []
    ip, mode, hostname = entry.get("ip"), entry.get("ipMode"), entry.get("hostname")
    if ip:
        errors += validate_legacy_ip(ip, f"{path}.ip", known)
    if mode is None:
        if ip:
            errors.append(required(f"{path}.ipMode", "must be specified when `ip` is set"))
    elif not ip:
        errors.append(forbidden(f"{path}.ipMode", "may not be specified when `ip` is not set"))
    elif mode not in {"VIP", "Proxy"}:
        errors.append(not_supported(f"{path}.ipMode", mode, ("Proxy", "VIP")))
    if hostname:
        at = f"{path}.hostname"
        errors += [invalid(at, hostname, text) for text in is_dns1123_subdomain(hostname)]
        if parse_ip(hostname) is not None:
            errors.append(invalid(at, hostname, "must be a DNS name, not an IP address"))
    return errors


def _validate(obj: Object, before: Object) -> list[FieldError]:
    spec: Object = obj.get("spec") or {}
    annotations: dict[str, str] = (obj.get("metadata") or {}).get("annotations") or {}
    errors = _validate_hints(annotations)
    headless = is_headless(spec) and bool(spec.get("clusterIPs"))
    ports = spec.get("ports") or []
    kind = spec.get("type", "")
    if not ports and not headless and kind != "ExternalName":
        errors.append(required("spec.ports"))
    errors += _validate_type_fields(spec, headless)
    names: set[str] = set()
    for index, port in enumerate(ports):
        errors += _validate_port(port, len(ports) > 1, names, f"spec.ports[{index}]")
    errors += validate_labels(spec.get("selector"), "spec.selector")
    errors += _validate_affinity(spec)
    errors += validate_cluster_ips(spec, before)
    known = before.get("externalIPs") or []
    for index, ip in enumerate(spec.get("externalIPs") or ()):
        path = f"spec.externalIPs[{index}]"
        errors += validate_legacy_ip(ip, path, known) or validate_endpoint_ip(ip, path)
    if not kind:
        errors.append(required("spec.type"))
    elif kind not in _TYPES:
        errors.append(not_supported("spec.type", kind, _TYPES))
    errors += _validate_unique_ports(ports, kind)
    errors += _validate_source_ranges(spec, annotations, before)
    if spec.get("allocateLoadBalancerNodePorts") is not None and kind != "LoadBalancer":
        errors.append(forbidden("spec.allocateLoadBalancerNodePorts", _BALANCER_ONLY))
    errors += _validate_balancer_class(spec, None)
    errors += _validate_traffic(spec)
    return errors


def _validate_hints(annotations: dict[str, str]) -> list[FieldError]:
    hints, mode = annotations.get(_OLD_HINTS), annotations.get(_MODE)
    if hints is None or mode is None or hints == mode:
        return []
    detail = f"must match annotations[{_OLD_HINTS}] when both are specified"
    return [invalid(f"metadata.annotations[{_MODE}]", mode, detail)]


def _validate_type_fields(spec: Object, headless: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    match kind := spec.get("type"):
        case "LoadBalancer" | "NodePort":
            if headless:
                detail = f"may not be set to 'None' for {kind} services"
                errors.append(invalid("spec.clusterIPs[0]", "None", detail))
        case "ExternalName":
            errors += [
                forbidden(f"spec.{field}", _ALIAS)
                for field in ("clusterIPs", "ipFamilies", "ipFamilyPolicy")
                if spec.get(field)
            ]
            name = spec.get("externalName", "").removesuffix(".")
            if not name:
                errors.append(required("spec.externalName"))
            errors += [
                invalid("spec.externalName", name, text)
                for text in (is_dns1123_subdomain(name) if name else ())
            ]
    return errors


def _validate_port(port: Object, needs_name: bool, names: set[str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    name = port.get("name", "")
    if needs_name and not name:
        errors.append(required(f"{path}.name"))
    elif name:
        errors += [invalid(f"{path}.name", name, text) for text in is_dns1123_label(name)]
        if name in names:
            errors.append(duplicate(f"{path}.name", name))
        names.add(name)
    number = port.get("port", 0)
    errors += [invalid(f"{path}.port", number, text) for text in is_port_number(number)]
    errors += validate_protocol(port.get("protocol", ""), f"{path}.protocol")
    errors += validate_port_number_or_name(port.get("targetPort", 0), f"{path}.targetPort")
    return errors + validate_application_protocol(port, path)


def _validate_affinity(spec: Object) -> list[FieldError]:
    path = "spec.sessionAffinity"
    match affinity := spec.get("sessionAffinity", ""):
        case "":
            return [required(path)]
        case "None":
            return []
        case "ClientIP":
            client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
            seconds = client.get("timeoutSeconds", 0)
            if 0 < seconds <= 86400:
                return []
            return [
                invalid(
                    "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
                    seconds,
                    "must be greater than 0 and less than 86400",
                )
            ]
        case _:
            return [not_supported(path, affinity, ("ClientIP", "None"))]


def _validate_unique_ports(ports: list[Object], kind: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if kind == "ClusterIP":
        errors += [
            forbidden(f"spec.ports[{index}].nodePort", "may not be used when `type` is 'ClusterIP'")
            for index, port in enumerate(ports)
            if port.get("nodePort")
        ]
    for field in ("nodePort", "port"):
        seen: set[tuple[str, int]] = set()
        for index, port in enumerate(ports):
            key = (port.get("protocol", ""), port.get(field, 0))
            if field == "nodePort" and not key[1]:
                continue
            if key in seen and field == "nodePort":
                errors.append(duplicate(f"spec.ports[{index}].nodePort", key[1]))
            elif key in seen:
                shown = printed_internal("ServicePort", {"protocol": key[0], "port": key[1]})
                errors.append(duplicate(f"spec.ports[{index}]", shown))
            seen.add(key)
    return errors


def _validate_source_ranges(
    spec: Object, annotations: dict[str, str], before: Object
) -> list[FieldError]:
    errors: list[FieldError] = []
    balanced = spec.get("type") == "LoadBalancer"
    if ranges := spec.get("loadBalancerSourceRanges"):
        path = "spec.LoadBalancerSourceRanges"
        known = [each.strip() for each in before.get("loadBalancerSourceRanges") or ()]
        if not balanced:
            errors.append(forbidden(path, _BALANCER_ONLY))
        for index, each in enumerate(ranges):
            errors += validate_legacy_cidr(each.strip(), f"{path}[{index}]", known)
    elif (value := annotations.get(_RANGES)) is not None:
        path = f"metadata.annotations[{_RANGES}]"
        if not balanced:
            errors.append(forbidden(path, _BALANCER_ONLY))
        for each in value.split(",") if value.strip() else ():
            errors += validate_legacy_cidr(each.strip(), path)
    return errors


def _validate_balancer_class(spec: Object, before: Object | None) -> list[FieldError]:
    errors: list[FieldError] = []
    path = "spec.loadBalancerClass"
    name = spec.get("loadBalancerClass")
    balanced = spec.get("type") == "LoadBalancer"
    if (
        before is not None
        and balanced
        and before.get("type") == "LoadBalancer"
        and name != before.get("loadBalancerClass")
    ):
        errors.append(invalid(path, name, SET_ONCE))
    if name is not None and balanced:
        errors += [invalid(path, name, text) for text in is_qualified_name(name)]
    elif name is not None:
        errors.append(forbidden(path, _BALANCER_ONLY))
    return errors


def _validate_traffic(spec: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    policy = spec.get("externalTrafficPolicy", "")
    path = "spec.externalTrafficPolicy"
    if not is_externally_accessible(spec):
        if policy:
            detail = "may only be set for externally-accessible services"
            errors.append(invalid(path, policy, detail))
    elif not policy:
        errors.append(required(path))
    elif policy not in _TRAFFIC_POLICIES:
        errors.append(not_supported(path, policy, _TRAFFIC_POLICIES))
    port = spec.get("healthCheckNodePort", 0)
    path = "spec.healthCheckNodePort"
    if not needs_health_check(spec):
        if port:
            detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
            errors.append(invalid(path, port, detail))
    elif not port:
        errors.append(required(path))
    else:
        errors += [invalid(path, port, text) for text in is_port_number(port)]
    internal = spec.get("internalTrafficPolicy")
    path = "spec.internalTrafficPolicy"
    if internal is None:
        if spec.get("type") in {"ClusterIP", "NodePort", "LoadBalancer"}:
            errors.append(required(path))
    elif internal not in _TRAFFIC_POLICIES:
        errors.append(not_supported(path, internal, _TRAFFIC_POLICIES))
    distribution = spec.get("trafficDistribution")
    if distribution is not None and distribution not in _DISTRIBUTIONS:
        errors.append(unsupported("spec.trafficDistribution", distribution, _DISTRIBUTIONS))
    return errors
