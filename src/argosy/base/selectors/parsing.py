"""The text syntax of label selectors: `tier in (front,back),!legacy,env=prod`.

    selector    = [ requirement { "," requirement } ]
    requirement = "!" KEY | KEY [ ("in" | "notin") "(" values ")" | OPERATOR VALUE ]
    OPERATOR    = "=" | "==" | "!=" | ">" | "<"

Scanning and the wording of each refusal follow upstream's parser step by step, odd corners included (an
unclosed list quotes its first value), because kubectl users see these texts.
"""

from __future__ import annotations

from typing import Final

from argosy.base import fielderrors, names
from argosy.base.selectors.requirements import Operator, Requirement, SelectorError, require

_END: Final = ""
_IDENTIFIER: Final = "identifier"
_SPACES: Final = " \t\r\n"
_SYMBOLS: Final = "=!(),><"
_SYMBOL_MARKS: Final = frozenset({")", ",", "!", "==", "=", ">", "<", "!=", "("})
_WORD_MARKS: Final = frozenset({"in", "notin"})
_BINARY: Final = {
    "in": Operator.IN,
    "notin": Operator.NOT_IN,
    "=": Operator.EQUALS,
    "==": Operator.DOUBLE_EQUALS,
    "!=": Operator.NOT_EQUALS,
    ">": Operator.GREATER_THAN,
    "<": Operator.LESS_THAN,
}
_BINARY_TEXT: Final = "in, notin, =, ==, !=, gt, lt"


def parse_requirements(text: str) -> list[Requirement]:
    """The terms in the order they were written; `SelectorError` if the text is no selector."""
    return _Parser(text).selector()


def _scan(text: str) -> list[tuple[str, str]]:
    """(mark, literal) pairs, the last of which is the end. A NUL ends a word and, in front of one, the text."""
    marks: list[tuple[str, str]] = []
    at, end = 0, len(text)
    while True:
        while at < end and text[at] in _SPACES:
            at += 1
        if at >= end or text[at] == "\0":
            marks.append((_END, ""))
            return marks
        start = at
        if text[at] in _SYMBOLS:
            while at < end and text[at] in _SYMBOLS and text[start : at + 1] in _SYMBOL_MARKS:
                at += 1
            literal = text[start:at]
            marks.append((literal, literal))
        else:
            while at < end and text[at] not in _SYMBOLS and text[at] not in _SPACES + "\0":
                at += 1
            literal = text[start:at]
            marks.append((literal if literal in _WORD_MARKS else _IDENTIFIER, literal))
            at += at < end and text[at] == "\0"


class _Parser:
    def __init__(self, text: str) -> None:
        self._marks = _scan(text)
        self._at = 0

    def _peek(self) -> tuple[str, str]:
        """The next mark where `in` and `notin` are names like any other."""
        mark, literal = self._marks[self._at]
        return (_IDENTIFIER if mark in _WORD_MARKS else mark), literal

    def _take(self) -> tuple[str, str]:
        taken = self._peek()
        self._at += 1
        return taken

    def selector(self) -> list[Requirement]:
        found: list[Requirement] = []
        while True:
            mark, literal = self._peek()
            if mark == _END:
                return found
            if mark not in {_IDENTIFIER, "!"}:
                raise SelectorError(
                    f"found '{literal}', expected: !, identifier, or 'end of string'"
                )
            try:
                found.append(self._requirement())
            except SelectorError as error:
                raise SelectorError(f"unable to parse requirement: {error}") from None
            mark, literal = self._take()
            if mark == _END:
                return found
            if mark != ",":
                raise SelectorError(f"found '{literal}', expected: ',' or 'end of string'")
            mark, literal = self._peek()
            if mark not in {_IDENTIFIER, "!"}:
                raise SelectorError(f"found '{literal}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        mark, key = self._take()
        negated = mark == "!"
        if negated:
            mark, key = self._take()
        if mark != _IDENTIFIER:
            raise SelectorError(f"found '{key}', expected: identifier")
        if problems := names.is_qualified_name(key):
            raise SelectorError(str(fielderrors.invalid("<nil>", key, "; ".join(problems))))
        if negated:
            return require(key, Operator.DOES_NOT_EXIST, ())
        if self._peek()[0] in {_END, ","}:
            return require(key, Operator.EXISTS, ())
        mark, literal = self._marks[self._at]
        self._at += 1
        operator = _BINARY.get(mark)
        if operator is None:
            raise SelectorError(f"found '{literal}', expected: {_BINARY_TEXT}")
        if operator in {Operator.IN, Operator.NOT_IN}:
            return require(key, operator, sorted(self._set()))
        return require(key, operator, (self._exact(),))

    def _set(self) -> set[str]:
        mark, literal = self._take()
        if mark != "(":
            raise SelectorError(f"found '{literal}' expected: '('")
        mark, literal = self._peek()
        if mark == ")":
            self._take()
            return {""}
        if mark not in {_IDENTIFIER, ","}:
            raise SelectorError(f"found '{literal}', expected: ',', ')' or identifier")
        values = self._values()
        if self._take()[0] != ")":
            raise SelectorError(f"found '{literal}', expected: ')'")
        return values

    def _values(self) -> set[str]:
        """Comma-separated values; nothing between two commas is the empty value."""
        values: set[str] = set()
        while True:
            mark, literal = self._take()
            following, following_literal = self._peek() if mark != _END else (_END, "")
            if mark == _IDENTIFIER:
                values.add(literal)
                if following == ")":
                    return values
                if following != ",":
                    raise SelectorError(f"found '{following_literal}', expected: ',' or ')'")
            elif mark == ",":
                if not values or following in {")", ","}:
                    values.add("")
                if following == ")":
                    return values
            else:
                raise SelectorError(f"found '{literal}', expected: ',', or identifier")

    def _exact(self) -> str:
        if self._peek()[0] in {_END, ","}:
            return ""
        mark, literal = self._take()
        if mark != _IDENTIFIER:
            raise SelectorError(f"found '{literal}', expected: identifier")
        return literal
