"""Exclusive placement: each Job of a JobSet gets a topology domain (a rack, a node pool) of its own.

The pod with completion index 0 leads. It is kept, by affinity, with pods of its own Job and away from pods of all other
Jobs of the same priority, so the scheduler finds it a free domain. The others follow: they get the leader's domain as
node selector, and are refused until the leader has a node. The Job controller tries them again, most notably when the
leader is bound.

Upstream does this in webhooks for pods, with these words. Differs: where the leader's node is gone, followers wait
instead of getting an empty selector. Looking for the leader costs a walk over the Job's pods up to it, and it is the
first by name.
"""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.api.objects import Pod
from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster
from argosy.base.types import Object
from argosy.workloads.jobsets.admission import refuse
from argosy.workloads.jobsets.names import (
    EXCLUSIVE_TOPOLOGY,
    JOB_INDEX,
    JOB_KEY,
    JOBSET_NAME,
    NODE_SELECTOR_STRATEGY,
    PRIORITY,
    REPLICATED_JOB_NAME,
    job_name,
)

_COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
_MUTATING: Final = "mpod.kb.io"
_VALIDATING: Final = "vpod.kb.io"


class ExclusivePlacement:
    """Places new pods of JobSets that ask for it."""

    reads: ClassVar = NOTHING
    singly: ClassVar = EXCLUSIVE_TOPOLOGY.encode()

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if new is None or old is not None or not _concerns(call, new):
            return
        labels = new["metadata"].setdefault("labels", {})
        if (priority := new["spec"].get("priority")) is not None:
            labels[PRIORITY] = str(priority)
        if _leads(new):
            _set_apart(new)
        else:
            _follow(cluster, new)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        if new is None or old is not None or not _concerns(call, new) or _leads(new):
            return
        selector = new["spec"].get("nodeSelector")
        if selector is None:
            refuse(_VALIDATING, "follower pod node selector not set")
            return
        key = new["metadata"]["annotations"][EXCLUSIVE_TOPOLOGY]
        if key not in selector:
            refuse(
                _VALIDATING,
                f"follower pod node selector for topology domain not found. missing selector: {key}",
            )


def is_leader(pod: Pod) -> bool:
    """Whether the pod leads a Job that is placed exclusively by this plugin."""
    annotations = pod.metadata.annotations
    return annotations.get(_COMPLETION_INDEX) == "0" and _is_exclusive(annotations)


def _concerns(call: Call, pod: Object) -> bool:
    if call.kind.resource != "pods" or call.subresource:
        return False
    return _is_exclusive(pod["metadata"].get("annotations") or {})


def _is_exclusive(annotations: dict[str, str]) -> bool:
    return EXCLUSIVE_TOPOLOGY in annotations and NODE_SELECTOR_STRATEGY not in annotations


def _leads(pod: Object) -> bool:
    return bool(pod["metadata"]["annotations"].get(_COMPLETION_INDEX) == "0")


def _set_apart(pod: Object) -> None:
    meta = pod["metadata"]
    key, own = meta["annotations"][EXCLUSIVE_TOPOLOGY], meta["labels"].get(JOB_KEY, "")
    priority = meta["labels"].get(PRIORITY, "")
    with_own = _requirement(JOB_KEY, "In", own)
    with_others = [
        {"key": JOB_KEY, "operator": "Exists"},
        _requirement(JOB_KEY, "NotIn", own),
        _requirement(PRIORITY, "In", priority),
    ]
    affinity = pod["spec"].setdefault("affinity", {})
    for kind, expressions in (("podAffinity", [with_own]), ("podAntiAffinity", with_others)):
        terms = affinity.setdefault(kind, {}).setdefault(
            "requiredDuringSchedulingIgnoredDuringExecution", []
        )
        terms.append(
            {
                "labelSelector": {"matchExpressions": expressions},
                "topologyKey": key,
                "namespaceSelector": {},
            }
        )


def _requirement(key: str, operator: str, value: str) -> Object:
    return {"key": key, "operator": operator, "values": [value]}


def _follow(cluster: Cluster, pod: Object) -> None:
    """Send the pod where its leader is; leave it as it is if that is not known yet."""
    leader = _leader(cluster, pod)
    node_name = leader["spec"].get("nodeName") if leader is not None else None
    node = cluster.latest(cluster.kind("", "nodes"), "", node_name) if node_name else None
    if node is None:
        return
    key = pod["metadata"]["annotations"][EXCLUSIVE_TOPOLOGY]
    domain = (node["metadata"].get("labels") or {}).get(key)
    if domain is None:
        refuse(_MUTATING, f"node does not have topology label: {key}")
    pod["spec"].setdefault("nodeSelector", {})[key] = domain


def _leader(cluster: Cluster, pod: Object) -> Object | None:
    """The one pod with index 0 of the very same Job that is not being deleted."""
    labels = pod["metadata"]["labels"]
    owners = pod["metadata"].get("ownerReferences") or ()
    uid = next((owner["uid"] for owner in owners if owner.get("controller")), "")
    if not uid or not {JOBSET_NAME, REPLICATED_JOB_NAME, JOB_INDEX} <= labels.keys():
        return None
    job = job_name(labels[JOBSET_NAME], labels[REPLICATED_JOB_NAME], labels[JOB_INDEX])
    kind = cluster.kind("", "pods")
    for record in cluster.store.dependents(uid):
        if record.key.resource == "pods" and record.key.name.startswith(f"{job}-0-"):
            found = encoding.from_bytes(kind, record.raw)
            if not found["metadata"].get("deletionTimestamp"):
                return found
    return None
