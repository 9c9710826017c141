"""Objects made from one template are alike: what was checked of one is remembered for the next.

A Job makes thousands of pods that differ in name and little else. The content of a new object (everything but
metadata) is decoded against its schema, validated and broken down into owned fields once; the next object with
byte-equal content gets all that from here, and so does a later change of the metadata of any of them. Only pure
results about which there was nothing to say are kept, keyed by everything they depend on, so a hit and a miss can
never differ (tests/unit/apiserver/test_remembering.py). Defaults are filled in each time: some depend on metadata.

The host name of a pod (an indexed Job gives each pod its own) and the name of its node are no part of its content:
rules look at them by themselves, and all that can matter of a good one is that it is there.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from argosy.api.kinds import Kind
from argosy.api.schema.structural import Schema
from argosy.base.names import is_dns1123_label, is_dns1123_subdomain
from argosy.base.types import Json, Object
from argosy.store import Meta

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST: Final = 512
# Bigger contents are rarely repeated and would crowd out the others.
LARGEST_BYTES: Final = 32 * 1024

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_HEAD: Final = frozenset({"metadata", "apiVersion", "kind"})
# Kinds that come in many copies and whose rules judge content by itself. Rules of others look at name or namespace too
# (a CRD's name follows from its spec, an event belongs where its object is): their verdicts hold for one object only.
_ALIKE: Final = frozenset({"pods", "configmaps", "secrets"})
_HOST: Final = "hostname"
# What `spared` may leave out.
_SPARED: Final = frozenset({"labels", "annotations", "ownerReferences"})
_SMALL_BYTES: Final = 4096
# Annotations with names of Kubernetes' own that no rule reads; Jobs give them to their pods.
_INERT: Final = frozenset({
    "batch.kubernetes.io/job-completion-index", "batch.kubernetes.io/job-index-failure-count",
    "batch.kubernetes.io/job-index-ignored-failure-count",
})  # fmt: skip


class Content:
    """One remembered content: its decoded form, and verdicts that hold for it."""

    __slots__ = ("_decoded", "_fields", "_valid")

    def __init__(self, decoded: bytes) -> None:
        self._decoded = decoded
        self._valid: set[Hashable] = set()
        self._fields: dict[Hashable, Json] = {}

    def fresh(self, given: Object) -> Object:
        """The content of `given` as decoded, not yet defaulted; the caller's own."""
        obj: Object = _decode(self._decoded)
        host = _host(given)
        if host:
            obj["spec"][_HOST] = host
        return obj

    def is_valid(self, obj: Object) -> bool:
        """Whether an object with this content and metadata like this has passed validation without a warning."""
        return _seen_by_rules(obj) in self._valid

    def note_valid(self, obj: Object) -> None:
        if len(self._valid) < MOST:
            self._valid.add(_seen_by_rules(obj))

    def fields(self, obj: Object) -> Json | None:
        """The fields a creator of such an object owns, as FieldsV1. Shared: never change it."""
        return self._fields.get(_shape(obj))

    def note_fields(self, obj: Object, fields: Json) -> None:
        if len(self._fields) < MOST:
            self._fields[_shape(obj)] = fields


class Pool(dict[K, V]):
    """Results of a pure function by what they depend on. Emptied when it is full: what is in use comes back soon, and
    nothing has to be noted when something is found.
    """

    LIMIT: ClassVar[int] = 4096

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= self.LIMIT:
            self.clear()
        super().__setitem__(key, value)


# A custom object's uid and generation, and the revision of its CRD.
SteadyKey: TypeAlias = tuple[str, int, int]


class Steadies(Pool[SteadyKey, bool]):
    """One for each custom object of a busy cluster; keys are small."""

    LIMIT: ClassVar[int] = 1 << 15


class Outcome(NamedTuple):
    """What a write made of a pod (`verbs.repeating`): its finalizers, managedFields and status (None: as it was), with
    numbers for values that are the pod's own, and its selectable fields that changed: to a value, or to an own one.
    """

    finalizers: bytes
    managed: bytes
    status: bytes | None
    fields: dict[str, str]
    own_fields: tuple[tuple[str, int], ...]


# Subresource, finalizers, managedFields, spec, status, what is asked for, writer, second.
OutcomeKey: TypeAlias = tuple[str, bytes, bytes, bytes, bytes, bytes, str, str]


