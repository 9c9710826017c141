"""What the loads of the placement benchmark consist of."""

from __future__ import annotations

from typing import Final

from argosy.base.types import Object

NAMESPACE: Final = "bench"
_SORTERS: Final = (("available-cpu", 40), ("available-memory", 30))


def namespace_placement() -> Object:
    """The namespace, on every cluster."""
    return {
        "metadata": {"name": "bench-namespace"},
        "spec": {
            "resourceSelectors": [
                {
                    "group": "",
                    "version": "v1",
                    "kind": "Namespace",
                    "name": NAMESPACE,
                    "selectionScope": "NamespaceOnly",
                }
            ],
            "policy": {"placementType": "PickAll"},
            "strategy": _at_once(),
        },
    }


def job(name: str) -> Object:
    """A suspended Job with a selector of its own, so that it does not drift."""
    labels = {"app": name}
    return {
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "suspend": True,
            "manualSelector": True,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [
                        {
                            "name": "main",
                            "image": "example.com/train:v1",
                            "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
                        }
                    ],
                },
            },
        },
    }


def job_placement(name: str) -> Object:
    """The guide's: one cluster, the one with the most room."""
    preferred = [
        {
            "weight": weight,
            "preference": {
                "propertySorter": {
                    "name": f"resources.kubernetes-fleet.io/{what}",
                    "sortOrder": "Descending",
                }
            },
        }
        for what, weight in _SORTERS
    ]
    return {
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "resourceSelectors": [{"group": "batch", "version": "v1", "kind": "Job", "name": name}],
            "policy": {
                "placementType": "PickN",
                "numberOfClusters": 1,
                "affinity": {
                    "clusterAffinity": {
                        "preferredDuringSchedulingIgnoredDuringExecution": preferred
                    }
                },
            },
            "strategy": _at_once(),
        },
    }


def cluster_role(name: str, verb: str = "get") -> Object:
    return {
        "metadata": {"name": name},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": [verb]}],
    }


def role_placement(name: str) -> Object:
    """A ClusterRole, on every cluster."""
    selector = {
        "group": "rbac.authorization.k8s.io",
        "version": "v1",
        "kind": "ClusterRole",
        "name": name,
    }
    return {
        "metadata": {"name": name},
        "spec": {
            "resourceSelectors": [selector],
            "policy": {"placementType": "PickAll"},
            "strategy": _at_once(),
        },
    }


def _at_once() -> Object:
    return {
        "type": "RollingUpdate",
        "rollingUpdate": {
            "maxUnavailable": "100%",
            "maxSurge": "25%",
            "unavailablePeriodSeconds": 1,
        },
        "applyStrategy": {"whenToApply": "Always"},
    }
