"""A whole pod spec, section by section in upstream's order, so that errors come in the order kubectl users know."""

from __future__ import annotations

from typing import Final

from argosy.api.rules.addresses import validate_legacy_ip
from argosy.api.rules.internals import printed_internal
from argosy.api.rules.labels import validate_labels, validate_tolerations
from argosy.api.rules.names import (
    in_range,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_dns1123_subdomain_with_underscore,
    is_qualified_name,
)
from argosy.api.rules.pods.affinity import validate_affinity, validate_spread_constraints
from argosy.api.rules.pods.containers import (
    Surroundings,
    validate_containers,
    validate_ephemeral_containers,
    validate_init_containers,
)
from argosy.api.rules.pods.resources import validate_container_resources, validate_pod_resources
from argosy.api.rules.pods.security import validate_pod_security
from argosy.api.rules.pods.systems import (
    has_windows_options,
    validate_host_process,
    validate_os,
    visit_containers,
)
from argosy.api.rules.pods.volumes import validate_volumes
from argosy.api.rules.wording import printed, unsupported
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_found,
    required,
    too_long,
)
from argosy.base.types import Object

RESTART_POLICIES: Final = ("Always", "OnFailure", "Never")
_DNS_POLICIES: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_PREEMPTION_POLICIES: Final = ("PreemptLowerPriority", "Never")
_NO_USERS: Final = "when `hostUsers` is false"


def validate_pod_spec(
    spec: Object, path: str, *, pod_name: str = "", is_pod: bool = False
) -> list[FieldError]:
    """Everything that can be wrong with a defaulted pod spec.

    `is_pod` adds what only a pod is held to, `pod_name` what depends on its name; templates have neither.
    """
    get = spec.get
    errors: list[FieldError] = []
    if get("terminationGracePeriodSeconds") is None:
        errors.append(required(f"{path}.terminationGracePeriodSeconds"))
    volumes, found = validate_volumes(
        get("volumes") or [], pod_name, f"{path}.volumes", is_pod=is_pod
    )
    errors += found
    claims = get("resourceClaims") or []
    if claims:
        errors += _validate_resource_claims(claims, f"{path}.resourceClaims")
    around = Surroundings(
        volumes=volumes,
        claims=frozenset(claim["name"] for claim in claims if claim.get("name")),
        grace_seconds=get("terminationGracePeriodSeconds"),
        restart_policy=get("restartPolicy", ""),
        host_users=get("hostUsers") is not False,
    )
    containers, init_containers = get("containers") or [], get("initContainers") or []
    errors += validate_containers(containers, around, f"{path}.containers")
    if init_containers:
        errors += validate_init_containers(
            init_containers, containers, around, f"{path}.initContainers"
        )
    if ephemeral := get("ephemeralContainers"):
        errors += validate_ephemeral_containers(
            ephemeral, containers + init_containers, around, f"{path}.ephemeralContainers"
        )
    if "resources" in spec:
        errors += validate_pod_resources(spec, path)
    _validate_network_and_policies(spec, path, errors, is_pod=is_pod)
    _validate_scheduling(spec, path, errors)
    _validate_identity(spec, path, errors)
    _validate_extras(spec, path, errors, containers + init_containers)
    return errors


def _validate_network_and_policies(
    spec: Object, path: str, errors: list[FieldError], *, is_pod: bool
) -> None:
    get = spec.get
    if get("hostNetwork"):
        errors += _validate_host_network(spec, f"{path}.containers", is_pod=is_pod)
    if (policy := get("restartPolicy", "")) not in RESTART_POLICIES:
        errors.append(_bad_enum(f"{path}.restartPolicy", policy, RESTART_POLICIES))
    if (policy := get("dnsPolicy", "")) not in _DNS_POLICIES:
        errors.append(_bad_enum(f"{path}.dnsPolicy", policy, _DNS_POLICIES))
    if labels := get("nodeSelector"):
        errors += validate_labels(labels, f"{path}.nodeSelector")
    if get("securityContext") or get("shareProcessNamespace"):
        errors += validate_pod_security(spec, path)


