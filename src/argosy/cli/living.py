"""`argosy simulate --live`: a scenario in real time, and what people see meanwhile."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from argosy.base import logs
from argosy.base.errors import StatusError
from argosy.cli.detaching import STARTING
from argosy.cli.failing import problem
from argosy.cli.progress import Progress
from argosy.cli.simulating import Line
from argosy.client.kubeconfig import ConfigError
from argosy.fleet.kubeconfigs import KubeconfigError
from argosy.fleet.loops import loop_factory
from argosy.fleet.processes import ChildFailed
from argosy.fleet.states import KUBECONFIG, StateError
from argosy.fleet.stopping import INTERRUPTED, Interrupted
from argosy.queueing.configuration import ConfigurationError
from argosy.simulation.driving import Refused
from argosy.simulation.living import FLEET, Listeners, simulate_live
from argosy.simulation.outputs import LOG, REPORT
from argosy.simulation.summaries import lines, span
from argosy.store import StoreError

if TYPE_CHECKING:
    from argosy.simulation.plans import Scenario

_STDERR: Final = 2


def play_live(scenario: Scenario, directory: Path, seed: int, until: float, processes: int) -> int:
    """Play it until its end, or until somebody has had enough."""
    with _logged(directory / LOG):
        return _play(scenario, directory, seed, until, processes)


def _play(scenario: Scenario, directory: Path, seed: int, until: float, processes: int) -> int:
    starting, line = Progress(STARTING), Line()
    fleet = directory / FLEET

    def ready(_: str) -> None:
        starting.tell(
            f"argosy: the fleet is ready; look at it with  kubectl --kubeconfig {fleet / KUBECONFIG} get "
            f"memberclusters\nargosy: {scenario.name} begins, for {span(until)} and until its jobs have ended "
            "(Ctrl-C ends it; what was recorded is written)"
        )

    work = simulate_live(
        scenario,
        directory,
        seed=seed,
        until=until,
        processes=processes,
        told=Listeners(starting, ready, line.tell),
    )
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            outcome = runner.run(work)
    except Interrupted:
        return _failed(starting, line, "ended before the fleet was ready, as told", INTERRUPTED)
    except (StateError, KubeconfigError, ChildFailed, ConfigurationError, Refused) as error:
        return _failed(starting, line, f"{scenario.name}: {error}")
    except (StoreError, ConfigError, StatusError, OSError, BaseExceptionGroup) as error:
        if (message := problem(error)) is None:
            raise
        return _failed(starting, line, f"{scenario.name}: {message}")
    line.clear()
    for text in lines(outcome.summary):
        print(text)
    if not outcome.summary["isWhole"]:
        print(f"cut short after {span(outcome.elapsed)}, as told", file=sys.stderr)
    print(
        f"{outcome.elapsed:.1f} s of real time, {outcome.writes:,} writes on {len(scenario.members) + 1} clusters; "
        f"look at {directory / REPORT}\n"
        f"the fleet is kept: `argosy up --state {fleet}` brings it back, `argosy reset --state {fleet}` deletes it"
    )
    return 0 if outcome.summary["isWhole"] else INTERRUPTED


@contextmanager
def _logged(path: Path) -> Iterator[None]:
    """What this process and those of the members log goes to a file; what is said to people, to where they are."""
    logs.configure("text")
    before = sys.stderr
    with path.open("wb") as log, os.fdopen(os.dup(_STDERR), "w", buffering=1) as screen:
        os.dup2(log.fileno(), _STDERR)
        sys.stderr = screen
        try:
            yield
        finally:
            before.flush()
            sys.stderr = before
            os.dup2(screen.fileno(), _STDERR)


def _failed(starting: Progress, line: Line, message: str, code: int = 1) -> int:
    starting.clear()
    line.clear()
    print(f"argosy simulate: {message}", file=sys.stderr)
    return code
