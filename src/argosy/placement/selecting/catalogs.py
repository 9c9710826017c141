"""Which kinds the hub has: the built-in ones and those of CustomResourceDefinitions.

A selector names group, version and kind. Upstream knows a kind by its preferred version only; here any served version
will do, and objects are passed on in the version that was asked for. Where nobody names a version, as for all that is
in a namespace, it is the preferred one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Final

from argosy.api.builtin import builtin_kinds, is_virtual
from argosy.client.resources import Resource
from argosy.control.arrivals import Definition


class Catalog:
    """The kinds there are at this moment."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], tuple[Resource, ...]] = dict(_builtin())
        # The kind that each definition brought along, by the definition's name.
        self._defined: dict[str, tuple[str, str]] = {}

    def put(self, definition: Definition) -> frozenset[tuple[str, str]]:
        """Take over a definition; returns the group and kind of whatever is served otherwise now."""
        name = definition.metadata.name
        resources = definition.resources
        kind = (definition.spec.group, definition.spec.names.kind)
        changed = set()
        if (before := self._defined.get(name)) is not None and before != kind:
            self._kinds.pop(before, None)
            changed.add(before)
        if self._kinds.get(kind, ()) != resources:
            changed.add(kind)
        if resources:
            self._kinds[kind] = resources
            self._defined[name] = kind
        else:
            self._kinds.pop(kind, None)
            self._defined.pop(name, None)
        return frozenset(changed)

    def drop(self, name: str) -> frozenset[tuple[str, str]]:
        """Forget the definition of this name; returns what it brought along."""
        kind = self._defined.pop(name, None)
        if kind is None:
            return frozenset()
        self._kinds.pop(kind, None)
        return frozenset({kind})

    def find(self, group: str, version: str, kind: str) -> Resource | None:
        """The resource that a selector means."""
        for resource in self._kinds.get((group, kind), ()):
            if resource.version == version:
                return resource
        return None

    def serves(self, resource: Resource) -> bool:
        return resource in self._kinds.get((resource.group, resource.kind), ())

    def namespaced(self) -> Iterable[Resource]:
        """What may live in a namespace, each kind in its preferred version."""
        return (each[0] for each in self._kinds.values() if each and each[0].namespaced)


_WATCHABLE: Final = frozenset({"list", "watch"})


@cache
def _builtin() -> tuple[tuple[tuple[str, str], tuple[Resource, ...]], ...]:
    return tuple(
        (
            (kind.group, kind.kind),
            tuple(
                Resource(kind.group, version, kind.plural, kind.kind, kind.namespaced)
                for version in kind.versions
            ),
        )
        for kind in builtin_kinds()
        if not is_virtual(kind) and frozenset(kind.verbs) >= _WATCHABLE and not kind.stored_as
    )
