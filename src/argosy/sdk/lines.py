"""What comes out of a fleet line by line: logs of jobs, and events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(slots=True, frozen=True)
class LogLine:
    """One line of a container's log, without its end."""

    cluster: str
    pod: str
    container: str
    text: str
    # As the cluster stamped it, if timestamps were asked for.
    time: str = ""


@dataclass(slots=True, frozen=True)
class FleetEvent:
    """One Event of the hub (whose `cluster` is its context's name, `hub`) or of a member."""

    cluster: str
    namespace: str
    type: str
    reason: str
    # As kubectl prints it: job/train-1.
    object: str
    message: str
    time: datetime | None = None
    count: int = 1
    source: str = ""
    name: str = ""
