"""The resources that scenarios name by their plural."""

from __future__ import annotations

from argosy.client import resources
from argosy.client.resources import Resource

_BY_PLURAL: dict[str, Resource] = {
    value.plural: value for value in vars(resources).values() if isinstance(value, Resource)
}


def resource(plural: str) -> Resource:
    return _BY_PLURAL[plural]


def resource_of(kind: str) -> Resource:
    return next(found for found in _BY_PLURAL.values() if found.kind == kind)
