"""What is written for the proof: a fleet file, the queues of the user's guide, and jobs that fill every core.

A cluster has 875 machines of two cores, so four jobs of 400 one-core pods fit and 150 cores are left. Whole jobs go
where there is most room. For the rest there are wide jobs: each runs on eight clusters, fifty pods on each, by an
override of its size, and three of them fill a cluster. Eighty clusters take 320 + 30 = 350 jobs, 140,000 pods.
"""

from __future__ import annotations

from typing import Final

import yaml

from argosy.base.types import Object

NAMESPACE: Final = "kubecon-demo"
QUEUE: Final = "lq-kubecon-demo"
NODES: Final = 875
CORES: Final = 2 * NODES
PODS: Final = 400
WHOLE: Final = CORES // PODS
SPARE: Final = CORES - WHOLE * PODS
WIDTH: Final = 8
SHARE: Final = PODS // WIDTH
REGIONS: Final = ("eastus", "westus", "northeurope", "westeurope", "southeastasia", "australiaeast")
_KUEUE: Final = "kueue.x-k8s.io/v1beta1"
_PLACEMENT: Final = "placement.kubernetes-fleet.io/v1beta1"


def clusters(number: int) -> list[str]:
    return [f"{REGIONS[each % len(REGIONS)]}-{each // len(REGIONS) + 1}" for each in range(number)]


def fleet_file(number: int) -> str:
    """So many clusters, in turn over six regions."""
    members = [
        {
            "name": f"{region}-{{n}}",
            "count": len(range(turn, number, len(REGIONS))),
            "region": region,
            "pricePerHour": 0.096 + 0.006 * turn,
        }
        for turn, region in enumerate(REGIONS)
        if turn < number
    ]
    pool = {"name": "general", "nodes": NODES, "machine": {"cpu": 2, "memory": "8Gi"}}
    content: Object = {
        "apiVersion": "argosy.dev/v1alpha1",
        "kind": "Fleet",
        "defaults": {"heartbeatPeriodSeconds": 60, "nodePools": [pool]},
        "members": members,
    }
    return yaml.safe_dump(content, sort_keys=False)


def queues() -> list[Object]:
    """As the guide has them."""
    quota = {"cpu": 4000, "memory": "10000Gi", "ephemeral-storage": "10000Gi"}
    flavor = {
        "name": "default-flavor",
        "resources": [{"name": name, "nominalQuota": amount} for name, amount in quota.items()],
    }
    return [
        {
            "apiVersion": _KUEUE,
            "kind": "ResourceFlavor",
            "metadata": {"name": "default-flavor"},
        },
        {
            "apiVersion": _KUEUE,
            "kind": "ClusterQueue",
            "metadata": {"name": "cluster-queue"},
            "spec": {
                "namespaceSelector": {},
                "queueingStrategy": "BestEffortFIFO",
                "resourceGroups": [{"coveredResources": list(quota), "flavors": [flavor]}],
            },
        },
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {
            "apiVersion": _KUEUE,
            "kind": "LocalQueue",
            "metadata": {"name": QUEUE, "namespace": NAMESPACE},
            "spec": {"clusterQueue": "cluster-queue"},
        },
        _everywhere(),
        _placement("queue", [_selector("kueue.x-k8s.io", "v1beta1", "LocalQueue", QUEUE)], ALL),
    ]


ALL: Final[Object] = {"placementType": "PickAll"}


def _everywhere() -> Object:
    selectors = [
        _selector("kueue.x-k8s.io", "v1beta1", "ResourceFlavor", "default-flavor"),
        _selector("kueue.x-k8s.io", "v1beta1", "ClusterQueue", "cluster-queue"),
        {**_selector("", "v1", "Namespace", NAMESPACE), "selectionScope": "NamespaceOnly"},
    ]
    made = _placement("sample-jobs-crp", selectors, ALL)
    made["kind"] = "ClusterResourcePlacement"
    del made["metadata"]["namespace"]
    return made


