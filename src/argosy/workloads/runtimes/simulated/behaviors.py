"""How one run of a container goes: how long, and how it ends.

A pure function of the pod, the container, the number of the run and the rules of the pool. What the pod's annotations
say comes first, then what its command says (`sleep 30`, a shell script of sleeps and echoes, `exit 3`), then the pool,
then the defaults: pods that are to end (restartPolicy Never or OnFailure) run `JOB_SECONDS`, all others for ever.
Annotations speak of the pod's main containers only; sidecars run for ever unless their command ends.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, NamedTuple

from argosy.api.objects import Container, Pod
from argosy.api.simulations import DURATION, FOREVER, NEVER, OUTCOME, STARTUP, TERMINATION
from argosy.base.durations import parse_duration
from argosy.workloads.runtimes.runs import is_sidecar
from argosy.workloads.runtimes.simulated.environments import environment, expanded
from argosy.workloads.runtimes.simulated.rules import Simulation, share
from argosy.workloads.runtimes.simulated.shells.builtins import BUILTINS
from argosy.workloads.runtimes.simulated.shells.playing import Exited, Shell

JOB_SECONDS: Final = 10.0
# What processes end with that are killed, and that end on SIGTERM.
KILLED: Final = 137
ENDED_BY_SIGTERM: Final = 143


class Ending(NamedTuple):
    """After how many seconds (infinity: never), and with what."""

    seconds: float
    exit_code: int
    reason: str


class Reading(NamedTuple):
    """What a command says by itself. `is_told`: it says something at all."""

    seconds: float
    exit_code: int
    is_told: bool


_ANNOTATIONS: Final = (DURATION, OUTCOME, STARTUP, TERMINATION)
_UNTOLD: Final = Reading(0.0, 0, is_told=False)


class AnnotationError(ValueError):
    """An annotation that cannot be read; it is as if it were not there."""


def ending(pod: Pod, container: Container, run: int, rules: Simulation, *, is_init: bool) -> Ending:
    """How run number `run` of a container goes."""
    told = read_command(pod, container)
    uid, name = pod.metadata.uid, container.name
    if is_init:
        seconds = told.seconds
        if not told.is_told:
            seconds = (
                math.inf
                if is_sidecar(container)
                else rules.init_duration.of(uid, name, run, "duration")
            )
        return _ended(seconds, told.exit_code)
    seconds = _seconds(pod, container, run, told, rules)
    return _with_outcome(pod, container, run, _ended(seconds, told.exit_code), rules)


def startup_seconds(pod: Pod, rules: Simulation) -> float:
    """How long the pod waits before its first container starts."""
    given = _annotated_seconds(pod, STARTUP)
    return rules.startup.of(pod.metadata.uid, "startup") if given is None else given


def readiness_seconds(pod: Pod, container: Container, run: int, rules: Simulation) -> float:
    """How long a started container is not ready yet."""
    probe = container.readiness_probe
    if probe is not None and (delay := probe.get("initialDelaySeconds")):
        return float(delay)
    return rules.readiness.of(pod.metadata.uid, container.name, run, "readiness")


def termination_seconds(pod: Pod, rules: Simulation) -> float:
    """How long processes go on after SIGTERM."""
    given = _annotated_seconds(pod, TERMINATION)
    return rules.termination.of(pod.metadata.uid, "termination") if given is None else given


def problems(pod: Pod) -> list[str]:
    """What is wrong with the pod's annotations, a sentence each."""
    found: list[str] = []
    if pod.metadata.annotations.keys().isdisjoint(_ANNOTATIONS):
        return found
    for name in (DURATION, STARTUP, TERMINATION):
        try:
            _parse_seconds(pod, name)
        except AnnotationError as error:
            found.append(str(error))
    try:
        _parse_outcome(pod)
    except AnnotationError as error:
        found.append(str(error))
    return found


def _seconds(pod: Pod, container: Container, run: int, told: Reading, rules: Simulation) -> float:
    given = _annotated_seconds(pod, DURATION)
    if given is not None:
        return given
    if told.is_told:
        return told.seconds
    if rules.duration is not None:
        return rules.duration.of(pod.metadata.uid, container.name, run, "duration")
    return math.inf if pod.spec.restart_policy == "Always" else JOB_SECONDS


