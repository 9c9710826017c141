r"""RE2 patterns on Python's `re`.

Both dialects agree on most of what rules use. Translated are `\z`, `\Q...\E`, `\C`, the common `\p` classes, POSIX
classes, `\d \w \s \b` (ASCII in RE2), flags in the middle of a pattern, and `$`, which in RE2 is the very end of the
text. What RE2 refuses is refused here: look-around, backreferences, possessive and atomic groups, repeat counts above
1000. RE2 runs in linear time and `re` may not; a rule that matches against patterns from the object itself, or nests
quantifiers, can be slow.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_POSIX: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
# Unicode classes as far as `re` can say them inside or outside of a set.
_UNICODE: Final = {
    "L": "^\\W\\d_",
    "N": "\\d",
    "Nd": "\\d",
    "Lu": "A-Z\u00c0-\u00d6\u00d8-\u00de\u0391-\u03a9\u0410-\u042f",
    "Ll": "a-z\u00df-\u00f6\u00f8-\u00ff\u03b1-\u03c9\u0430-\u044f",
    "Han": (
        "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
        "\U00020000-\U0003134f"
    ),
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u052f",
    "Latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02b8\u1e00-\u1eff",
}
_PLAIN_CLASSES: Final = {
    "d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r ",
}  # fmt: skip
_FLAGS: Final = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?(:|\))")
_REPEAT: Final = re.compile(r"\{(\d+)(,(\d*))?\}")
_MAX_REPEAT: Final = 1000


class RegexError(ValueError):
    """The pattern is none RE2 would take."""


@lru_cache(maxsize=4096)
def compile_regex(pattern: str) -> re.Pattern[str]:
    """The pattern for `re`; raises RegexError."""
    try:
        return re.compile(_Translator(pattern).run())
    except re.error as error:
        raise RegexError(f"error parsing regexp: {_go_words(str(error), pattern)}") from None
    except OverflowError as error:
        raise RegexError(f"error parsing regexp: {error}") from None


def _go_words(problem: str, pattern: str) -> str:
    """Python's complaint as Go puts it, for the mistakes people make."""
    if problem.startswith("missing ), unterminated"):
        return f"missing closing ): `{pattern}`"
    if problem.startswith("unbalanced parenthesis"):
        return f"unexpected ): `{pattern}`"
    if problem.startswith(("nothing to repeat", "multiple repeat")):
        found = re.search(r"(?:^|[(|])([*+?]|\{\d+(?:,\d*)?\})", pattern)
        return f"missing argument to repetition operator: `{found[1] if found else '*'}`"
    if problem.startswith("bad character range"):
        return f"invalid character class range: `{problem.split()[3]}`"
    return problem


