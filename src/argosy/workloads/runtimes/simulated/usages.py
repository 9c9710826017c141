"""What simulated containers use: a part of what they ask for, gently moving. A pure function of pod and time."""

from __future__ import annotations

import math
from typing import Final

from argosy.api.nodefit.requests import counted
from argosy.api.objects import Container, Pod
from argosy.workloads.runtimes.protocol import Usage
from argosy.workloads.runtimes.simulated.rules import UsageFactors, share

# Of a container that asks for nothing.
_MILLICORES: Final = 10
_BYTES: Final = 32 << 20
# Usage swings by this much around its middle, once in a period.
_SWING: Final = 0.1
_PERIOD_SECONDS: Final = 300.0


def usage_of(pod: Pod, factors: UsageFactors, now: float) -> dict[str, Usage]:
    """What each running container uses."""
    running = {one.name for one in pod.status.container_statuses if one.state.running is not None}
    running |= {
        one.name for one in pod.status.init_container_statuses if one.state.running is not None
    }
    return {
        one.name: _usage(pod, one, factors, now)
        for one in (*pod.spec.init_containers, *pod.spec.containers)
        if one.name in running
    }


def _usage(pod: Pod, container: Container, factors: UsageFactors, now: float) -> Usage:
    asked = counted(container.resources.requests)
    phase = share(pod.metadata.uid, container.name, "usage")
    swing = 1.0 + _SWING * math.sin(2 * math.pi * (now / _PERIOD_SECONDS + phase))
    millicores = asked["cpu"] * factors.cpu if asked.get("cpu") else _MILLICORES
    memory = asked["memory"] * factors.memory if asked.get("memory") else _BYTES
    return Usage(int(millicores * swing * 1_000_000), int(memory * (0.9 + swing / 10)))
