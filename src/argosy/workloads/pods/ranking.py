"""What every owner weighs when it has too many pods: how far a pod got, and how often it had to start again."""

from __future__ import annotations

from typing import Final

from argosy.api.objects import Pod

_PHASES: Final = {"Pending": 0, "Unknown": 1, "Running": 2}


def phase_rank(pod: Pod) -> int:
    """Pending before unknown before running."""
    return _PHASES.get(pod.status.phase, 0)


def most_restarts(pod: Pod) -> tuple[int, int]:
    """The highest restart count of a container, and of a sidecar."""
    sidecars = {each.name for each in pod.spec.init_containers if each.restart_policy == "Always"}
    status = pod.status
    return (
        max((each.restart_count for each in status.container_statuses), default=0),
        max(
            (
                each.restart_count
                for each in status.init_container_statuses
                if each.name in sidecars
            ),
            default=0,
        ),
    )
