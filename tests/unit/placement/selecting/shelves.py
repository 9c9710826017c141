"""A hub for pure tests: objects lie there as they were put."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from argosy.base.types import Object
from argosy.client.objects import Raw
from argosy.client.resources import (
    CLUSTER_ROLES,
    CONFIG_MAPS,
    DEPLOYMENTS,
    ENDPOINTS,
    JOBS,
    NAMESPACES,
    NODES,
    PODS,
    PRIORITY_CLASSES,
    SECRETS,
    SERVICES,
    Resource,
)
from argosy.placement.selecting.watched import Watched, read

BOATS = Resource("example.com", "v1", "boats", "Boat")
OLD_BOATS = Resource("example.com", "v1beta1", "boats", "Boat")
FLEETS = Resource("example.com", "v1", "fleets", "Fleet", namespaced=False)
KINDS = (
    NAMESPACES, CONFIG_MAPS, SECRETS, SERVICES, ENDPOINTS, PODS, NODES, JOBS, DEPLOYMENTS, CLUSTER_ROLES,
    PRIORITY_CLASSES, BOATS, OLD_BOATS, FLEETS,
)  # fmt: skip


def watched(resource: Resource, obj: Object) -> Watched:
    meta = obj["metadata"]
    body = msgspec.json.encode({"apiVersion": resource.api_version, "kind": resource.kind, **obj})
    return read(Raw(resource, body, meta.get("namespace", ""), meta["name"], "1"))


class Shelf:
    """What a placement selects from."""

    def __init__(self) -> None:
        self._objects: dict[Resource, list[Watched]] = {}

    def put(self, resource: Resource, name: str, namespace: str = "", **more: object) -> Shelf:
        """One more object; `meta` is more of its metadata."""
        meta: Object = {"name": name, **more.pop("meta", {})}  # type: ignore[dict-item]
        if namespace:
            meta["namespace"] = namespace
        self._objects.setdefault(resource, []).append(watched(resource, {"metadata": meta, **more}))
        return self

    def find(self, group: str, version: str, kind: str) -> Resource | None:
        wanted = (group, version, kind)
        return next(
            (each for each in KINDS if (each.group, each.version, each.kind) == wanted), None
        )

    def namespaced(self) -> Iterable[Resource]:
        return (each for each in KINDS if each.namespaced and each is not OLD_BOATS)

    def get(self, resource: Resource, namespace: str, name: str) -> Watched | None:
        return next((each for each in self.within(resource, namespace) if each.name == name), None)

    def within(self, resource: Resource, namespace: str) -> list[Watched]:
        return [each for each in self._objects.get(resource, []) if each.namespace == namespace]
