"""Names of what is in the fleet, for shells that complete words: asked with little patience; no answer is none."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from argosy.base.errors import StatusError
from argosy.client.kubeconfig import ConfigError
from argosy.client.resources import LOCAL_QUEUES, NAMESPACES
from argosy.sdk.connections import by_kubeconfig
from argosy.sdk.errors import FleetError
from argosy.sdk.fleets import AsyncFleet


def asked(what: str, said: Mapping[str, str], seconds: float) -> list[tuple[str, str]]:
    """Names and what to say of each, in order."""
    try:
        return asyncio.run(asyncio.wait_for(_asked(what, said), seconds))
    except (StatusError, ConfigError, FleetError, OSError, TimeoutError):
        # Whoever completes a word is told of trouble when the command runs.
        return []


async def _asked(what: str, said: Mapping[str, str]) -> list[tuple[str, str]]:
    way = by_kubeconfig(
        said.get("kubeconfig"), hub=said.get("context", ""), namespace=said.get("namespace", "")
    )
    async with AsyncFleet(way.hub, way.members, namespace=way.namespace, closes=True) as fleet:
        match what:
            case "clusters":
                return [(each.name, str(each.state)) for each in await fleet.clusters()]
            case "contexts":
                return [("hub", ""), *((each.name, "") for each in await fleet.clusters())]
            case "queues":
                found = await way.hub.list_all(LOCAL_QUEUES, namespace=way.namespace)
                return [(name, "") for name in sorted({raw.name for raw in found.items})]
            case "namespaces":
                found = await way.hub.list_all(NAMESPACES)
                return [(name, "") for name in sorted(raw.name for raw in found.items)]
            case _:
                lead = "job/" if what == "whys" else ""
                return [
                    (f"{each.kind.lower()}/{each.name}" if lead else each.name, str(each.state))
                    for each in await fleet.jobs(way.namespace, finished=what != "whys")
                ]
