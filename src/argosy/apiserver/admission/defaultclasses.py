"""DefaultStorageClass and DefaultIngressClass: a claim or an ingress that names no class gets the cluster's default.

The default class is the one with the annotation that says so; of several, the newest, and among those of one second the
first by name.
"""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster
from argosy.base.types import Object

# By resource: the classes' group and plural, and the field that names one.
_CLASSES: Final = {
    "persistentvolumeclaims": ("storage.k8s.io", "storageclasses", "storageClassName"),
    "ingresses.networking.k8s.io": ("networking.k8s.io", "ingressclasses", "ingressClassName"),
}
_ANNOTATIONS: Final = {
    "storageclasses": "storageclass.kubernetes.io/is-default-class",
    "ingressclasses": "ingressclass.kubernetes.io/is-default-class",
}
_OLD_INGRESS: Final = "kubernetes.io/ingress.class"


class DefaultClass:
    """Classes are few; they are read when an object without one comes."""

    reads: ClassVar = NOTHING
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        found = _CLASSES.get(call.kind.resource)
        if found is None or call.subresource or new is None or old is not None:
            return
        group, plural, field = found
        spec = new.setdefault("spec", {})
        if spec.get(field) is not None or _OLD_INGRESS in (
            new["metadata"].get("annotations") or {}
        ):
            return
        name = _default(cluster, group, plural)
        if name:
            spec[field] = name

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        """Nothing to check."""


def _default(cluster: Cluster, group: str, plural: str) -> str:
    kind = cluster.kind(group, plural)
    annotation = _ANNOTATIONS[plural]
    marked = []
    for key in cluster.store.keys(kind.resource):
        record = cluster.store.latest(key)
        if record is not None and annotation.encode() in record.raw:
            meta = encoding.from_bytes(kind, record.raw)["metadata"]
            if (meta.get("annotations") or {}).get(annotation) == "true":
                marked.append(meta)
    if not marked:
        return ""
    newest = max(meta.get("creationTimestamp", "") for meta in marked)
    return min(str(m["name"]) for m in marked if m.get("creationTimestamp", "") == newest)
