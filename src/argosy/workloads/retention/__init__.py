"""Finished things go, so that a busy cluster stays bounded: Jobs, pods, claims; events have their own hour."""

from __future__ import annotations

from argosy.control.assemblies import Assembly
from argosy.workloads.retention.claims import CompletedClaims
from argosy.workloads.retention.finished import add_finished
from argosy.workloads.retention.rules import JOBS_RULE, PODS_RULE, Rule

__all__ = ["JOBS_RULE", "PODS_RULE", "Rule", "add_retention"]


def add_retention(assembly: Assembly, *, jobs: Rule = JOBS_RULE, pods: Rule = PODS_RULE) -> None:
    """Have finished Jobs, pods and claims go; `jobs` and `pods` are the defaults of all namespaces."""
    add_finished(assembly, jobs, pods)
    CompletedClaims(assembly)
