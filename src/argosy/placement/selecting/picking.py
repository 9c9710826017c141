"""Which objects a placement selects: a pure reading of its selectors over what is on the hub.

The rules and the words of errors are those of upstream's resource selector, with one difference: an object that two
versions of its kind select is found twice, too. An object that is not there is selected by nobody and is no error.
What comes out is in `ordering`'s order, so it depends on nothing but the selectors and the objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Protocol

from argosy.api.objects.fleet.placements import ResourceIdentifier, ResourceSelectorTerm
from argosy.base.selectors.labels import LabelSelector
from argosy.client.objects import Key
from argosy.client.resources import NAMESPACES, SERVICES, Resource
from argosy.placement.selecting.exclusions import Exclusions
from argosy.placement.selecting.ordering import rank
from argosy.placement.selecting.terms import InvalidSelectors, Term, read_term
from argosy.placement.selecting.watched import Watched


class Hub(Protocol):
    """What is there to be selected."""

    def find(self, group: str, version: str, kind: str) -> Resource | None: ...

    def namespaced(self) -> Iterable[Resource]: ...

    def get(self, resource: Resource, namespace: str, name: str) -> Watched | None: ...

    def within(self, resource: Resource, namespace: str) -> Iterable[Watched]:
        """All objects in a namespace; those of the cluster are in ""."""


class Picked(NamedTuple):
    resource: Resource
    found: Watched

    @property
    def identifier(self) -> ResourceIdentifier:
        return ResourceIdentifier(
            group=self.resource.group,
            version=self.resource.version,
            kind=self.resource.kind,
            name=self.found.name,
            namespace=self.found.namespace,
        )


def pick(
    placement: Key, selectors: Sequence[ResourceSelectorTerm], hub: Hub, exclusions: Exclusions
) -> list[Picked]:
    """What a placement selects, in order. Raises InvalidSelectors."""
    picking = _Picking(placement, hub, exclusions)
    terms = [read_term(each) for each in selectors]
    if not placement.namespace:
        picking.settle_place(terms)
    found: dict[tuple[str, str, str, str], Picked] = {}
    for term in terms:
        for picked in picking.objects(term):
            identity = (
                picked.resource.group,
                picked.resource.kind,
                picked.found.namespace,
                picked.found.name,
            )
            if identity in found:
                raise InvalidSelectors(f"found duplicate resource {_told(picked.identifier)}")
            found[identity] = picked
    return sorted(found.values(), key=_rank)


class _Picking:
    """One selection. `_place` is the namespace where selectors of a placement look, "" if they look in none."""

    def __init__(self, placement: Key, hub: Hub, exclusions: Exclusions) -> None:
        self._placement: Final = placement
        self._hub: Final = hub
        self._exclusions: Final = exclusions
        self._place = placement.namespace

    def settle_place(self, terms: Iterable[Term]) -> None:
        """Find the one namespace that NamespaceWithResourceSelectors asks for, if it does."""
        term = next((each for each in terms if each.is_place), None)
        if term is None:
            return
        names = [
            picked.found.name
            for picked in self._matching(NAMESPACES, term, "")
            if not self._exclusions.has_namespace(picked.found.name)
        ]
        if len(names) != 1:
            count = f"{len(names)} namespaces" if names else "no namespaces"
            raise InvalidSelectors(
                f"invalid clusterResourcePlacement {self._placement.name}: NamespaceWithResourceSelectors mode"
                f" requires exactly one namespace, but {count} were selected"
            )
        (self._place,) = names

    def objects(self, term: Term) -> Iterable[Picked]:
        """Those of one term; none if its kind stays on the hub."""
        resource = self._hub.find(term.group, term.version, term.kind)
        asked = resource or Resource(term.group, term.version, "", term.kind)
        if self._exclusions.has_kind(asked):
            return ()
        if term.is_namespace:
            return self._namespaces(term)
        is_cluster = not self._placement.namespace
        if is_cluster and not self._place and (resource is None or resource.namespaced):
            raise InvalidSelectors(
                f"invalid clusterResourcePlacement {self._placement.name}: cannot select namespace-scoped resource"
                f" {term.group}/{term.kind} without a selected namespace (either missing"
                " NamespaceWithResourceSelectors mode or namespace selector matched no namespaces)"
            )
        if resource is None:
            version = f"{term.group}/{term.version}" if term.group else term.version
            raise InvalidSelectors(
                f"invalid placement {self._placement.namespace or self._place}/{self._placement.name}, failed to get"
                f' GVR of the selector: no matches for kind "{term.kind}" in version "{version}"'
            )
        if resource.namespaced:
            return self._matching(resource, term, self._place)
        if not is_cluster:
            raise InvalidSelectors(
                f"invalid placement {self._placement}: cannot select cluster-scoped resource"
                f" {resource.group}/{resource.version}, Resource={resource.plural} in a resourcePlacement"
            )
        return self._matching(resource, term, "")

    def _namespaces(self, term: Term) -> Iterable[Picked]:
        if self._placement.namespace:
            raise InvalidSelectors(
                f"invalid placement {self._placement}: cannot select cluster-scoped resource Namespace in a"
                " resourcePlacement"
            )
        if not term.has_contents:
            return self._matching(NAMESPACES, term, "")
        names = [term.name] if term.name else sorted(self._named(term.labels))
        return [picked for name in names for picked in self._whole(name)]

    def _named(self, labels: LabelSelector) -> Iterable[str]:
        return (
            each.name for each in self._hub.within(NAMESPACES, "") if labels.matches(each.labels)
        )

    def _whole(self, namespace: str) -> Iterable[Picked]:
        """A namespace and everything in it."""
        if self._exclusions.has_namespace(namespace):
            # The third letter of its second word is upstream's.
            raise InvalidSelectors(
                f"invalid clusterRresourcePlacement {self._placement.name}: namespace {namespace} is not allowed to"
                " propagate"
            )
        itself = self._hub.get(NAMESPACES, "", namespace)
        if itself is None or itself.is_deleting:
            return
        yield Picked(NAMESPACES, itself)
        for resource in self._hub.namespaced():
            if self._exclusions.has_kind(resource):
                continue
            for found in self._hub.within(resource, namespace):
                if self._passes(resource, found):
                    yield Picked(resource, found)

    def _matching(self, resource: Resource, term: Term, namespace: str) -> Iterable[Picked]:
        if term.name:
            named = self._hub.get(resource, namespace, term.name)
            candidates: Iterable[Watched] = () if named is None else (named,)
        else:
            candidates = (
                each
                for each in self._hub.within(resource, namespace)
                if term.labels.matches(each.labels)
            )
        return [Picked(resource, each) for each in candidates if self._passes(resource, each)]

    def _passes(self, resource: Resource, found: Watched) -> bool:
        has_service = (
            resource.plural == "endpoints"
            and self._hub.get(SERVICES, found.namespace, found.name) is not None
        )
        return not self._exclusions.has_object(resource, found, has_service=has_service)


def wanted(
    placement: Key, selectors: Sequence[ResourceSelectorTerm], hub: Hub, exclusions: Exclusions
) -> frozenset[Resource]:
    """The kinds that have to be looked at to know what a placement selects."""
    kinds = set()
    for selector in selectors:
        resource = hub.find(selector.group, selector.version, selector.kind)
        if resource is None or exclusions.has_kind(resource):
            continue
        kinds.add(resource)
        if resource == NAMESPACES and not placement.namespace and read_term(selector).has_contents:
            kinds.update(each for each in hub.namespaced() if not exclusions.has_kind(each))
    if any(each.plural == "endpoints" and not each.group for each in kinds):
        kinds.add(SERVICES)
    return frozenset(kinds)


def _rank(picked: Picked) -> tuple[int, str, str]:
    return rank(picked.resource, picked.found.namespace, picked.found.name)


def _told(identifier: ResourceIdentifier) -> str:
    """As Go prints the struct."""
    return (
        f"{{Group:{identifier.group} Version:{identifier.version} Kind:{identifier.kind} Name:{identifier.name}"
        f" Namespace:{identifier.namespace} Envelope:<nil>}}"
    )
