"""`argosy __complete WORDS...`: what could stand for the last word, one answer a line, found by walking the parser.

Names are asked of the hub, with little patience and without a word when it does not answer: a shell is waiting.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

_PATIENCE_SECONDS: Final = 1.5
# What the values of flags and the words of verbs are names of.
_OPTION_NAMES: Final = {
    "--cluster": "clusters", "--context": "contexts", "--queue": "queues", "--namespace": "namespaces",
}  # fmt: skip
_WORD_NAMES: Final = {
    "jobs": "jobs", "logs": "jobs", "cancel": "jobs", "why": "whys", "drain": "clusters", "uncordon": "clusters",
}  # fmt: skip
_VALUES: Final = {
    "--prefer": ("cheapest", "fastest", "region="),
    "--state": ("Unplaced", "Placing", "Queued", "Running", "Complete", "Failed", "Cancelled", "Suspended"),
    "--types": ("Normal", "Warning"),
}  # fmt: skip
_PLACES: Final = ("kubeconfig", "context", "namespace")


class Answer(NamedTuple):
    word: str
    text: str = ""


class Place(NamedTuple):
    """Where in the command line the last word stands."""

    parser: argparse.ArgumentParser
    verb: str
    # The flag whose value it is.
    option: argparse.Action | None
    # What was said so far of where the fleet is.
    said: dict[str, str]


def complete(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    """The last of `words` is the one to complete, which may be empty."""
    *before, last = words or ("",)
    place = placed(parser, before)
    for answer in answers(place, last):
        if answer.word.startswith(last):
            print(answer.word, answer.text, sep="\t" if answer.text else "")
    sys.stdout.flush()
    return 0


def placed(parser: argparse.ArgumentParser, before: Sequence[str]) -> Place:
    """Walk to where the words lead."""
    verb, option = "", None
    said: dict[str, str] = {}
    for word in before:
        if option is not None:
            if option.dest in _PLACES:
                said[option.dest] = word
            option = None
        elif word.startswith("-"):
            option = _option(parser, word)
        else:
            below = _commands(parser)
            if below is not None and word in below.choices:
                parser, verb = below.choices[word], verb or word
    return Place(parser, verb, option, said)


def _option(parser: argparse.ArgumentParser, word: str) -> argparse.Action | None:
    """The flag that waits for its value."""
    found = parser._option_string_actions.get(word)  # noqa: SLF001  (argparse tells in no other way)
    return found if found is not None and found.nargs is None else None


def _commands(
    parser: argparse.ArgumentParser,
) -> argparse._SubParsersAction[argparse.ArgumentParser] | None:
    found = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))  # noqa: SLF001
    return next(found, None)


def answers(place: Place, last: str) -> Iterator[Answer]:
    """All that could stand there; what does not begin as the last word does is left out later."""
    if place.option is not None:
        yield from _values(place, place.option)
        return
    if last.startswith("-"):
        yield from _flags(place.parser)
        return
    below = _commands(place.parser)
    if below is not None:
        for each in below._get_subactions():  # noqa: SLF001
            yield Answer(each.dest, each.help or "")
        return
    for action in place.parser._actions:  # noqa: SLF001
        if not action.option_strings and action.choices:
            yield from (Answer(str(each)) for each in action.choices)
    if place.verb in _WORD_NAMES:
        yield from _names(_WORD_NAMES[place.verb], place.said)


def _flags(parser: argparse.ArgumentParser) -> Iterator[Answer]:
    for action in parser._actions:  # noqa: SLF001
        if action.help != argparse.SUPPRESS:
            longest = [each for each in action.option_strings if each.startswith("--")]
            text = (action.help or "").partition("; ")[0] % {}
            yield from (Answer(each, text) for each in longest[:1])


def _values(place: Place, option: argparse.Action) -> Iterator[Answer]:
    name = next((each for each in option.option_strings if each.startswith("--")), "")
    if option.choices:
        yield from (Answer(str(each)) for each in option.choices)
    elif name in _VALUES:
        yield from (Answer(each) for each in _VALUES[name])
    elif name == "--output":
        words = (option.help or "").partition(" (")[0].replace(" or ", ", ").split(", ")
        yield from (Answer(each) for each in words)
    elif name in _OPTION_NAMES:
        yield from _names(_OPTION_NAMES[name], place.said)


def _names(what: str, said: dict[str, str]) -> Iterator[Answer]:
    from argosy.cli.nameasking import asked

    for name, text in asked(what, said, _PATIENCE_SECONDS):
        yield Answer(name, text)
