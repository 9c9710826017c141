"""The selectors of a placement, read once: which objects of which kind, and where they are looked for.

A placement of a namespace selects there. One of the cluster selects what belongs to no namespace; a Namespace may bring
along all it holds, or (NamespaceWithResourceSelectors) be the place where the other selectors look.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import msgspec

from argosy.api.objects.fleet.placements import (
    NAMESPACE_ONLY,
    NAMESPACE_WITH_SELECTORS,
    ResourceSelectorTerm,
)
from argosy.base.selectors.labels import LabelSelector, SelectorError, everything, from_object
from argosy.client.resources import NAMESPACES

# Upstream's words before everything that a user has to put right.
_CLIENT_ERROR: Final = "failed to process the request due to a client error: "


class InvalidSelectors(Exception):
    """The user has to change the selectors; the text says why, in upstream's words."""

    def __init__(self, problem: str) -> None:
        super().__init__(_CLIENT_ERROR + problem)


@dataclass(slots=True, frozen=True)
class Term:
    """One selector: the object of a name, or those whose labels match."""

    group: str
    version: str
    kind: str
    name: str
    labels: LabelSelector
    scope: str

    @property
    def is_namespace(self) -> bool:
        return (self.group, self.version, self.kind) == ("", NAMESPACES.version, NAMESPACES.kind)

    @property
    def has_contents(self) -> bool:
        """Whether a Namespace is selected with everything in it."""
        return self.is_namespace and self.scope not in {NAMESPACE_ONLY, NAMESPACE_WITH_SELECTORS}

    @property
    def is_place(self) -> bool:
        """Whether it names the namespace in which other terms look."""
        return self.is_namespace and self.scope == NAMESPACE_WITH_SELECTORS


@lru_cache(maxsize=4096)
def _labels(text: bytes) -> LabelSelector:
    return from_object(msgspec.json.decode(text))


def read_term(selector: ResourceSelectorTerm) -> Term:
    """Raises InvalidSelectors for labels that nobody understands."""
    labels = everything()
    if selector.label_selector is not None:
        try:
            labels = _labels(msgspec.json.encode(selector.label_selector))
        except SelectorError as error:
            problem = f"cannot convert the label selector to a selector: {error}"
            raise InvalidSelectors(problem) from error
    return Term(
        selector.group,
        selector.version,
        selector.kind,
        selector.name,
        labels,
        selector.selection_scope,
    )
