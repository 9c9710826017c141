"""Small Jobs and pods for tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from argosy.api.objects import Job, Pod
from argosy.api.wellknown import JOB_TRACKING
from argosy.workloads.jobs.indexes import COMPLETION_INDEX
from argosy.workloads.jobs.ledgers import Ledger

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def job(status: dict[str, Any] | None = None, /, **spec: Any) -> Job:
    """A Job named `job`; `spec` in the wire's names."""
    filled = {
        "parallelism": 1,
        "completions": 1,
        "backoffLimit": 6,
        "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "job-uid"}},
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}},
        **spec,
    }
    meta = {"name": "job", "namespace": "ns", "uid": "job-uid", "resourceVersion": "7"}
    return msgspec.convert({"metadata": meta, "spec": filled, "status": status or {}}, Job)


def pod(
    name: str,
    phase: str = "Pending",
    *,
    index: int | None = None,
    tracked: bool = True,
    going: bool = False,
    code: int | None = None,
    ended: float | None = None,
    node: str = "",
    ready: float | None = None,
    restarts: int = 0,
    created: float = 0,
    conditions: tuple[dict[str, Any], ...] = (),
    annotations: dict[str, str] | None = None,
) -> Pod:
    """A pod of the Job above; times are seconds after START."""
    marks = dict(annotations or {})
    if index is not None:
        marks[COMPLETION_INDEX] = str(index)
    meta: dict[str, Any] = {
        "name": name,
        "namespace": "ns",
        "uid": name,
        "labels": {"batch.kubernetes.io/controller-uid": "job-uid"},
        "annotations": marks,
        "finalizers": [JOB_TRACKING] if tracked else [],
        "creationTimestamp": at(created),
        "ownerReferences": [
            {"apiVersion": "batch/v1", "kind": "Job", "name": "job", "uid": "job-uid", "controller": True}
        ],
    }  # fmt: skip
    if going:
        meta["deletionTimestamp"] = at(ended or 0)
    state: dict[str, Any] = {}
    if code is not None or ended is not None:
        state["terminated"] = {"exitCode": code or 0, "finishedAt": at(ended or 0)}
    known = list(conditions)
    if ready is not None:
        known.append({"type": "Ready", "status": "True", "lastTransitionTime": at(ready)})
    status = {
        "phase": phase,
        "conditions": known,
        "containerStatuses": [{"name": "main", "restartCount": restarts, "state": state}],
    }
    return msgspec.convert({"metadata": meta, "spec": {"nodeName": node}, "status": status}, Pod)


def ledger(*pods: Pod) -> Ledger:
    made = Ledger()
    for each in pods:
        made.put(each)
    return made
