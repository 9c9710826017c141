"""Whether a Workload still speaks of the job it was made for.

It does when its pod sets are the job's: as many pods, with the same containers and tolerations. A job that runs has
been given node selectors and tolerations, so it is compared with the pod sets as they are expected to run; once
admitted, tolerations may differ (others add some). A suspended job may also look like the Workload's own spec: it has
not been started yet, or was put back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from argosy.api.objects.kueue.quotas import ResourceFlavor
from argosy.api.objects.kueue.workloads import PodSet, Workload
from argosy.base.types import Json, Object
from argosy.queueing.jobs import names
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.podsets import FlavorMissing, Permanent, assigned, merged
from argosy.queueing.jobs.topologies import parse_int

_CONTAINERS: Final = ("initContainers", "containers")


def maximum_execution_time(job: Object) -> int | None:
    """Seconds the job may run, as its label says."""
    labels = job["metadata"].get("labels") or {}
    seconds = parse_int(labels.get(names.MAX_EXEC_TIME_SECONDS, ""))
    return seconds if seconds is not None and seconds > 0 else None


def is_equivalent(
    kind: JobKind,
    job: Object,
    workload: Workload,
    flavor: Callable[[str], ResourceFlavor | None],
) -> bool:
    owner, meta = workload.metadata.controller, job["metadata"]
    if owner is None or owner.name != meta["name"] or owner.uid != meta["uid"]:
        return False
    if workload.spec.maximum_execution_time_seconds != maximum_execution_time(job):
        return False
    return are_pod_sets_equivalent(kind.pod_sets(job), workload, kind.is_suspended(job), flavor)


def are_pod_sets_equivalent(
    pod_sets: Sequence[Object],
    workload: Workload,
    is_suspended: bool,
    flavor: Callable[[str], ResourceFlavor | None],
) -> bool:
    running = expected_running(workload, flavor)
    is_admitted = workload.is_admitted
    if running is not None:
        if _same(pod_sets, running, ignore_tolerations=is_admitted):
            return True
        if not is_suspended:
            return False
    return _same(pod_sets, workload.spec.pod_sets, ignore_tolerations=is_admitted)


def expected_running(
    workload: Workload, flavor: Callable[[str], ResourceFlavor | None]
) -> list[PodSet] | None:
    """The pod sets as the job has them while it runs; None without a reservation, or with one that does not fit."""
    if not workload.has_quota_reservation:
        return None
    try:
        infos = {info.name: info for info in assigned(workload, flavor)}
        found = []
        for pod_set in workload.spec.pod_sets:
            info = infos.get(pod_set.name)
            if info is None:
                return None
            count = pod_set.count if pod_set.min_count is None else info.count
            template = merged(pod_set.template, info)
            found.append(msgspec.structs.replace(pod_set, template=template, count=count))
    except (FlavorMissing, Permanent):
        return None
    return found


def _same(ours: Sequence[Object], theirs: Sequence[PodSet], *, ignore_tolerations: bool) -> bool:
    return len(ours) == len(theirs) and all(
        one["count"] == other.count
        and one.get("minCount") == other.min_count
        and _same_pods(one["template"], other.template, ignore_tolerations=ignore_tolerations)
        for one, other in zip(ours, theirs, strict=True)
    )


def _same_pods(one: Object, other: Object, *, ignore_tolerations: bool) -> bool:
    ours, theirs = one.get("spec") or {}, other.get("spec") or {}
    fields = _CONTAINERS if ignore_tolerations else (*_CONTAINERS, "tolerations")
    return all(
        ours.get(each) == theirs.get(each) or _bare(ours.get(each)) == _bare(theirs.get(each))
        for each in fields
    )


def _bare(value: Json) -> Json:
    """Without what is empty: to Go, nothing and something empty are the same."""
    if isinstance(value, dict):
        bare = {key: _bare(each) for key, each in value.items()}
        return {key: each for key, each in bare.items() if each not in (None, {}, [])} or None
    if isinstance(value, list):
        return [_bare(each) for each in value] or None
    return value