class Outcomes(Pool[OutcomeKey, Outcome]):
    """Keys are some kilobytes each and good for one second."""

    LIMIT: ClassVar[int] = 256


class Original(NamedTuple):
    """A new pod that others are copies of (`verbs.copying`): its bytes without name, revision and uid."""

    prefix: str
    pieces: tuple[bytes, bytes, bytes, bytes]
    meta: Meta


# managedFields and changes (both with placeholders), writer, version, subresource, the rank of the second among the
# times of entries, and the schema of a custom kind.
OwnersKey: TypeAlias = tuple[bytes, bytes, str, str, str, int, Schema | None]

# Body, namespace, writer, second, and the last change of what admission reads.
OriginalKey: TypeAlias = tuple[bytes, str, str, str, int]


class Originals(Pool[OriginalKey, Original]):
    """Keys are bodies, and good for one second."""

    LIMIT: ClassVar[int] = 64


class Memory:
    """What one server has seen."""

    def __init__(self) -> None:
        self._contents: dict[Hashable, Content] = {}
        self._updates: Pool[Hashable, bool] = Pool()
        self._metadata: Pool[Hashable, bool] = Pool()
        # For patches: lists of a status as decoded, by schema, field and bytes; sets of fields by their bytes; what
        # two lists of conditions differ in; managedFields after a write by all they follow from.
        self.lists: Pool[tuple[str, str, bytes], bytes] = Pool()
        self.fields: Pool[tuple[Schema | None, bytes], tuple[Json, bytes]] = Pool()
        self.comparisons: Pool[tuple[Schema, bytes, bytes], Json] = Pool()
        # For creates: the fields a creator owns, by `outline`. Shared: never change them.
        self.outlines: Pool[Hashable, Json] = Pool()
        self.owners: Pool[OwnersKey, bytes] = Pool()
        # Custom objects whose content may stay as it is without a word (`api.crds.parts`), by `steady_key`.
        self.steadies = Steadies()
        self.outcomes = Outcomes()
        self.originals = Originals()

    # Contents of new objects.

    def key(self, kind: Kind, version: str, obj: Object) -> Hashable | None:
        """What an object's content is remembered by; None where it is not worth it."""
        if kind.resource not in _ALIKE:
            return None
        host = _host(obj) if kind.resource == "pods" else ""
        if host and is_dns1123_label(host):
            return None
        raw = _encode(_content(obj, host))
        return (kind.resource, version, bool(host), raw) if len(raw) <= LARGEST_BYTES else None

    def find(self, key: Hashable) -> Content | None:
        return self._contents.get(key)

    def keep(self, key: Hashable, obj: Object) -> Content:
        """Remember the content of a decoded object about which there was nothing to say."""
        content = Content(_encode(_content(obj, _host(obj))))
        if len(self._contents) >= MOST:
            del self._contents[next(iter(self._contents))]
        self._contents[key] = content
        return content

    def outline(self, kind: Kind, version: str, obj: Object) -> Hashable | None:
        """All that the fields a creator owns follow from, for objects that are like others in form and not in content
        (events): the keys, and which values are empty. None where lists, whose items may be owned one by one, or the
        schemas of custom kinds, which change, have a say.
        """
        if kind.custom:
            return None
        content = _outline(obj, _HEAD)
        return None if content is None else (kind.resource, version, content, _shape(obj))

    # Updates that leave the content of a custom object alone.

    def steady_key(self, kind: Kind, obj: Object) -> SteadyKey:
        """What tells a custom object's content, and the schema it is held against: every change of the one counts in
        its generation, every change of the other in the revision of the CRD.
        """
        meta = obj["metadata"]
        return meta.get("uid", ""), meta.get("generation", 0), kind.crd_revision

    # Updates that change nothing but metadata.

    def update_key(self, kind: Kind, new: Object, old: Object) -> Hashable | None:
        """All that the rules of a pod look at in an update that leaves its spec alone, beside what metadata's own
        checks do; None for every other update.
        """
        spec = new.get("spec")
        if kind.resource != "pods" or not spec or spec != old.get("spec"):
            return None
        host, node = spec.get(_HOST, ""), spec.get("nodeName", "")
        if (host and is_dns1123_label(host)) or (node and is_dns1123_subdomain(node)):
            return None
        content = {
            field: value for field, value in spec.items() if field not in {_HOST, "nodeName"}
        }
        return (
            _encode(content),
            bool(host),
            bool(node),
            _seen_by_rules(new),
            _annotations(old["metadata"]),
        )

    def is_good_update(self, key: Hashable) -> bool:
        return key in self._updates

    def note_update(self, key: Hashable) -> None:
        self._updates[key] = True

    # Metadata that was checked before.

    def spared(self, obj: Object) -> Object:
        """`obj` without the labels, annotations and owners that metadata's checks have found good before.

        Labels are checked one by one; annotations too, but for their size altogether, so only few and small ones are
        spared.
        """
        meta, known = obj["metadata"], self._metadata
        left: Object = {field: value for field, value in meta.items() if field not in _SPARED}
        if labels := meta.get("labels"):
            rest = {pair[0]: pair[1] for pair in labels.items() if pair not in known}
            if rest:
                left["labels"] = rest
        if annotations := meta.get("annotations"):
            if _is_small(annotations):
                rest = {
                    key: value
                    for key, value in annotations.items()
                    if not _is_inert(key) or (key, None) not in known
                }
                if rest:
                    left["annotations"] = rest
            else:
                left["annotations"] = annotations
        if (owners := meta.get("ownerReferences")) and _encode(owners) not in known:
            left["ownerReferences"] = owners
        return {**obj, "metadata": left}

    def note_metadata(self, obj: Object) -> None:
        """Metadata's checks had nothing to say about this object."""
        meta, known = obj["metadata"], self._metadata
        for pair in (meta.get("labels") or {}).items():
            if pair not in known:
                known[pair] = True
        for key in meta.get("annotations") or ():
            if (key, None) not in known:
                known[key, None] = True
        if owners := meta.get("ownerReferences"):
            raw = _encode(owners)
            if len(raw) <= _SMALL_BYTES and raw not in known:
                known[raw] = True


