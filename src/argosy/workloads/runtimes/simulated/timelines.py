"""The life of one simulated pod: which container does what at which moment.

A timeline is advanced to a moment and says when it has to be looked at next. Every step happens at its own time, not at
the time of looking: one that is looked at an hour late tells the same story. It is made fresh, or from a status that a
process of the past has written: what runs goes on from its startedAt, and what has ended meanwhile ended in time.

    ContainerCreating ─ startup ─▶ init containers, one by one ─▶ main containers ─▶ all ended ─▶ sidecars end ─▶ over
                                   (sidecars stay)                 restarted by policy, with back-off

Back-off is the kubelet's: the first restart is immediate, the next wait 10 s, doubling to 300 s, and a container
that ran ten minutes begins anew. Pure: no clock, no I/O.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Final, NamedTuple

from argosy.api.objects import Container, ContainerStatus, Pod
from argosy.api.objects.pods import ContainerStateTerminated
from argosy.base.durations import format_duration
from argosy.workloads.runtimes.runs import (
    Run,
    Running,
    Terminated,
    Waiting,
    is_sidecar,
    should_restart,
)
from argosy.workloads.runtimes.simulated import behaviors
from argosy.workloads.runtimes.simulated.behaviors import Ending
from argosy.workloads.runtimes.simulated.processes import Process, backoff_seconds, container_id
from argosy.workloads.runtimes.simulated.rules import Simulation
from argosy.workloads.runtimes.statuses import Verdict

# A run this long forgives the crashes before it.
_GOOD_RUN: Final = 600.0
_DEADLINE: Final = Verdict(
    "DeadlineExceeded", "Pod was active on the node longer than the specified deadline"
)
_UNKNOWN: Final = "The container could not be located when the pod was terminated"


class Happening(NamedTuple):
    """Something a kubelet would write an event about."""

    reason: str
    container: Container


class Timeline:
    """One pod. `due` is when `advance` has something to do (infinity: never)."""

    __slots__ = (
        "_is_stopping", "_sandbox_at", "due", "happenings", "has_sandbox", "is_over", "pod", "processes",
        "rules", "started", "verdict",
    )  # fmt: skip

    def __init__(self, pod: Pod, rules: Simulation, now: float) -> None:
        self.pod = pod
        self.rules = rules
        start = pod.status.start_time
        self.started = start.timestamp() if start is not None else now
        self.processes = [Process(one, is_init=True) for one in pod.spec.init_containers]
        self.processes += [Process(one, is_init=False) for one in pod.spec.containers]
        self.verdict: Verdict | None = None
        self.is_over = False
        self.has_sandbox = False
        self.happenings: list[Happening] = []
        self._is_stopping = False
        self._sandbox_at = self.started + behaviors.startup_seconds(pod, rules)
        if start is not None:
            self._resume()
        self.wind()

    @property
    def is_ending(self) -> bool:
        """Nothing is started any more."""
        return self._is_stopping or self.verdict is not None

    def advance(self, now: float) -> bool:
        """Let everything happen that is due by `now`; whether anything did."""
        changed = False
        while self.due <= now and not self.is_over:
            self._step(self.due)
            self.wind()
            changed = True
        return changed

    def stop(self, now: float, grace: float) -> None:
        """SIGTERM for all, SIGKILL after the grace; what has not started never will."""
        is_first, self._is_stopping = not self._is_stopping, True
        patience = behaviors.termination_seconds(self.pod, self.rules)
        for process in self.processes:
            if process.is_running:
                if is_first:
                    self.happenings.append(Happening("Killing", process.container))
                self._terminate(process, now, patience, grace)
            else:
                self._give_up(process)
        self._settle(now)
        self.wind()

    def runs(self) -> dict[str, Run]:
        """What containers do, for those that have done anything."""
        found = ((one.container.name, one.run()) for one in self.processes)
        return {name: run for name, run in found if run is not None}

    # What happens.

    def wind(self) -> None:
        """See what is due next; also to be called when the pod's spec has changed."""
        due = min((one.due for one in self.processes), default=math.inf)
        if not self.has_sandbox and not self.is_ending:
            due = min(due, self._sandbox_at)
        limit = self.pod.spec.active_deadline_seconds
        if limit is not None and not self.is_ending:
            due = min(due, self.started + limit)
        self.due = math.inf if self.is_over else due

    def _step(self, at: float) -> None:
        limit = self.pod.spec.active_deadline_seconds
        if limit is not None and not self.is_ending and at >= self.started + limit:
            self.verdict = _DEADLINE
            self.stop(at, self.pod.spec.termination_grace_period_seconds or 0)
            return
        if not self.has_sandbox and not self.is_ending and at >= self._sandbox_at:
            self.has_sandbox = True
            self._begin(at)
        for process in self.processes:
            if process.due <= at:
                self._continue(process, at)
        self._settle(at)

    def _begin(self, at: float) -> None:
        """Start what may start: the next init container, or all main ones."""
        for process in self.processes:
            if process.is_init:
                if not process.has_started:
                    self._start(process, at)
                if not is_sidecar(process.container) and not process.has_succeeded:
                    return
            elif not process.has_started:
                self._start(process, at)

    def _continue(self, process: Process, at: float) -> None:
        if not process.is_running:
            process.restarts += 1
            self._start(process, at)
        elif at >= process.ends_at:
            self._end(process, at)
        else:
            process.is_ready = True
            process.due = process.ends_at

    def _start(self, process: Process, at: float) -> None:
        process.started = at
        process.state = Running(_moment(at))
        process.id = self._id(process, process.restarts)
        self._expect(process)
        self.happenings.append(Happening("Started", process.container))

    def _expect(self, process: Process) -> None:
        """When the run that has begun will be ready and end."""
        container, number = process.container, process.restarts
        process.ending = behaviors.ending(
            self.pod, container, number, self.rules, is_init=process.is_init
        )
        process.ends_at = process.started + process.ending.seconds
        ready_at = process.started + behaviors.readiness_seconds(
            self.pod, container, number, self.rules
        )
        process.is_ready = ready_at <= process.started
        process.due = process.ends_at if process.is_ready else min(ready_at, process.ends_at)

    def _end(self, process: Process, at: float, *, for_good: bool = False) -> None:
        code, reason = process.ending.exit_code, process.ending.reason
        ended = Terminated(
            code, reason, _moment(process.started), _moment(at), container_id=process.id
        )
        process.is_ready = False
        process.due = math.inf
        process.state = ended
        if for_good or self.is_ending:
            return
        if process.is_init and not is_sidecar(process.container) and code == 0:
            self._begin(at)
        elif should_restart(process.container, self.pod, code):
            process.crashes = 1 if at - process.started >= _GOOD_RUN else process.crashes + 1
            self._hold_back(process, ended, at)

    def _hold_back(self, process: Process, ended: Terminated, at: float) -> None:
        process.last = ended
        wait = backoff_seconds(process.crashes)
        process.due = at + wait
        if wait:
            process.state = Waiting("CrashLoopBackOff", _backing_off(self.pod, process, wait))
            self.happenings.append(Happening("BackOff", process.container))

    def _settle(self, at: float) -> None:
        """End what has no reason to run any more, and see whether all is over."""
        if not self.is_ending and not self._is_finished():
            return
        for process in self.processes:
            if process.is_running:
                if self.is_ending:
                    return
                process.ending = Ending(0.0, 0, "Completed")
                self._end(process, at, for_good=True)
        self.is_over = True

    def _is_finished(self) -> bool:
        """Whether the pod has failed to start, or all its main containers are over."""
        for process in self.processes:
            is_step = process.is_init and not is_sidecar(process.container)
            if is_step and process.is_over and not process.has_succeeded:
                return True
        return all(one.is_over for one in self.processes if not one.is_init)

    def _terminate(self, process: Process, now: float, patience: float, grace: float) -> None:
        if patience <= grace:
            at, ending = now + patience, Ending(0, behaviors.ENDED_BY_SIGTERM, "Error")
        else:
            at, ending = now + grace, Ending(0, behaviors.KILLED, "Error")
        # It may also end by itself before that.
        if at < process.ends_at:
            process.ends_at, process.ending = at, ending
        process.due = process.ends_at
        if process.due <= now:
            self._end(process, now)

    def _give_up(self, process: Process) -> None:
        """A process that does not run when its pod is stopped. Of one that never ran a kubelet knows nothing."""
        process.due = math.inf
        if process.last is not None and not isinstance(process.state, Terminated):
            process.state = process.last
        elif process.state is None and not process.is_init and self._is_initialized():
            process.state = Terminated(
                behaviors.KILLED, "ContainerStatusUnknown", None, None, message=_UNKNOWN
            )

    def _is_initialized(self) -> bool:
        return all(
            one.has_started if is_sidecar(one.container) else one.has_succeeded
            for one in self.processes
            if one.is_init
        )

    # What has happened before.

    def _resume(self) -> None:
        """Take up what the pod's status tells."""
        status = self.pod.status
        told = {
            one.name: one for one in (*status.init_container_statuses, *status.container_statuses)
        }
        for process in self.processes:
            if (one := told.get(process.container.name)) is not None:
                self._recall(process, one)
        self.has_sandbox = any(process.has_started for process in self.processes)

    def _recall(self, process: Process, told: ContainerStatus) -> None:
        state, last = told.state, told.last_state.terminated
        process.restarts = process.crashes = told.restart_count
        process.id = self._id(process, told.restart_count)
        if last is not None:
            process.last = _ended(last, self._id(process, max(0, told.restart_count - 1)))
        if state.running is not None and state.running.started_at is not None:
            process.started = state.running.started_at.timestamp()
            process.state = Running(state.running.started_at)
            self._expect(process)
        elif state.terminated is not None:
            ended = process.state = _ended(state.terminated, process.id)
            is_step = process.is_init and not is_sidecar(process.container)
            if not (is_step and process.has_succeeded) and should_restart(
                process.container, self.pod, ended.exit_code
            ):
                self._recall_crash(process, ended)
        elif state.waiting is not None and process.last is not None:
            # Between two runs: the last one's number is the restart count.
            self._recall_crash(process, process.last._replace(container_id=process.id))
        self.happenings.clear()

    def _recall_crash(self, process: Process, ended: Terminated) -> None:
        process.crashes += 1
        at = self.started if ended.finished_at is None else ended.finished_at.timestamp()
        self._hold_back(process, ended, at)

    def _id(self, process: Process, run: int) -> str:
        return container_id(self.pod.metadata.uid, process.container.name, run)


def _ended(told: ContainerStateTerminated, id_: str) -> Terminated:
    return Terminated(
        told.exit_code, told.reason, told.started_at, told.finished_at, container_id=id_
    )


def _backing_off(pod: Pod, process: Process, wait: float) -> str:
    meta = pod.metadata
    return (
        f"back-off {format_duration(wait)} restarting failed container={process.container.name} "
        f"pod={meta.name}_{meta.namespace}({meta.uid})"
    )


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
