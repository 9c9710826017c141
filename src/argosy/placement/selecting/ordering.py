"""The order in which selected objects stand in snapshots, Works and statuses.

It says nothing about when members apply them; it makes the same selection come out the same. Kinds that others tend to
need come first, kinds nobody knows last.
"""

from __future__ import annotations

from typing import Final

from argosy.client.resources import Resource

_KINDS: Final = (
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
)
_RANKS: Final = {kind: rank for rank, kind in enumerate(_KINDS)}


def rank(resource: Resource, namespace: str, name: str) -> tuple[int, str, str]:
    """What to sort by. The group of a known kind matters after its rank, its name being the same."""
    known = _RANKS.get(resource.kind)
    where = f"{namespace}/{name}"
    if known is not None:
        return known, resource.api_version, where
    return len(_KINDS), f"{resource.group}/{resource.version}, Kind={resource.kind}", where
