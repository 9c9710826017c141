"""OpenAPI: what kubectl reads for `explain`, for validation and to know how fields merge.

    /openapi/v3                 the index: a URL with a hash for every group and version
    /openapi/v3/apis/batch/v1   one group and version: its paths, and all types they need
    /openapi/v2                 everything in one document, in the old format

Documents are made when first asked for, as bytes. Those of built-in groups are the same for every server and live as
long as the process; those with custom kinds are kept per server until a kind in them changes, and servers with the
same custom kinds share one copy. A URL with the hash of the index may be cached for ever; with another hash the client
is sent to the current one (`Document.etag` is the hash).

kubectl takes v3 as JSON, and v2 in a protobuf form of its own (see `gnostic`) where v3 does not name a kind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from argosy.api.builtin import Subresource, subresources
from argosy.api.kinds import Kind, Scheme
from argosy.api.schema.builtin import OBJECT_META
from argosy.apiserver.discovery import Document, group_versions
from argosy.apiserver.openapi import gnostic, swagger
from argosy.apiserver.openapi.definitions import (
    DELETE_OPTIONS,
    LIST_META,
    PATCH,
    STATUS,
    builtin_component,
    closure,
    custom_component,
    encoded,
    list_component,
    references,
)
from argosy.apiserver.openapi.operations import Operations, subresource_component
from argosy.base.types import Object

__all__ = ["OpenAPI"]

_INFO: Final = {"title": "Kubernetes", "version": "1.35"}
_BEARER: Final = {
    "BearerToken": {
        "type": "apiKey",
        "description": "Bearer Token authentication",
        "name": "authorization",
        "in": "header",
    }
}
_DOCUMENTS: Final[WeakValueDictionary[str, Document]] = WeakValueDictionary()
_ALWAYS: Final = (DELETE_OPTIONS, PATCH, STATUS, OBJECT_META, LIST_META)


class OpenAPI:
    """The OpenAPI documents of one server."""

    def __init__(self, scheme: Scheme) -> None:
        self._scheme = scheme
        self._generation = -1
        self._kinds: dict[str, tuple[str, tuple[Kind, ...]]] = {}
        self._custom: dict[str, tuple[tuple[Kind, ...], Document]] = {}
        self._index: Document | None = None
        self._v2: Document | None = None
        self._v2_protobuf: Document | None = None

    def v3_index(self) -> Document:
        """/openapi/v3"""
        self._refresh()
        if self._index is None:
            paths = {}
            for path in sorted(self._kinds):
                document = self.v3(path)
                assert document is not None, path
                url = f"/openapi/v3/{path}?hash={document.etag}"
                paths[path] = {"serverRelativeURL": url}
            self._index = Document(msgspec.json.encode({"paths": paths}))
        return self._index

    def v3(self, path: str) -> Document | None:
        """/openapi/v3/PATH, for `api/v1` or `apis/GROUP/VERSION`; None where nothing is served."""
        self._refresh()
        found = self._kinds.get(path.strip("/"))
        if found is None:
            return None
        version, kinds = found
        if not any(kind.custom for kind in kinds):
            return _builtin_document(kinds, version)
        kept = self._custom.get(path)
        if kept is None or kept[0] != kinds:
            kept = (kinds, _document(kinds, version))
            self._custom[path] = kept
        return kept[1]

    def v2(self) -> Document:
        """/openapi/v2, as JSON."""
        self._refresh()
        if self._v2 is None:
            self._v2 = _swagger(self._kinds.values())
        return self._v2

    def v2_protobuf(self) -> Document:
        """/openapi/v2, as gnostic's protobuf."""
        document = self.v2()
        if self._v2_protobuf is None:
            body = gnostic.encode(msgspec.json.decode(document.body))
            self._v2_protobuf = Document(body, gnostic.CONTENT_TYPE, document.etag)
        return self._v2_protobuf

    def _refresh(self) -> None:
        if self._generation == self._scheme.generation:
            return
        self._kinds = {}
        for group, versions in group_versions(self._scheme).items():
            for version in versions:
                served = [k for k in self._scheme if k.group == group and k.serves(version)]
                path = f"apis/{group}/{version}" if group else f"api/{version}"
                self._kinds[path] = version, tuple(sorted(served, key=lambda kind: kind.plural))
        self._custom = {path: kept for path, kept in self._custom.items() if path in self._kinds}
        self._index = self._v2 = self._v2_protobuf = None
        self._generation = self._scheme.generation


