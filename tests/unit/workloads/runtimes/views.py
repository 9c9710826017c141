"""Pods and nodes as agents and runtimes see them."""

from __future__ import annotations

import msgspec

from argosy.api.objects import Node, Pod
from argosy.base.types import Json, Object

UID = "0b7f9a52-7c6e-4a55-8f0c-0a8d3c0b1e11"


def pod(
    *command: str,
    image: str = "busybox",
    policy: str = "Never",
    annotations: dict[str, str] | None = None,
    status: Object | None = None,
    uid: str = UID,
    name: str = "p",
    **spec: Json,
) -> Pod:
    """A pod with one container `main` that runs the command; bound to node n1."""
    main: Object = {"name": "main", "image": image, **spec.pop("container", {})}
    if command:
        main["command"] = list(command)
    return msgspec.convert(
        {
            "metadata": {
                "name": name,
                "namespace": "ns",
                "uid": uid,
                "generation": 1,
                "annotations": annotations or {},
                **spec.pop("metadata", {}),
            },
            "spec": {"nodeName": "n1", "restartPolicy": policy, "containers": [main], **spec},
            "status": status or {"phase": "Pending"},
        },
        Pod,
    )


def node(
    name: str = "n1",
    *,
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    allocatable: dict[str, str] | None = None,
    spec: Object | None = None,
    status: Object | None = None,
) -> Node:
    amounts = allocatable or {"cpu": "4", "memory": "8Gi", "pods": "10"}
    return msgspec.convert(
        {
            "metadata": {
                "name": name,
                "uid": f"uid-of-{name}",
                "labels": {"argosy.dev/runtime": "simulated", **(labels or {})},
                "annotations": annotations or {},
            },
            "spec": spec or {},
            "status": {"capacity": amounts, "allocatable": amounts} if status is None else status,
        },
        Node,
    )
