"""What keeps a cluster tidy: garbage, ending namespaces, ended custom kinds, old events, accounts, aggregated roles.

These run beside the embedded API server only; a real Kubernetes cluster has its own. So they work on the cluster
itself and not through the Client protocol: the store's owner index and its watch over all resources make each of them
cost what changed, and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from argosy.apiserver.clusters import Cluster
from argosy.control.persisting import for_ever
from argosy.workloads.housekeeping.accounts import furnish, keep_accounts
from argosy.workloads.housekeeping.aggregation import aggregate, aggregate_roles
from argosy.workloads.housekeeping.definitions import end_definitions
from argosy.workloads.housekeeping.events import expire_events
from argosy.workloads.housekeeping.garbage import collect_garbage
from argosy.workloads.housekeeping.namespaces import end_namespaces
from argosy.workloads.housekeeping.protection import release_storage
from argosy.workloads.housekeeping.quotas import count_quotas


async def prepare_house(cluster: Cluster, *, ca: str = "") -> None:
    """What a client may count on from its first request: default accounts, and aggregated roles with their rules."""
    await furnish(cluster, ca)
    while await aggregate(cluster):
        continue


async def keep_house(cluster: Cluster, *, ca: str = "") -> None:
    """Run all of it until cancelled. `ca` is the PEM text pods trust the API server by."""
    chores: dict[str, Callable[[], Awaitable[None]]] = {
        "garbage": lambda: collect_garbage(cluster),
        "namespaces": lambda: end_namespaces(cluster),
        "definitions": lambda: end_definitions(cluster),
        "events": lambda: expire_events(cluster),
        "accounts": lambda: keep_accounts(cluster, ca),
        "aggregation": lambda: aggregate_roles(cluster),
        "quotas": lambda: count_quotas(cluster),
        "storage": lambda: release_storage(cluster),
    }
    async with asyncio.TaskGroup() as tasks:
        for name, chore in chores.items():
            tasks.create_task(for_ever(f"housekeeping of {name}", chore, cluster.clock), name=name)
