"""A CRD object into a `Kind`: names, versions, schemas, subresources, columns.

Names are those the CRD was granted (`status.acceptedNames`), or those it asks for while nothing is granted yet. A root
schema is completed with apiVersion, kind and metadata, which every resource has, so that server-side apply and
patches know how metadata's lists merge; what the CRD itself says of metadata stays the judge of its values.

Versions differ in apiVersion only, so `to_storage` and `from_storage` stay unset; a version that knows less than the
stored one leaves that out (`narrowing`), and kinds whose versions differ in more get theirs from `dialects`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import msgspec

from argosy.api.crds.narrowing import narrowing
from argosy.api.crds.ranking import version_rank
from argosy.api.kinds import Column, Kind, Rules, ScalePaths, Version
from argosy.api.rules.names import is_dns1123_subdomain, is_qualified_name
from argosy.api.schema.builtin import OBJECT_META, builtin_schema
from argosy.api.schema.parsing import parse_schema
from argosy.api.schema.structural import Schema
from argosy.base.fielderrors import quote
from argosy.base.types import Json, Object

AGE: Final = Column(
    "Age",
    "date",
    path=".metadata.creationTimestamp",
    description="When the object was created, as the server's clock had it.",
)
_STANDARD_FINALIZERS: Final = frozenset(("orphan", "foregroundDeletion", "kubernetes"))
# By their documents; emptied when there are many, because what is in use comes back soon.
_SCHEMAS: Final[dict[bytes, Schema]] = {}
_MOST_SCHEMAS: Final = 512


def kind_from_crd(crd: Object) -> Kind:
    """The kind a valid CRD defines."""
    spec: Object = crd["spec"]
    asked: Object = spec["names"]
    granted: Object = (crd.get("status") or {}).get("acceptedNames") or {}
    names = granted if granted.get("plural") and granted.get("kind") else asked
    kind = names["kind"]
    versions = {version["name"]: _version(version, spec, kind) for version in spec["versions"]}
    storage = next(version["name"] for version in spec["versions"] if version.get("storage"))
    stored = versions[storage].schema
    versions = {
        name: replace(version, from_storage=narrowing(stored, version.schema))
        for name, version in versions.items()
    }
    return Kind(
        group=spec["group"],
        kind=kind,
        plural=names["plural"],
        singular=names.get("singular") or kind.lower(),
        namespaced=spec["scope"] == "Namespaced",
        versions=versions,
        storage_version=storage,
        list_kind=names.get("listKind") or f"{kind}List",
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        rules=_rules(versions, storage),
        crd_uid=crd["metadata"].get("uid", ""),
    )


def _version(version: Object, spec: Object, kind: str) -> Version:
    subresources: Object = version.get("subresources") or {}
    deprecated = bool(version.get("deprecated"))
    warning = version.get("deprecationWarning")
    if deprecated and warning is None:
        warning = _deprecation(version["name"], spec, kind)
    return Version(
        name=version["name"],
        schema=_shared((version.get("schema") or {}).get("openAPIV3Schema") or {}),
        served=bool(version.get("served")),
        subresources=frozenset(
            name for name in ("status", "scale") if subresources.get(name) is not None
        ),
        scale=_scale(subresources.get("scale")),
        columns=tuple(map(_column, version.get("additionalPrinterColumns") or ())) or (AGE,),
        selectable_fields=tuple(
            field["jsonPath"] for field in version.get("selectableFields") or ()
        ),
        deprecated=deprecated,
        deprecation_warning=warning or "" if deprecated else "",
    )


def _deprecation(name: str, spec: Object, kind: str) -> str:
    """The warning of a deprecated version, which names the best version above it."""
    group = spec["group"]
    text = f"{group}/{name} {kind} is deprecated"
    better = [
        other["name"]
        for other in spec["versions"]
        if other.get("served")
        and not other.get("deprecated")
        and version_rank(other["name"]) < version_rank(name)
    ]
    if not better:
        return text
    return f"{text}; use {group}/{min(better, key=version_rank)} {kind}"


def _shared(document: Object) -> Schema:
    """`resource_schema`, made once for all clusters of the process that have the same."""
    raw = msgspec.json.encode(document, order="deterministic")
    found = _SCHEMAS.get(raw)
    if found is None:
        if len(_SCHEMAS) >= _MOST_SCHEMAS:
            _SCHEMAS.clear()
        found = _SCHEMAS[raw] = resource_schema(document)
    return found


def resource_schema(document: Object) -> Schema:
    """The schema of a whole resource: the CRD's own, with what every resource has."""
    schema = parse_schema(document)
    own = schema.properties.get("metadata") or Schema(type="object")
    schema.properties = {
        "apiVersion": Schema(type="string"),
        "kind": Schema(type="string"),
        **schema.properties,
        "metadata": _metadata(own),
    }
    return schema


