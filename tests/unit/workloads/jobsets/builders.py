"""JobSets and their Jobs, as the informer has them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from argosy.api.objects import Job
from argosy.api.objects.jobsets import JobSet
from argosy.base.types import Json, Object
from argosy.workloads.jobsets.names import REPLICATED_JOB_NAME, RESTART_ATTEMPT

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def stamp(seconds: float) -> str:
    return at(seconds).strftime("%Y-%m-%dT%H:%M:%SZ")


def replicated(name: str, replicas: int = 1, **more: Json) -> Object:
    pod = {"spec": {"containers": [{"name": "main", "image": "x"}]}}
    return {"name": name, "replicas": replicas, "template": {"spec": {"template": pod}}, **more}


def jobset(*jobs: Object, status: Object | None = None, **spec: Json) -> JobSet:
    meta = {"name": "js", "namespace": "ns", "uid": "u1", **spec.pop("metadata", {})}
    spec = {"network": {"enableDNSHostnames": True}, "replicatedJobs": list(jobs), **spec}
    return msgspec.convert({"metadata": meta, "spec": spec, "status": status or {}}, JobSet)


def job(name: str, *, attempt: str = "0", state: str = "", when: float = 0, **more: Json) -> Job:
    """A Job of the replicated job `name`, index 0 unless the name says so; `state` is a condition it has."""
    parent, _, index = name.partition("/")
    condition = {
        "type": state,
        "status": "True",
        "reason": more.pop("reason", "BackoffLimitExceeded"),
        "message": more.pop("message", "Job has reached the specified backoff limit"),
        "lastTransitionTime": stamp(when),
    }
    status = {"conditions": [condition] if state else [], **more.pop("status", {})}
    meta = {
        "name": f"js-{parent}-{index or 0}",
        "namespace": "ns",
        "labels": {REPLICATED_JOB_NAME: parent, RESTART_ATTEMPT: attempt},
        **more.pop("metadata", {}),
    }
    spec = {"parallelism": 1, **more}
    return msgspec.convert({"metadata": meta, "spec": spec, "status": status}, Job)
