"""Integers in texts as Go's strconv.Atoi reads them: ASCII digits with a sign, 64 bits, and its words when it fails."""

from __future__ import annotations

import re
from typing import Final

from argosy.base.fielderrors import quote

_MAX: Final = 2**63 - 1
_integer: Final = re.compile(r"[+-]?0*([0-9]+)").fullmatch


class AtoiError(ValueError):
    """The text is no integer of 64 bits; `nearest` is what Go returns next to the error."""

    def __init__(self, text: str, problem: str, nearest: int) -> None:
        super().__init__(f"strconv.Atoi: parsing {quote(text)}: {problem}")
        self.nearest = nearest


def atoi(text: str) -> int:
    """Linear in the text: more digits than 64 bits have are never turned into a number."""
    found = _integer(text)
    if found is None:
        raise AtoiError(text, "invalid syntax", 0)
    sign = -1 if text.startswith("-") else 1
    if len(found[1]) > 19 or (number := sign * int(found[1])) > _MAX or number < -_MAX - 1:
        raise AtoiError(text, "value out of range", _MAX if sign > 0 else -_MAX - 1)
    return number
