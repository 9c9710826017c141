"""Words and operators of a shell script.

A word is a tuple of pieces: text, and the expansions to be made when the command runs. Quotes are resolved here:
nothing inside single quotes is an expansion, and what double quotes hold is one piece of a word. Comments go. Lenient:
a quote that is never closed ends with the script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias


class Text(NamedTuple):
    """Characters as they are. `quoted` text is never split and makes a word even where it is empty."""

    text: str
    quoted: bool = False


class Variable(NamedTuple):
    """`$NAME`, `${NAME}` or `${NAME:-DEFAULT}`."""

    name: str
    default: str = ""
    quoted: bool = False


class Substitution(NamedTuple):
    """`$(SCRIPT)`: what a script prints."""

    script: str
    quoted: bool = False


class Arithmetic(NamedTuple):
    """`$((EXPRESSION))`."""

    expression: str


Piece: TypeAlias = Text | Variable | Substitution | Arithmetic
Word: TypeAlias = tuple[Piece, ...]


class Operator(NamedTuple):
    """`;`, `&&`, `||`, `|`, `&`, a redirection, or a parenthesis. The end of a line is a `;`."""

    text: str


Token: TypeAlias = Word | Operator

_OPERATORS: Final = re.compile(r"&&|\|\||;;|[0-9]?>>?(?:&[0-9-])?|<<?<?|&>|[;&|()\n]")
_PLAIN: Final = re.compile(r"[^\s;&|()<>'\"\\$`]+")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9?#@*$!]")
_BRACED: Final = re.compile(r"\{#?([A-Za-z_][A-Za-z0-9_]*|[0-9?#@*$!])(?::?-([^}]*))?[^}]*\}")


def tokens(script: str) -> Iterator[Token]:
    """The script in order, one pass."""
    at, length = 0, len(script)
    while at < length:
        char = script[at]
        if char in " \t\r" or script.startswith("\\\n", at):
            at += 2 if char == "\\" else 1
        elif char == "#":
            at = _line_end(script, at)
        elif found := _OPERATORS.match(script, at):
            yield Operator(";" if found[0] == "\n" else found[0])
            at = found.end()
        else:
            word, at = _word(script, at)
            yield word


def _word(script: str, at: int) -> tuple[Word, int]:
    pieces: list[Piece] = []
    while at < len(script):
        char = script[at]
        if char == "'":
            end = script.find("'", at + 1)
            end = len(script) if end < 0 else end
            pieces.append(Text(script[at + 1 : end], quoted=True))
            at = end + 1
        elif char == '"':
            at = _double_quoted(script, at + 1, pieces)
        elif char == "\\":
            pieces.append(Text(script[at + 1 : at + 2], quoted=True))
            at += 2
        elif char in "$`":
            piece, at = _expansion(script, at, quoted=False)
            pieces.append(piece)
        elif found := _PLAIN.match(script, at):
            pieces.append(Text(found[0]))
            at = found.end()
        else:
            break
    return tuple(pieces), at


def _double_quoted(script: str, at: int, pieces: list[Piece]) -> int:
    pieces.append(Text("", quoted=True))
    text = ""
    while at < len(script) and script[at] != '"':
        if script[at] == "\\" and script[at + 1 : at + 2] in {'"', "\\", "$", "`"}:
            text += script[at + 1]
            at += 2
        elif script[at] in "$`":
            pieces.append(Text(text, quoted=True))
            text = ""
            piece, at = _expansion(script, at, quoted=True)
            pieces.append(piece)
        else:
            text += script[at]
            at += 1
    pieces.append(Text(text, quoted=True))
    return at + 1


def _expansion(script: str, at: int, *, quoted: bool) -> tuple[Piece, int]:
    if script[at] == "`":
        end = script.find("`", at + 1)
        end = len(script) if end < 0 else end
        return Substitution(script[at + 1 : end], quoted), end + 1
    if script.startswith("$((", at):
        end = _closing(script, at + 1)
        return Arithmetic(script[at + 3 : end - 1]), end + 1
    if script.startswith("$(", at):
        end = _closing(script, at + 1)
        return Substitution(script[at + 2 : end], quoted), end + 1
    if found := _BRACED.match(script, at + 1):
        return Variable(found[1], found[2] or "", quoted), found.end()
    if found := _NAME.match(script, at + 1):
        return Variable(found[0], "", quoted), found.end()
    return Text("$", quoted), at + 1


def _closing(script: str, at: int) -> int:
    """Where the parenthesis that opens at `at` closes."""
    depth = 0
    for place in range(at, len(script)):
        depth += (script[place] == "(") - (script[place] == ")")
        if depth == 0:
            return place
    return len(script)


def _line_end(script: str, at: int) -> int:
    end = script.find("\n", at)
    return len(script) if end < 0 else end
