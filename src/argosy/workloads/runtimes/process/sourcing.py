"""Reading what a pod is made from: ConfigMaps, Secrets, tokens, and volumes behind claims."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from argosy.api.objects import ConfigMap, Pod, Secret, View, decoder
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import (
    CONFIG_MAPS,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    SECRETS,
    SERVICE_ACCOUNTS,
    Resource,
)
from argosy.workloads.runtimes.process.environments import Sources
from argosy.workloads.runtimes.process.volumes import TokenWanted

V = TypeVar("V", bound=View)


async def read_sources(
    client: Client, namespace: str, config_maps: Iterable[str], secrets: Iterable[str]
) -> Sources:
    """The objects of these names; None for those that are not there."""
    maps, kept = sorted(config_maps), sorted(secrets)
    found_maps = [_read(client, CONFIG_MAPS, ConfigMap, namespace, name) for name in maps]
    found_secrets = [_read(client, SECRETS, Secret, namespace, name) for name in kept]
    return Sources(
        dict(zip(maps, await asyncio.gather(*found_maps), strict=True)),
        dict(zip(kept, await asyncio.gather(*found_secrets), strict=True)),
    )


async def _read(
    client: Client, resource: Resource, kind: type[V], namespace: str, name: str
) -> V | None:
    try:
        raw = await client.get(resource, name, namespace=namespace)
    except NotFound:
        return None
    found: V = decoder(kind)(raw.raw)
    return found


async def issue_token(client: Client, pod: Pod, wanted: TokenWanted) -> str:
    """A token of the pod's service account, bound to the pod."""
    meta = pod.metadata
    spec: Object = {
        "expirationSeconds": wanted.expiration_seconds,
        "boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": meta.name, "uid": meta.uid},
    }
    if wanted.audience:
        spec["audiences"] = [wanted.audience]
    raw = await client.create(
        SERVICE_ACCOUNTS,
        {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec},
        namespace=meta.namespace,
        name=pod.spec.service_account_name or "default",
        subresource="token",
    )
    token: str = msgspec.json.decode(raw.raw)["status"]["token"]
    return token


class NotTheOwner(Exception):
    """A claim belongs to somebody else."""


async def volume_behind(
    client: Client, namespace: str, claim: str, owner: str | None = None
) -> Object | None:
    """The PersistentVolume that a claim is bound to; `owner` has to be its controller, if given. NotTheOwner."""
    try:
        raw = await client.get(PERSISTENT_VOLUME_CLAIMS, claim, namespace=namespace)
        found: Object = msgspec.json.decode(raw.raw)
        owners = found["metadata"].get("ownerReferences") or ()
        if owner and not any(one.get("controller") and one["uid"] == owner for one in owners):
            raise NotTheOwner
        name = found["spec"].get("volumeName")
        if not name:
            return None
        volume: Object = msgspec.json.decode((await client.get(PERSISTENT_VOLUMES, name)).raw)
    except NotFound:
        return None
    return volume