def _validate_scheduling(spec: Object, path: str, errors: list[FieldError]) -> None:
    get = spec.get
    for index, secret in enumerate(get("imagePullSecrets") or ()):
        if secret.keys() - {"name"}:
            errors.append(
                invalid(
                    f"{path}.imagePullSecrets[{index}]",
                    printed_internal("LocalObjectReference", secret),
                    "only name may be set",
                )
            )
    if affinity := get("affinity"):
        errors += validate_affinity(affinity, f"{path}.affinity")
    if "dnsConfig" in spec or get("dnsPolicy") == "None":
        errors += _validate_dns_config(get("dnsConfig"), get("dnsPolicy", ""), f"{path}.dnsConfig")
    for index, gate in enumerate(get("readinessGates") or ()):
        kind = gate.get("conditionType", "")
        at = f"{path}.readinessGates[{index}].conditionType"
        errors += [invalid(at, kind, text) for text in is_qualified_name(kind)]
    if gates := get("schedulingGates"):
        errors += _validate_scheduling_gates(gates, f"{path}.schedulingGates")
    if constraints := get("topologySpreadConstraints"):
        errors += validate_spread_constraints(constraints, f"{path}.topologySpreadConstraints")


def _validate_identity(spec: Object, path: str, errors: list[FieldError]) -> None:
    get = spec.get
    if has_windows_options(spec):
        errors += validate_host_process(spec, path)
    if get("hostUsers") is False:
        errors += _validate_host_users(spec, path)
    if (hostname := get("hostnameOverride")) is not None:
        errors += _validate_hostname_override(hostname, spec, f"{path}.hostnameOverride")
    for field in ("serviceAccountName", "nodeName"):
        if (name := get(field)) and (problems := is_dns1123_subdomain(name)):
            errors += [invalid(f"{path}.{field}", name, text) for text in problems]
    if (seconds := get("activeDeadlineSeconds")) is not None:
        errors += [
            invalid(f"{path}.activeDeadlineSeconds", seconds, text)
            for text in in_range(seconds, 1, 2147483647)
        ]
    for field in ("hostname", "subdomain"):
        if name := get(field):
            errors += [invalid(f"{path}.{field}", name, text) for text in is_dns1123_label(name)]
    if tolerations := get("tolerations"):
        errors += validate_tolerations(tolerations, f"{path}.tolerations")
    if aliases := get("hostAliases"):
        errors += _validate_host_aliases(aliases, f"{path}.hostAliases")


def _validate_extras(
    spec: Object, path: str, errors: list[FieldError], containers: list[Object]
) -> None:
    get = spec.get
    if name := get("priorityClassName"):
        at = f"{path}.priorityClassName"
        errors += [invalid(at, name, text) for text in is_dns1123_subdomain(name)]
    if (name := get("runtimeClassName")) is not None:
        at = f"{path}.runtimeClassName"
        errors += [invalid(at, name, text) for text in is_dns1123_subdomain(name)]
    policy = get("preemptionPolicy")
    if policy is not None and policy not in _PREEMPTION_POLICIES:
        errors.append(_bad_enum(f"{path}.preemptionPolicy", policy, _PREEMPTION_POLICIES))
    if overhead := get("overhead"):
        errors += validate_container_resources({"limits": overhead}, (), f"{path}.overhead")
    if "os" in spec:
        errors += validate_os(spec, path)
    if any(
        "fileKeyRef" in variable["valueFrom"]
        for container in containers
        for variable in container.get("env") or ()
        if variable.get("valueFrom")
    ):
        errors += _validate_env_files(spec, path)


def _bad_enum(path: str, value: str, allowed: tuple[str, ...]) -> FieldError:
    return unsupported(path, value, allowed) if value else required(path)


