"""What makes a workload inadmissible before flavors are even looked at, in the order it is asked.

The scheduler asks for every head (`refusal`); the Workload controller asks too, so that a workload which never gets to
be one shows what is wrong (`problem`). Two callers, one verdict, one wording.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from argosy.api import podresources
from argosy.api.objects.core import Namespace
from argosy.api.objects.kueue.workloads import PodSet, Workload
from argosy.base.fielderrors import FieldError, invalid, quote
from argosy.base.selectors.labels import LabelSelector
from argosy.base.types import Object
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.limitranges import Summary, greater_keys, violations

EXCEEDS_LIMITS: Final = "requests must not exceed its limits"
# Why a workload goes back to its queue; told apart because it stays away until the namespace changes.
NAMESPACE_MISMATCH: Final = "NamespaceMismatch"


@dataclass(slots=True, frozen=True)
class Refusal:
    """Why a head is not nominated: the reason and message of its condition, and how it is requeued ("" is generic)."""

    reason: str
    message: str
    requeue_reason: str = ""


def refusal(
    workload: Workload,
    cluster_queue: str,
    *,
    exists: bool,
    is_active: bool,
    namespaces: LabelSelector,
    namespace: Namespace | None,
    limits: Summary,
) -> Refusal | None:
    """The first thing that keeps a head from being nominated in a ClusterQueue; None if nothing does."""
    if any(
        check.state in (reasons.CHECK_RETRY, reasons.CHECK_REJECTED)
        for check in workload.status.admission_checks
    ):
        message = "The workload has failed admission checks"
        return Refusal(reasons.PENDING_EVALUATION, message)
    if exists and not is_active:
        return Refusal(reasons.SUSPENDED, f"ClusterQueue {cluster_queue} is inactive")
    if not exists:
        return Refusal(reasons.MISCONFIGURED, f"ClusterQueue {cluster_queue} not found")
    return problem(workload, namespaces, namespace, limits)


def problem(
    workload: Workload, namespaces: LabelSelector, namespace: Namespace | None, limits: Summary
) -> Refusal | None:
    """What is wrong with the workload itself: its namespace, its requests."""
    if namespace is None:
        name = quote(workload.metadata.namespace)
        missing = f"workload namespace {name} does not exist: namespaces {name} not found"
        return Refusal(reasons.MISCONFIGURED, missing)
    if not namespaces.matches(namespace.metadata.labels):
        mismatch = "workload namespace doesn't match ClusterQueue selector"
        return Refusal(reasons.MISCONFIGURED, mismatch, NAMESPACE_MISMATCH)
    pod_sets = workload.spec.pod_sets
    errors = over_limits(pod_sets)
    if errors:
        message = f"resources validation failed: {aggregated(errors)}"
        return Refusal(reasons.MISCONFIGURED, message)
    errors = outside_ranges(pod_sets, limits)
    if errors:
        message = f"resources didn't satisfy LimitRange constraints: {aggregated(errors)}"
        return Refusal(reasons.MISCONFIGURED, message)
    return None


def over_limits(pod_sets: Sequence[PodSet]) -> list[FieldError]:
    """Where more is requested than the limits allow."""
    errors: list[FieldError] = []
    for spec, path in _specs(pod_sets):
        for which in ("initContainers", "containers"):
            for index, container in enumerate(spec.get(which) or ()):
                errors += _over(container.get("resources"), f"{path}.{which}[{index}]")
        errors += _over(spec.get("resources"), f"{path}.resources")
    return errors


def outside_ranges(pod_sets: Sequence[PodSet], limits: Summary) -> list[FieldError]:
    """Where the namespace's LimitRanges allow less, or want more."""
    if not limits:
        return []
    return [error for spec, path in _specs(pod_sets) for error in violations(limits, spec, path)]


def aggregated(errors: Iterable[FieldError]) -> str:
    """Errors as Kubernetes tells several at once, each text once."""
    texts = list(dict.fromkeys(str(error) for error in errors))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _over(resources: Object | None, path: str) -> list[FieldError]:
    if not resources:
        return []
    requests = podresources.amounts(resources.get("requests"))
    names = greater_keys(requests, podresources.amounts(resources.get("limits")))
    return [invalid(path, names, EXCEEDS_LIMITS)] if names else []


def _specs(pod_sets: Sequence[PodSet]) -> Iterable[tuple[Object, str]]:
    for index, pod_set in enumerate(pod_sets):
        yield pod_set.template.get("spec") or {}, f"spec.podSets[{index}].template.spec"
