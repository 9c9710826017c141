"""JobSets (jobset.x-k8s.io/v1alpha2): several kinds of Jobs that start, fail, restart and succeed as one.

Mirrors kubernetes-sigs/jobset v0.10. `definitions` is the CRD; `add_admission` brings what upstream's webhooks do. The
way through one look at a JobSet: `controllers` (events) → `children` (its Jobs by state) → `deciding` with `statuses`,
`policies`, `starting` and `making` (decisions, pure) → writes. Pods are the Job controller's; `placement` and
`followers` see to it that they stay together where exclusive placement is asked for.
"""

from __future__ import annotations

from argosy.apiserver.admission.quotas import ResourceQuota
from argosy.apiserver.clusters import Cluster
from argosy.control.assemblies import Assembly
from argosy.workloads.jobsets.admission import JobSetAdmission
from argosy.workloads.jobsets.controllers import JobSets
from argosy.workloads.jobsets.definitions import definitions
from argosy.workloads.jobsets.followers import FollowerPods
from argosy.workloads.jobsets.placement import ExclusivePlacement

__all__ = ["add_admission", "add_jobsets", "definitions"]


def add_admission(cluster: Cluster) -> None:
    """Have a cluster fill in and check JobSets, and place their pods. Quotas are charged last, for what is let pass."""
    plugins = list(cluster.admission)
    quotas = (number for number, each in enumerate(plugins) if isinstance(each, ResourceQuota))
    place = next(quotas, len(plugins))
    plugins[place:place] = [JobSetAdmission(), ExclusivePlacement()]
    cluster.admission = tuple(plugins)


def add_jobsets(assembly: Assembly) -> None:
    """Have the JobSets of a cluster run. Their definition must be installed before the assembly runs."""
    JobSets(assembly)
    FollowerPods(assembly)
