"""The project's own words for built-in types and fields, as `kubectl explain` shows them.

`data/descriptions.json` has for each type the sentence of the type itself under "" and those of its fields. Fields that
mean the same everywhere (apiVersion, kind, metadata, ...) are under the type "*". What has no sentence there gets none.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec


@cache
def _descriptions() -> dict[str, dict[str, str]]:
    raw = files("argosy.api").joinpath("data/descriptions.json").read_bytes()
    return msgspec.json.decode(raw, type=dict[str, dict[str, str]])


def describe(name: str, field: str = "") -> str:
    """The sentence for a type (`io.k8s.api.core.v1.Pod`) or one of its fields; "" where there is none."""
    words = _descriptions()
    found = words.get(name.removeprefix("io.k8s.api."), {}).get(field, "")
    return found or (words["*"].get(field, "") if field else "")
