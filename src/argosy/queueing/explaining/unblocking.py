"""What to do about what is no matter of quota: queues that are stopped or missing, gates, namespaces, flavors."""

from __future__ import annotations

from collections.abc import Iterator

from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cache.caches import Cache
from argosy.queueing.explaining.explanations import Said
from argosy.queueing.explaining.remedies import Remedy
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.phases import ADMISSION_GATED_BY


def remedies_for(said: Said, workload: Workload, queue: str, cache: Cache) -> Iterator[Remedy]:
    """The ways out of what a workload is blocked by."""
    meta = workload.metadata
    match said.reason:
        case reasons.DEACTIVATED:
            yield Remedy(
                "activate it", command=f"argosy resume workload {meta.name} -n {meta.namespace}"
            )
        case reasons.ADMISSION_GATED:
            yield Remedy(
                f"have whoever gates it take their name out of the annotation {ADMISSION_GATED_BY}"
            )
        case reasons.SUSPENDED:
            yield from _of_suspended(said, workload, queue, cache)
        case reasons.MISCONFIGURED:
            yield from _of_misconfigured(said, workload, queue)
        case reasons.NO_MATCHING_FLAVOR:
            yield Remedy(
                f"give the pods tolerations and node selectors that suit a flavor of ClusterQueue {queue}, "
                "or the ClusterQueue a flavor that suits the pods"
            )
        case _:
            return


def _of_suspended(said: Said, workload: Workload, queue: str, cache: Cache) -> Iterator[Remedy]:
    local, namespace = workload.spec.queue_name, workload.metadata.namespace
    if said.message.startswith("LocalQueue"):
        yield Remedy(
            f"let LocalQueue {local} go on",
            command=f"argosy resume localqueue {local} -n {namespace}",
        )
        return
    judged = cache.readiness(queue)
    if judged.reason == "Stopped":
        yield Remedy(
            f"let ClusterQueue {queue} go on", command=f"argosy resume clusterqueue {queue}"
        )
    elif judged.is_terminating:
        yield Remedy(f"ClusterQueue {queue} is being deleted: use a LocalQueue of another one")
    else:
        told = judged.message.removeprefix("Can't admit new workloads: ").rstrip(".")
        yield Remedy(f"mend ClusterQueue {queue}: it {told}")


def _of_misconfigured(said: Said, workload: Workload, queue: str) -> Iterator[Remedy]:
    local, namespace = workload.spec.queue_name, workload.metadata.namespace
    if said.message.startswith("LocalQueue"):
        name = local or "NAME"
        yield Remedy(
            f"create LocalQueue {local} in namespace {namespace}, or label the job with one that exists",
            command=f"argosy create localqueue {name} -n {namespace} -c CLUSTERQUEUE",
        )
    elif said.message.startswith("ClusterQueue"):
        yield Remedy(f"create ClusterQueue {queue}", command=f"argosy create clusterqueue {queue}")
    elif "selector" in said.message:
        yield Remedy(
            f"label namespace {namespace} as the namespaceSelector of ClusterQueue {queue} wants it"
        )
    else:
        yield Remedy("change the resources of the job's pods")
