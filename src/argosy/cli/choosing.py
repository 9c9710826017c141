"""The clusters that were considered for a job, as a table and as a document."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.cli import columns
from argosy.cli.printing import table
from argosy.sdk.choices import Choice, Considered, Submission

_GPU = "nvidia.com/gpu"


def considered_table(choice: Choice) -> str:
    """Chosen ones first, marked as kubectl marks the current context."""
    has_gpus = any(each.gpus for each in choice.considered) or _GPU in choice.needs
    head = ["CHOSEN", "CLUSTER", "REGION", "FREE CPU", "FREE MEMORY"]
    head += ["FREE GPU"] if has_gpus else []
    head += ["PRICE/H", "QUEUE WAIT", "PENDING", "REASON"]
    return table([head, *(_row(each, has_gpus=has_gpus) for each in choice.considered)])


def _row(seen: Considered, *, has_gpus: bool) -> list[str]:
    pending = columns.NONE if seen.pending_workloads is None else str(seen.pending_workloads)
    return [
        "*" if seen.is_chosen else "",
        seen.cluster,
        seen.region or columns.NONE,
        columns.number(_free(seen, "cpu")),
        columns.size(_free(seen, "memory")),
        *([columns.number(seen.gpus)] if has_gpus else []),
        columns.price(seen.price_per_hour),
        columns.duration(seen.queue_wait_seconds),
        pending,
        seen.reason,
    ]


def _free(seen: Considered, resource: str) -> float | None:
    """More may be promised than there is; then nothing is free."""
    found = seen.free.get(resource)
    return None if found is None else max(0.0, found)


def submission_document(made: Submission) -> Object:
    """With the objects as the hub has them, or would."""
    return {
        "namespace": made.namespace,
        "name": made.name,
        "kind": made.kind,
        "queue": made.queue,
        "placement": made.placement,
        "dryRun": made.is_dry_run,
        "clusters": list(made.choice.clusters),
        "clustersWanted": made.choice.wanted,
        "needs": dict(made.choice.needs),
        "considered": [_document(each) for each in made.choice.considered],
        "warnings": list(made.warnings),
        "objects": [dict(made.job), dict(made.placed_by)],
    }


def _document(seen: Considered) -> Object:
    return {
        "cluster": seen.cluster,
        "region": seen.region,
        "isChosen": seen.is_chosen,
        "reason": seen.reason,
        "score": seen.score,
        "fits": seen.fits,
        "canEverFit": seen.can_ever_fit,
        "free": dict(seen.free),
        "pricePerHour": seen.price_per_hour,
        "queueWaitSeconds": seen.queue_wait_seconds,
        "pendingWorkloads": seen.pending_workloads,
        "hasQueue": seen.has_queue,
    }
