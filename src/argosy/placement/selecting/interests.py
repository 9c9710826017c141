"""Which placements an object concerns: those whose selectors may match it, and those that selected it last.

A change of one object asks a few dicts: by kind, place and name; by kind, place and one label that a selector asks for;
by namespace for placements that take a namespace with all it holds. Only selectors without any label that must have
exactly one value are tried one by one, and only those of the object's own kind and place. So the cost follows the
placements concerned, however many there are beside them. An object that matches no more is found through what was
selected last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias, TypeVar

from argosy.api.objects.fleet.placements import ResourceIdentifier
from argosy.base.selectors.labels import LabelSelector
from argosy.client.objects import Key
from argosy.client.resources import NAMESPACES
from argosy.placement.selecting.terms import Term

_K = TypeVar("_K")

_ANYWHERE: Final = "*"
_CONTENTS: Final = ("", "contents")

# Group and kind.
Kind: TypeAlias = tuple[str, str]


class _Place(NamedTuple):
    """Objects of a kind in a namespace. The contents of namespaces are found by the namespaces' own names."""

    kind: Kind
    namespace: str


class _Entry(NamedTuple):
    """Where an interest stands in an index: under a name, a label's value, or among all of the place."""

    place: _Place
    name: str
    label: tuple[str, str] | None
    selector: LabelSelector


class Interests:
    """The indexes of all placements."""

    def __init__(self) -> None:
        self._entries: dict[Key, list[_Entry]] = {}
        self._named: dict[tuple[_Place, str], set[Key]] = {}
        self._labeled: dict[tuple[_Place, tuple[str, str]], dict[Key, list[LabelSelector]]] = {}
        self._loose: dict[_Place, dict[Key, list[LabelSelector]]] = {}
        self._selected: dict[Key, frozenset[tuple[Kind, Key]]] = {}
        self._selectors: dict[tuple[Kind, Key], set[Key]] = {}

    # Feeding.

    def put(self, placement: Key, terms: Iterable[Term]) -> None:
        """Know what a placement looks for."""
        self._withdraw(placement)
        terms = list(terms)
        place = placement.namespace
        if not place:
            place = next((each.name or _ANYWHERE for each in terms if each.is_place), "")
        entries = self._entries[placement] = []
        for term in terms:
            kind = (term.group, term.kind)
            # Whether a kind lives in namespaces may change with its definition, so both places count.
            places = {""} if term.is_namespace else {"", place}
            entries += [_entry(_Place(kind, each), term) for each in places]
            if term.has_contents:
                entries.append(_entry(_Place(_CONTENTS, ""), term))
        for entry in entries:
            self._add(placement, entry)

    def select(self, placement: Key, selected: Iterable[ResourceIdentifier]) -> None:
        """Know what a placement selected last."""
        now = frozenset(
            ((each.group, each.kind), Key(each.namespace, each.name)) for each in selected
        )
        before = self._selected.get(placement, frozenset())
        self._selected[placement] = now
        for gone in before - now:
            _discard(self._selectors, gone, placement)
        for come in now - before:
            self._selectors.setdefault(come, set()).add(placement)

    def drop(self, placement: Key) -> None:
        """Forget a placement."""
        self.select(placement, ())
        del self._selected[placement]
        self._withdraw(placement)

    def _withdraw(self, placement: Key) -> None:
        for entry in self._entries.pop(placement, ()):
            if entry.name:
                _discard(self._named, (entry.place, entry.name), placement)
            elif entry.label is not None:
                _remove(self._labeled, (entry.place, entry.label), placement)
            else:
                _remove(self._loose, entry.place, placement)

    def _add(self, placement: Key, entry: _Entry) -> None:
        if entry.name:
            self._named.setdefault((entry.place, entry.name), set()).add(placement)
            return
        if entry.label is not None:
            found = self._labeled.setdefault((entry.place, entry.label), {})
        else:
            found = self._loose.setdefault(entry.place, {})
        found.setdefault(placement, []).append(entry.selector)

    # Asking.

    def concerned(self, kind: Kind, key: Key, labels: dict[str, str]) -> set[Key]:
        """The placements that select an object, or did, by itself."""
        found = set(self._selectors.get((kind, key), ()))
        for namespace in (key.namespace, _ANYWHERE) if key.namespace else ("",):
            found |= self._matching(_Place(kind, namespace), key.name, labels)
        if kind == (NAMESPACES.group, NAMESPACES.kind):
            found |= self.holding(key.name, labels)
        return found

    def holding(self, namespace: str, labels: dict[str, str]) -> set[Key]:
        """The placements that take everything in a namespace with these labels."""
        return self._matching(_Place(_CONTENTS, ""), namespace, labels)

    def takes_contents(self) -> set[Key]:
        """The placements that take all of some namespace."""
        return {
            key
            for key, entries in self._entries.items()
            if any(entry.place.kind == _CONTENTS for entry in entries)
        }

    def naming(self, kind: Kind) -> set[Key]:
        """The placements with a selector for a kind. Asked when a kind comes or goes, so it looks at all of them."""
        return {
            key
            for key, entries in self._entries.items()
            if any(entry.place.kind == kind for entry in entries)
        }

    def _matching(self, place: _Place, name: str, labels: dict[str, str]) -> set[Key]:
        found = set(self._named.get((place, name), ()))
        for label in labels.items():
            if (labeled := self._labeled.get((place, label))) is not None:
                found |= _that_match(labeled, labels)
        if (loose := self._loose.get(place)) is not None:
            found |= _that_match(loose, labels)
        return found


def _entry(place: _Place, term: Term) -> _Entry:
    exact = term.labels.exact
    label = min(exact.items()) if exact else None
    return _Entry(place, term.name, label, term.labels)


def _that_match(candidates: dict[Key, list[LabelSelector]], labels: dict[str, str]) -> set[Key]:
    return {
        key
        for key, selectors in candidates.items()
        if any(selector.matches(labels) for selector in selectors)
    }


def _discard(index: dict[_K, set[Key]], at: _K, key: Key) -> None:
    found = index.get(at)
    if found is not None:
        found.discard(key)
        if not found:
            del index[at]


def _remove(index: dict[_K, dict[Key, list[LabelSelector]]], at: _K, key: Key) -> None:
    found = index.get(at)
    if found is not None:
        found.pop(key, None)
        if not found:
            del index[at]
