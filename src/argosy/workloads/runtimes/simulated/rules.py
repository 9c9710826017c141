"""The rules of one node pool: how long its pods run, how they start and how they end.

`NodePool.spec.simulation` as typed values (its schema is `argosy.api.simulations`). Amounts of time are
distributions; what one pod gets is drawn with a share in [0, 1) that is a hash of the pod's uid, container, run and
purpose. The same pod therefore gets the same times in every process, and two pods do not move in step.
"""

from __future__ import annotations

import hashlib
import math
from statistics import NormalDist
from typing import Annotated, Final

import msgspec

from argosy.api.simulations import PARAMETERS
from argosy.base.durations import parse_duration
from argosy.base.types import Object

_STANDARD: Final = NormalDist()
_SHARES: Final = 2.0**64

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Factor = Annotated[float, msgspec.Meta(ge=0, le=10)]
ExitCode = Annotated[int, msgspec.Meta(ge=1, le=255)]


class RuleError(ValueError):
    """A rule that cannot be read; the text names the field, its value and what is allowed."""


def share(*about: str | int) -> float:
    """A number in [0, 1) that depends on nothing but what it is about."""
    text = "/".join(map(str, about)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big") / _SHARES


class Distribution(msgspec.Struct, frozen=True):
    """Amounts of time, in seconds; see `draw` for what each parameter means."""

    type: str = "constant"
    value: float = 0.0
    min: float = 0.0
    max: float = 0.0
    mean: float = 0.0
    stddev: float = 0.0

    def of(self, *about: str | int) -> float:
        """The amount for what it is about; always the same."""
        return self.value if self.type == "constant" else self.draw(share(*about))

    def draw(self, at: float) -> float:
        """The amount that a share `at` of all amounts is below. Never negative."""
        match self.type:
            case "uniform":
                return self.min + (self.max - self.min) * at
            case "normal":
                return max(0.0, self.mean + self.stddev * _standard(at))
            case "lognormal":
                # Mean and deviation are those of the amounts, not of their logarithms.
                if self.mean <= 0.0:
                    return 0.0
                spread = math.log1p((self.stddev / self.mean) ** 2)
                return self.mean * math.exp(math.sqrt(spread) * _standard(at) - spread / 2)
            case "exponential":
                return -self.mean * math.log1p(-at)
            case _:
                return self.value


AT_ONCE: Final = Distribution()


class UsageFactors(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of its requests a container uses."""

    cpu: Factor = 0.5
    memory: Factor = 0.6


class Simulation(msgspec.Struct, frozen=True, rename="camel"):
    """What the pods of a pool do when neither they nor their commands say."""

    duration: Distribution | None = None
    init_duration: Distribution = AT_ONCE
    startup: Distribution = AT_ONCE
    readiness: Distribution = AT_ONCE
    termination: Distribution = AT_ONCE
    failure_rate: Share = 0.0
    oom_rate: Share = 0.0
    hang_rate: Share = 0.0
    failure_exit_code: ExitCode = 1
    usage: UsageFactors = UsageFactors()
    log_interval: float = 10.0


DEFAULTS: Final = Simulation()
_TIMES: Final = ("duration", "initDuration", "startup", "readiness", "termination")
_FIELDS: Final = frozenset(field.encode_name for field in msgspec.structs.fields(Simulation))


def read_simulation(given: Object) -> Simulation:
    """The rules that a pool's `spec.simulation` means. Raises RuleError."""
    if unknown := sorted(given.keys() - _FIELDS):
        raise RuleError(
            f"spec.simulation.{unknown[0]}: unknown field; known are {', '.join(sorted(_FIELDS))}"
        )
    values = dict(given)
    for name in _TIMES:
        if name in values:
            values[name] = _distribution(f"spec.simulation.{name}", values[name])
    if "logInterval" in values:
        interval = _seconds("spec.simulation.logInterval", values["logInterval"])
        # A line every nanosecond would be a log that nobody can read to its end.
        values["logInterval"] = max(interval, 0.001)
    try:
        return msgspec.convert(values, Simulation)
    except msgspec.ValidationError as error:
        raise RuleError(f"spec.simulation: {error}") from None


def _distribution(field: str, given: Object) -> Distribution:
    if not isinstance(given, dict):
        raise RuleError(f"{field}: must be an object such as {{type: constant, value: 60s}}")
    type_ = given.get("type", "constant")
    needed = PARAMETERS.get(type_)
    if needed is None:
        raise RuleError(
            f'{field}.type: unknown distribution "{type_}"; known are {", ".join(PARAMETERS)}'
        )
    times = {name: _seconds(f"{field}.{name}", given[name]) for name in given if name != "type"}
    if missing := [name for name in needed if name not in times]:
        raise RuleError(f"{field}.{missing[0]}: a {type_} distribution needs it")
    if type_ == "uniform" and times["min"] > times["max"]:
        raise RuleError(f"{field}.min: must not be more than max ({given['max']})")
    try:
        return Distribution(type_, **times)
    except TypeError:
        extra = min(times.keys() - set(Distribution.__struct_fields__))
        raise RuleError(f"{field}.{extra}: unknown field of a distribution") from None


def _seconds(field: str, text: object) -> float:
    try:
        seconds = parse_duration(str(text))
    except ValueError as error:
        raise RuleError(f"{field}: {error}; write a duration such as 90s or 1h30m") from None
    if seconds < 0:
        raise RuleError(f'{field}: must not be negative, but is "{text}"')
    return seconds


def _standard(at: float) -> float:
    """The normal distribution's quantile; the ends, where it has none, are pulled in."""
    return _STANDARD.inv_cdf(min(max(at, 1e-12), 1 - 1e-12))
