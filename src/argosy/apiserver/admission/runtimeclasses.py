"""RuntimeClass: a pod that names a class gets its overhead and goes where it can run."""

from __future__ import annotations

from typing import ClassVar

from argosy.apiserver.admission.naming import forbidden
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.base.fielderrors import quote
from argosy.base.types import Object

_MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
_UNFOUNDED = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


class RuntimeClass:
    """New pods only. A class is read when a pod names it."""

    reads: ClassVar = frozenset({"runtimeclasses.node.k8s.io"})
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if call.kind.resource != "pods" or call.subresource or new is None or old is not None:
            return
        spec = new.get("spec") or {}
        name = spec.get("runtimeClassName")
        overhead = None
        if name is not None:
            found = cluster.latest(cluster.kind("node.k8s.io", "runtimeclasses"), "", name)
            if found is None:
                raise forbidden(call, new, f"pod rejected: RuntimeClass {quote(name)} not found")
            _schedule(call, new, found.get("scheduling") or {})
            overhead = (found.get("overhead") or {}).get("podFixed")
            if overhead and not spec.get("overhead"):
                spec["overhead"] = dict(overhead)
        if spec.get("overhead") and spec["overhead"] != (overhead or {}):
            raise forbidden(call, new, _MISMATCH if overhead else _UNFOUNDED)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        """Nothing more to check."""


def _schedule(call: Call, pod: Object, scheduling: Object) -> None:
    spec = pod["spec"]
    for key, value in sorted((scheduling.get("nodeSelector") or {}).items()):
        chosen = spec.setdefault("nodeSelector", {}).setdefault(key, value)
        if chosen != value:
            raise forbidden(
                call, pod,
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {chosen}",
            )  # fmt: skip
    tolerations = spec.get("tolerations") or []
    added = [one for one in scheduling.get("tolerations") or () if one not in tolerations]
    if added:
        spec["tolerations"] = [*tolerations, *added]
