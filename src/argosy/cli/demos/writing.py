"""Applying manifests without kubectl: server-side apply, resource names by what the cluster says it serves."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import yaml

from argosy.base.types import Object
from argosy.cli.connecting import Session
from argosy.cli.naming import find_resource
from argosy.client import kubeconfig
from argosy.client.remote import RemoteClient
from argosy.client.resources import Resource

_MANAGER: Final = "argosy-demo"


def documents(text: str) -> list[Object]:
    """The objects of a YAML text."""
    return [each for each in yaml.safe_load_all(text) if each]


class Applier:
    """Applies objects to one cluster; asks once per kind how it is served."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._resources: dict[tuple[str, str], Resource] = {}

    async def apply(self, obj: Object) -> Resource:
        resource = await self._resource(str(obj["apiVersion"]), str(obj["kind"]))
        await self._session.client.apply(
            resource,
            obj["metadata"]["name"],
            obj,
            namespace=obj["metadata"].get("namespace"),
            field_manager=_MANAGER,
            force=True,
        )
        return resource

    async def _resource(self, version: str, kind: str) -> Resource:
        if (version, kind) not in self._resources:
            group, _, number = version.rpartition("/")
            word = f"{kind}.{number}.{group}" if group else kind
            self._resources[version, kind] = await find_resource(self._session, word)
        return self._resources[version, kind]


@asynccontextmanager
async def writer(path: Path, context: str = "") -> AsyncIterator[Callable[[str], Awaitable[None]]]:
    """What applies the objects of a YAML text."""
    connection = kubeconfig.load(path, context=context)
    async with RemoteClient(connection) as client:
        applier = Applier(Session(client, connection.namespace, datetime.now(UTC)))

        async def write(text: str) -> None:
            for obj in documents(text):
                await applier.apply(obj)

        yield write
