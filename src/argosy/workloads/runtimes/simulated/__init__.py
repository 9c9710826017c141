"""The simulated runtime: pods that run in nothing but time."""

from __future__ import annotations

from argosy.control.assemblies import Assembly
from argosy.workloads.runtimes.agents import Agent
from argosy.workloads.runtimes.simulated.pools import PoolRules
from argosy.workloads.runtimes.simulated.running import SimulatedRuntime

__all__ = ["SimulatedRuntime", "add_simulated"]


def add_simulated(assembly: Assembly, agent: Agent) -> SimulatedRuntime:
    """Have an agent run the pods of simulated nodes, by the rules of their pools; the CRD NodePool has to be there."""
    runtime = SimulatedRuntime(agent, assembly.clock, PoolRules(assembly))
    agent.serve(runtime)
    return runtime
