"""The schema of `spec.simulation` with a sentence for each field, for `kubectl explain`.

What the fields are is defined beside the runtime's annotations (`argosy.api.simulations`); here is what they mean.
"""

from __future__ import annotations

from typing import Final

from argosy.api.simulations import simulation_schema
from argosy.base.types import Object
from argosy.capacity.definitions.schemas import described

_FIELDS: Final = {
    "duration": "How long containers run whose pod and command do not say.",
    "initDuration": "How long init containers run.",
    "startup": "How long a pod waits as ContainerCreating.",
    "readiness": "How long after its start a container becomes ready.",
    "termination": "How long a container takes to end after SIGTERM.",
    "failureRate": "The share of containers that fail, from 0 to 1.",
    "oomRate": "The share of containers that run out of memory, from 0 to 1.",
    "hangRate": "The share of containers that never end, from 0 to 1.",
    "failureExitCode": "The exit code of containers that fail.",
    "usage": "What containers use, as a share of what they request.",
    "logInterval": "The time between two lines of their logs.",
}
_DISTRIBUTION: Final = {
    "type": "How durations are drawn.",
    "value": "The duration (constant).",
    "min": "The shortest duration (uniform).",
    "max": "The longest duration (uniform).",
    "mean": "The mean duration (normal, lognormal, exponential).",
    "stddev": "The standard deviation (normal, lognormal).",
}
_USAGE: Final = {
    "cpu": "Share of the requested CPU.",
    "memory": "Share of the requested memory.",
}


def described_simulation() -> Object:
    schema = simulation_schema()
    fields = {}
    for name, field in schema["properties"].items():
        inner = _USAGE if name == "usage" else _DISTRIBUTION
        if "properties" in field:
            field = {**field, "properties": _described(field["properties"], inner)}
        fields[name] = field
    text = "How the pods of simulated nodes behave, where their own annotations do not say."
    return described(text, {**schema, "properties": _described(fields, _FIELDS)})


def _described(fields: Object, texts: dict[str, str]) -> Object:
    return {
        name: described(texts[name], field) if name in texts else field
        for name, field in fields.items()
    }
