"""Plays a script: what it prints and how long it sleeps, in order, without doing anything.

`Shell.play` yields `Printed` and `Slept`; whoever plays it decides whether time passes (exec) or not (reading a log,
measuring a container's run). The commands known are in `builtins`; any other is `opaque`: it takes no time, prints
nothing and succeeds, and the shell remembers that it has seen one. An endless loop ends only with the player.

Bounded, because scripts come from users: one may take `STEPS` commands and turns of loops, with all the shells it
starts; one that takes more ends as if it had been told to go on for ever. Words are cut at `LONGEST` characters, and
shells within shells are not played beyond `DEEPEST`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self, TypeAlias

from argosy.workloads.runtimes.simulated.shells import arithmetic
from argosy.workloads.runtimes.simulated.shells.lexing import (
    Arithmetic,
    Piece,
    Substitution,
    Text,
    Variable,
    Word,
)
from argosy.workloads.runtimes.simulated.shells.parsing import (
    Chain,
    Command,
    For,
    If,
    Simple,
    While,
    parse,
)

STEPS: Final = 10_000
LONGEST: Final = 65_536
DEEPEST: Final = 20
# A turn of an endless loop that does not sleep takes this long, so that time goes on.
_TURN_SECONDS: Final = 1.0
# Endless loops with more turns than this between start and present skip the oldest.
_TURNS: Final = 5_000
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_LEAVING: Final = frozenset({"break", "exit", "return"})


class Printed(NamedTuple):
    text: str
    is_error: bool = False


class Slept(NamedTuple):
    seconds: float


Effect: TypeAlias = Printed | Slept
Builtin: TypeAlias = Callable[["Shell", list[str]], Iterator[Effect]]


class Exited(Exception):
    """The shell has come to its end."""


class Broken(Exception):
    """A loop is left (`break`) or its turn is (`continue`)."""

    def __init__(self, *, goes_on: bool) -> None:
        self.goes_on = goes_on


@dataclass(slots=True)
class Shell:
    """One shell: variables, the time on its clock, the code of its last command."""

    variables: dict[str, str]
    builtins: Mapping[str, Builtin]
    # When it began, in seconds since the epoch.
    started: float = 0.0
    # Endless loops need not be played turn by turn up to this many seconds after the start.
    skips_until: float = 0.0
    # Endless loops are not played at all: the shell is over after infinite time.
    measures: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    elapsed: float = 0.0
    code: int = 0
    is_opaque: bool = False
    has_exited: bool = False
    steps: int = 0
    depth: int = 0

    @property
    def now(self) -> float:
        return self.started + self.elapsed

    def play(self, chain: Chain) -> Iterator[Effect]:
        """Everything up to the end; `code` is then the exit code."""
        try:
            yield from self._chain(chain)
        except Exited:
            self.has_exited = True
        except Broken:
            return

    def sleep(self, seconds: float) -> Iterator[Effect]:
        self.elapsed += seconds
        yield Slept(seconds)
        if math.isinf(seconds):
            raise Exited

    def run(self, words: list[str]) -> Iterator[Effect]:
        """One command with its arguments."""
        builtin = self.builtins.get(words[0].rpartition("/")[2])
        if builtin is None:
            self.is_opaque = True
            yield from self.unknown(words[0])
            return
        self.code = 0
        yield from builtin(self, words)

    def unknown(self, name: str) -> Iterator[Effect]:
        """A command that is not known: nothing happens."""
        self.code = 0
        yield from ()

    def _chain(self, chain: Chain) -> Iterator[Effect]:
        for number, (joint, command) in enumerate(chain.parts):
            if (joint == "&&" and self.code) or (joint == "||" and not self.code):
                continue
            is_piped = number + 1 < len(chain.parts) and chain.parts[number + 1][0] == "|"
            for effect in self._command(command):
                # What goes into a pipe is not seen.
                if not (is_piped and isinstance(effect, Printed) and not effect.is_error):
                    yield effect

    def _command(self, command: Command) -> Iterator[Effect]:
        match command:
            case Simple():
                yield from self._simple(command)
            case Chain():
                yield from self._chain(command)
            case For():
                yield from self._for(command)
            case While():
                yield from self._while(command)
            case If():
                yield from self._if(command)

    def _simple(self, command: Simple) -> Iterator[Effect]:
        yield from self._step()
        before = self.elapsed
        words = [text for word in command.words for text in self._expand(word)]
        if self.elapsed > before:
            yield Slept(self.elapsed - before)
        while words and (found := _ASSIGNMENT.fullmatch(words[0])):
            self.variables[found[1]] = found[2]
            words.pop(0)
        if not words:
            return
        if words[0] in {"break", "continue"}:
            raise Broken(goes_on=words[0] == "continue")
        for effect in self.run(words):
            if not (command.is_silent and isinstance(effect, Printed)):
                yield effect

    def _step(self) -> Iterator[Effect]:
        self.steps += 1
        if self.steps > STEPS:
            yield from self.sleep(math.inf)

    def inner(self, variables: dict[str, str]) -> Self:
        """A shell within this one, at its present time and on its budget."""
        return type(self)(
            variables,
            self.builtins,
            self.now,
            max(0.0, self.skips_until - self.elapsed),
            self.measures,
            self.files,
            steps=self.steps,
            depth=self.depth + 1,
        )

    def take_back(self, inner: Shell) -> None:
        """Note what a shell within this one has used up."""
        self.steps = max(self.steps, inner.steps)
        self.is_opaque |= inner.is_opaque

    def _for(self, loop: For) -> Iterator[Effect]:
        for value in [text for word in loop.words for text in self._expand(word)]:
            self.variables[loop.name] = value
            yield from self._step()
            try:
                yield from self._chain(loop.body)
            except Broken as left:
                if not left.goes_on:
                    return

    def _while(self, loop: While) -> Iterator[Effect]:
        is_endless = _is_endless(loop)
        if is_endless and self.measures:
            yield from self.sleep(math.inf)
        while True:
            before = self.elapsed
            yield from self._step()
            if not is_endless:
                yield from self._chain(loop.condition)
                if (self.code == 0) is loop.is_until:
                    self.code = 0
                    return
            try:
                yield from self._chain(loop.body)
            except Broken as left:
                if not left.goes_on:
                    return
            if is_endless:
                self.steps = 0
                yield from self._turn(self.elapsed - before)

    def _turn(self, seconds: float) -> Iterator[Effect]:
        if seconds <= 0.0:
            yield from self.sleep(_TURN_SECONDS)
            seconds = _TURN_SECONDS
        turns = int((self.skips_until - self.elapsed) / seconds)
        if turns > _TURNS:
            yield from self.sleep((turns - _TURNS) * seconds)

    def _if(self, command: If) -> Iterator[Effect]:
        for condition, body in command.branches:
            if condition is not None:
                yield from self._chain(condition)
                if self.code:
                    self.code = 0
                    continue
            yield from self._chain(body)
            return

    def _expand(self, word: Word) -> list[str]:
        """The words that one becomes: expansions without quotes are split at blanks."""
        words, has_word = [""], False
        for piece in word:
            text = self._text(piece)
            if len(words[-1]) > LONGEST:
                break
            if isinstance(piece, Text | Arithmetic) or piece.quoted:
                words[-1] += text
                has_word = True
            elif parts := text.split():
                words[-1] += parts[0]
                words += parts[1:]
                has_word = True
        return [word[:LONGEST] for word in words] if has_word else []

    def _text(self, piece: Piece) -> str:
        match piece:
            case Text(text):
                return text
            case Variable("?"):
                return str(self.code)
            case Variable(name, default):
                return self.variables.get(name, "") or default
            case Substitution(script):
                return self._output(script)
            case Arithmetic(expression):
                return str(arithmetic.evaluate(expression, self.variables))

    def _output(self, script: str) -> str:
        """What a script prints; it runs in this shell's time, but cannot change its variables."""
        if self.depth >= DEEPEST:
            self.is_opaque = True
            return ""
        inner = self.inner(dict(self.variables))
        # Nobody waits for an endless loop here.
        inner.measures = True
        texts, size = [], 0
        for effect in inner.play(parse(script)):
            if isinstance(effect, Printed):
                if not effect.is_error and size < LONGEST:
                    texts.append(effect.text)
                    size += len(effect.text)
            elif math.isinf(effect.seconds):
                break
        self.take_back(inner)
        self.elapsed += 0.0 if math.isinf(inner.elapsed) else inner.elapsed
        return "".join(texts).rstrip("\n")


def _is_endless(loop: While) -> bool:
    """Whether nothing in the loop can end it."""
    parts = loop.condition.parts
    if len(parts) != 1 or not isinstance(parts[0][1], Simple):
        return False
    goes_on = {"false"} if loop.is_until else {"true", ":"}
    return _name(parts[0][1]) in goes_on and not _leaves(loop.body)


def _leaves(command: Command | None) -> bool:
    match command:
        case Simple():
            return _name(command) in _LEAVING
        case Chain(parts):
            return any(_leaves(part) for _, part in parts)
        case For() | While():
            return _leaves(command.body)
        case If(branches):
            return any(_leaves(body) for _, body in branches)
        case None:
            return False


def _name(command: Simple) -> str:
    """The command's name, where it is plain text."""
    first = command.words[0] if command.words else ()
    return "".join(piece.text for piece in first if isinstance(piece, Text))
