"""Since when a change of endpoints was due: what the annotation endpoints.kubernetes.io/last-change-trigger-time says.

It is the time of the earliest change of readiness that came since the last look; for a service that is new, the time it
was made. From it, proxies measure how long a change takes to reach them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from argosy.api.objects import Pod, find_condition
from argosy.api.objects.services import Service
from argosy.base.timestamps import format_time
from argosy.client.objects import Key

TRIGGER_TIME: Final = "endpoints.kubernetes.io/last-change-trigger-time"


class TriggerTimes:
    """When each pod of each service was last seen to become ready, or cease to be."""

    def __init__(self) -> None:
        self._seen: dict[Key, dict[str, datetime]] = {}

    def look(self, key: Key, service: Service, pods: Iterable[Pod]) -> str | None:
        """The annotation's value for what is written now; None for none."""
        before = self._seen.get(key)
        now = {pod.metadata.name: when for pod in pods if (when := _changed_at(pod)) is not None}
        self._seen[key] = now
        if before is None:
            when = service.metadata.creation_timestamp
        else:
            changed = (
                time for name, time in now.items() if name not in before or time > before[name]
            )
            when = min(changed, default=None)
        return format_time(when) if when is not None else None

    def forget(self, key: Key) -> None:
        self._seen.pop(key, None)


def _changed_at(pod: Pod) -> datetime | None:
    ready = find_condition(pod.status.conditions, "Ready")
    return ready.last_transition_time if ready is not None else None
