"""Containers of a pod: regular, init (with sidecars) and ephemeral ones.

The common part runs on every container of every pod that is written, so it looks only at sections that are there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from argosy.api.rules.internals import internal
from argosy.api.rules.names import is_dns1123_label, is_port_name, is_port_number
from argosy.api.rules.pods.environment import validate_env, validate_env_from
from argosy.api.rules.pods.mounts import validate_devices, validate_mounts
from argosy.api.rules.pods.probes import validate_lifecycle, validate_probes
from argosy.api.rules.pods.resources import validate_container_resources
from argosy.api.rules.pods.security import validate_container_security
from argosy.api.rules.ports import PROTOCOLS, validate_protocol
from argosy.api.rules.wording import unsupported
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
    too_long,
)
from argosy.base.types import Object

_MESSAGE_POLICIES: Final = ("File", "FallbackToLogsOnError")
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")
_RESTART_POLICIES: Final = ("Always", "Never", "OnFailure")
_NO_EPHEMERAL: Final = "cannot be set for an Ephemeral Container"
# Internal names of what an ephemeral container may have.
_EPHEMERAL_FIELDS: Final = frozenset(
    {
        "Name",
        "Image",
        "Command",
        "Args",
        "WorkingDir",
        "EnvFrom",
        "Env",
        "VolumeMounts",
        "VolumeDevices",
        "TerminationMessagePath",
        "TerminationMessagePolicy",
        "ImagePullPolicy",
        "SecurityContext",
        "Stdin",
        "StdinOnce",
        "TTY",
        "TargetContainerName",
    }
)


@dataclass(slots=True, frozen=True)
class Surroundings:
    """What a container is checked against: the rest of its pod."""

    volumes: Mapping[str, Object]
    claims: frozenset[str]
    grace_seconds: int | None
    restart_policy: str
    host_users: bool


def validate_containers(
    containers: list[Object], around: Surroundings, path: str
) -> list[FieldError]:
    if not containers:
        return [required(path)]
    errors: list[FieldError] = []
    names: set[str] = set()
    for index, container in enumerate(containers):
        at = f"{path}[{index}]"
        _validate_common(container, around, at, errors)
        name = container.get("name", "")
        if name in names:
            errors.append(duplicate(f"{at}.name", name))
        names.add(name)
        if lifecycle := container.get("lifecycle"):
            errors += validate_lifecycle(lifecycle, around.grace_seconds, f"{at}.lifecycle")
        errors += validate_probes(container, around.grace_seconds, at)
        if "restartPolicy" in container or "restartPolicyRules" in container:
            errors += _validate_restart_policy(container, at)
    _check_host_ports(containers, path, errors)
    return errors


def validate_init_containers(
    containers: list[Object], regular: list[Object], around: Surroundings, path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    names = {container.get("name", "") for container in regular}
    for index, container in enumerate(containers):
        at = f"{path}[{index}]"
        _validate_common(container, around, at, errors)
        errors += _validate_init_restart_policy(container, at)
        name = container.get("name", "")
        if name in names:
            errors.append(duplicate(f"{at}.name", name))
        elif name:
            names.add(name)
        # Upstream counts from the start of the list for each init container by itself.
        _check_host_ports([container], path, errors)
        if container.get("restartPolicy") == "Always":
            if lifecycle := container.get("lifecycle"):
                errors += validate_lifecycle(lifecycle, around.grace_seconds, f"{at}.lifecycle")
            errors += validate_probes(container, around.grace_seconds, at)
        else:
            errors += [
                forbidden(
                    f"{at}.{field}",
                    "may not be set for init containers without restartPolicy=Always",
                )
                for field in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
                if container.get(field) is not None
            ]
    return errors


def validate_ephemeral_containers(
    containers: list[Object], others: list[Object], around: Surroundings, path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    targets = {container.get("name", "") for container in others}
    names = set(targets)
    for index, container in enumerate(containers):
        at = f"{path}[{index}]"
        _validate_common(container, around, at, errors)
        errors += validate_image_padding(container, at)
        name = container.get("name", "")
        if name in names:
            errors.append(duplicate(f"{at}.name", name))
        names.add(name)
        target = container.get("targetContainerName")
        if target and target not in targets:
            errors.append(not_found(f"{at}.targetContainerName", target))
        errors += _validate_ephemeral_fields(container, at)
    return errors


def _validate_ephemeral_fields(container: Object, path: str) -> list[FieldError]:
    absent = internal("EphemeralContainer", {})
    errors = [
        forbidden(f"{path}.{name[0].lower()}{name[1:]}", _NO_EPHEMERAL)
        for name, value in internal("EphemeralContainer", container).items()
        if name not in _EPHEMERAL_FIELDS and value != absent[name]
    ]
    for index, mount in enumerate(container.get("volumeMounts") or ()):
        errors += [
            forbidden(f"{path}.volumeMounts[{index}].{field}", _NO_EPHEMERAL)
            for field in ("subPath", "subPathExpr")
            if mount.get(field)
        ]
    return errors


def validate_image_padding(container: Object, path: str) -> list[FieldError]:
    image = container.get("image", "")
    if image == image.strip():
        return []
    return [invalid(f"{path}.image", image, "must not have leading or trailing whitespace")]


def _validate_common(
    container: Object, around: Surroundings, path: str, errors: list[FieldError]
) -> None:
    get = container.get
    if not (name := get("name")):
        errors.append(required(f"{path}.name"))
    elif problems := is_dns1123_label(name):
        errors += [invalid(f"{path}.name", name, text) for text in problems]
    if not get("image"):
        errors.append(required(f"{path}.image"))
    if (policy := get("terminationMessagePolicy", "")) not in _MESSAGE_POLICIES:
        errors.append(
            unsupported(f"{path}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
            if policy
            else required(f"{path}.terminationMessagePolicy")
        )
    if ports := get("ports"):
        _validate_ports(ports, f"{path}.ports", errors)
    if env := get("env"):
        errors += validate_env(env, f"{path}.env")
    if sources := get("envFrom"):
        errors += validate_env_from(sources, f"{path}.envFrom")
    if get("volumeMounts"):
        errors += validate_mounts(container, around.volumes, f"{path}.volumeMounts")
    if get("volumeDevices"):
        errors += validate_devices(container, around.volumes, f"{path}.volumeDevices")
    if (policy := get("imagePullPolicy", "")) not in _PULL_POLICIES:
        errors.append(
            not_supported(f"{path}.imagePullPolicy", policy, _PULL_POLICIES)
            if policy
            else required(f"{path}.imagePullPolicy")
        )
    if resources := get("resources"):
        errors += validate_container_resources(resources, around.claims, f"{path}.resources")
    if policies := get("resizePolicy"):
        errors += _validate_resize_policy(policies, around.restart_policy, f"{path}.resizePolicy")
    if context := get("securityContext"):
        errors += validate_container_security(
            context, f"{path}.securityContext", host_users=around.host_users
        )


def _validate_ports(ports: list[Object], path: str, errors: list[FieldError]) -> None:
    names: set[str] = set()
    for index, port in enumerate(ports):
        at = f"{path}[{index}]"
        if name := port.get("name"):
            if problems := is_port_name(name):
                errors += [invalid(f"{at}.name", name, text) for text in problems]
            elif name in names:
                errors.append(duplicate(f"{at}.name", name))
            else:
                names.add(name)
        if not (number := port.get("containerPort")):
            errors.append(required(f"{at}.containerPort"))
        elif problems := is_port_number(number):
            errors += [invalid(f"{at}.containerPort", number, text) for text in problems]
        if host := port.get("hostPort"):
            errors += [invalid(f"{at}.hostPort", host, text) for text in is_port_number(host)]
        if (protocol := port.get("protocol", "")) not in PROTOCOLS:
            errors += validate_protocol(protocol, f"{at}.protocol")


def _check_host_ports(containers: list[Object], path: str, errors: list[FieldError]) -> None:
    taken: set[str] = set()
    for index, container in enumerate(containers):
        for position, port in enumerate(container.get("ports") or ()):
            if not (number := port.get("hostPort")):
                continue
            key = f"{port.get('protocol', '')}/{port.get('hostIP', '')}/{number}"
            if key in taken:
                errors.append(duplicate(f"{path}[{index}].ports[{position}].hostPort", key))
            taken.add(key)


def _validate_resize_policy(
    policies: list[Object], restart_policy: str, path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, each in enumerate(policies):
        resource, policy = each.get("resourceName", ""), each.get("restartPolicy", "")
        if resource in seen:
            errors.append(duplicate(f"{path}[{index}]", resource))
        seen.add(resource)
        for value, allowed in (
            (resource, ("cpu", "memory")),
            (policy, ("NotRequired", "RestartContainer")),
        ):
            if not value:
                errors.append(required(path))
            elif value not in allowed:
                errors.append(not_supported(path, value, allowed))
        if restart_policy == "Never" and policy != "NotRequired":
            errors.append(
                invalid(path, policy, "must be 'NotRequired' when `restartPolicy` is 'Never'")
            )
    return errors


def _validate_init_restart_policy(container: Object, path: str) -> list[FieldError]:
    if container.get("restartPolicy") != "Always":
        return _validate_restart_policy(container, path)
    if container.get("restartPolicyRules"):
        return [
            forbidden(
                f"{path}.restartPolicyRules",
                "restartPolicyRules are not allowed for init containers with restart policy Always",
            )
        ]
    return []


def _validate_restart_policy(container: Object, path: str) -> list[FieldError]:
    policy, rules = container.get("restartPolicy"), container.get("restartPolicyRules") or []
    errors: list[FieldError] = []
    if policy is None:
        if not rules:
            return []
        errors.append(
            required(
                f"{path}.restartPolicy", "must specify restartPolicy when restart rules are used"
            )
        )
        if path.rpartition(".")[2].startswith("initContainers"):
            return errors
    elif policy not in _RESTART_POLICIES:
        errors.append(not_supported(f"{path}.restartPolicy", policy, _RESTART_POLICIES))
    if len(rules) > 20:
        errors.append(too_long(f"{path}.restartPolicyRules", 20))
    for index, rule in enumerate(rules):
        at = f"{path}.restartPolicyRules[{index}]"
        if (action := rule.get("action", "")) != "Restart":
            errors.append(not_supported(f"{at}.action", action, ("Restart",)))
        if (codes := rule.get("exitCodes")) is None:
            errors.append(required(f"{at}.exitCodes", "must be specified"))
            continue
        if (operator := codes.get("operator", "")) not in {"In", "NotIn"}:
            errors.append(not_supported(f"{at}.exitCodes.operator", operator, ("In", "NotIn")))
        if len(codes.get("values") or ()) > 255:
            errors.append(too_long(f"{at}.exitCodes.values", 255))
    return errors
