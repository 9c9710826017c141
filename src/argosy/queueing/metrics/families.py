"""How families of metrics are named and labelled: Kueue's prefix, and the role of the process as the last label.

One process alone is `standalone`. Times are measured in buckets that double, from a second to nearly three hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.metrics import Counter, Gauge, Histogram, Registry
from argosy.queueing.quotas.amounts import CPU

PREFIX: Final = "kueue_"
ROLE: Final = "standalone"
BUCKETS: Final = (1.0, *(2.5 * 2**power for power in range(13)))
_ROLE: Final = "replica_role"


def counter(registry: Registry, name: str, help_text: str, labels: Sequence[str]) -> Counter:
    return registry.counter(PREFIX + name, help_text, (*labels, _ROLE))


def gauge(registry: Registry, name: str, help_text: str, labels: Sequence[str]) -> Gauge:
    return registry.gauge(PREFIX + name, help_text, (*labels, _ROLE))


def histogram(
    registry: Registry,
    name: str,
    help_text: str,
    labels: Sequence[str],
    buckets: Sequence[float] = BUCKETS,
) -> Histogram:
    return registry.histogram(PREFIX + name, help_text, (*labels, _ROLE), buckets)


def units(resource: str, value: int) -> float:
    """An amount as dashboards show it: whole CPUs, bytes, devices."""
    return value / 1000 if resource == CPU else float(value)


def priority_class(workload: Workload) -> str:
    reference = workload.spec.priority_class_ref
    return reference.name if reference is not None else ""
