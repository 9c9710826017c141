"""A picture as a document, for machines: `argosy top -o json`. Pure. Jobs are as in `argosy jobs -o json`; CPU is in
cores, memory in bytes; what nobody knows is null.
"""

from __future__ import annotations

from datetime import datetime

from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.cli.jobs import job_document
from argosy.cli.screens.pictures import Happening, Picture
from argosy.cli.screens.sections import Part
from argosy.sdk.clusters import Cluster
from argosy.sdk.queues import Queue


def document(picture: Picture, now: datetime, part: Part | None = None) -> Object:
    found: Object = {
        "clusters": [_cluster(each, picture) for each in picture.clusters],
        "queues": [_queue(each) for each in picture.queues],
        "jobs": [job_document(each, now) for each in picture.jobs],
        "events": [_happening(each) for each in picture.happenings],
    }
    return found if part is None else {str(part): found[str(part)]}


def _cluster(cluster: Cluster, picture: Picture) -> Object:
    problem = picture.problems.get(cluster.name)
    return {
        "name": cluster.name,
        "state": str(cluster.state),
        "isReachable": problem is None,
        "message": problem or cluster.message,
        "region": cluster.region,
        "nodes": cluster.nodes,
        "resources": {
            name: {
                "total": amount.total,
                "allocatable": amount.allocatable,
                "available": amount.available,
            }
            for name, amount in cluster.resources.items()
        },
        "pricePerCoreHour": cluster.price_per_core_hour,
        "pricePerGibHour": cluster.price_per_gib_hour,
        "pendingWorkloads": cluster.pending_workloads,
        "queueWaitSeconds": cluster.queue_wait_seconds,
        "lastSeen": None if cluster.last_seen is None else format_time(cluster.last_seen),
        "labels": dict(cluster.labels),
        "taints": list(cluster.taints),
    }


def _queue(queue: Queue) -> Object:
    return {
        "cluster": queue.cluster,
        "name": queue.name,
        "cohort": queue.cohort,
        "pending": queue.pending,
        "reserving": queue.reserving,
        "admitted": queue.admitted,
        "weight": queue.weight,
        "isActive": queue.is_active,
        "message": queue.message,
        "uses": [
            {
                "flavor": use.flavor,
                "resource": use.resource,
                "used": use.used,
                "nominal": use.nominal,
                "borrowed": use.borrowed,
            }
            for use in queue.uses
        ],
    }


def _happening(happening: Happening) -> Object:
    return {
        "time": format_time(happening.time),
        "where": happening.where,
        "what": happening.what,
        "text": happening.text,
        "isTrouble": happening.is_trouble,
    }
