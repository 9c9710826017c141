"""Which clusters a job could go to, and which it would: what `consider` answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(slots=True, frozen=True)
class Considered:
    """One cluster, seen with a job in mind."""

    cluster: str
    # What is free there and promised to nobody: CPU in cores, memory in bytes, anything else as it is counted.
    free: Mapping[str, float] = field(default_factory=dict)
    # What an hour of this job costs there; None where the cluster tells no price.
    price_per_hour: float | None = None
    queue_wait_seconds: float | None = None
    pending_workloads: int | None = None
    # Whether all the job's pods have room there now.
    fits: bool = False
    # Whether the whole cluster, with nothing else on it, has room for them.
    can_ever_fit: bool = True
    # Points by the preference; None for a cluster that cannot be picked.
    score: int | None = None
    is_chosen: bool = False
    # Why it was chosen, or why not.
    reason: str = ""
    region: str = ""
    # Whether the LocalQueue that was asked for is there; None where nobody knows.
    has_queue: bool | None = None

    @property
    def cpu(self) -> float:
        """Free cores."""
        return self.free.get("cpu", 0.0)

    @property
    def memory(self) -> float:
        """Free bytes."""
        return self.free.get("memory", 0.0)

    @property
    def gpus(self) -> float:
        return self.free.get("nvidia.com/gpu", 0.0)


@dataclass(slots=True, frozen=True)
class Choice:
    """What the hub would decide now: chosen clusters first, best first."""

    considered: tuple[Considered, ...] = ()
    # As many as were asked for.
    wanted: int = 1
    # What the job's pods ask for together, in the units of `Considered.free`.
    needs: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    at: datetime | None = None

    @property
    def clusters(self) -> tuple[str, ...]:
        """The chosen ones."""
        return tuple(each.cluster for each in self.considered if each.is_chosen)

    @property
    def is_fulfilled(self) -> bool:
        return len(self.clusters) >= self.wanted


@dataclass(slots=True, frozen=True)
class Submission:
    """What `submit` has made, or with `dry_run` would make."""

    namespace: str
    name: str
    kind: str
    placement: str
    queue: str
    choice: Choice
    # The objects as the hub stored them, or would.
    job: Mapping[str, object] = field(default_factory=dict)
    placed_by: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    is_dry_run: bool = False
