"""DefaultTolerationSeconds: a pod stays five minutes on a node that is not ready or cannot be reached."""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster
from argosy.base.types import Object

SECONDS: Final = 300
_KEYS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


class DefaultTolerationSeconds:
    """Only adds what the pod does not say itself."""

    reads: ClassVar = NOTHING
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if call.kind.resource != "pods" or call.subresource or new is None:
            return
        tolerations = new.setdefault("spec", {}).get("tolerations") or []
        for key in _KEYS:
            if not any(_covers(toleration, key) for toleration in tolerations):
                tolerations.append({
                    "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": SECONDS,
                })  # fmt: skip
        new["spec"]["tolerations"] = tolerations

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        """Nothing to check."""


def _covers(toleration: Object, key: str) -> bool:
    return toleration.get("key", "") in {key, ""} and toleration.get("effect", "") in {
        "NoExecute",
        "",
    }
