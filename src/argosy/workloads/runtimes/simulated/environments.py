"""The environment of a simulated container: what its command and `kubectl exec` see.

Plain values, references to other variables, and what the downward API gives of the pod itself. Values from config maps
and secrets are not read: nothing that is simulated needs them, and thousands of pods would each cost a read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from argosy.api.objects import Container, Pod
from argosy.base.types import Object

_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_KEYED: Final = re.compile(r"metadata\.(labels|annotations)\['([^']+)'\]")
# `$$` stands for a dollar; `$(NAME)` for a variable that is set.
_REFERENCE: Final = re.compile(r"\$\$|\$\(([^()$]+)\)")


def environment(pod: Pod, container: Container) -> dict[str, str]:
    """Names and values, in the order a container would have them."""
    found = {"PATH": _PATH, "HOSTNAME": hostname(pod)}
    for one in container.env:
        if one.value_from is None:
            found[one.name] = expanded(one.value, found)
        elif (value := _from(pod, container, one.value_from)) is not None:
            found[one.name] = value
    found.setdefault("HOME", "/root")
    if container.working_dir:
        found["PWD"] = container.working_dir
    return found


def hostname(pod: Pod) -> str:
    return pod.spec.node_name if pod.spec.host_network else pod.spec.hostname or pod.metadata.name


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """`$(NAME)` replaced, as kubelets do in commands, arguments and values."""
    if "$" not in text:
        return text

    def value(found: re.Match[str]) -> str:
        name = found[1]
        return "$" if name is None else variables.get(name, found[0])

    return _REFERENCE.sub(value, text)


def _from(pod: Pod, container: Container, source: Object) -> str | None:
    if field := source.get("fieldRef"):
        return _field(pod, field.get("fieldPath", ""))
    if resource := source.get("resourceFieldRef"):
        which, _, name = resource.get("resource", "").partition(".")
        amounts = container.resources
        return (amounts.limits if which == "limits" else amounts.requests).get(name, "0")
    return None


def _field(pod: Pod, path: str) -> str | None:
    meta, spec, status = pod.metadata, pod.spec, pod.status
    if keyed := _KEYED.fullmatch(path):
        return (meta.labels if keyed[1] == "labels" else meta.annotations).get(keyed[2], "")
    return {
        "metadata.name": meta.name,
        "metadata.namespace": meta.namespace,
        "metadata.uid": meta.uid,
        "spec.nodeName": spec.node_name,
        "spec.serviceAccountName": spec.service_account_name,
        "status.hostIP": status.host_ip,
        "status.podIP": status.pod_ip,
    }.get(path)
