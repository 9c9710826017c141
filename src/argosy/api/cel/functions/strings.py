"""The strings library (version 2, the one Kubernetes enables) and regular expressions' find and findAll.

Positions count code points, which is what Python's strings do.
"""

from __future__ import annotations

import string
from typing import Final

from argosy.api.cel.declarations import Overload, declare
from argosy.api.cel.formatting import format_string
from argosy.api.cel.regexes import RegexError, compile_regex
from argosy.api.cel.texts import show
from argosy.api.cel.values import CelError
from argosy.base.types import Json

_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_UPPER: Final = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
_QUOTES: Final = str.maketrans(
    {
        "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\",
        '"': '\\"',
    }
)  # fmt: skip
# Go's unicode.IsSpace, which is less than str.strip() takes.
_SPACES: Final = (
    "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def _out_of_range(position: int) -> CelError:
    return CelError(f"index out of range: {position}")


def char_at(text: str, position: int) -> str:
    if not 0 <= position <= len(text):
        raise _out_of_range(position)
    return text[position : position + 1]


def index_of(text: str, part: str, start: int = 0) -> int:
    if not part:
        return start
    if start < 0:
        raise _out_of_range(start)
    return text.find(part, start)


def last_index_of(text: str, part: str) -> int:
    return text.rfind(part) if part else len(text)


def last_index_from(text: str, part: str, start: int) -> int:
    if not part:
        return start
    if start < 0:
        raise _out_of_range(start)
    if start >= len(text):
        return -1
    return text.rfind(part, 0, start + len(part))


def replace(text: str, old: str, new: str, count: int = -1) -> str:
    return text.replace(old, new, count)


def split(text: str, separator: str, count: int = -1) -> list[str]:
    if not count:
        return []
    if not separator:
        characters = list(text)
        if count < 0 or count >= len(characters):
            return characters
        return [*characters[: count - 1], text[count - 1 :]]
    return text.split(separator, count - 1 if count > 0 else -1)


def substring(text: str, start: int, end: int | None = None) -> str:
    stop = len(text) if end is None else end
    if end is not None and start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    for position in (start, stop):
        if not 0 <= position <= len(text):
            raise _out_of_range(position)
    return text[start:stop]


def join(parts: list[Json], separator: str = "") -> str:
    for part in parts:
        if not isinstance(part, str):
            raise CelError(f"join: invalid input: {show(part)}")
    return separator.join(parts)


def find(text: str, pattern: str) -> str:
    found = _pattern(pattern).search(text)
    return found[0] if found is not None else ""


def find_all(text: str, pattern: str, count: int = -1) -> list[str]:
    found = [match[0] for match in _pattern(pattern).finditer(text)]
    return found if count < 0 else found[:count]


def _pattern(pattern: str) -> Json:
    try:
        return compile_regex(pattern)
    except RegexError as error:
        raise CelError(f"Illegal regex: {error}") from None


LIBRARY: Final[tuple[Overload, ...]] = (
    declare("string::charAt(int) -> string", char_at),
    declare("string::indexOf(string) -> int", index_of),
    declare("string::indexOf(string, int) -> int", index_of),
    declare("string::lastIndexOf(string) -> int", last_index_of),
    declare("string::lastIndexOf(string, int) -> int", last_index_from),
    declare("string::lowerAscii() -> string", lambda text: text.translate(_LOWER)),
    declare("string::replace(string, string) -> string", replace),
    declare("string::replace(string, string, int) -> string", replace),
    declare("string::split(string) -> list<string>", split),
    declare("string::split(string, int) -> list<string>", split),
    declare("string::substring(int) -> string", substring),
    declare("string::substring(int, int) -> string", substring),
    declare("string::trim() -> string", lambda text: text.strip(_SPACES)),
    declare("string::upperAscii() -> string", lambda text: text.translate(_UPPER)),
    declare("string::format(list<dyn>) -> string", format_string),
    declare("strings.quote(string) -> string", lambda text: f'"{text.translate(_QUOTES)}"'),
    declare("list<string>::join() -> string", join),
    declare("list<string>::join(string) -> string", join),
    declare("string::find(string) -> string", find),
    declare("string::findAll(string) -> list<string>", find_all),
    declare("string::findAll(string, int) -> list<string>", find_all),
)
