"""Typed views of the kinds that controllers work with.

One module per neighborhood; `decoder(Pod)` reads JSON into a view. See `metadata` for what a view is and is not.
"""

from __future__ import annotations

from argosy.api.objects.core import (
    ConfigMap,
    Event,
    EventSeries,
    EventSource,
    Namespace,
    NamespaceSpec,
    NamespaceStatus,
    Secret,
    ServiceAccount,
)
from argosy.api.objects.jobs import Job, JobSpec, JobStatus, UncountedTerminatedPods
from argosy.api.objects.metadata import (
    Condition,
    LabelSelector,
    LabelSelectorRequirement,
    ObjectMeta,
    ObjectReference,
    OwnerReference,
    View,
    decoder,
    find_condition,
    is_true,
)
from argosy.api.objects.nodes import (
    Lease,
    LeaseSpec,
    Node,
    NodeAddress,
    NodeSpec,
    NodeStatus,
    Taint,
)
from argosy.api.objects.pods import (
    Container,
    ContainerPort,
    ContainerState,
    ContainerStatus,
    Pod,
    PodSpec,
    PodStatus,
    ResourceRequirements,
    Toleration,
)

__all__ = [
    "Condition",
    "ConfigMap",
    "Container",
    "ContainerPort",
    "ContainerState",
    "ContainerStatus",
    "Event",
    "EventSeries",
    "EventSource",
    "Job",
    "JobSpec",
    "JobStatus",
    "LabelSelector",
    "LabelSelectorRequirement",
    "Lease",
    "LeaseSpec",
    "Namespace",
    "NamespaceSpec",
    "NamespaceStatus",
    "Node",
    "NodeAddress",
    "NodeSpec",
    "NodeStatus",
    "ObjectMeta",
    "ObjectReference",
    "OwnerReference",
    "Pod",
    "PodSpec",
    "PodStatus",
    "ResourceRequirements",
    "Secret",
    "ServiceAccount",
    "Taint",
    "Toleration",
    "UncountedTerminatedPods",
    "View",
    "decoder",
    "find_condition",
    "is_true",
]
