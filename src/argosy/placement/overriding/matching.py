"""Which overrides concern the objects of a placement, and which of those a cluster.

An override of cluster-scoped objects finds them by group, version, kind and name. One that selects a Namespace also
concerns every selected object that lives there. An override of a namespace finds objects of that namespace. Objects
inside envelopes count like others; who reads them is `identities`.

An override that names a placement concerns that one alone. Only the latest snapshot of an override counts; while a new
one is being marked, two may be, and the higher index is meant.

Mirrors KubeFleet's pkg/utils/overrider, but for one thing: what has no namespace is taken for cluster-scoped, since
objects in snapshots always tell theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeVar

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.overrides import (
    NAMESPACED,
    ClusterResourceOverrideSnapshot,
    OverridePolicy,
    OverrideRule,
    PlacementRef,
    ResourceOverrideSnapshot,
)
from argosy.api.objects.fleet.placements import NamespacedName
from argosy.api.objects.metadata import LabelSelector
from argosy.base.selectors.labels import SelectorError, from_object
from argosy.client.objects import Key
from argosy.placement.picks import Picked
from argosy.placement.views import index_of

_S = TypeVar("_S", ClusterResourceOverrideSnapshot, ResourceOverrideSnapshot)


class Identified(NamedTuple):
    """An object, as overrides name it. Cluster-scoped ones have no namespace."""

    group: str
    version: str
    kind: str
    namespace: str
    name: str

    @property
    def found_by(self) -> Identified:
        """What an override of the cluster selects to reach it: itself, or the namespace it lives in."""
        return namespace_of(self.namespace) if self.namespace else self


def namespace_of(name: str) -> Identified:
    return Identified("", "v1", "Namespace", "", name)


class Matched(NamedTuple):
    """The overrides of a placement's objects, whatever the cluster."""

    cluster_overrides: tuple[ClusterResourceOverrideSnapshot, ...] = ()
    overrides: tuple[ResourceOverrideSnapshot, ...] = ()


NOTHING_MATCHED: Final = Matched()


def matching(
    placement: Key,
    resources: Iterable[Identified],
    cluster_snapshots: Iterable[ClusterResourceOverrideSnapshot],
    namespaced_snapshots: Iterable[ResourceOverrideSnapshot],
) -> Matched:
    """The overrides, of all there are, that concern these objects of this placement."""
    cluster_wide = [each for each in latest(cluster_snapshots) if _is_for(each, placement)]
    namespaced = [each for each in latest(namespaced_snapshots) if _is_for(each, placement)]
    if not cluster_wide and not namespaced:
        return NOTHING_MATCHED
    present = set(resources)
    found_by = {each.found_by for each in present}
    return Matched(
        tuple(each for each in cluster_wide if not found_by.isdisjoint(selected(each))),
        tuple(each for each in namespaced if not present.isdisjoint(selected(each))),
    )


def for_cluster(matched: Matched, member: MemberCluster) -> Picked:
    """Those of the overrides that have a rule for this cluster, by name, in the order they are applied in."""
    labels = member.metadata.labels
    cluster_wide = [
        each.metadata.name
        for each in matched.cluster_overrides
        if _concerns(each.spec.override_spec.policy, labels)
    ]
    namespaced = [
        each.metadata.key
        for each in matched.overrides
        if _concerns(each.spec.override_spec.policy, labels)
    ]
    return Picked(
        tuple(sorted(cluster_wide)),
        tuple(NamespacedName(name, namespace) for namespace, name in sorted(namespaced)),
    )


def latest(snapshots: Iterable[_S]) -> list[_S]:
    """One snapshot of each override: that with the highest index among those marked as latest."""
    found: dict[tuple[str, str], _S] = {}
    for each in snapshots:
        meta = each.metadata
        if meta.labels.get(names.IS_LATEST) != "true":
            continue
        key = (meta.namespace, meta.labels.get(names.PARENT_OVERRIDE, meta.name))
        other = found.get(key)
        if other is None or _index(other) < _index(each):
            found[key] = each
    return list(found.values())


def selected(
    snapshot: ClusterResourceOverrideSnapshot | ResourceOverrideSnapshot,
) -> list[Identified]:
    """What an override selects."""
    if isinstance(snapshot, ClusterResourceOverrideSnapshot):
        return [
            Identified(each.group, each.version, each.kind, "", each.name)
            for each in snapshot.spec.override_spec.cluster_resource_selectors
        ]
    namespace = snapshot.metadata.namespace
    return [
        Identified(each.group, each.version, each.kind, namespace, each.name)
        for each in snapshot.spec.override_spec.resource_selectors
    ]


def holds(rule: OverrideRule, labels: Mapping[str, str]) -> bool:
    """Whether a rule is for a cluster with these labels; without a selector it is for none, without terms for all.

    `SelectorError` if a selector makes no sense.
    """
    if rule.cluster_selector is None:
        return False
    terms = rule.cluster_selector.cluster_selector_terms
    return not terms or any(_selects(term.label_selector, labels) for term in terms)


def _selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    if selector is None:
        return False
    return from_object(msgspec.to_builtins(selector)).matches(labels)


def _concerns(policy: OverridePolicy | None, labels: Mapping[str, str]) -> bool:
    """Whether a rule is for the cluster. One that makes no sense is for nobody: others must not suffer from it."""
    for rule in policy.override_rules if policy is not None else ():
        try:
            if holds(rule, labels):
                return True
        except SelectorError:
            continue
    return False


def _is_for(
    snapshot: ClusterResourceOverrideSnapshot | ResourceOverrideSnapshot, placement: Key
) -> bool:
    named = snapshot.spec.override_spec.placement
    return named is None or _meant(named, snapshot.metadata.namespace) == placement


def _meant(named: PlacementRef, namespace: str) -> Key:
    return Key(namespace if named.scope == NAMESPACED else "", named.name)


def _index(snapshot: ClusterResourceOverrideSnapshot | ResourceOverrideSnapshot) -> int:
    return index_of(snapshot, names.OVERRIDE_INDEX)
