"""`argosy create`: ClusterQueues, LocalQueues, ResourceFlavors and Cohorts from flags, as kueuectl makes them.

What is sent is a v1beta2 object. A ClusterQueue without a namespace selector takes workloads of all namespaces: the
flag's absence is an empty selector, which is not the same as none.
"""

from __future__ import annotations

import argparse

from argosy.base.quantities import ParseError, parse
from argosy.base.types import Object
from argosy.cli import printing
from argosy.cli.connecting import CURRENT, KUEUE, CommandError, Session
from argosy.cli.quotaflags import resource_groups
from argosy.cli.taintflags import taints, tolerations
from argosy.client.objects import decode
from argosy.client.resources import (
    CLUSTER_QUEUES,
    COHORTS,
    LOCAL_QUEUES,
    RESOURCE_FLAVORS,
    Resource,
)


async def cluster_queue(session: Session, parsed: argparse.Namespace) -> int:
    selector = printing.pairs("--namespace-selector", parsed.namespace_selector)
    spec: Object = {
        "queueingStrategy": parsed.queuing_strategy,
        "namespaceSelector": {"matchLabels": dict(selector)} if selector else {},
        "preemption": {
            "reclaimWithinCohort": parsed.reclaim_within_cohort,
            "withinClusterQueue": parsed.preemption_within_cluster_queue,
        },
        **_quotas(parsed),
    }
    if parsed.cohort:
        spec["cohortName"] = parsed.cohort
    return await _create(session, parsed, CLUSTER_QUEUES, spec)


async def local_queue(session: Session, parsed: argparse.Namespace) -> int:
    if not parsed.clusterqueue:
        raise CommandError("clusterqueue must be specified")
    if not parsed.ignore_unknown_cq:
        # Raises what kueuectl says of a ClusterQueue that is not there.
        await session.get(CLUSTER_QUEUES, parsed.clusterqueue)
    return await _create(session, parsed, LOCAL_QUEUES, {"clusterQueue": parsed.clusterqueue})


async def resource_flavor(session: Session, parsed: argparse.Namespace) -> int:
    parts: Object = {
        "nodeLabels": dict(printing.pairs("--node-labels", parsed.node_labels)),
        "nodeTaints": taints(parsed.node_taints),
        "tolerations": tolerations(parsed.tolerations),
    }
    spec = {name: part for name, part in parts.items() if part}
    return await _create(session, parsed, RESOURCE_FLAVORS, spec)


async def cohort(session: Session, parsed: argparse.Namespace) -> int:
    spec: Object = _quotas(parsed)
    if parsed.parent:
        spec["parentName"] = parsed.parent
    if parsed.weight:
        try:
            parse(parsed.weight)
        except ParseError as error:
            raise CommandError(
                f'invalid argument "{parsed.weight}" for "--weight" flag: {error}'
            ) from None
        spec["fairSharing"] = {"weight": parsed.weight}
    return await _create(session, parsed, COHORTS, spec)


def _quotas(parsed: argparse.Namespace) -> Object:
    groups = resource_groups(parsed.nominal_quota, parsed.borrowing_limit, parsed.lending_limit)
    return {"resourceGroups": groups} if groups else {}


async def _create(
    session: Session, parsed: argparse.Namespace, resource: Resource, spec: Object
) -> int:
    printing.check_output(parsed.output)
    printing.check_dry_run(parsed.dry_run)
    if not parsed.name:
        raise CommandError("name must be specified")
    meta: Object = {"name": parsed.name}
    if resource.namespaced:
        meta["namespace"] = session.namespace
    obj: Object = {
        "apiVersion": f"{KUEUE}/{CURRENT}",
        "kind": resource.kind,
        "metadata": meta,
        "spec": spec,
    }
    if parsed.dry_run != "client":
        created = await session.create(resource, obj, dry_run=parsed.dry_run == "server")
        obj = decode(created)
    printing.print_written(
        resource,
        obj,
        "created",
        output=parsed.output,
        dry_run=parsed.dry_run,
        managed=parsed.show_managed_fields,
    )
    return 0
