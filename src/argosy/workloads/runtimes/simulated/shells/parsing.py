"""A shell script as a tree of lists, pipelines, loops and conditions.

Lenient, because it stands in for scripts written for a real shell: what it does not know (functions, case, subshells)
is read as commands of unknown meaning. Every script has a tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from argosy.workloads.runtimes.simulated.shells.lexing import Operator, Text, Token, Word, tokens


@dataclass(slots=True, frozen=True)
class Simple:
    """One command with its arguments. `is_silent`: what it prints goes elsewhere."""

    words: tuple[Word, ...]
    is_silent: bool = False


@dataclass(slots=True, frozen=True)
class Chain:
    """Commands with what stands between each and the one before: `;`, `&&`, `||` or `|`."""

    parts: tuple[tuple[str, Command], ...]


@dataclass(slots=True, frozen=True)
class For:
    name: str
    words: tuple[Word, ...]
    body: Chain


@dataclass(slots=True, frozen=True)
class While:
    condition: Chain
    body: Chain
    is_until: bool = False


@dataclass(slots=True, frozen=True)
class If:
    """Conditions with what to do; an `else` has no condition."""

    branches: tuple[tuple[Chain | None, Chain], ...]


Command: TypeAlias = Simple | For | While | If | Chain

_LONGEST: Final = 65_536
_JOINTS: Final = frozenset({";", "&&", "||", "|", "&"})
_ENDS: Final = frozenset({"done", "do", "then", "elif", "else", "fi", "}"})


# A command nobody knows stands for a script that is too long or too deep to be read.
_UNREADABLE: Final = Chain(((";", Simple(((Text("unreadable"),),))),))


@lru_cache(maxsize=1024)
def parse(script: str) -> Chain:
    """The tree of a script; remembered, because the pods of a Job share one."""
    if len(script) > _LONGEST:
        return _UNREADABLE
    try:
        return _Parser(list(tokens(script))).chain()
    except RecursionError:
        return _UNREADABLE


class _Parser:
    def __init__(self, given: list[Token]) -> None:
        self._tokens = given
        self._at = 0

    def chain(self, ends: Iterable[str] = ()) -> Chain:
        """Commands up to one of the words in `ends`, or to the end of everything."""
        parts: list[tuple[str, Command]] = []
        joint = ";"
        while (token := self._peek()) is not None:
            if isinstance(token, Operator):
                self._at += 1
                if token.text in _JOINTS:
                    # An empty line after `&&` changes nothing.
                    joint = token.text if token.text != ";" or joint == ";" else joint
                continue
            if ends and _plain(token) in ends:
                break
            parts.append((";" if joint == "&" else joint, self._command()))
            joint = ";"
        return Chain(tuple(parts))

    def _command(self) -> Command:
        token = self._peek()
        match _plain(token) if isinstance(token, tuple) else "":
            case "for":
                return self._for()
            case "while" | "until" as kind:
                self._at += 1
                condition = self.chain({"do"})
                self._skip("do")
                body = self.chain({"done"})
                self._skip("done")
                return While(condition, body, is_until=kind == "until")
            case "if":
                return self._if()
            case "{":
                self._at += 1
                body = self.chain({"}"})
                self._skip("}")
                return body
            case word if word in _ENDS:
                # One that nothing has opened.
                self._at += 1
                return Simple(())
            case _:
                return self._simple()

    def _for(self) -> Command:
        self._at += 1
        name = _plain(self._next())
        words: list[Word] = []
        if _plain(self._peek()) == "in":
            self._at += 1
            while (token := self._peek()) is not None and not isinstance(token, Operator):
                words.append(token)
                self._at += 1
        while isinstance(self._peek(), Operator):
            self._at += 1
        self._skip("do")
        body = self.chain({"done"})
        self._skip("done")
        return For(name, tuple(words), body)

    def _if(self) -> Command:
        branches: list[tuple[Chain | None, Chain]] = []
        self._at += 1
        while True:
            condition = self.chain({"then"})
            self._skip("then")
            branches.append((condition, self.chain({"elif", "else", "fi"})))
            word = _plain(self._next())
            if word == "else":
                branches.append((None, self.chain({"fi"})))
                self._skip("fi")
            if word != "elif":
                return If(tuple(branches))

    def _simple(self) -> Simple:
        words: list[Word] = []
        is_silent = False
        while (token := self._peek()) is not None:
            if isinstance(token, Operator):
                if token.text in _JOINTS or token.text in {"(", ")", ";;"}:
                    break
                self._at += 1
                target = "" if "&" in token.text[1:] else _plain(self._next())
                is_silent |= token.text[:1] in {">", "1", "&"} and target not in {"", "/dev/stdout"}
                continue
            words.append(token)
            self._at += 1
        if isinstance(token, Operator) and token.text in {"(", ")", ";;"}:
            self._at += 1
        return Simple(tuple(words), is_silent)

    def _peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _next(self) -> Token | None:
        token = self._peek()
        self._at += 1
        return token

    def _skip(self, word: str) -> None:
        if _plain(self._peek()) == word:
            self._at += 1


def _plain(token: Token | None) -> str:
    """The text of an unquoted word without expansions; "" for all else."""
    if token is None or isinstance(token, Operator) or len(token) != 1:
        return ""
    piece = token[0]
    return piece.text if isinstance(piece, Text) and not piece.quoted else ""
