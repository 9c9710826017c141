"""Many jobs for a fleet, as users submit them: the guide's queues everywhere, and each Job with a placement of its own,
or under a placement template.

What the bodies say comes from examples/fleet, so that what is tested is what is shown.
"""

from __future__ import annotations

import copy
import functools
from pathlib import Path
from typing import Any

import yaml

from tests.support.connections import Connection

Body = dict[str, Any]

SPACE = "compute-jobs"
QUEUE = "local-queue"
TEMPLATE = "any"
# Placed by the template.
LABEL = {"placed": "true"}
_EXAMPLES = Path(__file__).parents[2] / "examples" / "fleet"
_NAMESPACED = {
    "LocalQueue": "localqueues",
    "ResourcePlacement": "resourceplacements",
    "Job": "jobs",
}
_CLUSTERED = {
    "Namespace": "namespaces",
    "ResourceFlavor": "resourceflavors",
    "ClusterQueue": "clusterqueues",
    "ClusterResourcePlacement": "clusterresourceplacements",
}
PLACEMENTS = f"/apis/placement.kubernetes-fleet.io/v1beta1/namespaces/{SPACE}/resourceplacements"


@functools.cache
def _examples(path: str) -> tuple[Body, ...]:
    return tuple(yaml.safe_load_all((_EXAMPLES / path).read_text()))


def _example(path: str, kind: str, name: str) -> Body:
    for body in _examples(path):
        if body["kind"] == kind and body["metadata"]["name"] == name:
            return copy.deepcopy(body)
    raise LookupError(f"{path} has no {kind} {name}")


def everywhere(cpu: str, memory: str = "64Gi") -> list[Body]:
    """What every member needs before it can queue jobs, with this quota, and the placements that bring it there."""
    queues, places = "guide/1-queues.yaml", "guide/2-everywhere.yaml"
    quota = _example(queues, "ClusterQueue", "cluster-queue")
    for resource in quota["spec"]["resourceGroups"][0]["flavors"][0]["resources"]:
        resource["nominalQuota"] = {"cpu": cpu, "memory": memory}[resource["name"]]
    return [
        _example(queues, "ResourceFlavor", "default-flavor"),
        quota,
        _example(queues, "Namespace", SPACE),
        _example(places, "ClusterResourcePlacement", "sample-kueue"),
        _example("guide/3-jobs.yaml", "LocalQueue", QUEUE),
        _example("guide/4-placements.yaml", "ResourcePlacement", "queue-placement"),
    ]


def template() -> Body:
    """The placement template of the tour, with the guide's way to choose and to apply."""
    body = _example("tour/8-template.yaml", "ResourcePlacement", "any")
    body["metadata"] |= {"name": TEMPLATE, "namespace": SPACE}
    like = placement("like")["spec"]
    body["spec"] |= {"policy": like["policy"], "strategy": like["strategy"]}
    return body


def placement(job: str) -> Body:
    """The guide's placement of one Job: on the cluster with the most room."""
    body = _example("guide/4-placements.yaml", "ResourcePlacement", "job1-placement")
    body["metadata"]["name"] = job
    body["spec"]["resourceSelectors"][0]["name"] = job
    return body


def job(
    name: str,
    *,
    seconds: float = 1.0,
    pods: int = 1,
    cpu: str = "1",
    memory: str = "1Gi",
    ttl: int | None = None,
    indexed: bool = False,
    templated: bool = False,
) -> Body:
    """The guide's Job, for simulated nodes: so many pods abreast that take so long each."""
    body = _example("guide/3-jobs.yaml", "Job", "mock-workload")
    meta, spec = body["metadata"], body["spec"]
    meta["name"] = name
    if templated:
        meta["labels"] = dict(LABEL)
    spec |= {"parallelism": pods, "completions": pods}
    del spec["ttlSecondsAfterFinished"]
    if ttl is not None:
        spec["ttlSecondsAfterFinished"] = ttl
    if indexed:
        spec["completionMode"] = "Indexed"
    inner = spec["template"]
    inner["metadata"] = {"annotations": {"argosy.dev/duration": f"{round(seconds * 1000)}ms"}}
    wants = {"cpu": cpu, "memory": memory}
    inner["spec"]["containers"][0]["resources"] = {"requests": wants, "limits": wants}
    return body


def placement_name(body: Body) -> str:
    """Which placement a Job of `job` goes by."""
    name: str = body["metadata"]["name"]
    return f"{TEMPLATE}-{name}" if "labels" in body["metadata"] else name


def collection(body: Body) -> str:
    """The path that takes an object's creation."""
    version, kind = body["apiVersion"], body["kind"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    if kind in _CLUSTERED:
        return f"{root}/{_CLUSTERED[kind]}"
    return f"{root}/namespaces/{body['metadata']['namespace']}/{_NAMESPACED[kind]}"


def submit(connection: Connection, *bodies: Body) -> None:
    """Create objects on a hub. One that is there already was created by a request whose answer was lost."""
    for body in bodies:
        reply = connection.request("POST", collection(body), body)
        assert reply.code in {201, 409}, reply


def outcomes(connection: Connection) -> dict[str, str]:
    """By placement of the jobs' namespace, how its job has ended, as the hub tells it; "" while it has not."""
    found = {}
    for each in connection.get(PLACEMENTS)["items"]:
        conditions = each.get("status", {}).get("conditions", ())
        ended = [
            one["reason"]
            for one in conditions
            if one["type"] == "ResourcePlacementFinished" and one["status"] == "True"
        ]
        found[each["metadata"]["name"]] = ended[0] if ended else ""
    return found
