"""Where the pods of a DaemonSet belong: one on every node that may run it. Pure.

A node may run a pod whose node affinity matches and which tolerates its taints; pods of a DaemonSet tolerate what
befalls a node by default (not ready, unreachable, pressure, cordoned). A pod stays on a node it could not be placed on
any more unless a NoExecute taint sends it away or affinity no longer matches. Each pod is pinned to its node by a
required node affinity on the node's name, so the scheduler still decides whether there is room. Mirrors upstream's
daemon_controller.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec

from argosy.api.nodefit import RequiredAffinity, tolerates, untolerated
from argosy.api.objects import Node, Pod, Toleration
from argosy.api.objects.apps import DaemonSet, DaemonSetStatus
from argosy.base.types import Object
from argosy.client.resources import DAEMON_SETS
from argosy.workloads.apps.availability import is_available, is_ready
from argosy.workloads.apps.histories import REVISION_LABEL
from argosy.workloads.apps.shares import scaled
from argosy.workloads.pods.templates import pod_from_template

GENERATION: Final = "deprecated.daemonset.template.generation"
GENERATION_LABEL: Final = "pod-template-generation"

_NAME_FIELD: Final = "metadata.name"
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_TOLERATED: Final = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
_NETWORK: Final = ("node.kubernetes.io/network-unavailable", "NoSchedule")


class Fit(NamedTuple):
    """Whether a pod should be made on a node, and whether one that is there may stay."""

    runs: bool
    stays: bool


@dataclass(slots=True)
class Placement:
    """What to do about the pods of a set."""

    nodes: list[str] = field(default_factory=list)
    delete: list[Pod] = field(default_factory=list)
    # Pods that have ended, with their nodes: they are deleted and made again.
    failed: list[tuple[Pod, str]] = field(default_factory=list)
    succeeded: list[tuple[Pod, str]] = field(default_factory=list)


class Eligibility:
    """Decides about nodes for one set's template."""

    def __init__(self, template: Object) -> None:
        spec: Object = template.get("spec") or {}
        affinity = (spec.get("affinity") or {}).get("nodeAffinity")
        self._node_name: str = spec.get("nodeName") or ""
        self._affinity = RequiredAffinity(spec.get("nodeSelector") or {}, affinity)
        self._tolerations = msgspec.convert(_tolerations(spec), list[Toleration])

    def of(self, node: Node) -> Fit:
        name = node.metadata.name
        if self._node_name not in {"", name}:
            return Fit(runs=False, stays=False)
        if not self._affinity.matches(node.metadata.labels, name):
            return Fit(runs=False, stays=False)
        if untolerated(self._tolerations, node.spec.taints) is None:
            return Fit(runs=True, stays=True)
        stays = all(
            taint.effect != "NoExecute" or tolerates(self._tolerations, taint)
            for taint in node.spec.taints
        )
        return Fit(runs=False, stays=stays)


def by_node(pods: Iterable[Pod]) -> dict[str, list[Pod]]:
    """Pods by the node they are on or pinned to, apart from those that have ended and are going."""
    found: dict[str, list[Pod]] = {}
    for pod in pods:
        if pod.is_terminal and pod.metadata.deletion_timestamp is not None:
            continue
        if name := pod.spec.node_name or _pinned(pod):
            found.setdefault(name, []).append(pod)
    return found


def place(
    owner: DaemonSet,
    fits: Mapping[str, Fit],
    pods: Mapping[str, Sequence[Pod]],
    digest: str,
    now: datetime,
) -> Placement:
    """What is missing and what is too much, on all nodes (`fits`) with these pods."""
    placement = Placement()
    for name, fit in fits.items():
        _place_one(placement, owner, name, fit, pods.get(name), digest, now)
    for name, stranded in pods.items():
        if name not in fits:
            placement.delete += [pod for pod in stranded if not pod.spec.node_name]
    return placement


def is_updated(owner: DaemonSet, pod: Pod, digest: str) -> bool:
    labels = pod.metadata.labels
    generation = owner.metadata.annotations.get(GENERATION)
    return labels.get(REVISION_LABEL) == digest or (
        generation is not None and labels.get(GENERATION_LABEL) == generation
    )


def max_surge(owner: DaemonSet, nodes: int) -> int:
    rolling = owner.spec.update_strategy.rolling_update
    if owner.spec.update_strategy.type != "RollingUpdate" or rolling is None:
        return 0
    return scaled(rolling.max_surge, nodes, up=True)


def oldest_first(pods: Iterable[Pod]) -> list[Pod]:
    """Bound pods first, then by age and name."""
    return sorted(
        pods,
        key=lambda pod: (
            not pod.spec.node_name,
            pod.metadata.creation_timestamp or _EPOCH,
            pod.metadata.name,
        ),
    )


