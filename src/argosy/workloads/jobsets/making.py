"""Child Jobs, the headless service, and what a Job takes over from its template when it resumes.

Pure. Templates are shared with the informer's objects and never changed: what a Job adds goes into new dicts on the way
down to it. Labels and annotations carry the same facts, on the Job and on its pods.

Differs from upstream: tolerations and scheduling gates merge in order (Go's maps shuffle them), and tolerations are
compared by value, not by the identity of their tolerationSeconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.objects import Job
from argosy.api.objects.jobsets import JobSet, ReplicatedJob
from argosy.base.types import Object
from argosy.workloads.jobsets.names import (
    COORDINATOR,
    EXCLUSIVE_TOPOLOGY,
    GLOBAL_REPLICAS,
    GROUP_NAME,
    GROUP_REPLICAS,
    JOB_GLOBAL_INDEX,
    JOB_GROUP_INDEX,
    JOB_INDEX,
    JOB_KEY,
    JOB_SETS,
    JOBSET_NAME,
    JOBSET_UID,
    NAMESPACED_JOB,
    NO_SCHEDULE,
    NODE_SELECTOR_STRATEGY,
    REPLICATED_JOB_NAME,
    REPLICATED_JOB_REPLICAS,
    RESTART_ATTEMPT,
    coordinator_endpoint,
    job_key,
    job_name,
    subdomain,
)
from argosy.workloads.pods.templates import owner_reference

_TOLERATION: Final = {"key": NO_SCHEDULE, "operator": "Exists", "effect": "NoSchedule"}


def child_job(jobset: JobSet, replicated: ReplicatedJob, index: int) -> Object:
    """The Job of an index of a replicated job, for the JobSet's current attempt."""
    meta = jobset.metadata
    name = job_name(meta.name, replicated.name, index)
    labels = _identity(jobset, replicated, index)
    annotations = labels | _placement(jobset, replicated)
    template = replicated.template
    given = template.get("metadata") or {}
    job_annotations = (given.get("annotations") or {}) | annotations
    spec: Object = template.get("spec") or {}
    pod: Object = spec.get("template") or {}
    pod_meta: Object = pod.get("metadata") or {}
    pod_spec: Object = pod.get("spec") or {}
    if jobset.spec.network.enable_dns_hostnames:
        pod_spec = pod_spec | {"subdomain": subdomain(jobset)}
    if EXCLUSIVE_TOPOLOGY in job_annotations and NODE_SELECTOR_STRATEGY in job_annotations:
        pod_spec = _pinned(pod_spec, meta.namespace, name)
    pods: Object = {
        "metadata": pod_meta
        | {
            "labels": (pod_meta.get("labels") or {}) | labels,
            "annotations": (pod_meta.get("annotations") or {}) | annotations,
        },
        "spec": pod_spec,
    }
    return {
        "metadata": {
            "name": name,
            "namespace": meta.namespace,
            "labels": (given.get("labels") or {}) | labels,
            "annotations": job_annotations,
            "ownerReferences": [owner_reference(JOB_SETS, meta)],
        },
        "spec": spec | {"template": pods, "suspend": jobset.spec.suspend},
    }


def headless_service(jobset: JobSet) -> Object:
    """The service by which pods find each other under their host names."""
    return {
        "metadata": {
            "name": subdomain(jobset),
            "namespace": jobset.metadata.namespace,
            "ownerReferences": [owner_reference(JOB_SETS, jobset.metadata)],
        },
        "spec": {
            "clusterIP": "None",
            "selector": {JOBSET_NAME: jobset.metadata.name},
            "publishNotReadyAddresses": jobset.spec.network.publish_not_ready_addresses,
        },
    }


def resumed_template(job: Job, replicated: ReplicatedJob) -> Object:
    """What changes in a Job's pod template when it resumes: what was changed in the JobSet while it was suspended."""
    now: Object = job.spec.template
    then: Object = (replicated.template.get("spec") or {}).get("template") or {}
    meta, new_meta = now.get("metadata") or {}, then.get("metadata") or {}
    spec, new_spec = now.get("spec") or {}, then.get("spec") or {}
    return {
        "metadata": {
            field: (meta.get(field) or {}) | (new_meta.get(field) or {})
            for field in ("labels", "annotations")
        },
        "spec": {
            "nodeSelector": (spec.get("nodeSelector") or {}) | (new_spec.get("nodeSelector") or {}),
            "tolerations": _united(spec.get("tolerations"), new_spec.get("tolerations")),
            "schedulingGates": _united(
                spec.get("schedulingGates"), new_spec.get("schedulingGates")
            ),
        },
    }


def _identity(jobset: JobSet, replicated: ReplicatedJob, index: int) -> dict[str, str]:
    """Who a Job is within the whole. A global index counts through all replicated jobs in the order of the spec, a
    group index through those of the same group.
    """
    meta, jobs = jobset.metadata, jobset.spec.replicated_jobs
    group = [job for job in jobs if job.group_name == replicated.group_name]
    identity = {
        JOBSET_NAME: meta.name,
        JOBSET_UID: meta.uid,
        REPLICATED_JOB_NAME: replicated.name,
        RESTART_ATTEMPT: str(jobset.status.restarts),
        REPLICATED_JOB_REPLICAS: str(replicated.replicas),
        GLOBAL_REPLICAS: str(sum(job.replicas for job in jobs)),
        JOB_INDEX: str(index),
        JOB_KEY: job_key(meta.namespace, job_name(meta.name, replicated.name, index)),
        JOB_GLOBAL_INDEX: str(_before(jobs, replicated) + index),
        GROUP_NAME: replicated.group_name,
        GROUP_REPLICAS: str(sum(job.replicas for job in group)),
        JOB_GROUP_INDEX: str(_before(group, replicated) + index),
    }
    if jobset.spec.coordinator is not None:
        identity[COORDINATOR] = coordinator_endpoint(jobset, jobset.spec.coordinator)
    return identity


def _before(
    jobs: tuple[ReplicatedJob, ...] | list[ReplicatedJob], replicated: ReplicatedJob
) -> int:
    """How many Jobs come before the first of a replicated job."""
    total = 0
    for job in jobs:
        if job.name == replicated.name:
            break
        total += job.replicas
    return total


def _placement(jobset: JobSet, replicated: ReplicatedJob) -> dict[str, str]:
    """Exclusive placement as the JobSet asks for it, or the replicated job for itself."""
    placement: dict[str, str] = {}
    own: Mapping[str, str] = (replicated.template.get("metadata") or {}).get("annotations") or {}
    for asked in (jobset.metadata.annotations, own):
        if EXCLUSIVE_TOPOLOGY in asked:
            for key in (EXCLUSIVE_TOPOLOGY, NODE_SELECTOR_STRATEGY):
                if key in asked:
                    placement[key] = asked[key]
    return placement


def _pinned(pod_spec: Object, namespace: str, name: str) -> Object:
    """A pod spec bound to the nodes that somebody has labeled for the Job and keeps others from."""
    return pod_spec | {
        "nodeSelector": (pod_spec.get("nodeSelector") or {})
        | {NAMESPACED_JOB: f"{namespace}_{name}"},
        "tolerations": [*(pod_spec.get("tolerations") or ()), _TOLERATION],
    }


def _united(now: list[Object] | None, then: list[Object] | None) -> list[Object] | None:
    united = list(now or ())
    united += [entry for entry in then or () if entry not in united]
    return united or None
