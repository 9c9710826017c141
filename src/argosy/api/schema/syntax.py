"""Go's JSON scanner, for its error texts only.

Bodies are parsed by msgspec; this is asked what Go would have said about a body that msgspec refused. It reads one
value without recursion and keeps nothing of it.
"""

from __future__ import annotations

import re
from typing import Final

from argosy.base.fielderrors import quote

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_LITERALS: Final = {"t": "true", "f": "false", "n": "null"}
_DIGITS: Final = "0123456789"


class Malformed(ValueError):
    """The body cannot be read; the text is Go's."""


def syntax_problem(text: str) -> str | None:
    """Go's complaint about a text that is not one JSON value; None when it is."""
    scanner = _Scanner(text)
    try:
        scanner.value("looking for beginning of value")
        scanner.end()
    except Malformed as problem:
        return str(problem)
    return None


class _Scanner:
    """Reads one JSON value without recursion and without keeping it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def _next(self) -> str:
        """The next character that is not white space."""
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        return self._char()

    def _char(self) -> str:
        if self.at >= len(self.text):
            raise Malformed("unexpected end of JSON input")
        return self.text[self.at]

    def _refuse(self, where: str) -> Malformed:
        ch = self.text[self.at]
        shown = "'\\''" if ch == "'" else "'\"'" if ch == '"' else f"'{quote(ch)[1:-1]}'"
        return Malformed(f"invalid character {shown} {where}")

    def end(self) -> None:
        found = _SPACE.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        if self.at < len(self.text):
            raise self._refuse("after top-level value")

    def value(self, where: str) -> None:
        """One value; `open_` holds the brackets it is inside of."""
        open_: list[str] = []
        while True:
            ch = self._next()
            if ch in "{[":
                self.at += 1
                if self._opened(ch, open_):
                    continue
            else:
                self._scalar(ch, where)
            # A value has ended: close what closes after it.
            while open_:
                ch = self._next()
                if ch == ",":
                    self.at += 1
                    if open_[-1] == "{":
                        self._key()
                    break
                if ch == ("}" if open_[-1] == "{" else "]"):
                    self.at += 1
                    open_.pop()
                    continue
                raise self._refuse(
                    "after object key:value pair" if open_[-1] == "{" else "after array element"
                )
            else:
                return
            where = "looking for beginning of value"

    def _opened(self, bracket: str, open_: list[str]) -> bool:
        """Whether a value follows; an empty object or array has none."""
        ch = self._next()
        if ch == ("}" if bracket == "{" else "]"):
            self.at += 1
            return False
        open_.append(bracket)
        if bracket == "{":
            self._key()
        return True

    def _key(self) -> None:
        if self._next() != '"':
            raise self._refuse("looking for beginning of object key string")
        self._string()
        if self._next() != ":":
            raise self._refuse("after object key")
        self.at += 1

    def _scalar(self, ch: str, where: str) -> None:
        if ch == '"':
            self._string()
        elif ch == "-" or ch in _DIGITS:
            self._number()
        elif ch in _LITERALS:
            self._literal(_LITERALS[ch])
        else:
            raise self._refuse(where)

    def _string(self) -> None:
        found = _STRING.match(self.text, self.at)
        assert found is not None
        self.at = found.end()
        ch = self._char()
        if ch == '"':
            self.at += 1
            return
        if ch != "\\":
            raise self._refuse("in string literal")
        self.at += 1
        if self._char() != "u":
            raise self._refuse("in string escape code")
        self.at += 1
        while self._char() in "0123456789abcdefABCDEF":
            self.at += 1
        raise self._refuse("in \\u hexadecimal character escape")

    def _number(self) -> None:
        if self._char() == "-":
            self.at += 1
            if self._char() not in _DIGITS:
                raise self._refuse("in numeric literal")
        if self._char() == "0":
            self.at += 1
        else:
            self._digits()
        if self._peek() == ".":
            self.at += 1
            if self._char() not in _DIGITS:
                raise self._refuse("after decimal point in numeric literal")
            self._digits()
        if self._peek() in ("e", "E"):
            self.at += 1
            if self._char() in "+-":
                self.at += 1
            if self._char() not in _DIGITS:
                raise self._refuse("in exponent of numeric literal")
            self._digits()

    def _peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def _digits(self) -> None:
        while self._peek() and self._peek() in _DIGITS:
            self.at += 1

    def _literal(self, word: str) -> None:
        for expected in word[1:]:
            self.at += 1
            if self._char() != expected:
                raise self._refuse(f"in literal {word} (expecting '{expected}')")
        self.at += 1