def _metadata(own: Schema) -> Schema:
    shape = builtin_schema(OBJECT_META)
    return replace(
        shape, restriction=own, pruner=None, defaulter=None, checker=None, holds_resources=False
    )


def _scale(scale: Object | None) -> ScalePaths | None:
    if scale is None:
        return None
    return ScalePaths(
        scale["specReplicasPath"], scale["statusReplicasPath"], scale.get("labelSelectorPath") or ""
    )


def _column(column: Object) -> Column:
    return Column(
        name=column["name"],
        type=column["type"],
        format=column.get("format", ""),
        description=column.get("description", ""),
        priority=column.get("priority", 0),
        path=column["jsonPath"],
    )


def _rules(versions: dict[str, Version], storage: str) -> Rules:
    has_status = "status" in versions[storage].subresources
    selectable = {
        path.removeprefix("."): _field_reader(path)
        for version in versions.values()
        for path in version.selectable_fields
    }
    return Rules(
        prepare_create=_drop_status if has_status else None,
        prepare_update=_keep_status if has_status else None,
        prepare_status=_only_status if has_status else None,
        warnings=finalizer_warnings,
        name_problems=is_dns1123_subdomain,
        selectable=selectable,
        unconditional_update=False,
    )


def _drop_status(new: Object) -> None:
    new.pop("status", None)


def _keep_status(new: Object, old: Object) -> None:
    if "status" in old:
        new["status"] = old["status"]
    else:
        new.pop("status", None)


def _only_status(new: Object, old: Object) -> None:
    """Everything from the old object but the status, and who manages which field."""
    given, metadata = "status" in new, dict(old["metadata"])
    status, managed = new.get("status"), new.get("metadata", {}).get("managedFields")
    if managed is None:
        metadata.pop("managedFields", None)
    else:
        metadata["managedFields"] = managed
    new.clear()
    new.update(old)
    new["metadata"] = metadata
    new.pop("status", None)
    if given:
        new["status"] = status


def _field_reader(path: str) -> Callable[[Object], str]:
    names = path.removeprefix(".").split(".")

    def read(obj: Object) -> str:
        value: Json = obj
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        if value is None or isinstance(value, (dict, list)):
            return ""
        return str(value).lower() if isinstance(value, bool) else str(value)

    return read


def finalizer_warnings(new: Object, old: Object | None) -> list[str]:
    """Warnings about finalizers just added whose names may clash with others'."""
    added = new["metadata"].get("finalizers")
    if not added:
        return []
    before = old["metadata"].get("finalizers") or () if old is not None else ()
    warnings: list[str] = []
    for name in sorted(set(added).difference(before)):
        shown = f"metadata.finalizers: {quote(name)}"
        warnings += [f"{shown}: {problem}" for problem in is_qualified_name(name)]
        if "/" not in name and name not in _STANDARD_FINALIZERS:
            path = " including a path (/)" if "." in name else ""
            warnings.append(
                f"{shown}: prefer a domain-qualified finalizer name{path} to avoid accidental conflicts with other "
                "finalizer writers"
            )
    return warnings
