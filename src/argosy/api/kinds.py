"""What the server knows of a kind: names, versions, schemas, and the rules Kubernetes applies to its objects.

A `Kind` is one resource of one group (`jobs` of `batch`), built-in or custom. Objects are stored once, in
`storage_version`; other served versions are converted on the way in and out by `Version.to_storage` and
`from_storage` (None where versions differ in apiVersion only, so the stored bytes serve as they are).

`Rules` are the hooks where Kubernetes has code and no schema says it: defaulting, preparing, validating. They work on
plain dicts in the storage version. Order for a create: decode, default, admission, prepare_create, validate, store;
for an update: decode, default, prepare_update(new, old), admission, validate_update.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from argosy.api.schema.structural import Schema
from argosy.base.fielderrors import FieldError
from argosy.base.types import Object

# An object with today's names of fields, and a warning for each of yesterday's that it had. Not in place.
Respell: TypeAlias = Callable[[Object], tuple[Object, list[str]]]

ALL_VERBS: Final = (
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
)


@dataclass(slots=True, frozen=True)
class Rules:
    """Kubernetes' code for one kind. Every hook may change or read its first argument only as its name says."""

    # Fill in what is absent, in place (SetDefaults_*). Runs on every decode of a body, so it must be idempotent.
    default: Callable[[Object], None] | None = None
    # Before validation of a create: drop status, set what the server owns, in place (strategy.PrepareForCreate).
    prepare_create: Callable[[Object], None] | None = None
    # Before validation of an update: restore what this endpoint must not change, in place on the new object
    # (PrepareForUpdate).
    prepare_update: Callable[[Object, Object], None] | None = None
    prepare_status: Callable[[Object, Object], None] | None = None
    validate: Callable[[Object], list[FieldError]] | None = None
    # (new, old): includes everything `validate` checks.
    validate_update: Callable[[Object, Object], list[FieldError]] | None = None
    validate_status: Callable[[Object, Object], list[FieldError]] | None = None
    # Texts for Warning headers: (new, old or None).
    warnings: Callable[[Object, Object | None], list[str]] | None = None
    # The check of metadata.name: texts of what is wrong with it ("" suffix handling for generateName is the
    # caller's).
    name_problems: Callable[[str], list[str]] | None = None
    # Fields besides metadata.name and metadata.namespace that field selectors may use, read from the object.
    selectable: Mapping[str, Callable[[Object], str]] = field(default_factory=dict)
    # The kind's objects may be deleted with a grace period: seconds to wait by default (pods only).
    grace_seconds: Callable[[Object], int] | None = None
    # PUT to a name that does not exist creates it (leases, events, ...: AllowCreateOnUpdate).
    create_on_update: bool = False
    # An update without resourceVersion is taken (AllowUnconditionalUpdate).
    unconditional_update: bool = True
    # metadata.generation counts changes of everything but metadata and status.
    tracks_generation: bool = True


@dataclass(slots=True, frozen=True)
class ScalePaths:
    """Where the scale subresource finds its numbers, as JSON paths such as `.spec.replicas`."""

    spec_replicas: str
    status_replicas: str
    label_selector: str = ""


@dataclass(slots=True, frozen=True)
class Column:
    """One column of `kubectl get`. `path` is a JSONPath for custom kinds; built-in kinds compute their cells in
    `argosy.api.columns`.
    """

    name: str
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0
    path: str = ""


@dataclass(slots=True, frozen=True)
class Version:
    """One served (or only stored) version of a kind."""

    name: str
    schema: Schema
    served: bool = True
    # Subresources by name: "status", "scale", and for built-in kinds "log", "eviction", "binding", "token",
    # "approval", ...
    subresources: frozenset[str] = frozenset()
    scale: ScalePaths | None = None
    columns: tuple[Column, ...] = ()
    selectable_fields: tuple[str, ...] = ()
    deprecated: bool = False
    deprecation_warning: str = ""
    to_storage: Callable[[Object], Object] | None = None
    from_storage: Callable[[Object], Object] | None = None
    # Names that a body may still use, before it is held against the schema. It sees patches too.
    respell: Respell | None = None


@dataclass(slots=True, frozen=True, eq=False)
class Kind:
    """One resource of one API group."""

    group: str
    kind: str
    plural: str
    singular: str
    namespaced: bool
    versions: Mapping[str, Version]
    storage_version: str
    list_kind: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    rules: Rules = Rules()
    # Custom kinds come from a CRD; `uid` of that CRD, "" for built-in kinds.
    crd_uid: str = ""
    # The revision of the CRD. Objects older than it may lack defaults that its schema has gained since.
    crd_revision: int = 0
    # The resource whose stored objects these are, where two groups serve the same ones ("events" for
    # events.k8s.io); "" where the kind keeps its own. Versions of such a kind convert from and to that resource's form.
    stored_as: str = ""

    # `jobs.batch`, `pods`: how messages and the store name it.
    resource: str = field(init=False)
    # The resource under which the store keeps the objects.
    stored_resource: str = field(init=False)
    custom: bool = field(init=False)

    def __post_init__(self) -> None:
        # Asked for many times with every request.
        resource = f"{self.plural}.{self.group}" if self.group else self.plural
        object.__setattr__(self, "resource", resource)
        object.__setattr__(self, "stored_resource", self.stored_as or resource)
        object.__setattr__(self, "custom", bool(self.crd_uid))

    def api_version(self, version: str) -> str:
        return f"{self.group}/{version}" if self.group else version

    @property
    def storage(self) -> Version:
        return self.versions[self.storage_version]

    def serves(self, version: str) -> bool:
        found = self.versions.get(version)
        return found is not None and found.served


class Scheme:
    """The kinds one server knows: the built-in ones, shared, and the custom ones, which come and go with CRDs."""

    def __init__(self, builtin: Iterable[Kind]) -> None:
        self._kinds: dict[tuple[str, str], Kind] = {}
        # Goes up with every change, so that discovery and OpenAPI documents can be cached.
        self.generation = 0
        for kind in builtin:
            self.add(kind)

    def add(self, kind: Kind) -> None:
        self._kinds[kind.group, kind.plural] = kind
        self.generation += 1

    def remove(self, group: str, plural: str) -> None:
        if self._kinds.pop((group, plural), None) is not None:
            self.generation += 1

    def find(self, group: str, plural: str) -> Kind | None:
        return self._kinds.get((group, plural))

    def by_kind(self, group: str, kind: str) -> Kind | None:
        """The resource of a kind. Linear: for owner references and tests, not for requests."""
        return next((k for k in self._kinds.values() if k.group == group and k.kind == kind), None)

    def __iter__(self) -> Iterator[Kind]:
        yield from self._kinds.values()

    def groups(self) -> list[str]:
        return sorted({kind.group for kind in self._kinds.values()})


def prefix_for(kind: Kind, version: str) -> bytes:
    """The opening bytes of one object of a kind: stored bytes carry neither kind nor apiVersion, so that lists and
    every version can share them.
    """
    api_version = kind.api_version(version)
    if kind.custom:
        return f'{{"apiVersion":"{api_version}","kind":"{kind.kind}",'.encode()
    return f'{{"kind":"{kind.kind}","apiVersion":"{api_version}",'.encode()
