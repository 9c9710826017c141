"""What the scheduler knows of a pod, compiled once for all pods that are alike.

A profile joins the pod's class towards nodes (`nodefit`) with what concerns other pods: namespace, labels, priority,
terms of affinity, spread constraints, claims. Pods with one profile get the same answers, so they are decided as a
batch. Labels that number the pods of an owner (an index, the name) would make each pod unlike its siblings; they are
left out unless the pod's own rules read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from weakref import WeakValueDictionary

from argosy.api.nodefit import PodClass, PodClasses
from argosy.api.nodefit.terms import (
    NUMBERING,
    AffinityTerms,
    Constraint,
    affinity_terms,
    constraints,
)
from argosy.api.objects import Pod
from argosy.base.types import Object

_NO_LABELS: Final[Mapping[str, str]] = {}


class Profile:
    """Compared by identity; `Profiles` gives alike pods the same one."""

    __slots__ = (
        "__weakref__", "claims", "hard", "labels", "namespace", "never_preempts", "node_class",
        "owner", "priority", "soft", "terms",
    )  # fmt: skip

    def __init__(
        self,
        node_class: PodClass,
        priority: int,
        *,
        never_preempts: bool,
        namespace: str = "",
        labels: Mapping[str, str] = _NO_LABELS,
        claims: tuple[tuple[str, bool], ...] = (),
        owner: tuple[str, str] = ("", ""),
    ) -> None:
        self.node_class: Final = node_class
        self.priority: Final = priority
        self.never_preempts: Final = never_preempts
        # Empty for a profile that stands for pods of any namespace, whatever their labels and owners.
        self.namespace: Final = namespace
        self.labels: Final = labels
        self.claims: Final = claims
        self.owner: Final = owner
        self.terms: Final[AffinityTerms] = affinity_terms(node_class.affinity, self.namespace)
        compiled = constraints(node_class.spread, labels)
        self.hard: Final[tuple[Constraint, ...]] = tuple(c for c in compiled if c.is_hard)
        # None: the pod says nothing about spreading, and the cluster's default counts.
        self.soft: Final[tuple[Constraint, ...] | None] = (
            tuple(c for c in compiled if not c.is_hard) if compiled else None
        )


class Profiles:
    """Finds the profile of a pod."""

    def __init__(self) -> None:
        self._classes = PodClasses()
        self._profiles: WeakValueDictionary[tuple[object, ...], Profile] = WeakValueDictionary()

    def of(self, pod: Pod) -> Profile:
        spec = pod.spec
        node_class = self._classes.of(pod)
        labels = pod.metadata.labels
        if not NUMBERING.isdisjoint(labels) and not _reads_numbers(node_class):
            labels = {key: value for key, value in labels.items() if key not in NUMBERING}
        namespace, priority, never_preempts, mounted, owner = (
            pod.metadata.namespace,
            spec.priority or 0,
            spec.preemption_policy == "Never",
            claims(pod),
            _owner(pod),
        )
        key = (
            id(node_class),
            priority,
            never_preempts,
            namespace,
            frozenset(labels.items()),
            mounted,
            owner,
        )
        found = self._profiles.get(key)
        if found is None:
            found = self._profiles[key] = Profile(
                node_class,
                priority,
                never_preempts=never_preempts,
                namespace=namespace,
                labels=labels,
                claims=mounted,
                owner=owner,
            )
        return found

    def anonymous(self, profile: Profile) -> Profile:
        """The profile of all pods that are to nodes as this one is: of any namespace, owner and labels."""
        key = (id(profile.node_class), profile.priority, profile.never_preempts)
        found = self._profiles.get(key)
        if found is None:
            found = self._profiles[key] = Profile(
                profile.node_class, profile.priority, never_preempts=profile.never_preempts
            )
        return found


def claims(pod: Pod) -> tuple[tuple[str, bool], ...]:
    """The names of the claims a pod mounts, and whether each is made for it alone."""
    found = []
    for volume in pod.spec.volumes:
        if (claim := volume.get("persistentVolumeClaim")) is not None:
            found.append((claim.get("claimName", ""), False))
        elif volume.get("ephemeral") is not None:
            found.append((f"{pod.metadata.name}-{volume.get('name', '')}", True))
    return tuple(found)


def _owner(pod: Pod) -> tuple[str, str]:
    owner = pod.metadata.controller
    return (owner.kind, owner.name) if owner is not None else ("", "")


def _reads_numbers(node_class: PodClass) -> bool:
    """Whether the pod's own rules look at labels that number pods."""
    rules: list[Object] = [node_class.affinity, *node_class.spread]
    text = repr(rules) if any(rules) else ""
    return any(label in text for label in NUMBERING)