def daemon_status(
    owner: DaemonSet,
    fits: Mapping[str, Fit],
    pods: Mapping[str, Sequence[Pod]],
    digest: str,
    now: datetime,
    *,
    is_observed: bool,
) -> DaemonSetStatus:
    """The set's status; the generation counts as observed only when the set was acted upon."""
    desired = current = misplaced = ready = available = updated = 0
    for name, fit in fits.items():
        there = pods.get(name)
        if not fit.runs:
            misplaced += bool(there)
            continue
        desired += 1
        if not there:
            continue
        current += 1
        pod = oldest_first(there)[0]
        ready += is_ready(pod)
        available += is_available(pod, owner.spec.min_ready_seconds, now)
        updated += is_updated(owner, pod, digest)
    old = owner.status
    return DaemonSetStatus(
        current_number_scheduled=current,
        number_misscheduled=misplaced,
        desired_number_scheduled=desired,
        number_ready=ready,
        observed_generation=owner.metadata.generation if is_observed else old.observed_generation,
        updated_number_scheduled=updated,
        number_available=available,
        number_unavailable=desired - available,
        collision_count=old.collision_count,
    )


def daemon_pod(owner: DaemonSet, digest: str) -> Object:
    """A pod of the set, not pinned to a node yet."""
    labels = {REVISION_LABEL: digest}
    if (generation := owner.metadata.annotations.get(GENERATION)) is not None:
        labels[GENERATION_LABEL] = generation
    pod = pod_from_template(owner.spec.template, DAEMON_SETS, owner.metadata, labels=labels)
    pod["spec"] = {**pod["spec"], "tolerations": _tolerations(pod["spec"])}
    return pod


def pinned(pod: Object, node: str) -> Object:
    """The pod for one node. Whatever nodes its affinity required, only this one remains."""
    affinity = pod["spec"].get("affinity") or {}
    terms = [{"matchFields": [{"key": _NAME_FIELD, "operator": "In", "values": [node]}]}]
    of_nodes = {**(affinity.get("nodeAffinity") or {}), _REQUIRED: {"nodeSelectorTerms": terms}}
    return {**pod, "spec": {**pod["spec"], "affinity": {**affinity, "nodeAffinity": of_nodes}}}


def _place_one(
    placement: Placement,
    owner: DaemonSet,
    name: str,
    fit: Fit,
    pods: Sequence[Pod] | None,
    digest: str,
    now: datetime,
) -> None:
    if fit.runs and pods is None:
        placement.nodes.append(name)
        return
    staying = [pod for pod in pods or () if pod.metadata.deletion_timestamp is None]
    if not fit.stays:
        placement.delete += staying
        return
    placement.failed += [(pod, name) for pod in staying if pod.status.phase == "Failed"]
    placement.succeeded += [(pod, name) for pod in staying if pod.status.phase == "Succeeded"]
    running = oldest_first(pod for pod in staying if not pod.is_terminal)
    if not max_surge(owner, 1):
        placement.delete += running[1:]
    elif running:
        placement.delete += _surplus(owner, running, digest, now)
    elif fit.runs:
        placement.nodes.append(name)


def _surplus(owner: DaemonSet, running: list[Pod], digest: str, now: datetime) -> list[Pod]:
    """With surge, a new and an old pod may stand side by side until the new one is available."""
    news = [pod for pod in running if pod.metadata.labels.get(REVISION_LABEL) == digest]
    olds = [pod for pod in running if pod.metadata.labels.get(REVISION_LABEL) != digest]
    surplus = news[1:] + olds[1:]
    if news and olds:
        replaced = not is_ready(olds[0])
        if replaced or is_available(news[0], owner.spec.min_ready_seconds, now):
            surplus.append(olds[0])
    return surplus


def _tolerations(spec: Object) -> list[Object]:
    """The template's tolerations and those every pod of a DaemonSet has."""
    tolerations: list[Object] = list(spec.get("tolerations") or ())
    wanted = (*_TOLERATED, _NETWORK) if spec.get("hostNetwork") else _TOLERATED
    for key, effect in wanted:
        added = {"key": key, "operator": "Exists", "effect": effect}
        for at, present in enumerate(tolerations):
            if {**present, "tolerationSeconds": None} == {**added, "tolerationSeconds": None}:
                tolerations[at] = added
                break
        else:
            tolerations.append(added)
    return tolerations


def _pinned(pod: Pod) -> str:
    """The node the pod's affinity names; "" if none."""
    required = ((pod.spec.affinity or {}).get("nodeAffinity") or {}).get(_REQUIRED) or {}
    for term in required.get("nodeSelectorTerms") or ():
        for expression in term.get("matchFields") or ():
            if expression.get("key") == _NAME_FIELD and expression.get("operator") == "In":
                values: list[str] = expression.get("values") or []
                return values[0] if len(values) == 1 else ""
    return ""