def _outline(value: Object, but: frozenset[str] = frozenset()) -> Hashable | None:
    found: list[Hashable] = []
    for key, item in value.items():
        if key in but:
            continue
        if item.__class__ is dict:
            below = _outline(item)
            if below is None:
                return None
            found.append((key, below))
        elif not item:
            # Not the value alone: 0 and False are equal, and an empty list can be no key.
            found.append((key, item.__class__, None if item.__class__ is list else item))
        elif item.__class__ is list:
            return None
        else:
            found.append(key)
    return tuple(found)


def _host(obj: Object) -> str:
    spec = obj.get("spec")
    host = spec.get(_HOST) if spec.__class__ is dict else None
    return host if host.__class__ is str else ""


def _content(obj: Object, host: str) -> Object:
    content = {field: value for field, value in obj.items() if field not in _HEAD}
    if host:
        content["spec"] = {
            field: value for field, value in content["spec"].items() if field != _HOST
        }
    return content


def _is_inert(annotation: str) -> bool:
    """Whether no rule of any kind reads an annotation: those that are read have names of Kubernetes' own."""
    return "kubernetes.io" not in annotation or annotation in _INERT


def _annotations(meta: Object) -> Hashable:
    return tuple(pair for pair in (meta.get("annotations") or {}).items() if not _is_inert(pair[0]))


def _is_small(annotations: Object) -> bool:
    return len(annotations) <= 8 and all(
        len(value) <= _SMALL_BYTES for value in annotations.values()
    )


def _seen_by_rules(obj: Object) -> Hashable:
    """All of the metadata that a kind's rules look at beyond what metadata's own checks do.

    Of a good name only its length and whether it has dots can matter: names are put together with others (claims of
    ephemeral volumes), and a pod's name becomes a host name. A pod's labels matter where its spec speaks of the labels
    of pods; other kinds' rules look at none.
    """
    meta, spec = obj["metadata"], obj.get("spec") or {}
    name = meta.get("name", "")
    selects = "affinity" in spec or "topologySpreadConstraints" in spec
    return (
        len(name),
        "." in name,
        tuple((meta.get("labels") or {}).items()) if selects else (),
        _annotations(meta),
    )


def _shape(obj: Object) -> Hashable:
    """What of metadata shows in owned fields: keys of maps, and items of lists."""
    meta = obj["metadata"]
    return (
        tuple(field for field in meta if field != "managedFields"),
        tuple(meta.get("labels") or ()),
        tuple(meta.get("annotations") or ()),
        tuple(meta.get("finalizers") or ()),
        tuple(tuple(owner.items()) for owner in meta.get("ownerReferences") or ()),
    )
