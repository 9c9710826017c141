"""How the cases of lives are played: a function per upstream table. What several of them need is here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from argosy.base.timestamps import parse_time

Line: TypeAlias = Mapping[str, Any]
Player: TypeAlias = Callable[[Line], list[str]]


def now_of(line: Line) -> datetime:
    """The moment a case plays at, in whole seconds as objects keep it."""
    return parse_time(line["now"]).replace(microsecond=0)


def without_times(value: Any, name: str = "") -> Any:
    match value:
        case dict():
            kept = {key: without_times(one, key) for key, one in value.items()}
            return {key: one for key, one in kept.items() if key != "lastTransitionTime"}
        case list():
            return [without_times(one) for one in value]
        case str() if name == "requeueAt":
            return "set"
        case _:
            return value
