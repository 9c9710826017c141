"""The downward API: fields of a pod, and resources of its containers, as text. Pure.

Texts are the kubelet's: maps are `key="value"` lines in order of keys, quantities are divided and rounded up. A limit
that is not set is what the node can give.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from argosy.api.objects import Container, Pod
from argosy.base.fielderrors import quote
from argosy.base.quantities import parse
from argosy.base.types import Object

_ENTRY: Final = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]")


def pod_field(pod: Pod, path: str, *, host_ips: Sequence[str], pod_ips: Sequence[str]) -> str:
    """The value of a fieldPath. ValueError for paths that the downward API does not offer."""
    meta = pod.metadata
    if found := _ENTRY.fullmatch(path):
        entries: Mapping[str, str] = getattr(meta, found[1])
        return entries.get(found[2], "")
    match path:
        case "metadata.name":
            return meta.name
        case "metadata.namespace":
            return meta.namespace
        case "metadata.uid":
            return meta.uid
        case "metadata.labels":
            return _map(meta.labels)
        case "metadata.annotations":
            return _map(meta.annotations)
        case "spec.nodeName":
            return pod.spec.node_name
        case "spec.serviceAccountName":
            return pod.spec.service_account_name
        case "status.hostIP":
            return host_ips[0] if host_ips else ""
        case "status.hostIPs":
            return ",".join(host_ips)
        case "status.podIP":
            return pod_ips[0] if pod_ips else ""
        case "status.podIPs":
            return ",".join(pod_ips)
        case _:
            raise ValueError(f"unsupported fieldPath: {path}")


def resource_field(
    pod: Pod, container: Container, given: Object, allocatable: Mapping[str, str]
) -> str:
    """The value of a resourceFieldRef, for this container unless it names another."""
    name = given.get("containerName") or container.name
    everyone = (*pod.spec.containers, *pod.spec.init_containers)
    chosen = next((one for one in everyone if one.name == name), None)
    if chosen is None:
        raise ValueError(f"container {name} not found")
    which, _, resource = given["resource"].partition(".")
    if which == "limits":
        text = chosen.resources.limits.get(resource) or allocatable.get(resource, "0")
    elif which == "requests":
        text = chosen.resources.requests.get(resource, "0")
    else:
        raise ValueError(f"unsupported container resource : {given['resource']}")
    divisor = parse(given.get("divisor") or "1")
    by = divisor.milli() if not divisor.is_zero else 1000
    return str(-(-parse(text).milli() // by))


def _map(entries: Mapping[str, str]) -> str:
    return "\n".join(f"{key}={quote(entries[key])}" for key in sorted(entries))
