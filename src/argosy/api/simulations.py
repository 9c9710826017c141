"""How simulated pods behave: the annotations a pod may carry and the schema of `NodePool.spec.simulation`.

A pod's own annotations come first, then what its command says, then its pool's settings, then the defaults below.

    argosy.dev/duration     how long each container runs: a Go duration ("90s", "1h30m") or "forever"
    argosy.dev/outcome      how each container ends: succeed | fail | fail:CODE | oom | hang | flaky:PROBABILITY
    argosy.dev/startup      how long the pod waits as ContainerCreating: a Go duration
    argosy.dev/termination  how long a process takes to end after SIGTERM: a Go duration, or "never" (it is killed when
                            the grace period is over)

Pools are made by `capacity` and pods are run by `workloads`, and neither imports the other: they meet here.
"""

from __future__ import annotations

from typing import Final

from argosy.base.types import Json, Object

DURATION: Final = "argosy.dev/duration"
OUTCOME: Final = "argosy.dev/outcome"
STARTUP: Final = "argosy.dev/startup"
TERMINATION: Final = "argosy.dev/termination"

FOREVER: Final = "forever"
NEVER: Final = "never"

# What a distribution of each type has to have.
PARAMETERS: Final[dict[str, tuple[str, ...]]] = {
    "constant": ("value",),
    "uniform": ("min", "max"),
    "normal": ("mean", "stddev"),
    "lognormal": ("mean", "stddev"),
    "exponential": ("mean",),
}

_DURATION: Final = r"^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$"


def simulation_schema() -> Object:
    """The OpenAPI schema of `spec.simulation`, to stand in the CRD of node pools. Every field may be left out."""
    return {
        "type": "object",
        "properties": {
            "duration": _distribution(),
            "initDuration": _distribution(),
            "startup": _distribution(),
            "readiness": _distribution(),
            "termination": _distribution(),
            "failureRate": _share(),
            "oomRate": _share(),
            "hangRate": _share(),
            "failureExitCode": {"type": "integer", "minimum": 1, "maximum": 255},
            "usage": {
                "type": "object",
                "properties": {"cpu": _factor(), "memory": _factor()},
            },
            "logInterval": _duration(),
        },
        "x-kubernetes-validations": [
            {
                "rule": " + ".join(
                    f"(has(self.{name}) ? double(self.{name}) : 0.0)"
                    for name in ("failureRate", "oomRate", "hangRate")
                )
                + " <= 1.0",
                "message": "failureRate, oomRate and hangRate must not exceed 1 together",
            }
        ],
    }


def _distribution() -> Object:
    names = sorted({name for names in PARAMETERS.values() for name in names})
    return {
        "type": "object",
        "properties": {
            "type": {"type": "string", "enum": list(PARAMETERS), "default": "constant"},
            **{name: _duration() for name in names},
        },
        "x-kubernetes-validations": [
            {
                "rule": f"self.type != '{type_}' || ("
                + " && ".join(f"has(self.{name})" for name in needed)
                + ")",
                "message": f"a {type_} distribution needs {' and '.join(needed)}",
            }
            for type_, needed in PARAMETERS.items()
        ],
    }


def _duration() -> Object:
    # The longest text bounds the cost of the rules above.
    return {"type": "string", "pattern": _DURATION, "maxLength": 32}


def _share() -> Object:
    return _number(1)


def _factor() -> Object:
    return _number(10)


def _number(most: Json) -> Object:
    return {"type": "number", "minimum": 0, "maximum": most}
