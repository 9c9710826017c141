"""The manifests of a Work, read: what each is, where it goes, or why it cannot be applied at all.

A manifest is known by group, version, kind, namespace and name. Its place in the Work is told, but says nothing: the
hub may add manifests before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from argosy.api.objects.fleet.works import AppliedResource, WorkResourceIdentifier
from argosy.base.types import Json, Object
from argosy.client.resources import Resource
from argosy.member.applying.reasons import ResultType

Identity = tuple[str, str, str, str, str]


@dataclass(slots=True, frozen=True)
class Manifest:
    """`failure` is the kind of result that is known already, `error` why."""

    identifier: WorkResourceIdentifier
    obj: Object
    resource: Resource | None = None
    failure: ResultType | None = None
    error: str = ""

    @property
    def identity(self) -> Identity | None:
        return identity(self.identifier)


def identity(found: WorkResourceIdentifier | AppliedResource) -> Identity | None:
    """What a manifest is known by; None for one that could not be read and has only its place."""
    if not found.version and not found.group:
        return None
    return (found.group, found.version, found.kind, found.namespace, found.name)


# The resource that serves a group, version and kind; None if nothing does.
Find = Callable[[str, str, str], Resource | None]


def read(raws: Iterable[msgspec.Raw], find: Find) -> list[Manifest]:
    """The manifests in the order of the Work; each after the first of the same identity is a duplicate."""
    seen: set[Identity] = set()
    out = []
    for ordinal, raw in enumerate(raws):
        manifest = _read(ordinal, bytes(raw), find)
        known = manifest.identity
        if known is not None and manifest.failure is None:
            if known in seen:
                error = "a duplicate manifest has been found"
                manifest = replace(manifest, failure=ResultType.DUPLICATED, error=error)
            seen.add(known)
        out.append(manifest)
    return out


_decode: Final = msgspec.json.Decoder().decode


def _read(ordinal: int, raw: bytes, find: Find) -> Manifest:
    try:
        obj: Json = _decode(raw)
    except msgspec.DecodeError as error:
        return _unread(ordinal, f"failed to unmarshal JSON: {error}")
    if not isinstance(obj, dict) or not obj.get("kind"):
        return _unread(
            ordinal, f"failed to unmarshal JSON: Object 'Kind' is missing in '{raw.decode()}'"
        )
    api_version, kind, meta = _text(obj, "apiVersion"), _text(obj, "kind"), obj.get("metadata")
    group, _, version = api_version.rpartition("/")
    meta = meta if isinstance(meta, dict) else {}
    resource = find(group, version, kind)
    identifier = WorkResourceIdentifier(
        ordinal,
        group,
        version,
        kind,
        resource.plural if resource is not None else "",
        _text(meta, "namespace"),
        _text(meta, "name"),
    )
    if resource is None:
        problem = (
            "failed to decode manifest: failed to find GVR from member cluster client REST mapping: "
            f'no matches for kind "{kind}" in version "{api_version}"'
        )
        return Manifest(identifier, obj, None, ResultType.DECODING_ERRED, problem)
    if not identifier.name and _text(meta, "generateName"):
        problem = "objects with only generate name are not supported"
        return Manifest(identifier, obj, resource, ResultType.FOUND_GENERATE_NAME, problem)
    return Manifest(identifier, obj, resource)


def _unread(ordinal: int, problem: str) -> Manifest:
    identifier = WorkResourceIdentifier(ordinal)
    return Manifest(
        identifier, {}, None, ResultType.DECODING_ERRED, f"failed to decode manifest: {problem}"
    )


def _text(found: Object, field: str) -> str:
    value = found.get(field)
    return value if isinstance(value, str) else ""
