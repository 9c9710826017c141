"""A job that somebody submits, as the objects that are created for it. Pure.

They are those of `argosy submit`, unless the stream has a manifest: the text of a YAML file, in which `{name}`,
`{pods}` and `{seconds}` stand for the job's own. A job that is on several clusters at once has there `{clusters}`,
their names as a list, and `{share}`, how many of its pods each of them gets.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

import yaml

from argosy.api.needs import needs
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.simulations import DURATION, OUTCOME
from argosy.base.durations import parse_duration
from argosy.base.types import Object
from argosy.queueing.jobs.names import PRIORITY_CLASS
from argosy.sdk.preferring import policy_of
from argosy.sdk.submitting import placement_of, prepared
from argosy.simulation.arriving import Arrival
from argosy.simulation.plans import Stream

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def made(
    manifest: str, name: str, pods: int, seconds: float, clusters: Sequence[str]
) -> list[Object]:
    """The objects of a manifest, in its order; the first is the job."""
    text = manifest
    for key, value in (
        ("name", name),
        ("pods", str(pods)),
        ("seconds", f"{seconds:g}"),
        ("share", str(pods // max(1, len(clusters)))),
        ("clusters", json.dumps(list(clusters))),
    ):
        text = text.replace(f"{{{key}}}", value)
    return [each for each in yaml.load_all(text, Loader=_LOADER) if each is not None]


def in_turn(names: Sequence[str], spread: int, turn: int) -> tuple[str, ...]:
    """The clusters of a stream's job of this number, where each is on several: all get as many."""
    return tuple(names[(turn * spread + each) % len(names)] for each in range(spread))


def job_of(arrival: Arrival, keep: str) -> Object:
    """The Job or JobSet, held back for its queue; `keep` is how long it stays after its end."""
    stream = arrival.stream
    spec = _job_spec(arrival)
    if stream.cluster:
        # No hub lets go of it.
        spec["ttlSecondsAfterFinished"] = round(parse_duration(keep))
    if stream.kind == "JobSet":
        api, spec = "jobset.x-k8s.io/v1alpha2", _job_set_spec(spec, stream)
    else:
        api = "batch/v1"
    meta: Object = {"name": arrival.name, "namespace": stream.namespace}
    if stream.priority:
        meta["labels"] = {PRIORITY_CLASS: stream.priority}
    job: Object = {"apiVersion": api, "kind": stream.kind, "metadata": meta, "spec": spec}
    return prepared(job, queue=stream.queue, keep=keep)


def placement_for(
    created: Object, arrival: Arrival, members: Sequence[MemberCluster], keep: str
) -> Object:
    """The placement of a job that is on the hub now."""
    stream = arrival.stream
    policy = policy_of(1, stream.prefer, needs(created), members)
    if stream.cluster_labels:
        affinity = policy["affinity"]["clusterAffinity"]
        term = {"labelSelector": {"matchLabels": stream.cluster_labels}}
        required = affinity.setdefault(
            "requiredDuringSchedulingIgnoredDuringExecution", {"clusterSelectorTerms": [{}]}
        )
        required["clusterSelectorTerms"] = [
            {**each, **term} for each in required["clusterSelectorTerms"]
        ]
    placement = placement_of(created, policy, keep=keep)
    if stream.reschedule:
        placement["metadata"]["annotations"][names.RESCHEDULE] = stream.reschedule
    return placement


def _job_spec(arrival: Arrival) -> Object:
    stream = arrival.stream
    annotations = {DURATION: f"{arrival.seconds:.3f}s"}
    if stream.failure_rate:
        annotations[OUTCOME] = f"flaky:{stream.failure_rate:g}"
    pod: Object = {
        "restartPolicy": "Never",
        "containers": [
            {
                "name": "main",
                "image": f"registry.example/{stream.name}",
                "resources": {
                    "requests": arrival.resources,
                    "limits": {k: v for k, v in arrival.resources.items() if "/" in k},
                },
            }
        ],
    }
    if stream.node_selector:
        pod["nodeSelector"] = stream.node_selector
    if stream.tolerations:
        pod["tolerations"] = list(stream.tolerations)
    return {
        "parallelism": arrival.pods,
        "completions": arrival.pods,
        "backoffLimit": stream.retries,
        "template": {"metadata": {"annotations": annotations}, "spec": pod},
    }


def _job_set_spec(job: Object, stream: Stream) -> Object:
    return {
        "network": {"enableDNSHostnames": False},
        "failurePolicy": {"maxRestarts": stream.retries},
        "replicatedJobs": [{"name": "workers", "replicas": 1, "template": {"spec": job}}],
    }
