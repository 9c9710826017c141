"""The rules of every node pool, as its `spec.simulation` says, kept up to date.

Rules that cannot be read are told in an event of the pool, and the last ones that could stay in force. Pods that have
started keep the rules they started with.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects.nodepools import NodePool
from argosy.client.resources import NODE_POOLS
from argosy.control.assemblies import Assembly
from argosy.control.references import reference
from argosy.workloads.runtimes.simulated.rules import (
    DEFAULTS,
    RuleError,
    Simulation,
    read_simulation,
)

COMPONENT: Final = "argosy-agent"


class PoolRules:
    """Gives the rules of a pool by its name."""

    def __init__(self, assembly: Assembly) -> None:
        self._rules: dict[str, Simulation] = {}
        self._recorder = assembly.recorder(COMPONENT)
        assembly.informer(NODE_POOLS, NodePool).add_handler(self._changed)

    def __call__(self, pool: str) -> Simulation:
        return self._rules.get(pool, DEFAULTS)

    def _changed(self, old: NodePool | None, new: NodePool | None) -> None:
        if new is None:
            if old is not None:
                self._rules.pop(old.metadata.name, None)
            return
        if old is not None and old.spec.simulation == new.spec.simulation:
            return
        try:
            self._rules[new.metadata.name] = read_simulation(new.spec.simulation)
        except RuleError as error:
            about = reference(NODE_POOLS, new.metadata)
            self._recorder.event(about, "Warning", "InvalidSimulation", str(error))
