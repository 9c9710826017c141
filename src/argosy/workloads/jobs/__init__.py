"""The Job controller (batch/v1), and the end of finished Jobs.

Mirrors kube-controller-manager's job and ttl-after-finished controllers, v1.35. The way through one look at a Job:
`controllers` (events) → `claims` (whose pods) → `syncing` (the steps) → `assessing`, `managing`, `tracking` (decisions,
pure) → `writing`. What all of them read is the `ledgers` entry of the Job, kept current by pod events in constant time.
"""

from __future__ import annotations

from argosy.control.assemblies import Assembly
from argosy.workloads.jobs.controllers import Jobs
from argosy.workloads.jobs.expiring import ExpiredJobs

__all__ = ["add_jobs"]


def add_jobs(assembly: Assembly) -> None:
    """Have the Jobs of a cluster run."""
    Jobs(assembly)
    ExpiredJobs(assembly)
