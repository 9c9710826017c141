"""Job kinds under queueing: what a job needs becomes a Workload, and the job runs while that is admitted.

`kinds` is what queueing has to know of a kind; `integrations` has one file per kind. The way through one look at a job:
`controllers` (events) → `deciding` with `mirroring` and `following` (steps, pure) → `writing`. `admission` does what
upstream's webhooks do: it fills in new jobs and refuses wrong ones.
"""

from __future__ import annotations

from argosy.apiserver.admission.quotas import ResourceQuota
from argosy.apiserver.clusters import Cluster
from argosy.control.assemblies import Assembly
from argosy.queueing.configuration import Configuration
from argosy.queueing.jobs.admission import JobAdmission
from argosy.queueing.jobs.controllers import Jobs
from argosy.queueing.jobs.pictures import Picture
from argosy.queueing.jobs.registry import enabled

__all__ = ["add_admission", "add_jobs"]


def add_admission(cluster: Cluster, configuration: Configuration) -> None:
    """Have a cluster fill in and check jobs. Quotas are charged last, for what is let pass."""
    plugins = list(cluster.admission)
    quotas = (number for number, each in enumerate(plugins) if isinstance(each, ResourceQuota))
    place = next(quotas, len(plugins))
    kinds = enabled(configuration.integrations.frameworks)
    plugins[place:place] = [JobAdmission(cluster, configuration, kinds)]
    cluster.admission = tuple(plugins)


def add_jobs(assembly: Assembly, configuration: Configuration) -> None:
    """Have jobs queued. The definitions of kueue.x-k8s.io must be installed before the assembly runs; those of job
    kinds may come later.
    """
    picture = Picture(assembly, configuration)
    for kind in enabled(configuration.integrations.frameworks):
        Jobs(assembly, kind, picture)
