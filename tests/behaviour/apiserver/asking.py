"""Requests to a cluster in memory, as bytes in and bytes out, without a socket and in virtual time."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.http.messages import Request, Response
from argosy.base.loops import run_virtual
from tests.fakes.clusters import memory_server

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
MAPS = "/api/v1/namespaces/ns/configmaps"
PODS = "/api/v1/namespaces/ns/pods"


@dataclass(frozen=True)
class Reply:
    """An answer; `said` is all that tells two failures apart."""

    code: int
    body: Any
    warnings: tuple[str, ...]

    @property
    def said(self) -> tuple[int, str, str]:
        return self.code, self.body.get("reason", ""), self.body.get("message", "")

    @property
    def owners(self) -> dict[str, Any]:
        """fieldsV1 by manager and operation."""
        return {
            f"{entry['manager']} {entry['operation']}": entry["fieldsV1"]
            for entry in self.body["metadata"].get("managedFields", [])
        }


Ask = Callable[..., Awaitable[Reply]]


def asking(story: Callable[[Ask], Awaitable[None]]) -> None:
    """Run a story with a function that asks a fresh cluster, which has the namespace `ns`."""

    async def run() -> None:
        server = memory_server(tokens={"t": ADMIN})

        async def ask(
            method: str, path: str, body: Any = None, media: str = JSON, **query: str
        ) -> Reply:
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers = {
                b"authorization": b"Bearer t", b"content-type": media.encode(), b"user-agent": b"test/1",
                b"accept": b"application/json",
            }  # fmt: skip
            sent = b"" if body is None else raw
            answer = await server.handling(Request(method, path, query, headers, sent))
            assert isinstance(answer, Response)
            return Reply(answer.status, json.loads(answer.body), tuple(answer.warnings))

        assert (await ask("POST", "/api/v1/namespaces", {"metadata": {"name": "ns"}})).code == 201
        account = {"metadata": {"name": "default"}}
        made = await ask("POST", "/api/v1/namespaces/ns/serviceaccounts", account)
        assert made.code == 201
        await story(ask)

    run_virtual(run())
