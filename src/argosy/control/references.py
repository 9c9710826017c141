"""How events name the objects they are about."""

from __future__ import annotations

from argosy.api.objects import ObjectMeta
from argosy.client.resources import Resource
from argosy.control.correlating import Reference


def reference(resource: Resource, meta: ObjectMeta) -> Reference:
    return Reference(
        kind=resource.kind,
        name=meta.name,
        namespace=meta.namespace,
        uid=meta.uid,
        apiVersion=resource.api_version,
        resourceVersion=meta.resource_version,
    )
