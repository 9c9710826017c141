"""What one look at a Workload comes to, and the rules it is looked at by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.workloads.drafts import Happening, StatusDraft
from argosy.queueing.workloads.evicting import Eviction
from argosy.queueing.workloads.explaining import Surroundings


@dataclass(slots=True, frozen=True)
class PodsReadyRules:
    """How long pods may take to get ready, and what follows if they do not. No limit count is no limit."""

    timeout_seconds: float
    recovery_timeout_seconds: float | None = None
    backoff_limit_count: int | None = None
    backoff_base_seconds: int = 60
    backoff_max_seconds: int = 3600


@dataclass(slots=True, frozen=True)
class LifeRules:
    """What the configuration says about the lives of workloads."""

    pods_ready: PodsReadyRules | None = None
    retain_finished_seconds: float | None = None


@dataclass(slots=True)
class Decision:
    """What is to be done, in this order: write the status, drop the finalizer, deactivate, delete, tell."""

    draft: StatusDraft
    drops_finalizer: bool = False
    deactivates: bool = False
    deletes: bool = False
    happenings: list[Happening] = field(default_factory=list)
    evictions: list[Eviction] = field(default_factory=list)
    # Told apart from events for the metrics of admission.
    is_newly_admitted: bool = False
    look_again_seconds: float | None = None

    @property
    def workload(self) -> Workload:
        return self.draft.workload

    def tell(self, eviction: Eviction | None) -> None:
        if eviction is not None:
            self.evictions.append(eviction)
            self.happenings.append(eviction.told())

    def look_again_after(self, seconds: float) -> None:
        known = self.look_again_seconds
        self.look_again_seconds = seconds if known is None else min(known, seconds)


# Asked in turn; the one that answers True has the last word.
Step = Callable[[Decision, Surroundings, LifeRules], bool]
