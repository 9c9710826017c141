"""Warnings about pod specs: valid, yet hardly what the writer means.

`path` is "" for a Pod and that of the template for everything else. The order is upstream's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from argosy.api.rules.addresses import warnings_for_ip
from argosy.api.rules.names import is_dns1123_label
from argosy.api.rules.nodelabels import DEPRECATED_NODE_LABELS, warn_node_selector_term
from argosy.api.rules.pods.annotations import APP_ARMOR, SECCOMP_CONTAINER, SECCOMP_POD
from argosy.api.rules.pods.overlaps import warn_overlapping_paths
from argosy.api.rules.pods.resources import quantity
from argosy.api.rules.pods.systems import visit_containers
from argosy.base.fielderrors import quote
from argosy.base.types import Json, Object

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_NULL_SELECTOR: Final = "a null labelSelector results in matching no pod"
_ANNOTATIONS: Final = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
    "security.alpha.kubernetes.io/unsafe-sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
}
_VOLUMES: Final = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_WHOLE: Final = frozenset("ikMGTPE")
_SECCOMP: Final = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_APP_ARMOR_TEXT: Final = 'deprecated since v1.30; use the "appArmorProfile" field instead'


def pod_warnings(new: Object, old: Object | None) -> list[str]:
    """A pod is warned about once, when it is created."""
    if old is not None:
        return []
    meta: Object = new.get("metadata") or {}
    warnings: list[str] = []
    if problems := is_dns1123_label(meta.get("name", "")):
        warnings.append(
            "metadata.name: this is used in the Pod's hostname, which can result in surprising "
            f"behavior; a DNS label is recommended: [{' '.join(problems)}]"
        )
    warnings += _warn(meta, new.get("spec") or {}, "")
    return warnings


def template_warnings(template: Object, path: str) -> list[str]:
    """Warnings about a template at a path such as `spec.template`."""
    return _warn(template.get("metadata") or {}, template.get("spec") or {}, f"{path}.")


def _warn(meta: Object, spec: Object, prefix: str) -> list[str]:
    at = f"{prefix}spec"
    annotations: dict[str, str] = meta.get("annotations") or {}
    warnings = [
        f"{at}.nodeSelector[{key}]: {DEPRECATED_NODE_LABELS[key]}"
        for key in spec.get("nodeSelector") or ()
        if key in DEPRECATED_NODE_LABELS
    ]
    warnings += _warn_placement(spec, at)
    warnings += [
        f"{prefix}metadata.annotations[{key}]: {text}"
        for key, text in _ANNOTATIONS.items()
        if key in annotations
    ]
    if volumes := spec.get("volumes"):
        warnings += _warn_volumes(volumes, f"{at}.volumes")
    warnings += _warn_repeated(spec.get("hostAliases") or [], "ip", f"{at}.hostAliases")
    secrets = spec.get("imagePullSecrets") or []
    warnings += _warn_repeated(secrets, "name", f"{at}.imagePullSecrets")
    warnings += [
        f'{at}.imagePullSecrets[{index}].name: invalid empty name ""'
        for index, secret in enumerate(secrets)
        if not secret.get("name")
    ]
    if overhead := spec.get("overhead"):
        warnings += _warn_fractions(overhead, f"{at}.overhead")
    if annotations:
        warnings += _warn_profiles(annotations, spec, prefix)
    for container, below in visit_containers(spec, at):
        warnings += _warn_container(container, annotations, below, prefix)
    warnings += _warn_ports(spec, at)
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        warnings.append(
            f"{at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and "
            "will be treated as 1"
        )
    warnings += _warn_pod_affinity(spec.get("affinity") or {}, f"{at}.affinity")
    for index, server in enumerate((spec.get("dnsConfig") or {}).get("nameservers") or ()):
        warnings += warnings_for_ip(server, f"{at}.dnsConfig.nameservers[{index}]")
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        warnings += warnings_for_ip(alias.get("ip", ""), f"{at}.hostAliases[{index}].ip")
    return warnings


def _warn_placement(spec: Object, path: str) -> list[str]:
    warnings: list[str] = []
    if nodes := (spec.get("affinity") or {}).get("nodeAffinity"):
        terms = (nodes.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()
        at = f"{path}.affinity.nodeAffinity"
        for index, term in enumerate(terms):
            below = f"{at}.{_REQUIRED}.nodeSelectorTerms[{index}]"
            warnings += warn_node_selector_term(term, below, check_values=False)
        for index, term in enumerate(nodes.get(_PREFERRED) or ()):
            below = f"{at}.{_PREFERRED}[{index}].preference"
            warnings += warn_node_selector_term(
                term.get("preference") or {}, below, check_values=True
            )
    for index, constraint in enumerate(spec.get("topologySpreadConstraints") or ()):
        at = f"{path}.topologySpreadConstraints[{index}]"
        key = constraint.get("topologyKey", "")
        if text := DEPRECATED_NODE_LABELS.get(key):
            warnings.append(f"{at}.topologyKey: {key} is {text}")
        if constraint.get("labelSelector") is None:
            warnings.append(f"{at}.labelSelector: {_NULL_SELECTOR}")
    return warnings


def _warn_volumes(volumes: list[Object], path: str) -> list[str]:
    warnings: list[str] = []
    for index, volume in enumerate(volumes):
        if not _VOLUMES.keys().isdisjoint(volume):
            warnings += [
                f"{path}[{index}].{'storageOS' if kind == 'storageos' else kind}: {text}"
                for kind, text in _VOLUMES.items()
                if volume.get(kind) is not None
            ]
        if ephemeral := volume.get("ephemeral"):
            template = ephemeral.get("volumeClaimTemplate") or {}
            at = f"{path}[{index}].ephemeral.volumeClaimTemplate.spec"
            warnings += warn_claim_fractions(template.get("spec") or {}, at)
    warnings += warn_overlapping_paths(volumes)
    return warnings


def warn_claim_fractions(spec: Object, path: str) -> list[str]:
    resources = spec.get("resources") or {}
    warnings: list[str] = []
    for kind in ("requests", "limits"):
        storage = (resources.get(kind) or {}).get("storage")
        warnings += warn_fraction(storage, f"{path}.resources.{kind}[storage]")
    return warnings


def _warn_repeated(items: list[Object], field: str, path: str) -> list[str]:
    warnings: list[str] = []
    seen: set[str] = set()
    for index, item in enumerate(items):
        value = item.get(field, "")
        if value in seen:
            warnings.append(f"{path}[{index}].{field}: duplicate {field} {quote(value)}")
        seen.add(value)
    return warnings


def warn_fraction(value: Json, path: str) -> list[str]:
    """A part of a byte."""
    # Whole numbers with or without a binary suffix, which is almost all of them.
    if value is None or (isinstance(value, str) and value[-1:] in _WHOLE):
        return []
    if (amount := quantity(value)).milli() % 1000 == 0:
        return []
    text = f"fractional byte value {quote(str(amount))} is invalid, must be an integer"
    return [f"{path}: {text}"]


def _warn_fractions(amounts: Object, path: str) -> list[str]:
    warnings: list[str] = []
    for name in ("memory", "ephemeral-storage"):
        if name in amounts:
            warnings += warn_fraction(amounts[name], f"{path}[{name}]")
    return warnings


def _warn_profiles(annotations: dict[str, str], spec: Object, prefix: str) -> list[str]:
    if SECCOMP_POD not in annotations:
        return []
    if (spec.get("securityContext") or {}).get("seccompProfile") is not None:
        return []
    return [f"{prefix}metadata.annotations[{SECCOMP_POD}]: {_SECCOMP}"]


def _warn_container(
    container: Object, annotations: dict[str, str], path: str, prefix: str
) -> list[str]:
    warnings: list[str] = []
    if annotations:
        context = container.get("securityContext") or {}
        key = f"{SECCOMP_CONTAINER}{container.get('name')}"
        if key in annotations and context.get("seccompProfile") is None:
            warnings.append(f"{prefix}metadata.annotations[{key}]: {_SECCOMP}")
        key = f"{APP_ARMOR}{container.get('name')}"
        if key in annotations and context.get("appArmorProfile") is None:
            warnings.append(f"{prefix}metadata.annotations[{key}]: {_APP_ARMOR_TEXT}")
    if resources := container.get("resources"):
        limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
        for name in ("memory", "ephemeral-storage"):
            if name in limits:
                warnings += warn_fraction(limits[name], f"{path}.resources.limits[{name}]")
            if name in requests:
                warnings += warn_fraction(requests[name], f"{path}.resources.requests[{name}]")
    if len(env := container.get("env") or []) > 1:
        warnings += _warn_env(env, f"{path}.env")
    return warnings


def _warn_env(variables: list[Object], path: str) -> list[str]:
    """A variable given twice is fine only if the second value is built on the first."""
    warnings: list[str] = []
    seen: set[str] = set()
    for index, variable in enumerate(variables):
        name = variable.get("name", "")
        if name not in seen:
            seen.add(name)
            continue
        value, reference = variable.get("value", ""), f"$({name})"
        if variable.get("valueFrom") is not None or value == reference or reference not in value:
            warnings.append(
                f"{path}[{index}]: hides previous definition of {quote(name)}, which may be "
                "dropped when using apply"
            )
    return warnings


def _ports(spec: Object, path: str) -> Iterator[tuple[Object, str]]:
    for container, at in visit_containers(spec, path):
        for index, port in enumerate(container.get("ports") or ()):
            yield port, f"{at}.ports[{index}]"


def _warn_ports(spec: Object, path: str) -> list[str]:
    warnings: list[str] = []
    known: dict[tuple[int, str], list[tuple[Object, str]]] = {}
    names: dict[str, str] = {}
    repeated: list[str] = []
    for port, at in _ports(spec, path):
        host_ip, host_port = port.get("hostIP", ""), port.get("hostPort", 0)
        if host_ip and not host_port:
            shown = (
                f"{{Name:{port.get('name', '')} HostPort:0 "
                f"ContainerPort:{port.get('containerPort', 0)} "
                f"Protocol:{port.get('protocol', '')} HostIP:{host_ip}}}"
            )
            warnings.append(f"{at}: hostIP set without hostPort: {shown}")
        others = known.setdefault((port.get("containerPort", 0), port.get("protocol", "")), [])
        for other, where in others:
            other_ip, other_port = other.get("hostIP", ""), other.get("hostPort", 0)
            if (host_ip, host_port) == (other_ip, other_port):
                warnings.append(f"{at}: duplicate port definition with {where}")
            elif not host_port or not other_port:
                warnings.append(f"{at}: overlapping port definition with {where}")
            elif host_port == other_port and (not host_ip) != (not other_ip):
                warnings.append(f"{at}: dangerously ambiguous port definition with {where}")
        others.append((port, at))
        if name := port.get("name"):
            if first := names.get(name):
                repeated.append(
                    f"{at}: duplicate port name {quote(name)} with {first}, services and probes "
                    f"that select ports by name will use {first}"
                )
            else:
                names[name] = at
    return warnings + repeated


def _warn_pod_affinity(affinity: Object, path: str) -> list[str]:
    warnings: list[str] = []
    for kind in ("podAffinity", "podAntiAffinity"):
        if not (terms := affinity.get(kind)):
            continue
        warnings += [
            f"{path}.{kind}.{_REQUIRED}[{index}].labelSelector: {_NULL_SELECTOR}"
            for index, term in enumerate(terms.get(_REQUIRED) or ())
            if term.get("labelSelector") is None
        ]
        warnings += [
            f"{path}.{kind}.{_PREFERRED}[{index}].podAffinityTerm.labelSelector: {_NULL_SELECTOR}"
            for index, term in enumerate(terms.get(_PREFERRED) or ())
            if (term.get("podAffinityTerm") or {}).get("labelSelector") is None
        ]
    return warnings
