"""TaintNodesByCondition: a new node takes no pods until somebody has seen that it is ready.

Differs from upstream in one case: a node that is created with a Ready condition is taken at its word, so that
thousands of nodes whose runtime is in this process need no second write each.
"""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster
from argosy.base.types import Object

NOT_READY: Final = "node.kubernetes.io/not-ready"


class TaintNodesByCondition:
    """Nodes only."""

    reads: ClassVar = NOTHING
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if call.kind.resource != "nodes" or call.subresource or new is None or old is not None:
            return
        conditions = (new.get("status") or {}).get("conditions") or ()
        if any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions):
            return
        spec = new.get("spec") or {}
        taints = spec.get("taints") or []
        if not any(t.get("key") == NOT_READY and t.get("effect") == "NoSchedule" for t in taints):
            spec["taints"] = [*taints, {"key": NOT_READY, "effect": "NoSchedule"}]
            new["spec"] = spec

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        """Nothing to check."""
