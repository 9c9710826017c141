"""NamespaceLifecycle: nothing new in a namespace that is not there or is ending; three namespaces never end."""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.base import errors
from argosy.base.errors import Cause, Details
from argosy.base.types import Object
from argosy.store import Key

IMMORTAL: Final = frozenset({"default", "kube-system", "kube-public"})


class NamespaceLifecycle:
    """Terminating namespaces are few, so whether one is ending is read from the namespace itself."""

    reads: ClassVar = frozenset({"namespaces"})
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if call.kind.resource == "namespaces":
            if call.verb == "delete" and call.name in IMMORTAL:
                raise call.forbidden("this namespace may not be deleted")
            return
        if new is None or old is not None or not call.kind.namespaced:
            return
        record = cluster.store.latest(Key("namespaces", "", call.namespace))
        if record is None:
            raise errors.not_found("", "namespaces", call.namespace)
        if b'"deletionTimestamp"' in record.raw:
            namespace = encoding.from_bytes(cluster.kind("", "namespaces"), record.raw)
            if namespace["metadata"].get("deletionTimestamp"):
                self._refuse(call, new)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        """Nothing more to check."""

    def _refuse(self, call: Call, new: Object) -> None:
        name = new["metadata"].get("name") or new["metadata"].get("generateName", "")
        error = errors.forbidden(
            call.kind.group, call.kind.plural, name,
            f"unable to create new content in namespace {call.namespace} because it is being terminated",
        )  # fmt: skip
        cause = Cause(
            "NamespaceTerminating",
            f"namespace {call.namespace} is being terminated",
            "metadata.namespace",
        )
        error.details = Details(
            name=name, group=call.kind.group, kind=call.kind.plural, causes=(cause,)
        )
        raise error
