"""What keeps a cluster tidy: garbage, ending namespaces, ended custom kinds, old events, accounts, aggregated roles.

These run beside the embedded API server only; a real Kubernetes cluster has its own. So they work on the cluster
itself and not through the Client protocol: the store's owner index
and its watch over all resources make each of them cost what changed, and nothing else.
"""

from __future__ import annotations

import asyncio

from argosy.apiserver.clusters import Cluster
from argosy.workloads.housekeeping.accounts import keep_accounts
from argosy.workloads.housekeeping.aggregation import aggregate_roles
from argosy.workloads.housekeeping.definitions import end_definitions
from argosy.workloads.housekeeping.events import expire_events
from argosy.workloads.housekeeping.garbage import collect_garbage
from argosy.workloads.housekeeping.namespaces import end_namespaces
from argosy.workloads.housekeeping.quotas import count_quotas


async def keep_house(cluster: Cluster, *, ca: str = "") -> None:
    """Run all of it until cancelled. `ca` is the PEM text pods trust the API server by."""
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(collect_garbage(cluster), name="garbage")
        tasks.create_task(end_namespaces(cluster), name="namespaces")
        tasks.create_task(end_definitions(cluster), name="definitions")
        tasks.create_task(expire_events(cluster), name="events")
        tasks.create_task(keep_accounts(cluster, ca), name="accounts")
        tasks.create_task(aggregate_roles(cluster), name="aggregation")
        tasks.create_task(count_quotas(cluster), name="quotas")
