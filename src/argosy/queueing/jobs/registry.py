"""All kinds of jobs there are adapters for."""

from __future__ import annotations

from typing import Final

from argosy.queueing.jobs.integrations.batchjobs import BatchJobs
from argosy.queueing.jobs.integrations.jobsets import JobSets
from argosy.queueing.jobs.integrations.pods import LonePods
from argosy.queueing.jobs.integrations.rayjobs import RayJobs, RayServices
from argosy.queueing.jobs.integrations.rays import RayClusters
from argosy.queueing.jobs.integrations.replicas import REPLICA_JOBS
from argosy.queueing.jobs.integrations.services import Deployments, StatefulSets
from argosy.queueing.jobs.kinds import JobKind

KINDS: Final[tuple[JobKind, ...]] = (
    BatchJobs(),
    JobSets(),
    RayClusters(),
    RayJobs(),
    RayServices(),
    *REPLICA_JOBS,
    LonePods(),
    Deployments(),
    StatefulSets(),
)
# Kinds whose pods are held by the admission of pods.
_BY_PODS: Final = frozenset({"deployment", "statefulset"})


def enabled(frameworks: tuple[str, ...]) -> list[JobKind]:
    """The kinds a configuration lists, and what they rest on; all of them where it lists none."""
    wanted = set(frameworks)
    if wanted & _BY_PODS:
        wanted.add("pod")
    return [kind for kind in KINDS if not wanted or kind.framework in wanted]
