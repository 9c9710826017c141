"""The built-in kinds, put together from three sources: facts, schemas and rules.

Facts (names, scope, verbs, subresources) are read from `data/kinds.json`, one line per resource. Schemas come from
`argosy.api.schema.builtin`, rules from `argosy.api.rules` and `argosy.api.crds`. All are loaded when `builtin_kinds` is
first called, so importing this module costs nothing. The result is shared by every cluster in the process and never
changes.

Two kinds of entries need a caller's attention:

* Virtual resources (`is_virtual`): reviews and bindings, which take `create`, answer at once and store nothing, and
  component statuses, which are made when somebody looks.
* `events.k8s.io` events are the core events under another name: `Kind.stored_as` says so, and the kind's only
  version converts between the two forms. Rules of that kind work, like those of core, on the stored (core) form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from argosy.api.kinds import ALL_VERBS, Kind, Rules, ScalePaths, Version
from argosy.base.types import Object

# The selector is an object here, not the string a CRD's path leads to.
_SCALE: Final = ScalePaths(".spec.replicas", ".status.replicas", ".spec.selector")


class Subresource(msgspec.Struct, frozen=True):
    """What discovery says of a subresource; an empty `kind` means that of the resource itself."""

    verbs: tuple[str, ...]
    kind: str = ""
    group: str = ""
    version: str = ""


class _Resource(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    group: str
    kind: str
    plural: str
    namespaced: bool
    # The first is the one stored, and the one preferred.
    versions: tuple[str, ...]
    verbs: tuple[str, ...] = ALL_VERBS
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[str, ...] = ()
    stored_as: str = ""
    # kube-apiserver hashes this version into storageVersionHash, where it is not the one stored here.
    hashed_as: str = ""


class _Facts(msgspec.Struct, frozen=True):
    subresources: dict[str, Subresource]
    resources: tuple[_Resource, ...]


@cache
def _facts() -> _Facts:
    raw = files("argosy.api").joinpath("data/kinds.json").read_bytes()
    return msgspec.json.decode(raw, type=_Facts)


@cache
def builtin_kinds() -> tuple[Kind, ...]:
    """Every built-in kind that is served, core first. Built once per process."""
    return tuple(_kind(resource) for resource in _facts().resources)


def subresources() -> Mapping[str, Subresource]:
    """Verbs and kinds of subresources by name; the same for every resource that has one of that name."""
    return _facts().subresources


def is_virtual(kind: Kind) -> bool:
    """Whether objects of the kind are answered and never stored (reviews, bindings, component statuses), or there are
    none at all (kinds that are there for a subresource only).
    """
    return kind.verbs in {("create",), ("get", "list"), ()}


@cache
def through(kind: Kind, subresource: str) -> Kind:
    """A kind as one of its subresources treats it: the same objects, under other rules where it has its own."""
    if kind.group or kind.kind != "Pod":
        return kind
    from argosy.api.rules.pods.subresources import SUBRESOURCES

    rules = SUBRESOURCES.get(subresource)
    return replace(kind, rules=rules) if rules is not None else kind


@cache
def hashed_version(group: str, plural: str) -> str:
    """The version kube-apiserver puts into a built-in resource's storageVersionHash; "" means the stored one."""
    return next(
        (r.hashed_as for r in _facts().resources if (r.group, r.plural) == (group, plural)), ""
    )


def _kind(resource: _Resource) -> Kind:
    return Kind(
        group=resource.group,
        kind=resource.kind,
        plural=resource.plural,
        singular=resource.kind.lower(),
        namespaced=resource.namespaced,
        versions={name: _version(resource, name) for name in resource.versions},
        storage_version=resource.versions[0],
        list_kind=f"{resource.kind}List",
        short_names=resource.short_names,
        categories=resource.categories,
        verbs=resource.verbs,
        rules=_rules(resource.group, resource.kind),
        stored_as=resource.stored_as,
    )


def _rules(group: str, kind: str) -> Rules:
    if group == "apiextensions.k8s.io":
        from argosy.api.crds import RULES

        return RULES
    from argosy.api.rules import rules_for

    return rules_for(group, kind)


def _version(resource: _Resource, name: str) -> Version:
    from argosy.api.schema.builtin import builtin_schema, type_name

    to_storage, from_storage = _conversions(resource.group, resource.kind, name)
    return Version(
        name=name,
        schema=builtin_schema(type_name(resource.group, name, resource.kind)),
        subresources=frozenset(resource.subresources),
        scale=_SCALE if "scale" in resource.subresources else None,
        to_storage=to_storage,
        from_storage=from_storage,
    )


_Convert = Callable[[Object], Object] | None


def _conversions(group: str, kind: str, version: str) -> tuple[_Convert, _Convert]:
    match group, kind, version:
        case "events.k8s.io", "Event", "v1":
            from argosy.api.conversions import events

            return events.to_core, events.from_core
        case "autoscaling", "HorizontalPodAutoscaler", "v1":
            from argosy.api.conversions import autoscaling

            return autoscaling.v1_to_v2, autoscaling.v2_to_v1
    return None, None
