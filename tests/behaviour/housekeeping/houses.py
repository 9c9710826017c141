"""A cluster in memory whose house is kept, in virtual time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.http.messages import Request, Response
from argosy.apiserver.servers import ClusterServer
from argosy.base.loops import run_virtual
from argosy.workloads.housekeeping import keep_house
from tests.fakes.clusters import memory_server

MAPS = "/api/v1/namespaces/ns/configmaps"


class House:
    """Asks the cluster as its admin. `settle` lets the housekeepers finish what they can do now."""

    def __init__(self, server: ClusterServer) -> None:
        self.server = server

    async def ask(self, method: str, path: str, body: Any = None, **query: str) -> tuple[int, Any]:
        media = b"application/merge-patch+json" if method == "PATCH" else b"application/json"
        headers = {b"authorization": b"Bearer t", b"content-type": media, b"user-agent": b"test/1"}
        sent = b"" if body is None else json.dumps(body).encode()
        answer = await self.server.handling(Request(method, path, query, headers, sent))
        assert isinstance(answer, Response)
        text = answer.content_type == "application/json"
        return answer.status, json.loads(answer.body) if text else answer.body

    async def create(self, path: str, body: Any) -> Any:
        code, made = await self.ask("POST", path, body)
        assert code == 201, made
        return made

    async def delete(self, path: str, policy: str = "Background") -> None:
        code, answer = await self.ask("DELETE", path, propagationPolicy=policy)
        assert code == 200, answer

    async def get(self, path: str) -> Any:
        code, found = await self.ask("GET", path)
        assert code == 200, found
        return found

    async def exists(self, path: str) -> bool:
        return (await self.ask("GET", path))[0] == 200

    async def names(self, path: str = MAPS) -> list[str]:
        """Names of what is there, without what every namespace has."""
        items = (await self.get(path))["items"]
        names = [item["metadata"]["name"] for item in items]
        return [name for name in names if name not in {"kube-root-ca.crt", "default"}]

    async def map(self, name: str, *owners: Any, path: str = MAPS, **meta: Any) -> Any:
        """A ConfigMap, owned by others, which block their owners' end."""
        references = [owned_by(owner) for owner in owners]
        body = {"metadata": {"name": name, "ownerReferences": references, **meta}}
        return await self.create(path, body)

    async def settle(self) -> None:
        await asyncio.sleep(5)


def owned_by(owner: Any, *, blocks: bool = True) -> dict[str, Any]:
    meta = owner["metadata"]
    return {
        "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": meta["name"], "uid": meta["uid"],
        "blockOwnerDeletion": blocks,
    }  # fmt: skip


def keeping(story: Callable[[House], Awaitable[None]]) -> None:
    """Run a story in a fresh cluster with the namespace `ns`."""

    async def run() -> None:
        server = memory_server(tokens={"t": ADMIN})
        await bootstrap(server.cluster)
        chores = asyncio.create_task(keep_house(server.cluster, ca="CERTIFICATE"))
        house = House(server)
        await house.create("/api/v1/namespaces", {"metadata": {"name": "ns"}})
        await house.settle()
        await story(house)
        chores.cancel()

    run_virtual(run())