def _selector(group: str, version: str, kind: str, name: str) -> Object:
    return {"group": group, "version": version, "kind": kind, "name": name}


def _placement(name: str, selectors: list[Object], policy: Object, **annotations: str) -> Object:
    return {
        "apiVersion": _PLACEMENT,
        "kind": "ResourcePlacement",
        "metadata": {"name": name, "namespace": NAMESPACE, "annotations": annotations},
        "spec": {
            "resourceSelectors": selectors,
            "policy": policy,
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxUnavailable": "100%", "unavailablePeriodSeconds": 1},
                "applyStrategy": {"whenToApply": "IfNotDrifted"},
            },
        },
    }


def job(name: str, seconds: int) -> Object:
    """The guide's Job."""
    amounts = {"cpu": "1", "memory": "1Gi", "ephemeral-storage": "1Gi"}
    most = {"cpu": "1", "memory": "2Gi", "ephemeral-storage": "2Gi"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "annotations": {"kueue.x-k8s.io/queue-name": QUEUE},
        },
        "spec": {
            "ttlSecondsAfterFinished": 60,
            "parallelism": PODS,
            "completions": PODS,
            "suspend": True,
            "manualSelector": True,
            "selector": {"matchLabels": {"job-name": name}},
            "template": {
                "metadata": {"labels": {"job-name": name}},
                "spec": {
                    "containers": [
                        {
                            "name": "dummy-job",
                            "image": "gcr.io/k8s-staging-perf-tests/sleep:latest",
                            "args": [f"{seconds}s"],
                            "resources": {"requests": amounts, "limits": most},
                        }
                    ],
                    "restartPolicy": "Never",
                },
            },
        },
    }


def whole_placement(name: str) -> Object:
    """To one cluster with room for all of it, the one with the most."""
    cpu = "resources.kubernetes-fleet.io/available-cpu"
    room = {"name": cpu, "operator": "Ge", "values": [str(PODS)]}
    policy: Object = {
        "placementType": "PickN",
        "numberOfClusters": 1,
        "affinity": {
            "clusterAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "clusterSelectorTerms": [{"propertySelector": {"matchExpressions": [room]}}]
                },
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": 100,
                        "preference": {"propertySorter": {"name": cpu, "sortOrder": "Descending"}},
                    }
                ],
            }
        },
    }
    return _of_job(name, policy)


def wide_placement(name: str, names: list[str]) -> Object:
    return _of_job(name, {"placementType": "PickFixed", "clusterNames": list(names)})


def wide_override(name: str) -> Object:
    """Fifty of its pods on each of its clusters."""
    sizes = [
        {"op": "replace", "path": f"/spec/{field}", "value": SHARE}
        for field in ("parallelism", "completions")
    ]
    return {
        "apiVersion": _PLACEMENT,
        "kind": "ResourceOverride",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "placement": {"name": name},
            "resourceSelectors": [_selector("batch", "v1", "Job", name)],
            "policy": {
                "overrideRules": [
                    {"clusterSelector": {"clusterSelectorTerms": []}, "jsonPatchOverrides": sizes}
                ]
            },
        },
    }


def _of_job(name: str, policy: Object) -> Object:
    keeping = {"argosy.dev/queue-managed": "ignore", "argosy.dev/keep-after-end": "30s"}
    return _placement(name, [_selector("batch", "v1", "Job", name)], policy, **keeping)


def wide_jobs(names: list[str]) -> dict[str, list[str]]:
    """The wide jobs and their clusters: each cluster gets as many as fill it, each job as many clusters as it needs."""
    rounds = SPARE // SHARE
    slots = [name for _ in range(rounds) for name in names]
    return {
        f"wide-{number:03}": slots[number * WIDTH : (number + 1) * WIDTH]
        for number in range(len(slots) // WIDTH)
    }
