"""A talk with one cluster about Kueue's kinds, whichever version of them it serves.

Objects are read as v1beta2, whatever the cluster serves, and sent in the newest version it serves: Kueue before 0.15
has v1beta1 alone. A cluster of this process serves all of them and is not asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol, TypeVar, runtime_checkable

import msgspec

from argosy.api.objects.metadata import View, decoder
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.objects import ListResult, Raw, decode
from argosy.client.protocol import Client
from argosy.client.resources import Resource
from argosy.sdk.errors import FleetError

V = TypeVar("V", bound=View)

KUEUE: Final = "kueue.x-k8s.io"
CURRENT: Final = "v1beta2"
FIELD_MANAGER: Final = "argosy"


@runtime_checkable
class Discovering(Protocol):
    """A client of a server that has to be asked what it serves."""

    async def fetch(self, path: str, *, accept: str = ...) -> bytes:
        """A document that is no object."""


@dataclass(slots=True)
class Session:
    """One talk with one cluster. `namespace` is where things are that name none."""

    client: Client
    namespace: str
    now: datetime
    _version: str = ""

    async def kueue(self, resource: Resource) -> Resource:
        """One of Kueue's resources in the version to talk in."""
        if not self._version:
            self._version = await _served_version(self.client)
        return replace_version(resource, self._version)

    async def list(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
    ) -> ListResult:
        """All of one of Kueue's resources; no namespace is all of them."""
        return await self.client.list_all(
            await self.kueue(resource),
            namespace=namespace,
            label_selector=label_selector,
            field_selector=field_selector,
        )

    async def get(self, resource: Resource, name: str) -> Raw:
        return await self.client.get(await self.kueue(resource), name, namespace=self.namespace)

    async def create(self, resource: Resource, obj: Object, *, dry_run: bool) -> Raw:
        """Send a v1beta2 object, in the version that the cluster has."""
        served = await self.kueue(resource)
        body = converted(obj, resource.kind, CURRENT, served.version)
        return await self.client.create(
            served, body, namespace=self.namespace, field_manager=FIELD_MANAGER, dry_run=dry_run
        )


async def _served_version(client: Client) -> str:
    if not isinstance(client, Discovering):
        return CURRENT
    try:
        group = msgspec.json.decode(await client.fetch(f"/apis/{KUEUE}"))
    except NotFound:
        raise FleetError(
            f'the server has no group "{KUEUE}": Kueue\'s kinds are not installed there'
        ) from None
    versions = [str(one["version"]) for one in group["versions"]]
    return CURRENT if CURRENT in versions else versions[0]


def replace_version(resource: Resource, version: str) -> Resource:
    return Resource(resource.group, version, resource.plural, resource.kind, resource.namespaced)


def view(kind: type[V], raw: Raw) -> V:
    """One of Kueue's objects as v1beta2 reads it."""
    found: V
    if raw.resource.version == CURRENT:
        found = decoder(kind)(bytes(raw.body))
    else:
        obj = converted(decode(raw), raw.resource.kind, raw.resource.version, CURRENT)
        found = msgspec.convert(obj, kind)
    return found


def converted(obj: Object, kind: str, from_: str, to: str) -> Object:
    if from_ == to:
        return obj
    from argosy.queueing.conversion import CONVERTERS

    change = CONVERTERS.get(kind, {}).get((from_, to))
    return {**obj, "apiVersion": f"{KUEUE}/{to}"} if change is None else change(obj)
