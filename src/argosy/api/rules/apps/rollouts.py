"""How many pods a rollout may take away or add: a number, or a percentage of all."""

from __future__ import annotations

from argosy.api.rules.integers import AtoiError, atoi
from argosy.api.rules.names import is_percent
from argosy.api.rules.wording import NOT_NEGATIVE, Printed, printed
from argosy.base.fielderrors import FieldError, invalid
from argosy.base.types import Object

IntOrString = int | str


def default_strategy(strategy: Object, unavailable: IntOrString, surge: IntOrString) -> None:
    """A rolling update unless told, with these limits where it has none of its own."""
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    if strategy["type"] != "RollingUpdate":
        return
    if strategy.get("rollingUpdate") is None:
        strategy["rollingUpdate"] = {}
    rolling: Object = strategy["rollingUpdate"]
    for field, limit in (("maxUnavailable", unavailable), ("maxSurge", surge)):
        if rolling.get(field) is None:
            rolling[field] = limit


def printed_strategy(kind: str, rolling: Object | None) -> Printed:
    """A strategy of a Deployment or DaemonSet as upstream's internal struct prints."""
    inner = rolling and {
        "MaxUnavailable": rolling.get("maxUnavailable", 0),
        "MaxSurge": rolling.get("maxSurge", 0),
    }
    return printed({"Type": kind, "RollingUpdate": inner})


def validate_int_or_percent(value: IntOrString, path: str) -> list[FieldError]:
    if isinstance(value, str):
        return [invalid(path, value, text) for text in is_percent(value)]
    return [invalid(path, value, NOT_NEGATIVE)] if value < 0 else []


def validate_percent_limit(value: IntOrString, path: str) -> list[FieldError]:
    if isinstance(value, str) and not is_percent(value) and amount(value) > 100:
        return [invalid(path, value, "must not be greater than 100%")]
    return []


def amount(value: IntOrString) -> int:
    """The bare number, whatever it is a number of; 0 where the text is no number."""
    if isinstance(value, int):
        return value
    try:
        return atoi(value if is_percent(value) else value[:-1])
    except AtoiError as error:
        return error.nearest
