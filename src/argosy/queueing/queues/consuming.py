"""Admission fair sharing: how much each LocalQueue of a ClusterQueue used lately, so that who used least goes first.

What was consumed decays: with every sample, the past loses half its weight per half-life and the present gains it
(`consumed * (1 - a) + used * a`, `a = 1 - 0.5^(elapsed / halfLife)`). Until a new admission shows in the samples, an
entry penalty stands for it: the requests times the `a` of one sampling interval, so that a LocalQueue cannot empty the
quota between two samples. A half-life of zero remembers nothing and punishes nothing.

Amounts are exact, in billionths, rounded down, so that consumption approaches usage and never passes it. Only the
figure that LocalQueues are compared by is a float: the sum over resources by weight, over the LocalQueue's weight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, TypeAlias

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import AdmissionScope
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.quantities import NANOS, Quantity, parse
from argosy.queueing.quotas.amounts import CPU

USAGE_BASED: Final = "UsageBasedAdmissionFairSharing"
# Billionths of a unit, by resource.
Nanos: TypeAlias = Mapping[str, int]


@dataclass(slots=True, frozen=True)
class AdmissionFairSharing:
    """The configuration: how fast the past fades, how often it is looked at, and what a unit of a resource weighs."""

    half_life_seconds: float = 0.0
    sampling_interval_seconds: float = 300.0
    resource_weights: Mapping[str, float] = field(default_factory=dict)

    def is_used_by(self, scope: AdmissionScope | None) -> bool:
        """Whether a ClusterQueue orders its workloads by what their LocalQueues used."""
        return scope is not None and scope.admission_mode == USAGE_BASED

    def decay(self, elapsed_seconds: float) -> Fraction:
        """The weight of the present after this long, from 0 to 1."""
        if self.half_life_seconds == 0:
            return Fraction(0)
        return Fraction(1.0 - math.pow(0.5, elapsed_seconds / self.half_life_seconds))

    def entry_penalty(self, requests: Nanos) -> Nanos:
        """What an admission counts for until samples show it."""
        return scaled(requests, self.decay(self.sampling_interval_seconds))

    def consumed(self, past: Nanos, used: Nanos, elapsed_seconds: float) -> Nanos:
        """What was consumed by now, from what was consumed until `elapsed_seconds` ago and what is used."""
        if self.half_life_seconds == 0:
            return {}
        weight = self.decay(elapsed_seconds)
        return summed(scaled(past, 1 - weight), scaled(used, weight))

    def usage(self, consumed: Nanos, penalty: Nanos, weight: float) -> float:
        """The figure of a LocalQueue; infinite for one that has no weight."""
        if weight <= 0:
            return math.inf
        total = 0.0
        for resource, nanos in sorted(summed(consumed, penalty).items()):
            total += self.resource_weights.get(resource, 1.0) * (nanos / NANOS)
        return total / weight


def is_penalized(
    workload: Workload, scope: AdmissionScope | None, config: AdmissionFairSharing | None
) -> bool:
    """Whether admitting a workload counts against its LocalQueue; a second pass counted already."""
    return config is not None and config.is_used_by(scope) and not workload.has_quota_reservation


def local_queue_weight(local_queue: LocalQueue | None) -> float:
    """The weight of a LocalQueue; 1 where none is given, and for one that is gone while its workloads wait."""
    sharing = local_queue.spec.fair_sharing if local_queue is not None else None
    return 1.0 if sharing is None else parse(sharing.weight).nanos / NANOS


def nanos_of(quantities: Mapping[str, str]) -> Nanos:
    """Quantities of an API object."""
    return {resource: parse(text).nanos for resource, text in quantities.items()}


def nanos_of_amounts(amounts: Mapping[str, int]) -> Nanos:
    """Amounts as quotas count them."""
    return {
        resource: value * (NANOS // 1000 if resource == CPU else NANOS)
        for resource, value in amounts.items()
    }


def quantities_of(nanos: Nanos) -> dict[str, str]:
    """The quantities of amounts, for a status."""
    return {resource: str(Quantity(value)) for resource, value in nanos.items()}


def scaled(nanos: Nanos, factor: Fraction) -> Nanos:
    return {
        resource: value * factor.numerator // factor.denominator
        for resource, value in nanos.items()
    }


def summed(one: Nanos, other: Nanos) -> Nanos:
    return dict(one) | {resource: one.get(resource, 0) + value for resource, value in other.items()}
