"""The environment of a container, and its command with variables put in. Pure.

`sources` says which ConfigMaps and Secrets a container's environment needs, so that they can be read before; `build`
puts the variables together: the runtime's own first, then envFrom, then env in order, each seeing those before it.
`$(NAME)` stands for a variable, `$$(NAME)` for the text `$(NAME)`; what names no variable stays as it is. Errors are
`Misconfigured`, in the kubelet's words: the container waits until they are gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from argosy.api.objects import ConfigMap, Container, Pod, Secret
from argosy.base.types import Object
from argosy.workloads.runtimes.process.fields import pod_field, resource_field

_REFERENCE: Final = re.compile(r"\$(?:\$|\(([^)]*)\))")


class Misconfigured(Exception):
    """The container can not be made as its pod says."""


@dataclass(slots=True, frozen=True)
class Sources:
    """Objects that a pod refers to, by name; None for those that are not there."""

    config_maps: Mapping[str, ConfigMap | None] = field(default_factory=dict)
    secrets: Mapping[str, Secret | None] = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class Surroundings:
    """What a container can learn about where it runs."""

    host_ips: tuple[str, ...] = ()
    pod_ips: tuple[str, ...] = ()
    allocatable: Mapping[str, str] = field(default_factory=dict)


def needed(container: Container) -> tuple[set[str], set[str]]:
    """Names of the ConfigMaps and of the Secrets that the environment is made from."""
    maps, secrets = set(), set()
    for one in container.env_from:
        if "configMapRef" in one:
            maps.add(one["configMapRef"].get("name", ""))
        if "secretRef" in one:
            secrets.add(one["secretRef"].get("name", ""))
    for variable in container.env:
        given = variable.value_from or {}
        if "configMapKeyRef" in given:
            maps.add(given["configMapKeyRef"].get("name", ""))
        if "secretKeyRef" in given:
            secrets.add(given["secretKeyRef"].get("name", ""))
    return maps, secrets


def build(
    pod: Pod,
    container: Container,
    base: Mapping[str, str],
    sources: Sources,
    around: Surroundings,
) -> dict[str, str]:
    """All variables of a container. Misconfigured."""
    env = dict(base)
    for one in container.env_from:
        prefix = one.get("prefix", "")
        for key, value in _all_of(one, sources).items():
            env[prefix + key] = value
    for variable in container.env:
        if variable.value_from is None:
            env[variable.name] = expand(variable.value, env)
            continue
        found = _value(pod, container, variable.value_from, sources, around)
        if found is not None:
            env[variable.name] = found
    return env


def expand(text: str, env: Mapping[str, str]) -> str:
    """Put variables in."""

    def put(found: re.Match[str]) -> str:
        name = found[1]
        if name is None:
            return "$"
        return env.get(name, found[0])

    return _REFERENCE.sub(put, text)


def command_line(container: Container, env: Mapping[str, str]) -> list[str]:
    """Command and arguments with variables put in."""
    return [expand(part, env) for part in (*container.command, *container.args)]


def _all_of(given: Object, sources: Sources) -> dict[str, str]:
    if (reference := given.get("configMapRef")) is not None:
        found = _config_map(reference, sources)
        return dict(found.data) if found is not None else {}
    if (reference := given.get("secretRef")) is not None:
        secret = _secret(reference, sources)
        return _texts(secret.data.items()) if secret is not None else {}
    return {}


def _texts(entries: Iterable[tuple[str, bytes]]) -> dict[str, str]:
    return {key: value.decode(errors="surrogateescape") for key, value in entries}


def _value(
    pod: Pod, container: Container, given: Object, sources: Sources, around: Surroundings
) -> str | None:
    """A variable's value; None for one that is optional and not there."""
    try:
        if (reference := given.get("fieldRef")) is not None:
            return pod_field(
                pod, reference["fieldPath"], host_ips=around.host_ips, pod_ips=around.pod_ips
            )
        if (reference := given.get("resourceFieldRef")) is not None:
            return resource_field(pod, container, reference, around.allocatable)
    except ValueError as error:
        raise Misconfigured(str(error)) from error
    if (reference := given.get("configMapKeyRef")) is not None:
        return _key(pod, reference, "ConfigMap", _config_map(reference, sources))
    if (reference := given.get("secretKeyRef")) is not None:
        return _key(pod, reference, "Secret", _secret(reference, sources))
    raise Misconfigured(
        f"env of container {container.name}: valueFrom {', '.join(given)} is not offered here; "
        "use configMapKeyRef, secretKeyRef, fieldRef or resourceFieldRef"
    )


def _key(pod: Pod, reference: Object, kind: str, found: ConfigMap | Secret | None) -> str | None:
    key = reference["key"]
    if found is not None:
        value = found.data.get(key)
        if value is not None:
            return value if isinstance(value, str) else value.decode(errors="surrogateescape")
    if reference.get("optional"):
        return None
    name = reference.get("name", "")
    raise Misconfigured(f"couldn't find key {key} in {kind} {pod.metadata.namespace}/{name}")


def _config_map(reference: Object, sources: Sources) -> ConfigMap | None:
    name = reference.get("name", "")
    found = sources.config_maps.get(name)
    if found is None and not reference.get("optional"):
        raise Misconfigured(f'configmap "{name}" not found')
    return found


def _secret(reference: Object, sources: Sources) -> Secret | None:
    name = reference.get("name", "")
    found = sources.secrets.get(name)
    if found is None and not reference.get("optional"):
        raise Misconfigured(f'secret "{name}" not found')
    return found
