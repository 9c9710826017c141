"""Priority: from the name of a PriorityClass to the number schedulers compare, and at most one default class."""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.api.kinds import Kind
from argosy.apiserver import encoding
from argosy.apiserver.admission.naming import forbidden
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.base.types import Object
from argosy.store import Key, Record

RESOURCE: Final = "priorityclasses.scheduling.k8s.io"


class Priority:
    """The class of a pod is read when it comes; which one is the default is looked for again only after a class has
    changed.
    """

    reads: ClassVar = frozenset({"priorityclasses.scheduling.k8s.io"})
    singly: ClassVar = b""

    def __init__(self) -> None:
        self._default_of_pods: Object | None = None
        self._is_known = False
        self._is_hooked = False

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if call.kind.resource != "pods" or call.subresource or new is None:
            return
        spec = new.setdefault("spec", {})
        if old is not None:
            # The number was settled on creation.
            if spec.get("priority") is None and "priority" in old["spec"]:
                spec["priority"] = old["spec"]["priority"]
            return
        name, value, policy = self._class(cluster, call, new)
        if name:
            spec["priorityClassName"] = name
        if spec.get("priority") is not None and spec["priority"] != value:
            raise forbidden(
                call, new,
                f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; "
                f"priority admission controller computed {value} from the given PriorityClass name",
            )  # fmt: skip
        spec["priority"] = value
        given = spec.get("preemptionPolicy")
        if given is not None and given != policy:
            raise forbidden(
                call, new,
                f"the string value of PreemptionPolicy ({given}) must not be provided in pod spec; "
                f"priority admission controller computed {policy} from the given PriorityClass name",
            )  # fmt: skip
        spec["preemptionPolicy"] = policy

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        if call.kind.resource != RESOURCE or new is None or not new.get("globalDefault"):
            return
        default = self._default(cluster)
        if default is not None and default["metadata"]["name"] != new["metadata"]["name"]:
            raise forbidden(
                call, new,
                f"PriorityClass {default['metadata']['name']} is already marked as default. Only one default can exist",
            )  # fmt: skip

    def _class(self, cluster: Cluster, call: Call, pod: Object) -> tuple[str, int, str]:
        name = pod["spec"].get("priorityClassName", "")
        if name:
            found = cluster.latest(cluster.kind("scheduling.k8s.io", "priorityclasses"), "", name)
            if found is None:
                raise forbidden(call, pod, f"no PriorityClass with name {name} was found")
        else:
            found = self._known_default(cluster)
        if found is None:
            return "", 0, "PreemptLowerPriority"
        return (
            found["metadata"]["name"], found.get("value", 0), found.get("preemptionPolicy", "PreemptLowerPriority"),
        )  # fmt: skip

    def _known_default(self, cluster: Cluster) -> Object | None:
        if not self._is_hooked:
            self._is_hooked = True
            cluster.committed.setdefault(RESOURCE, []).append(self._changed)
        if not self._is_known:
            self._default_of_pods, self._is_known = self._default(cluster), True
        return self._default_of_pods

    def _changed(self, kind: Kind, record: Record, deleted: bool) -> None:
        self._is_known = False

    @staticmethod
    def _default(cluster: Cluster) -> Object | None:
        kind = cluster.kind("scheduling.k8s.io", "priorityclasses")
        best = None
        for key in cluster.store.keys(RESOURCE):
            record = cluster.store.latest(Key(RESOURCE, "", key.name))
            if record is not None and b'"globalDefault":true' in record.raw:
                found = encoding.from_bytes(kind, record.raw)
                if best is None or found["value"] < best["value"]:
                    best = found
        return best