def _validate_resource_claims(claims: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, claim in enumerate(claims):
        at = f"{path}[{index}]"
        name = claim.get("name", "")
        if not name:
            errors.append(required(f"{at}.name"))
        elif name in names:
            errors.append(duplicate(f"{at}.name", name))
        else:
            errors += [invalid(f"{at}.name", name, text) for text in is_dns1123_label(name)]
            names.add(name)
        direct, template = claim.get("resourceClaimName"), claim.get("resourceClaimTemplateName")
        if (direct is None) == (template is None):
            detail = (
                "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
                if direct is None
                else "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            )
            errors.append(invalid(at, printed_internal("PodResourceClaim", claim), detail))
        for field, value in (
            ("resourceClaimName", direct),
            ("resourceClaimTemplateName", template),
        ):
            if value is not None:
                errors += [
                    invalid(f"{at}.{field}", value, text) for text in is_dns1123_subdomain(value)
                ]
    return errors


def _validate_host_network(spec: Object, path: str, *, is_pod: bool) -> list[FieldError]:
    return [
        invalid(
            f"{path}[{index}].ports[{position}].hostPort",
            port.get("hostPort", 0),
            "must match `containerPort` when `hostNetwork` is true",
        )
        for index, container in enumerate(spec.get("containers") or ())
        for position, port in enumerate(container.get("ports") or ())
        if (is_pod or port.get("hostPort"))
        and port.get("hostPort", 0) != port.get("containerPort", 0)
    ]


def _validate_dns_config(config: Object | None, policy: str, path: str) -> list[FieldError]:
    if policy == "None":
        if config is None:
            return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
        if not config.get("nameservers"):
            return [
                required(
                    f"{path}.nameservers",
                    "must provide at least one DNS nameserver when `dnsPolicy` is None",
                )
            ]
    if config is None:
        return []
    errors: list[FieldError] = []
    servers, searches = config.get("nameservers") or [], config.get("searches") or []
    at = f"{path}.nameservers"
    if len(servers) > 3:
        errors.append(invalid(at, printed(servers), "must not have more than 3 nameservers"))
    for index, server in enumerate(servers):
        errors += validate_legacy_ip(server, f"{at}[{index}]")
    at = f"{path}.searches"
    if len(searches) > 32:
        errors.append(invalid(at, printed(searches), "must not have more than 32 search paths"))
    if len(" ".join(searches)) > 2048:
        detail = "must not have more than 2048 characters (including spaces) in the search list"
        errors.append(invalid(at, printed(searches), detail))
    for index, search in enumerate(searches):
        if search != ".":
            name = search.removesuffix(".")
            errors += [
                invalid(f"{at}[{index}]", name, text)
                for text in is_dns1123_subdomain_with_underscore(name)
            ]
    errors += [
        required(f"{path}.options[{index}]", "must not be empty")
        for index, option in enumerate(config.get("options") or ())
        if not option.get("name")
    ]
    return errors


def _validate_scheduling_gates(gates: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        name = gate.get("name", "")
        errors += [invalid(f"{path}[{index}]", name, text) for text in is_qualified_name(name)]
        if name in seen:
            errors.append(duplicate(f"{path}[{index}]", name))
        seen.add(name)
    return errors


def _validate_host_users(spec: Object, path: str) -> list[FieldError]:
    errors = [
        forbidden(f"{path}.{shown}", _NO_USERS)
        for field, shown in (
            ("hostNetwork", "hostNetwork"),
            ("hostPID", "HostPID"),
            ("hostIPC", "HostIPC"),
        )
        if spec.get(field)
    ]
    errors += [
        forbidden(f"{at}.volumeDevices", _NO_USERS)
        for container, at in visit_containers(spec, path)
        if container.get("volumeDevices")
    ]
    return errors


def _validate_hostname_override(name: str, spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.get("setHostnameAsFQDN"):
        errors.append(forbidden(path, "may not be specified when setHostnameAsFQDN is true"))
    if spec.get("hostNetwork"):
        errors.append(forbidden(path, "may not be specified when hostNetwork is true"))
    if len(name) > 64:
        errors.append(too_long(path, 64))
    errors += [invalid(path, name, text) for text in is_dns1123_subdomain(name)]
    return errors


def _validate_host_aliases(aliases: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, alias in enumerate(aliases):
        errors += validate_legacy_ip(alias.get("ip", ""), f"{path}[{index}].ip")
        for position, name in enumerate(alias.get("hostnames") or ()):
            at = f"{path}[{index}].hostnames[{position}]"
            errors += [invalid(at, name, text) for text in is_dns1123_subdomain(name)]
    return errors


def _validate_env_files(spec: Object, path: str) -> list[FieldError]:
    """Files that environment variables are read from lie in emptyDir volumes."""
    errors: list[FieldError] = []
    volumes = {volume.get("name", ""): volume for volume in spec.get("volumes") or ()}
    for container, at in visit_containers(spec, path):
        for index, variable in enumerate(container.get("env") or ()):
            ref = (variable.get("valueFrom") or {}).get("fileKeyRef")
            if ref is None:
                continue
            name = ref.get("volumeName", "")
            below = f"{at}.env[{index}].valueFrom.fileKeyRef.volumeName"
            if name not in volumes:
                errors.append(not_found(below, name))
            elif "emptyDir" not in volumes[name]:
                detail = "referenced volume must be of type emptyDir"
                errors.append(invalid(below, name, detail))
    return errors
