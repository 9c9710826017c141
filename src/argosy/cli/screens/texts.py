"""Text on a terminal: how wide it is, what of it may be shown, and cutting it to a width.

What clusters say is shown to people, so nothing in it may steer their terminal: control characters become blanks,
marks that only format are dropped, what has no known shape becomes a question mark. East Asian wide characters take two
columns, combining ones none. Laws, held by the tests for any text: what was cleaned has no control characters, and what
was fitted is never wider than asked for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from enum import Enum
from typing import Final, NamedTuple, TypeAlias


class Style(Enum):
    """How text looks; the value is its SGR parameter."""

    PLAIN = ""
    BOLD = "1"
    DIM = "2"
    HEAD = "1;4"
    GOOD = "32"
    BUSY = "36"
    WAITING = "33"
    BAD = "31"
    REVERSED = "7"


class Span(NamedTuple):
    text: str
    style: Style = Style.PLAIN


# A line, or a cell of one.
Line: TypeAlias = tuple[Span, ...]

_RESET: Final = "\x1b[0m"
# A message may be as long as its author liked; no screen shows more of it.
_LONGEST: Final = 1000
_UNKNOWN: Final = frozenset({"Cn", "Co", "Cs"})
_WIDE: Final = frozenset({"W", "F"})


class Glyphs(NamedTuple):
    """What is drawn beside letters."""

    full: str = "█"
    empty: str = "░"
    more: str = "…"
    dot: str = " · "


UNICODE: Final = Glyphs()
ASCII: Final = Glyphs("#", ".", "~", " | ")


def clean(text: str) -> str:
    """The text without anything that is not to be seen."""
    text = text[:_LONGEST]
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(char: str) -> str:
    category = unicodedata.category(char)
    if category in {"Cc", "Zl", "Zp"}:
        return " "
    if category == "Cf" or "\ufe00" <= char <= "\ufe0f":
        return ""
    return "?" if category in _UNKNOWN else char


def width(text: str) -> int:
    """Columns that cleaned text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1


def fit(text: str, columns: int, more: str = UNICODE.more) -> str:
    """As much of it as the columns take; `more` stands where something was left out."""
    if width(text) <= columns:
        return text
    room = columns - width(more)
    if room < 0:
        return ""
    kept, taken = [], 0
    for char in text:
        taken += _columns(char)
        if taken > room:
            break
        kept.append(char)
    return "".join(kept) + more


def cell(text: object, style: Style = Style.PLAIN) -> Line:
    """Whatever it is, as text that may be shown."""
    shown = clean(str(text))
    return (Span(shown, style),) if shown else ()


def line_width(line: Line) -> int:
    return sum(width(each.text) for each in line)


def plain(line: Line) -> str:
    return "".join(each.text for each in line)


def fit_line(line: Line, columns: int, more: str = UNICODE.more) -> Line:
    """The same for a line of several styles."""
    if line_width(line) <= columns:
        return line
    kept: list[Span] = []
    room = columns
    for index, span in enumerate(line):
        taken = width(span.text)
        has_rest = any(each.text for each in line[index + 1 :])
        if taken < room or (taken == room and not has_rest):
            kept.append(span)
            room -= taken
            continue
        # Here it ends: what does not fit, or what is followed by something that does not.
        text = span.text if taken > room else f"{span.text}{more}"
        kept.append(Span(fit(text, room, more), span.style))
        break
    return tuple(each for each in kept if each.text)


def pad(line: Line, columns: int, *, right: bool = False) -> Line:
    """Filled up with blanks to a width, at its end or at its beginning."""
    missing = columns - line_width(line)
    if missing <= 0:
        return line
    blanks = Span(" " * missing)
    return (blanks, *line) if right else (*line, blanks)


def joined(parts: Iterable[Line], between: str) -> Line:
    found: list[Span] = []
    for part in parts:
        if found and part:
            found.append(Span(between, Style.DIM))
        found += part
    return tuple(found)


def painted(line: Line, *, colors: bool) -> str:
    """As a terminal takes it."""
    if not colors:
        return plain(line)
    return "".join(
        f"\x1b[{style.value}m{text}{_RESET}" if style.value else text for text, style in line
    )
