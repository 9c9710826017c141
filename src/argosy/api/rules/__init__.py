"""What Kubernetes does to built-in kinds in code: defaulting, preparing, validating, warning.

One module per API group (the core group has several), each exporting `RULES`, a dict from kind name to `Rules`. They
are imported when a kind is first asked for, so a client that only knows schemas pays for none of them. Shared ground:
`names` (syntax), `labels`, `metadata`, `wording` (shapes of errors) and `pods` (everything that holds a pod template).

Rules see decoded objects: values have the types of the schema, nulls and unknown fields are gone, quantities are
canonical. `metadata.creationTimestamp` is set before `prepare_create`, which has no clock of its own. Features of
upstream that are off by default in this version are off here, and their fields are dropped as upstream drops them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Final

from argosy.api.kinds import Rules

# The modules of each group, by their names in this package.
_MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "": (
        "pods",
        "namespaces",
        "configs",
        "services",
        "serviceaccounts",
        "nodes",
        "persistentvolumes",
        "persistentvolumeclaims",
        "limitranges",
        "resourcequotas",
        "endpoints",
        "replication",
        "events.core",
    ),
    "apps": ("apps",),
    "autoscaling": ("autoscaling",),
    "batch": ("batch",),
    "coordination.k8s.io": ("coordination",),
    "discovery.k8s.io": ("discovery",),
    "events.k8s.io": ("events.strict",),
    "networking.k8s.io": ("networking",),
    "node.k8s.io": ("runtimeclasses",),
    "policy": ("policy",),
    "rbac.authorization.k8s.io": ("rbac",),
    "scheduling.k8s.io": ("scheduling",),
    "storage.k8s.io": ("storage",),
}


@cache
def _rules_of_group(group: str) -> Mapping[str, Rules]:
    found: dict[str, Rules] = {}
    for name in _MODULES.get(group, ()):
        found.update(import_module(f"{__name__}.{name}").RULES)
    return found


def rules_for(group: str, kind: str) -> Rules:
    """The rules of a built-in kind; the empty ones where Kubernetes has no code beyond the schema."""
    return _rules_of_group(group).get(kind) or Rules()