class _Translator:
    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._multiline = False

    def run(self) -> str:
        out: list[str] = []
        while self._at < len(self._text):
            out.append(self._next())
        return "".join(out)

    def _next(self) -> str:
        ch = self._text[self._at]
        match ch:
            case "\\":
                return self._escape()
            case "[":
                return self._set()
            case "(":
                return self._group()
            case "$":
                self._at += 1
                return "$" if self._multiline else r"\Z"
            case "{":
                return self._repeat()
            case "*" | "+" | "?":
                return self._quantifier(ch)
            case _:
                self._at += 1
                return re.escape(ch) if ch in "#&~ \t\n" else ch

    def _quantifier(self, text: str) -> str:
        self._at += 1
        following = self._text[self._at : self._at + 1]
        if following == "?":
            self._at += 1
            text += "?"
            following = self._text[self._at : self._at + 1]
        if following and following in "*+?":
            raise RegexError(
                f"error parsing regexp: invalid nested repetition operator: `{text}{following}`"
            )
        return text

    def _repeat(self) -> str:
        found = _REPEAT.match(self._text, self._at)
        if found is None:
            self._at += 1
            return r"\{"
        low, high = int(found[1]), int(found[3]) if found[3] else -1
        if low > _MAX_REPEAT or high > _MAX_REPEAT or (high >= 0 and low > high):
            raise RegexError(f"error parsing regexp: invalid repeat count: `{found[0]}`")
        self._at = found.end() - 1
        return self._quantifier(found[0])

    def _group(self) -> str:
        text = self._text
        if not text.startswith("(?", self._at):
            self._at += 1
            return "("
        for named in ("(?P<", "(?<"):
            after = text[self._at + len(named) : self._at + len(named) + 1]
            if text.startswith(named, self._at) and after not in {"=", "!"}:
                self._at += len(named)
                return "(?P<"
        flags = _FLAGS.match(text, self._at)
        if flags is None or "U" in (flags[1] + (flags[2] or "")):
            raise RegexError(
                f"error parsing regexp: invalid or unsupported Perl syntax: `{text[self._at : self._at + 3]}`"
            )
        self._at = flags.end()
        return self._flags(flags)

    def _flags(self, flags: re.Match[str]) -> str:
        """`(?i:...)` as it is; a bare `(?i)` holds to the end of the group, so the rest becomes a group of its own."""
        on, off, end = flags[1], flags[2] or "", flags[3]
        if "m" in on:
            self._multiline = True
        spec = on + (f"-{off}" if off else "")
        if end == ":":
            return f"(?{spec}:"
        rest = _Translator(self._rest_of_group())
        rest._multiline = self._multiline
        return f"(?{spec}:{rest.run()})"

    def _rest_of_group(self) -> str:
        depth, start, at = 0, self._at, self._at
        while at < len(self._text):
            ch = self._text[at]
            if ch == "\\":
                at += 1
            elif ch == "[":
                at = self._end_of_set(at)
            elif ch == "(":
                depth += 1
            elif ch == ")":
                if not depth:
                    break
                depth -= 1
            at += 1
        self._at = min(at, len(self._text))
        return self._text[start : self._at]

    def _end_of_set(self, at: int) -> int:
        at += 2 if self._text.startswith("[^", at) else 1
        at += self._text.startswith("]", at)
        while at < len(self._text) and self._text[at] != "]":
            if self._text.startswith("[:", at):
                at = self._text.find(":]", at) + 1
            at += 2 if self._text[at] == "\\" else 1
        return at

    def _escape(self) -> str:
        text = self._text
        code = text[self._at + 1 : self._at + 2]
        if not code:
            raise RegexError("error parsing regexp: trailing backslash at end of expression: ``")
        if code == "Q":
            end = text.find("\\E", self._at)
            stop = len(text) if end < 0 else end
            quoted = re.escape(text[self._at + 2 : stop])
            self._at = stop if end < 0 else stop + 2
            return quoted
        if code in "bB":
            self._at += 2
            return rf"(?a:\{code})"
        if code == "z":
            self._at += 2
            return r"\Z"
        if code == "A":
            self._at += 2
            return r"\A"
        if code == "C":
            self._at += 2
            return "(?s:.)"
        inside, negated = self._class()
        if inside is None:
            return self._character()
        if inside.startswith("^"):
            return f"[{inside[1:]}]" if negated else f"[{inside}]"
        return f"[^{inside}]" if negated else f"[{inside}]"

    def _class(self) -> tuple[str | None, bool]:
        """The set an escape stands for, and whether it is negated; (None, False) if it is a character."""
        text, code = self._text, self._text[self._at + 1]
        if code.lower() in _PLAIN_CLASSES:
            self._at += 2
            return _PLAIN_CLASSES[code.lower()], code.isupper()
        if code not in "pP":
            return None, False
        found = re.compile(r"\\[pP](?:\{(\^?)(\w+)\}|(\w))").match(text, self._at)
        name = (found[2] or found[3]) if found else ""
        if found is None or name not in _UNICODE:
            raise RegexError(
                f"error parsing regexp: invalid character class range: `{found[0] if found else code}`"
            )
        self._at = found.end()
        return _UNICODE[name], (code == "P") != bool(found[1])

    def _character(self) -> str:
        found = re.compile(
            r"\\(?:x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|([0-7]{3}|0)|([afnrtv])|([^0-9A-Za-z]|_))"
        ).match(self._text, self._at)
        if found is None:
            bad = self._text[self._at : self._at + 2]
            raise RegexError(f"error parsing regexp: invalid escape sequence: `{bad}`")
        self._at = found.end()
        digits = found[1] or found[2]
        if digits:
            return re.escape(chr(int(digits, 16)))
        if found[3]:
            return re.escape(chr(int(found[3], 8)))
        return f"\\{found[4]}" if found[4] else re.escape(found[5])

    def _set(self) -> str:
        end = self._end_of_set(self._at)
        if end >= len(self._text):
            raise RegexError(f"error parsing regexp: missing closing ]: `{self._text[self._at :]}`")
        self._at += 1
        negated = self._text[self._at] == "^"
        self._at += negated
        out: list[str] = []
        while self._at < end:
            out.append(self._set_item())
        self._at = end + 1
        return f"[{'^' if negated else ''}{''.join(out)}]"

    def _set_item(self) -> str:
        text = self._text
        posix = re.compile(r"\[:(\^?)(\w+):\]").match(text, self._at)
        if posix is not None:
            if posix[2] not in _POSIX or posix[1]:
                raise RegexError(
                    f"error parsing regexp: invalid character class range: `{posix[0]}`"
                )
            self._at = posix.end()
            return _POSIX[posix[2]]
        if text[self._at] == "\\":
            code = text[self._at + 1]
            inside, negated = self._class()
            if inside is None:
                return self._character()
            if negated or inside.startswith("^"):
                if code.isupper() and code in "DWS":
                    return f"\\{code}"
                raise RegexError(f"error parsing regexp: invalid character class range: `\\{code}`")
            return inside
        ch = text[self._at]
        self._at += 1
        return f"\\{ch}" if ch in "[&~|^" else ch
