"""`Cluster`: one embedded cluster's state and services, without any verb or socket.

Everything that serves one cluster hangs here: its store, the kinds it knows, time, ids, admission. The verbs (in
`verbs/`) work on it; HTTP and the local client call the verbs. Many clusters live in one process and share what is
immutable: built-in kinds and their schemas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final, Protocol

import msgspec

from argosy.api.builtin import builtin_kinds
from argosy.api.crds import Dialects
from argosy.api.kinds import Kind, Scheme
from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.remembering import Memory
from argosy.base.clock import Clock
from argosy.base.ids import Ids
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.store import Key, Meta, Record, Store, describe

# Told of a write that is visible: its kind, the record, and whether the object is gone.
Committed = Callable[[Kind, Record, bool], None]


# The answer of a plugin depends on nothing but the pod it is asked about.
NOTHING: Final = frozenset[str]()


class Admission(Protocol):
    """One admission plugin. It may change `new` in `admit` and refuse in either; both are synchronous, so a check
    and the write that follows are one step.
    """

    # The resources that its answer about a new pod depends on, beside the pod.
    reads: ClassVar[frozenset[str]]
    # What is in the bytes of those pods that it treats one by one; b"" where it treats all alike.
    singly: ClassVar[bytes]

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        """Before validation: fill in or refuse. `new` is None for deletes."""

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        """After validation, last before the write: refuse or take note (quota)."""


class Cluster:
    """See the module's docstring. `store` must have been opened with `describing(...)` so that restarts index the
    same fields.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock,
        ids: Ids,
        scheme: Scheme | None = None,
        admission: Sequence[Admission] = (),
    ) -> None:
        self.store = store
        self.clock = clock
        self.ids = ids
        self.scheme = scheme or Scheme(builtin_kinds())
        self.admission = tuple(admission)
        self.memory = Memory()
        # How versions of custom kinds differ, by group and kind. `customs.teach` adds to it.
        self.dialects: dict[tuple[str, str], Dialects] = {}
        # Called after a write is visible, by stored resource. Keeps derived state (custom kinds, RBAC) exact before
        # the writer gets its answer.
        self.committed: dict[str, list[Committed]] = {}

    @property
    def admission(self) -> tuple[Admission, ...]:
        """The plugins, in the order in which they are asked."""
        return self._admission

    @admission.setter
    def admission(self, plugins: tuple[Admission, ...]) -> None:
        self._admission = plugins
        self.read_by_admission = NOTHING.union(*(each.reads for each in plugins))
        self.treated_singly = tuple(each.singly for each in plugins if each.singly)

    def now(self) -> str:
        return format_time(self.clock.now())

    def latest(self, kind: Kind, namespace: str, name: str) -> Object | None:
        """The newest state of an object, writes on their way included."""
        record = self.store.latest(Key(kind.stored_resource, namespace, name))
        return encoding.from_bytes(kind, record.raw) if record is not None else None

    def kind(self, group: str, plural: str) -> Kind:
        """A kind that must exist (built-in)."""
        found = self.scheme.find(group, plural)
        assert found is not None, f"no kind {plural}.{group}"
        return found


_metadata = msgspec.json.Decoder()


def describing(kinds: Sequence[Kind]) -> Callable[[str, bytes], Meta]:
    """The `describe` a store needs to rebuild its indexes from bytes."""
    selecting = {kind.stored_resource: kind for kind in kinds if kind.rules.selectable}

    def describe_record(resource: str, raw: bytes) -> Meta:
        kind = selecting.get(resource)
        if kind is None:
            return describe(resource, raw)
        return encoding.meta_of(kind, _metadata.decode(raw))

    return describe_record
