"""Text to tokens, with the literals of CEL decoded.

Characters that start no token are reported and skipped, as the generated lexer of cel-go does, so that the parser
can still say what else is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from argosy.api.cel.source import Problems

_ESCAPE = r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7]{2}|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
_STRING = "|".join(
    (
        r"[rR]\"\"\"(?s:.*?)\"\"\"",
        r"[rR]'''(?s:.*?)'''",
        r"[rR]\"[^\"\n\r]*\"",
        r"[rR]'[^'\n\r]*'",
        rf"\"\"\"(?:{_ESCAPE}|[^\\])*?\"\"\"",
        rf"'''(?:{_ESCAPE}|[^\\])*?'''",
        rf"\"(?:{_ESCAPE}|[^\\\"\n\r])*\"",
        rf"'(?:{_ESCAPE}|[^\\'\n\r])*'",
    )
)
_TOKENS: Final = re.compile(
    rf"""(?P<space>[\t \r\n\f]+|//[^\n]*)
    |(?P<BYTES>[bB](?:{_STRING}))
    |(?P<STRING>{_STRING})
    |(?P<NUM_FLOAT>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
    |(?P<NUM_UINT>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])
    |(?P<NUM_INT>0x[0-9a-fA-F]+|[0-9]+)
    |(?P<IDENTIFIER>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<ESC_IDENTIFIER>`[A-Za-z0-9_.\-/\ ]+`)
    |(?P<op>==|!=|<=|>=|&&|\|\||[\[\]{{}}().,\-!?:+*/%<>])""",
    re.VERBOSE,
)
_WORDS: Final = frozenset({"true", "false", "null", "in"})
# Where a broken token stops: an unclosed string at the end of its line, others at the next character.
_BROKEN: Final = re.compile(r"[bB]?[rR]?(?:\"[^\"\n\r]*|'[^'\n\r]*)[\n\r]?|[=&|].?|.", re.DOTALL)
_SIMPLE_ESCAPES: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip


@dataclass(slots=True, frozen=True)
class Token:
    """`kind` is the grammar's name of the token: `STRING`, `IDENTIFIER`, or the operator itself."""

    kind: str
    text: str
    at: int


def tokenize(text: str, problems: Problems) -> list[Token]:
    tokens, position = [], 0
    while position < len(text):
        found = _TOKENS.match(text, position)
        if found is None:
            broken = _BROKEN.match(text, position)
            assert broken is not None
            shown = broken[0].replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
            problems.report(position, f"Syntax error: token recognition error at: '{shown}'")
            position = broken.end()
            continue
        kind = found.lastgroup or ""
        if kind == "op" or found[0] in _WORDS:
            kind = found[0]
        if kind != "space":
            tokens.append(Token(kind, found[0], position))
        position = found.end()
    tokens.append(Token("<EOF>", "<EOF>", len(text)))
    return tokens


def unquote(text: str) -> str:
    """The value of a string literal; raises ValueError with cel-go's text for an impossible escape."""
    body, raw = _body(text)
    if raw or "\\" not in body:
        return body
    return re.sub(_ESCAPE, _character, body)


def unquote_bytes(text: str) -> bytes:
    """The value of a bytes literal, its `b` taken off already. Octal and hex escapes stand for bytes."""
    body, raw = _body(text)
    if raw or "\\" not in body:
        return body.encode()
    out, position = bytearray(), 0
    for found in re.finditer(_ESCAPE, body):
        out += body[position : found.start()].encode()
        code = found[0][1]
        if code in "uU":
            raise ValueError("unable to unescape string")
        value = _character(found)
        out.append(ord(value))
        position = found.end()
    return bytes(out + body[position:].encode())


def _body(text: str) -> tuple[str, bool]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = text[0] in "rR"
    text = text[1:] if raw else text
    quotes = 3 if len(text) >= 6 and text[:3] in {"'''", '"""'} else 1
    return text[quotes:-quotes], raw


def _character(found: re.Match[str]) -> str:
    code = found[0][1:]
    if code[0] in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[code[0]]
    if code[0] in "xXuU":
        value = int(code[1:], 16)
    elif code[0].isdigit():
        value = int(code, 8)
    else:
        return code
    if value > 0x10FFFF or 0xD800 <= value < 0xE000:
        raise ValueError("invalid unicode code point")
    return chr(value)
