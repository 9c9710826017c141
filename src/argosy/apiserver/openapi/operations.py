"""Paths and operations of a group and version, in OpenAPI v3.

What clients look for: that a kind can be found by its path (`kubectl explain`), that its patch takes `fieldValidation`
(else kubectl validates by itself) and which patch types it takes (`kubectl apply`), and operation ids (generators of
clients). The /watch/ paths, deprecated since long, are served but not listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from argosy.api.builtin import Subresource, subresources
from argosy.api.kinds import Kind
from argosy.apiserver.openapi.definitions import DELETE_OPTIONS, PATCH, STATUS, reference
from argosy.base.types import Object

_MEDIA_TYPES: Final = ("application/json", "application/yaml")
_PATCHES: Final = (
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
)
_STRATEGIC: Final = "application/strategic-merge-patch+json"


def _query(name: str, kind: str, description: str) -> Object:
    return {
        "name": name,
        "in": "query",
        "description": description,
        "schema": {"type": kind, "uniqueItems": True},
    }


_PRETTY: Final = _query("pretty", "string", "Indent the answer for people.")
_DRY_RUN: Final = _query("dryRun", "string", "All: check and answer, but change nothing.")
_FIELD_MANAGER: Final = _query(
    "fieldManager", "string", "Who is recorded as the writer of the fields."
)
_FIELD_VALIDATION: Final = _query(
    "fieldValidation",
    "string",
    "What to do about unknown and duplicate fields: Ignore, Warn or Strict.",
)
_FORCE: Final = _query("force", "boolean", "Apply even where other managers own the fields.")
_WRITING: Final = (_DRY_RUN, _FIELD_MANAGER, _FIELD_VALIDATION)
_CHOOSING: Final = (
    _query("continue", "string", "Go on with a list where its last page ended."),
    _query("fieldSelector", "string", "Only objects whose fields match."),
    _query("labelSelector", "string", "Only objects whose labels match."),
    _query("limit", "integer", "Most objects in one page."),
    _query("resourceVersion", "string", "The revision to read at or watch from."),
    _query("resourceVersionMatch", "string", "Exact or NotOlderThan."),
    _query("sendInitialEvents", "boolean", "Begin a watch with the objects there are."),
    _query("timeoutSeconds", "integer", "How long to take at most."),
)
_LISTING: Final = (
    _query("allowWatchBookmarks", "boolean", "Send bookmarks while watching."),
    *_CHOOSING,
    _query("watch", "boolean", "Stream changes instead of listing."),
)
_DELETING: Final = (
    _DRY_RUN,
    _query("gracePeriodSeconds", "integer", "Seconds until the object goes; 0 means now."),
    _query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
    _query(
        "propagationPolicy", "string", "What happens to dependents: Orphan, Background, Foreground."
    ),
)
_LOGGING: Final = (
    _query("container", "string", "Which container; needed where there are several."),
    _query("follow", "boolean", "Keep sending what is written."),
    _query("insecureSkipTLSVerifyBackend", "boolean", "Do not check the node's certificate."),
    _query("limitBytes", "integer", "Stop after so many bytes."),
    _query("previous", "boolean", "The log of the container's last run."),
    _query("sinceSeconds", "integer", "Only what is newer than this."),
    _query("stream", "string", "All, Stdout or Stderr."),
    _query("tailLines", "integer", "Only the last lines."),
    _query("timestamps", "boolean", "Put the time before each line."),
)


@dataclass(slots=True, frozen=True)
class _Shape:
    """One verb on one object. `body` and `answer` name types; "" means the object's own."""

    method: str
    # The first word of operation ids.
    word: str
    sentence: str
    codes: tuple[int, ...]
    parameters: tuple[Object, ...] = ()
    has_body: bool = False
    body: str = ""
    answer: str = ""


_SHAPES: Final = {
    "get": _Shape("get", "read", "read {}the specified {}", (200,)),
    "create": _Shape("post", "create", "create {}a {}", (200, 201, 202), _WRITING, has_body=True),
    "update": _Shape(
        "put", "replace", "replace {}the specified {}", (200, 201), _WRITING, has_body=True
    ),
    "patch": _Shape(
        "patch",
        "patch",
        "partially update {}the specified {}",
        (200, 201),
        (*_WRITING, _FORCE),
        has_body=True,
        body=PATCH,
    ),
    "delete": _Shape(
        "delete",
        "delete",
        "delete {}a {}",
        (200, 202),
        _DELETING,
        has_body=True,
        body=DELETE_OPTIONS,
        answer=STATUS,
    ),
}


