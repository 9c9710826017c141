"""What `argosy.dev/reschedule: after=10m` says, for the hub that gives jobs away and the agent that ends them.

A cluster of which the hub has heard nothing for so long loses its jobs to another one. Its agent ends them when three
quarters of that time have passed without a word from the hub; the last quarter is for pods that take their time to
end, and for an agent that has to be started again. While it has such jobs it beats six times in that time at least, so
that one or two lost beats are no loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.base.durations import format_duration, parse_duration

# Less is a hiccup, not a loss.
SHORTEST_SECONDS: Final = 60.0
_PREFIX: Final = "after="
_FENCED: Final = 0.75
_BEATS: Final = 6


def parse_reschedule(text: str) -> float:
    """The seconds after which a cluster counts as lost; ValueError says what is allowed."""
    if not text.startswith(_PREFIX):
        raise ValueError(_refusal(text, "it does not begin with after="))
    try:
        seconds = parse_duration(text.removeprefix(_PREFIX))
    except ValueError as error:
        raise ValueError(_refusal(text, str(error))) from None
    if seconds < SHORTEST_SECONDS:
        raise ValueError(_refusal(text, f"it is less than {format_duration(SHORTEST_SECONDS)}"))
    return seconds


def read_reschedule(annotations: Mapping[str, str], key: str) -> float | None:
    """The seconds that an annotation tells; None if it is not there, or tells nothing."""
    text = annotations.get(key)
    if text is None:
        return None
    try:
        return parse_reschedule(text)
    except ValueError:
        return None


def fence_seconds(after: float) -> float:
    """How long an agent may be cut off from the hub before it ends what could be given away."""
    return after * _FENCED


def beat_seconds(after: float) -> float:
    """How often an agent is to beat at least."""
    return after / _BEATS


def _refusal(text: str, why: str) -> str:
    return (
        f'"{text}" is no way to reschedule: {why}. Allowed is after=DURATION with a duration of a minute or more, '
        "such as after=10m."
    )
