"""One simulated container through all its runs: what it does now, when that changes, and how its last run ended."""

from __future__ import annotations

import hashlib
import math
from functools import lru_cache
from typing import Final

from argosy.api.objects import Container
from argosy.workloads.runtimes.runs import Run, Running, Terminated, Waiting
from argosy.workloads.runtimes.simulated.behaviors import Ending

_FIRST_BACKOFF: Final = 10.0
_LAST_BACKOFF: Final = 300.0


class Process:
    """One container through all its runs."""

    __slots__ = (
        "container", "crashes", "due", "ending", "ends_at", "id", "is_init", "is_ready", "last", "restarts",
        "started", "state",
    )  # fmt: skip

    def __init__(self, container: Container, *, is_init: bool) -> None:
        self.container = container
        self.is_init = is_init
        self.state: Waiting | Running | Terminated | None = None
        self.last: Terminated | None = None
        self.restarts = 0
        # Of the present run, or of the last.
        self.id = ""
        # Since the last good run.
        self.crashes = 0
        self.started = 0.0
        self.ends_at = math.inf
        self.ending = Ending(math.inf, 0, "Completed")
        self.is_ready = False
        self.due = math.inf

    @property
    def is_running(self) -> bool:
        return isinstance(self.state, Running)

    @property
    def ended(self) -> Terminated | None:
        """How it ended, or its last run did; None if it has never ended."""
        return self.state if isinstance(self.state, Terminated) else self.last

    @property
    def has_succeeded(self) -> bool:
        return isinstance(self.state, Terminated) and self.state.exit_code == 0

    @property
    def has_started(self) -> bool:
        """Whether it runs or has run."""
        return self.state is not None

    @property
    def is_over(self) -> bool:
        """Whether it is terminated and will not run again."""
        return isinstance(self.state, Terminated) and math.isinf(self.due)

    def run(self) -> Run | None:
        """What the container does, as statuses are composed of; None before it has done anything."""
        if self.state is None:
            return None
        return Run(
            self.state,
            self.last,
            self.restarts,
            self.is_ready,
            self.is_running,
            self.id,
            image_id(self.container.image),
        )


def backoff_seconds(crashes: int) -> float:
    """How long to wait after the n-th crash in a row."""
    return 0.0 if crashes <= 1 else min(_LAST_BACKOFF, _FIRST_BACKOFF * 2.0 ** min(crashes - 2, 16))


def container_id(uid: str, name: str, run: int) -> str:
    return f"simulated://{hashlib.sha256(f'{uid}/{name}/{run}'.encode()).hexdigest()}"


@lru_cache(maxsize=1024)
def image_id(image: str) -> str:
    """What a runtime would call the image it pulled: the same for the same name."""
    return f"{image.partition('@')[0]}@sha256:{hashlib.sha256(image.encode()).hexdigest()}"