class Operations:
    """The operations of one kind in one version. `component` and `list_component` name its types."""

    def __init__(self, kind: Kind, version: str, component: str, list_component: str) -> None:
        self._kind = kind
        self._component = component
        self._list_component = list_component
        words = "".join(_capital(part) for part in group_word(kind.group).split("."))
        self._tag = f"{_small(words)}_{version}"
        self._prefix = f"{words}{_capital(version)}"
        self._scope = "Namespaced" if kind.namespaced else ""
        self._version = version
        root = f"/apis/{kind.group}/{version}" if kind.group else f"/api/{version}"
        place = f"{root}/namespaces/{{namespace}}" if kind.namespaced else root
        self._everywhere = f"{root}/{kind.plural}"
        self._collection = f"{place}/{kind.plural}"
        self._item = f"{self._collection}/{{name}}"

    def paths(self) -> Iterator[tuple[str, Object]]:
        kind, verbs = self._kind, frozenset(self._kind.verbs)
        if kind.namespaced and "list" in verbs:
            listing = self._list(f"list{self._prefix}{kind.kind}ForAllNamespaces")
            yield self._everywhere, {"get": listing, "parameters": [_PRETTY]}
        collection = self._collection_operations(verbs)
        if collection:
            yield self._collection, {**collection, "parameters": self._parameters()}
        item = {
            _SHAPES[verb].method: self._single(verb)
            for verb in ("get", "update", "delete", "patch")
            if verb in verbs
        }
        if item:
            yield self._item, {**item, "parameters": self._parameters("name")}
        known = subresources()
        for name in sorted(kind.versions[self._version].subresources):
            yield f"{self._item}/{name}", self._subresource(name, known[name])

    def _collection_operations(self, verbs: frozenset[str]) -> Object:
        out: Object = {}
        if "list" in verbs:
            out["get"] = self._list(f"list{self._prefix}{self._scope}{self._kind.kind}")
        if "create" in verbs:
            out["post"] = self._single("create")
        if "deletecollection" in verbs:
            out["delete"] = self._operation(
                "deletecollection",
                f"delete{self._prefix}Collection{self._scope}{self._kind.kind}",
                f"delete collection of {self._kind.kind}",
                (*_CHOOSING, *_DELETING),
                STATUS,
                (200,),
                body=DELETE_OPTIONS,
            )
        return out

    def _list(self, operation_id: str) -> Object:
        sentence = f"list or watch objects of kind {self._kind.kind}"
        return self._operation(
            "list", operation_id, sentence, _LISTING, self._list_component, (200,)
        )

    def _single(self, verb: str, suffix: str = "", sub: Subresource | None = None) -> Object:
        shape = _SHAPES[verb]
        own = self._component
        if sub is not None and sub.kind:
            own = subresource_component(sub)
        return self._operation(
            shape.method,
            f"{shape.word}{self._prefix}{self._scope}{self._kind.kind}{suffix}",
            shape.sentence.format(f"{suffix.lower()} of " if suffix else "", self._kind.kind),
            _LOGGING if suffix == "Log" else shape.parameters,
            shape.answer or own,
            shape.codes,
            body=(shape.body or own) if shape.has_body else "",
            sub=sub,
        )

    def _subresource(self, name: str, sub: Subresource) -> Object:
        operations = {
            _SHAPES[verb].method: self._single(verb, _capital(name), sub) for verb in sub.verbs
        }
        return {**operations, "parameters": self._parameters("name")}

    def _parameters(self, *more: str) -> list[Object]:
        names = [*more, *(["namespace"] if self._kind.namespaced else [])]
        texts = {
            "name": f"Name of the {self._kind.kind}.",
            "namespace": "Namespace of the objects.",
        }
        path = [
            {
                "name": name,
                "in": "path",
                "description": texts[name],
                "required": True,
                "schema": {"type": "string", "uniqueItems": True},
            }
            for name in names
        ]
        return [*path, _PRETTY]

    def _operation(
        self,
        action: str,
        operation_id: str,
        description: str,
        parameters: Iterable[Object],
        answer: str,
        codes: tuple[int, ...],
        *,
        body: str = "",
        sub: Subresource | None = None,
    ) -> Object:
        out: Object = {
            "tags": [self._tag],
            "description": description,
            "operationId": operation_id,
        }
        listed = list(parameters)
        if listed:
            out["parameters"] = listed
        if body:
            out["requestBody"] = self._request_body(body)
        out["responses"] = {str(code): self._response(code, answer) for code in codes} | {
            "401": {"description": "Unauthorized"}
        }
        out["x-kubernetes-action"] = action
        out["x-kubernetes-group-version-kind"] = self._kind_of(sub)
        return out

    def _kind_of(self, sub: Subresource | None) -> Object:
        """What an operation works on; the server says the custom kind itself even for its scale."""
        own = {"group": self._kind.group, "version": self._version, "kind": self._kind.kind}
        if sub is None or not sub.kind or self._kind.custom:
            return own
        if not sub.group:
            return own | {"kind": sub.kind}
        return {"group": sub.group, "version": sub.version, "kind": sub.kind}

    def _request_body(self, body: str) -> Object:
        types: tuple[str, ...] = _MEDIA_TYPES if self._kind.custom else ("*/*",)
        if body == PATCH:
            types = _PATCHES if self._kind.custom else (*_PATCHES, _STRATEGIC)
        content = {media: {"schema": reference(body)} for media in types}
        required = {} if body == DELETE_OPTIONS else {"required": True}
        return {"content": content, **required}

    def _response(self, code: int, answer: str) -> Object:
        content = {media: {"schema": reference(answer)} for media in _MEDIA_TYPES}
        return {
            "description": {200: "OK", 201: "Created", 202: "Accepted"}[code],
            "content": content,
        }


def subresource_component(sub: Subresource) -> str:
    """The type of a subresource that has a kind of its own."""
    from argosy.api.schema.builtin import type_name

    return type_name(sub.group, sub.version or "v1", sub.kind)


def group_word(group: str) -> str:
    """A group as operation ids and tags name it."""
    return group.removesuffix(".k8s.io") or "core"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]
