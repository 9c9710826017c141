"""The scheduling hash: workloads with the same one fare the same when the scheduler looks at them.

It covers the shape of every pod set (what flavors are matched and quota is counted by), the effective counts and
requests, the priority, and the flavors a workload is held to; not names of workloads, containers or images.
"""

from __future__ import annotations

import hashlib

import msgspec

from argosy.api.objects.kueue.workloads import PodSet, Workload
from argosy.base.types import Json
from argosy.queueing.workloads.infos import PodSetResources

_SHAPE = (
    "nodeSelector", "affinity", "tolerations", "runtimeClassName", "priority",
    "topologySpreadConstraints", "overhead", "resourceClaims",
)  # fmt: skip


def scheduling_hash(
    workload: Workload,
    requests: tuple[PodSetResources, ...],
    priority: int,
    allowed_flavors: frozenset[str] | None = None,
) -> str:
    """Sixteen hex digits."""
    content = [
        priority,
        None if allowed_flavors is None else sorted(allowed_flavors),
        [
            [
                pod_set.name,
                _shape(pod_set),
                totals.count,
                sorted(totals.requests.items()),
                pod_set.min_count,
                pod_set.topology_request,
            ]
            for pod_set, totals in zip(workload.spec.pod_sets, requests, strict=True)
        ],
    ]
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:16]


def _shape(pod_set: PodSet) -> Json:
    spec = pod_set.template.get("spec") or {}
    return {name: spec[name] for name in _SHAPE if name in spec}
