"""The hub as placements select from it: its kinds, its objects, and who has to select again when one changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from argosy.api.objects.fleet.placements import Placement, ResourceSelectorTerm
from argosy.client.objects import Key
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS, NAMESPACES, Resource
from argosy.control.arrivals import Definition
from argosy.control.assemblies import Assembly
from argosy.placement.selecting.catalogs import Catalog
from argosy.placement.selecting.exclusions import Exclusions
from argosy.placement.selecting.interests import Interests
from argosy.placement.selecting.picking import Picked, pick, wanted
from argosy.placement.selecting.selections import Selection, selection
from argosy.placement.selecting.terms import read_term
from argosy.placement.selecting.watched import Watched
from argosy.placement.selecting.watching import Watches

Selectors: TypeAlias = tuple[ResourceSelectorTerm, ...]


class Sources:
    """Selects for placements. `changed` hears of each that may select something else now."""

    def __init__(
        self, assembly: Assembly, exclusions: Exclusions, changed: Callable[[Key], None]
    ) -> None:
        self._exclusions: Final = exclusions
        self._changed = changed
        self._catalog: Final = Catalog()
        self._interests: Final = Interests()
        self._watches: Final = Watches(assembly, self._object_changed, changed)
        # What each placement looks for, and in which edition of the catalog it was looked up.
        self._known: dict[Key, tuple[Selectors, int]] = {}
        self._edition = 0
        self._definitions: Final = assembly.informer(CUSTOM_RESOURCE_DEFINITIONS, Definition)
        self._definitions.add_handler(self._definition_changed)

    # For the controllers.

    def select(self, placement: Placement) -> Selection | None:
        """What a placement selects now, as it is passed on; see `pick`."""
        picked = self.pick(placement)
        return None if picked is None else selection(picked)

    def pick(self, placement: Placement) -> list[Picked] | None:
        """What a placement selects now; None while that is not known: `changed` will be called for it.

        Raises InvalidSelectors.
        """
        key = Key(*placement.metadata.key)
        selectors = placement.spec.resource_selectors
        self._look_for(key, selectors)
        if not self._watches.is_synced(key):
            return None
        picked = pick(key, selectors, self, self._exclusions)
        self._interests.select(key, (each.identifier for each in picked))
        return picked

    def drop(self, key: Key) -> None:
        """Forget a placement."""
        if self._known.pop(key, None) is not None:
            self._interests.drop(key)
            self._watches.forget(key)

    def _look_for(self, key: Key, selectors: Selectors) -> None:
        """Know what a placement looks for, and begin to follow it."""
        known = (selectors, self._edition)
        if self._known.get(key) == known:
            return
        terms = [read_term(each) for each in selectors]
        self._interests.put(key, terms)
        self._watches.want(key, wanted(key, selectors, self, self._exclusions))
        self._known[key] = known

    # For the selection.

    def find(self, group: str, version: str, kind: str) -> Resource | None:
        return self._catalog.find(group, version, kind)

    def namespaced(self) -> Iterable[Resource]:
        return self._catalog.namespaced()

    def get(self, resource: Resource, namespace: str, name: str) -> Watched | None:
        return self._watches.get(resource, namespace, name)

    def within(self, resource: Resource, namespace: str) -> list[Watched]:
        return self._watches.within(resource, namespace)

    # What changes.

    def _object_changed(self, resource: Resource, old: Watched | None, new: Watched | None) -> None:
        kind = (resource.group, resource.kind)
        concerned: set[Key] = set()
        for each in (old, new):
            if each is None:
                continue
            key = Key(each.namespace, each.name)
            concerned |= self._interests.concerned(kind, key, each.labels)
            if each.namespace:
                home = self._watches.get(NAMESPACES, "", each.namespace)
                labels = home.labels if home is not None else {}
                concerned |= self._interests.holding(each.namespace, labels)
        for placement in sorted(concerned):
            self._changed(placement)

    def _definition_changed(self, old: Definition | None, new: Definition | None) -> None:
        if new is not None:
            kinds = self._catalog.put(new)
        elif old is not None:
            kinds = self._catalog.drop(old.metadata.name)
        else:
            return
        if not kinds:
            return
        self._edition += 1
        for resource in self._watches.followed():
            if (resource.group, resource.kind) in kinds and not self._catalog.serves(resource):
                self._watches.end(resource)
        concerned = set().union(*(self._interests.naming(kind) for kind in kinds))
        concerned |= self._interests.takes_contents()
        for placement in sorted(concerned):
            self._changed(placement)