def _with_outcome(
    pod: Pod, container: Container, run: int, natural: Ending, rules: Simulation
) -> Ending:
    uid, name = pod.metadata.uid, container.name
    try:
        kind, value = _parse_outcome(pod)
    except AnnotationError:
        kind, value = "", 0.0
    if kind == "flaky":
        kind = "fail" if share(uid, name, run, "flaky") < value else "succeed"
        value = 1
    elif not kind and (rules.hang_rate or rules.oom_rate or rules.failure_rate):
        at = share(uid, name, run, "outcome")
        if at < rules.hang_rate:
            kind = "hang"
        elif at < rules.hang_rate + rules.oom_rate:
            kind = "oom"
        elif at < rules.hang_rate + rules.oom_rate + rules.failure_rate:
            kind, value = "fail", rules.failure_exit_code
    # What would run for ever has to end to fail.
    seconds = JOB_SECONDS if math.isinf(natural.seconds) else natural.seconds
    match kind:
        case "succeed":
            return _ended(natural.seconds, 0)
        case "fail":
            return _ended(seconds, int(value))
        case "oom":
            return Ending(seconds, KILLED, "OOMKilled")
        case "hang":
            return Ending(math.inf, 0, "Completed")
        case _:
            return natural


def _ended(seconds: float, exit_code: int) -> Ending:
    return Ending(seconds, exit_code, "Error" if exit_code else "Completed")


def read_command(pod: Pod, container: Container) -> Reading:
    """What the container's command says. Commands without variables are read once for all pods that have them."""
    if "$" not in "".join((*container.command, *container.args)):
        return _read_plain(container.image, container.command, container.args)
    variables = environment(pod, container)
    return _measure(command_of(container, variables), variables)


def command_of(container: Container, variables: dict[str, str]) -> list[str]:
    """The words of the command, as far as they can be known without the image."""
    command = [expanded(word, variables) for word in container.command]
    return _with_entrypoint(
        container.image, command, [expanded(word, variables) for word in container.args]
    )


def _with_entrypoint(image: str, command: list[str], args: list[str]) -> list[str]:
    """Without a command the image's entry point runs: images that are called after what they do tell it."""
    if command:
        return command + args
    called = image.rpartition("/")[2].partition("@")[0].partition(":")[0]
    if "sleep" in called and args:
        return args if args[0].rpartition("/")[2] == "sleep" else ["sleep", *args]
    if called == "pause":
        return ["sleep", "infinity"]
    return args


@lru_cache(maxsize=4096)
def _read_plain(image: str, command: tuple[str, ...], args: tuple[str, ...]) -> Reading:
    return _measure(_with_entrypoint(image, list(command), list(args)), {})


def _measure(words: list[str], variables: dict[str, str]) -> Reading:
    if not words:
        return _UNTOLD
    shell = Shell(variables, BUILTINS, measures=True)
    try:
        for _ in shell.run(words):
            pass
    except Exited:
        pass
    return Reading(
        shell.elapsed, shell.code, not shell.is_opaque or shell.elapsed > 0 or shell.code != 0
    )


def _annotated_seconds(pod: Pod, name: str) -> float | None:
    if not pod.metadata.annotations:
        return None
    try:
        return _parse_seconds(pod, name)
    except AnnotationError:
        return None


def _parse_seconds(pod: Pod, name: str) -> float | None:
    text = pod.metadata.annotations.get(name)
    if text is None:
        return None
    if text in {FOREVER, NEVER}:
        return math.inf
    try:
        seconds = parse_duration(text)
    except ValueError as error:
        raise AnnotationError(f"annotation {name}: {error}; write one such as 90s") from None
    if seconds < 0:
        raise AnnotationError(f'annotation {name}: must not be negative, but is "{text}"')
    return seconds


def _parse_outcome(pod: Pod) -> tuple[str, float]:
    """The kind of an outcome and its number: an exit code or a probability."""
    text = pod.metadata.annotations.get(OUTCOME, "")
    kind, _, rest = text.partition(":")
    match kind:
        case "" | "succeed" | "hang" | "oom" if not rest:
            return kind, 0
        case "fail" if not rest:
            return kind, 1
        case "fail" if rest.isdecimal() and 1 <= int(rest) <= 255:
            return kind, int(rest)
        case "flaky":
            try:
                value = float(rest)
            except ValueError:
                value = -1.0
            if 0.0 <= value <= 1.0:
                return kind, value
    raise AnnotationError(
        f'annotation {OUTCOME}: "{text}" is none of succeed, fail, fail:CODE (1 to 255), oom, hang, '
        "flaky:PROBABILITY (0 to 1)"
    )
