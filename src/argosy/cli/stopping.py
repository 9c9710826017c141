"""`argosy stop` and `argosy resume`: Workloads by `spec.active`, queues by `spec.stopPolicy`.

A stopped queue drains what it has admitted (HoldAndDrain) unless that is to be kept (Hold). kueuectl says of queues
only their name, without what was done; so does this.
"""

from __future__ import annotations

import argparse

from argosy.base.types import Object
from argosy.cli import printing
from argosy.cli.connecting import FIELD_MANAGER, Session
from argosy.client.objects import decode
from argosy.client.resources import CLUSTER_QUEUES, LOCAL_QUEUES, WORKLOADS, Resource


async def stop_workload(session: Session, parsed: argparse.Namespace) -> int:
    return await _patch(session, parsed, WORKLOADS, {"active": False}, "stopped")


async def resume_workload(session: Session, parsed: argparse.Namespace) -> int:
    return await _patch(session, parsed, WORKLOADS, {"active": True}, "resumed")


async def stop_cluster_queue(session: Session, parsed: argparse.Namespace) -> int:
    return await _patch(session, parsed, CLUSTER_QUEUES, _held(parsed))


async def stop_local_queue(session: Session, parsed: argparse.Namespace) -> int:
    return await _patch(session, parsed, LOCAL_QUEUES, _held(parsed))


async def resume_cluster_queue(session: Session, parsed: argparse.Namespace) -> int:
    return await _patch(session, parsed, CLUSTER_QUEUES, {"stopPolicy": "None"})


async def resume_local_queue(session: Session, parsed: argparse.Namespace) -> int:
    return await _patch(session, parsed, LOCAL_QUEUES, {"stopPolicy": "None"})


def _held(parsed: argparse.Namespace) -> Object:
    return {"stopPolicy": "Hold" if parsed.keep_already_running else "HoldAndDrain"}


async def _patch(
    session: Session,
    parsed: argparse.Namespace,
    resource: Resource,
    spec: Object,
    operation: str = "",
) -> int:
    printing.check_output(parsed.output)
    printing.check_dry_run(parsed.dry_run)
    if parsed.dry_run == "client":
        obj = decode(await session.get(resource, parsed.name))
        obj = {**obj, "spec": {**obj.get("spec", {}), **spec}}
    else:
        served = await session.kueue(resource)
        patched = await session.client.patch(
            served,
            parsed.name,
            {"spec": spec},
            namespace=session.namespace,
            field_manager=FIELD_MANAGER,
            dry_run=parsed.dry_run == "server",
        )
        obj = decode(patched)
    printing.print_written(
        resource,
        obj,
        operation,
        output=parsed.output,
        dry_run=parsed.dry_run,
        managed=parsed.show_managed_fields,
    )
    return 0
