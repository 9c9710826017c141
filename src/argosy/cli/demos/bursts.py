"""Many jobs, submitted one after the other, each with its own placement or by a template: how they spread over the
fleet, wait and run.

Manifests are those of examples/fleet/burst with a number for a name; jobs take two to nine seconds, by their number, so
that every run has the same load. They are written by eight writers at a time through the client that commands use;
kubectl would take longer to start than they run.
"""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from argosy.cli.demos import examples
from argosy.cli.demos.guide import reported
from argosy.cli.demos.playing import StepFailed
from argosy.cli.demos.spreads import Spread, Starts, summary
from argosy.cli.demos.steps import Act, Run, Step, Story, Until

if TYPE_CHECKING:
    from argosy.cli.demos.stages import Stage

NAMESPACE: Final = "trials"
_WRITERS: Final = 8
_LOOK_SECONDS: Final = 1.0
# Where nothing moves for this long, something is wrong.
_PATIENCE_SECONDS: Final = 60.0
# Lines of progress that are kept, where nothing can be written over.
_PLAIN_SECONDS: Final = 5.0


def seconds_of(number: int) -> int:
    """How long a job takes: 2 to 9 seconds, without order."""
    return 2 + number * 5 % 8


def manifests(number: int, *, by_template: bool) -> str:
    """What is written for one job, as YAML."""
    names = ("job.yaml",) if by_template else ("job.yaml", "placement.yaml")
    folder = examples.folder("burst")
    text = "".join((folder / name).read_text() for name in names)
    return text.replace("NUMBER", str(number)).replace("SECONDS", str(seconds_of(number)))


def story(jobs: int, rate: float, *, by_template: bool) -> Story:
    by = "by one placement template" if by_template else "each with its own ResourcePlacement"
    first = (
        Run("kubectl apply -f {examples}/queues.yaml"),
        Run(
            f"kubectl wait rp/queue -n {NAMESPACE} --for=condition=ResourcePlacementAvailable --timeout=60s"
        ),
        *((Run("kubectl apply -f {examples}/template.yaml"),) if by_template else ()),
        Until("all members have reported what they have", reported),
        Run("kubectl get memberclusters"),
    )
    return Story(
        name="burst",
        title=f"{jobs} jobs over the fleet, {by}: how they spread, wait and run.",
        namespace=NAMESPACE,
        steps=(
            Step(
                "A queue on every cluster",
                "Three clusters of 16, 24 and 32 CPUs. A placement puts namespace and queue on each.",
                first,
            ),
            Step(
                f"{jobs} jobs, {rate:g} a second",
                f"Each has two pods of one CPU for 2 to 9 seconds, and is placed where the most room is, {by}. The "
                "hub counts what it has promised before clusters report it, so that jobs of the same moment do not "
                "all go to the same cluster.",
                (Act(lambda stage: _burst(stage, jobs, rate, by_template=by_template)),),
            ),
            Step(
                "All jobs of the fleet, in one list",
                "`argosy jobs` has them all, wherever they run; here the last ones.",
                (Run(f"argosy jobs -n {NAMESPACE} | tail -5"),),
            ),
        ),
        next=(
            (f"argosy demo burst --jobs {2 * jobs}", "more of them than there is room for"),
            ("argosy demo burst --template", "the same by one placement for all jobs"),
            ("argosy submit FILE --dry-run", "where a job of yours would go, and why"),
            ("argosy jobs -A --sort-by wait", "all jobs of the fleet, the longest waits first"),
        ),
    )


def _burst(stage: Stage, jobs: int, rate: float, *, by_template: bool) -> None:
    """Submit them, and look until all have ended."""
    submitting = _Submitting(
        jobs, rate, by_template=by_template, kubeconfig=stage.shell.environment["KUBECONFIG"]
    )
    begun = time.monotonic()
    try:
        spread = _watch(stage, submitting, jobs, begun)
    finally:
        submitting.stop()
    stage.screen.clear()
    for line in summary(spread.jobs, time.monotonic() - begun):
        stage.screen.output(line)
    if spread.failed:
        raise StepFailed(f"{spread.failed} of {jobs} jobs failed")


def _watch(stage: Stage, submitting: _Submitting, jobs: int, begun: float) -> Spread:
    moved, shown, before = begun, 0.0, ""
    starts = Starts()
    while True:
        submitting.check()
        spread = Spread(starts.filled(stage.fleet.jobs(NAMESPACE)), stage.fleet.clusters())
        now = time.monotonic()
        line = spread.line(submitting.done)
        if line != before:
            before, moved = line, now
        if stage.screen.is_terminal or now - shown >= _PLAIN_SECONDS:
            stage.screen.progress(f"{now - begun:3.0f} s  {line}")
            shown = now
        if spread.ended == jobs:
            return spread
        if now - moved > _PATIENCE_SECONDS:
            raise StepFailed(f"nothing has moved for {_PATIENCE_SECONDS:g} s: {line}")
        time.sleep(_LOOK_SECONDS)


class _Submitting:
    """Writes jobs in a thread with a loop of its own."""

    def __init__(self, jobs: int, rate: float, *, by_template: bool, kubeconfig: str) -> None:
        self.done = 0
        self._error: BaseException | None = None
        self._is_stopped = False
        self._jobs, self._rate, self._by_template = jobs, rate, by_template
        self._kubeconfig = Path(kubeconfig)
        self._thread = threading.Thread(target=self._run, name="submitting", daemon=True)
        self._thread.start()

    def check(self) -> None:
        if self._error is not None:
            raise StepFailed(f"a job could not be submitted: {self._error}") from self._error

    def stop(self) -> None:
        self._is_stopped = True
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._submit())
        except Exception as error:  # noqa: BLE001  (told by whoever waits: `check`)
            self._error = error

    async def _submit(self) -> None:
        from argosy.cli.demos.writing import writer

        begun = time.monotonic()
        numbers = iter(range(1, self._jobs + 1))
        async with writer(self._kubeconfig) as write:

            async def work() -> None:
                for number in numbers:
                    if self._is_stopped:
                        return
                    wait = begun + (number - 1) / self._rate - time.monotonic()
                    await asyncio.sleep(max(0.0, wait))
                    await write(manifests(number, by_template=self._by_template))
                    self.done += 1

            async with asyncio.TaskGroup() as tasks:
                for _ in range(_WRITERS):
                    tasks.create_task(work())