@dataclass(slots=True, frozen=True)
class _Names:
    """The component names of a kind in a version, and of its list."""

    item: str
    items: str


def _names(kind: Kind, version: str) -> _Names:
    schema = kind.versions[version].schema
    if not kind.custom:
        return _Names(schema.name, f"{schema.name}List")
    prefix = f"{'.'.join(reversed(kind.group.split('.')))}.{version}"
    return _Names(f"{prefix}.{kind.kind}", f"{prefix}.{kind.list_kind or f'{kind.kind}List'}")


@lru_cache(maxsize=64)
def _builtin_document(kinds: tuple[Kind, ...], version: str) -> Document:
    return _document(kinds, version)


def _document(kinds: tuple[Kind, ...], version: str) -> Document:
    """One group and version: its paths, its types, and all types they refer to."""
    components = _components(kinds, version)
    paths = _paths(kinds, version)
    body = msgspec.json.encode(
        {
            "openapi": "3.0.0",
            "info": _INFO,
            "paths": dict(sorted(paths.items())),
            "components": {
                "schemas": dict(sorted(components.items())),
                "securitySchemes": _BEARER,
            },
        }
    )
    return _hashed(body)


def _hashed(body: bytes) -> Document:
    """A document by its content: eighty clusters with the same CRDs hold its bytes once."""
    etag = hashlib.sha512(body).hexdigest().upper()
    return _DOCUMENTS.setdefault(etag, Document(body, etag=etag))


def _paths(kinds: Iterable[Kind], version: str) -> Object:
    paths: Object = {}
    for kind in kinds:
        names = _names(kind, version)
        paths.update(Operations(kind, version, names.item, names.items).paths())
    return paths


def _components(kinds: tuple[Kind, ...], version: str) -> dict[str, Object | msgspec.Raw]:
    custom, roots, marked = _own_components(kinds, version)
    out: dict[str, Object | msgspec.Raw] = {name: encoded(name) for name in closure(roots)}
    out.update(custom)
    out.update(marked)
    return out


def _own_components(
    kinds: Iterable[Kind], version: str
) -> tuple[dict[str, Object], set[str], dict[str, Object]]:
    """Components of custom kinds; names of the built-in ones needed; built-in ones that carry their kind's name."""
    custom: dict[str, Object] = {}
    marked: dict[str, Object] = {}
    roots: set[str] = set(_ALWAYS)
    known = subresources()
    for kind in kinds:
        names = _names(kind, version)
        if kind.custom:
            list_kind = names.items.rsplit(".", 1)[1]
            own = custom_component(kind.versions[version].schema, kind.group, version, kind.kind)
            custom[names.item] = own
            custom[names.items] = list_component(
                names.item, kind.group, version, kind.kind, list_kind
            )
            roots.update(name for name in references(own) if name not in custom)
        else:
            marked[names.item] = _marked(names.item, kind.group, version, kind.kind)
            roots.add(names.item)
            if "list" in kind.verbs:
                marked[names.items] = _marked(names.items, kind.group, version, f"{kind.kind}List")
                roots.add(names.items)
        for name in kind.versions[version].subresources:
            sub = known[name]
            if sub.kind:
                component = subresource_component(sub)
                roots.add(component)
                marked.setdefault(component, _marked_subresource(component, sub))
    return custom, roots, marked


def _marked_subresource(component: str, sub: Subresource) -> Object:
    return _marked(component, sub.group, sub.version or "v1", sub.kind)


def _marked(name: str, group: str, version: str, kind: str) -> Object:
    gvk = {"group": group, "kind": kind, "version": version}
    return {**builtin_component(name), "x-kubernetes-group-version-kind": [gvk]}


def _swagger(groups: Iterable[tuple[str, tuple[Kind, ...]]]) -> Document:
    paths: Object = {}
    definitions: Object = {}
    for version, kinds in groups:
        custom, roots, marked = _own_components(kinds, version)
        for name in closure(roots) - definitions.keys():
            definitions[name] = swagger.definition(name, builtin_component(name))
        for name, component in (custom | marked).items():
            definitions[name] = swagger.definition(name, component)
        for path, item in _paths(kinds, version).items():
            paths[path] = swagger.path_item(item)
    body = msgspec.json.encode(
        {
            "swagger": "2.0",
            "info": _INFO,
            "paths": dict(sorted(paths.items())),
            "definitions": dict(sorted(definitions.items())),
            "securityDefinitions": _BEARER,
            "security": [{"BearerToken": []}],
        }
    )
    return _hashed(body)
