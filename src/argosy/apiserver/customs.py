"""Custom kinds: a CRD that is stored becomes a kind that is served, at once.

Upstream a controller looks at a new CRD some moments after it was created. Here its names are judged in the same
step as its creation, so it is Established in the very answer and its first object can follow immediately. A CRD that
is deleted goes when its last object has gone: until then it is Terminating and takes no new objects.

Versions of a custom kind share their stored bytes unless somebody in this process knows better (`teach`): then objects
are stored in the storage version and converted for those who speak another one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Final

import msgspec

from argosy.api.crds import Dialects, accept_names, kind_from_crd, speaking
from argosy.api.kinds import Kind
from argosy.apiserver import encoding
from argosy.apiserver.access.identities import APISERVER, APISERVER_AGENT
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster, describing
from argosy.apiserver.options import DEFAULTS
from argosy.apiserver.verbs import owning
from argosy.base.errors import MethodNotAllowed
from argosy.base.types import Object
from argosy.store import EVERYTHING, Key, Record

RESOURCE: Final = "customresourcedefinitions.apiextensions.k8s.io"


class _Meta(msgspec.Struct):
    name: str


class _Spec(msgspec.Struct):
    group: str


class _Status(msgspec.Struct, rename="camel"):
    accepted_names: Object | None = None


class _Standing(msgspec.Struct):
    """All that matters of a CRD to another one; their schemas are most of what there is to read."""

    metadata: _Meta
    spec: _Spec
    status: _Status | None = None


_standing: Final = msgspec.json.Decoder(_Standing).decode


class Customs:
    """Keeps a cluster's scheme equal to its CRDs. It is an admission plugin too: it completes a CRD's status."""

    reads: ClassVar = NOTHING
    singly: ClassVar = b""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._kind = cluster.kind("apiextensions.k8s.io", "customresourcedefinitions")
        cluster.committed.setdefault(RESOURCE, []).append(self._changed)
        cluster.admission = (*cluster.admission, self)

    def load(self) -> None:
        """Kinds of all stored CRDs, at start."""
        for record in self._cluster.store.list(RESOURCE, EVERYTHING).records:
            self._serve(encoding.from_bytes(self._kind, record.raw), record.revision)

    def _changed(self, kind: Kind, record: Record, deleted: bool) -> None:
        crd = encoding.from_bytes(kind, record.raw)
        if deleted:
            spec = crd["spec"]
            self._cluster.scheme.remove(spec["group"], spec["names"]["plural"])
        else:
            self._serve(crd, record.revision)

    def _serve(self, crd: Object, revision: int) -> None:
        if _condition(crd, "Established") != "True":
            return
        kind = replace(kind_from_crd(crd), crd_revision=revision)
        dialects = self._cluster.dialects.get((kind.group, kind.kind))
        if dialects is not None:
            kind = speaking(kind, dialects)
        before = self._cluster.scheme.find(kind.group, kind.plural)
        self._cluster.scheme.add(kind)
        if kind.rules.selectable.keys() != (before.rules.selectable.keys() if before else set()):
            self._cluster.store.redescribe(kind.resource, describing([kind]))

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        """No new objects of a kind that is going away."""
        if not call.kind.custom or new is None or old is not None:
            return
        record = cluster.store.latest(Key(RESOURCE, "", call.kind.resource))
        if record is not None and b'"deletionTimestamp"' in record.raw:
            raise MethodNotAllowed(
                "create not allowed while custom resource definition is terminating"
            )

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        if call.kind is not self._kind or new is None or call.subresource:
            return
        before = {**new, "status": new.get("status")}
        new["status"] = judged(cluster, new)
        self._own_status(cluster, call, new, before)

    def _own_status(self, cluster: Cluster, call: Call, new: Object, before: Object) -> None:
        """The status is the server's, whoever writes the CRD."""
        own = replace(
            call, user=APISERVER, subresource="status", agent=APISERVER_AGENT, options=DEFAULTS
        )
        owning.track(cluster, own, new, before)


def teach(cluster: Cluster, group: str, kind: str, dialects: Dialects) -> None:
    """From now on, convert between the versions of a custom kind, be it defined already or later."""
    cluster.dialects[group, kind] = dialects
    found = cluster.scheme.by_kind(group, kind)
    if found is not None:
        cluster.scheme.add(speaking(found, dialects))


def judged(cluster: Cluster, crd: Object) -> Object:
    """A CRD's status, its names judged against those of all others."""
    others = (
        msgspec.to_builtins(_standing(record.raw))
        for record in cluster.store.list(RESOURCE, EVERYTHING).records
        if record.key.name != crd["metadata"]["name"]
    )
    return accept_names(crd, others, cluster.now())


def _condition(crd: Object, kind: str) -> str:
    conditions = (crd.get("status") or {}).get("conditions") or ()
    return next((c["status"] for c in conditions if c["type"] == kind), "")
