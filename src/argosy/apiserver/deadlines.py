"""The `timeout` parameter of a request: kubectl's --request-timeout, written as a Go duration.

It is checked as kube-apiserver checks it. It is not enforced: what may take long here (a wait for a seat, a stream) has
bounds of its own, and the client hangs up by itself when its time is over.
"""

from __future__ import annotations

import re
from typing import Final

from argosy.base.errors import BadRequest
from argosy.base.fielderrors import quote

_DURATION: Final = re.compile(
    r"[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)"
)
_NUMBER: Final = re.compile(r"\d+\.?\d*|\.\d+")
_UNIT: Final = re.compile(r"[^.\d]+")
_UNITS: Final = frozenset({"ns", "us", "\u00b5s", "\u03bcs", "ms", "s", "m", "h"})


def check_timeout(given: str) -> None:
    """Raises BadRequest for what is no duration."""
    if given and not _DURATION.fullmatch(given):
        raise BadRequest(f"invalid timeout specified in the request URL - time: {_problem(given)}")


def _problem(given: str) -> str:
    """Why Go takes a text for no duration: no number, no unit, or a unit nobody knows."""
    rest = given[1:] if given[0] in "+-" else given
    while rest:
        number = _NUMBER.match(rest)
        if number is None:
            break
        unit = _UNIT.match(rest, number.end())
        if unit is None:
            return f"missing unit in duration {quote(given)}"
        if unit[0] not in _UNITS:
            return f"unknown unit {quote(unit[0])} in duration {quote(given)}"
        rest = rest[unit.end() :]
    return f"invalid duration {quote(given)}"
