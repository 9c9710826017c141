"""Finished things go, so that a busy cluster stays bounded: Jobs, JobSets, pods, claims; events have their own hour."""

from __future__ import annotations

from argosy.control.assemblies import Assembly
from argosy.workloads.retention.claims import CompletedClaims
from argosy.workloads.retention.finished import add_finished, add_finished_jobsets
from argosy.workloads.retention.rules import JOBS_RULE, PODS_RULE, Rule

__all__ = ["JOBS_RULE", "PODS_RULE", "Rule", "add_jobset_retention", "add_retention"]


def add_retention(assembly: Assembly, *, jobs: Rule = JOBS_RULE, pods: Rule = PODS_RULE) -> None:
    """Have finished Jobs, pods and claims go; `jobs` and `pods` are the defaults of all namespaces."""
    add_finished(assembly, jobs, pods)
    CompletedClaims(assembly)


def add_jobset_retention(assembly: Assembly, *, jobsets: Rule = JOBS_RULE) -> None:
    """Have finished JobSets go, where the cluster has them."""
    add_finished_jobsets(assembly, jobsets)
