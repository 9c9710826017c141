"""A YAML file whose values know where they stand, read by asking for one field after the other.

Whoever reads a scenario asks a `Field` for what it should be: text, a number, a duration, a list. What is not so is
noted with file, line and field, and reading goes on with a value that does no harm; so one reading finds all mistakes.
Fields that nobody has asked for when `done` is said are mistakes too, with the name that may have been meant.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final, TypeVar

import yaml

from argosy.base.durations import parse_duration
from argosy.base.quantities import ParseError
from argosy.base.quantities import parse as parse_quantity
from argosy.base.types import Json

T = TypeVar("T")

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DAYS: Final = re.compile(r"(\d+(?:\.\d+)?)d(.*)").fullmatch
_DAY_SECONDS: Final = 86_400.0


class ScenarioError(ValueError):
    """A scenario that cannot be played; `problems` are all of its mistakes, in the order of the file."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems: Final = problems


class Mistakes:
    """What is wrong with one file, collected."""

    def __init__(self, name: str) -> None:
        self.name: Final = name
        self._found: list[tuple[int, str]] = []

    def add(self, line: int, text: str) -> None:
        self._found.append((line, text))

    def check(self) -> None:
        """Raises ScenarioError if there is any."""
        if self._found:
            ordered = sorted(self._found, key=lambda each: each[0])
            raise ScenarioError(*dict.fromkeys(f"{self.name}:{n}: {text}" for n, text in ordered))


def open_document(path: Path) -> Field:
    """The whole of a file; ScenarioError if it cannot be read, or is no YAML."""
    try:
        return parse_document(path.read_text(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{path}: cannot be read: {error}") from None


def parse_document(text: str, name: str) -> Field:
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else 1
        raise ScenarioError(f"{name}:{line}: no YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise ScenarioError(f"{name}:1: no YAML: {error}") from None
    if not isinstance(node, yaml.MappingNode):
        raise ScenarioError(
            f"{name}:1: a scenario is a mapping with name, horizon, fleet, objects and jobs"
        )
    return Field(Mistakes(name), "", 1, node)


def parse_span(text: str) -> float:
    """Seconds of a duration in which days are allowed: 90s, 1h30m, 7d, 1d12h; ValueError."""
    found = _DAYS(text)
    if found is None:
        return parse_duration(text)
    return float(found[1]) * _DAY_SECONDS + (parse_duration(found[2]) if found[2] else 0.0)


class Field:
    """One value of the file, or the place where it is missing (`node` None)."""

    def __init__(self, mistakes: Mistakes, path: str, line: int, node: yaml.Node | None) -> None:
        self.mistakes: Final = mistakes
        self.path: Final = path
        self.line: Final = line
        self._node = node
        self._children: dict[str, Field] = {}
        self._asked: set[str] = set()
        if isinstance(node, yaml.MappingNode):
            self._read_children(node)

    def _read_children(self, node: yaml.MappingNode) -> None:
        for key, value in node.value:
            name = str(key.value)
            path = f"{self.path}.{name}" if self.path else name
            if name in self._children:
                self.mistakes.add(key.start_mark.line + 1, f"{path}: is here a second time")
            self._children[name] = Field(self.mistakes, path, key.start_mark.line + 1, value)

    def rewritten(self, write: Callable[[str], str]) -> Field:
        """A copy whose texts are others."""
        return Field(self.mistakes, self.path, self.line, _rewritten(self._node, write))

    # Looking.

    @property
    def is_there(self) -> bool:
        return self._node is not None and self._node.tag != "tag:yaml.org,2002:null"

    @property
    def is_mapping(self) -> bool:
        return isinstance(self._node, yaml.MappingNode)

    @property
    def is_list(self) -> bool:
        return isinstance(self._node, yaml.SequenceNode)

    def wrong(self, text: str) -> None:
        """Note a mistake of this field."""
        self.mistakes.add(self.line, f"{self.path or 'the scenario'}: {text}")

    def value(self) -> Json:
        """As plain data, whatever it is."""
        if self._node is None:
            return None
        loader = _LOADER("")
        try:
            return loader.construct_document(self._node)
        finally:
            loader.dispose()

    # Descending.

    def at(self, name: str) -> Field:
        """A field of this mapping, which may be missing."""
        self._asked.add(name)
        found = self._children.get(name)
        if found is None:
            path = f"{self.path}.{name}" if self.path else name
            return Field(self.mistakes, path, self.line, None)
        return found

    def keys(self) -> list[str]:
        return list(self._children)

    def entries(self) -> Iterator[tuple[str, Field]]:
        """All fields of a mapping whose keys are the user's."""
        if self.is_there and not self.is_mapping:
            self.wrong(f"{self._told()} is no mapping")
        for name in self._children:
            yield name, self.at(name)

    def items(self) -> list[Field]:
        """The items of a list; none if it is missing."""
        if not self.is_there:
            return []
        if not isinstance(self._node, yaml.SequenceNode):
            self.wrong(f"{self._told()} is no list")
            return []
        return [
            Field(self.mistakes, f"{self.path}[{n}]", each.start_mark.line + 1, each)
            for n, each in enumerate(self._node.value)
        ]

    def mapping(self) -> Field:
        """This, which has to be a mapping if it is there."""
        if self.is_there and not self.is_mapping:
            self.wrong(f"{self._told()} is no mapping")
        return self

    def done(self) -> None:
        """Whatever nobody has asked for is a mistake."""
        for name, child in self._children.items():
            if name in self._asked:
                continue
            close = difflib.get_close_matches(name, sorted(self._asked), 1, 0.6)
            known = ", ".join(sorted(self._asked))
            hint = f"did you mean {close[0]}?" if close else f"known here: {known}"
            child.wrong(f"unknown field; {hint}")

    # Values.

    def text(self, default: str | None = None, *, allowed: Collection[str] = ()) -> str:
        """`default` None: it has to be there."""
        if not self.is_there:
            return self._missing(default, "")
        found = str(self._scalar())
        if allowed and found not in allowed:
            close = difflib.get_close_matches(found, sorted(allowed), 1, 0.6)
            hint = f" (did you mean {close[0]}?)" if close else ""
            self.wrong(f'"{found}" is none of {", ".join(sorted(allowed))}{hint}')
        return found

    def flag(self, *, default: bool) -> bool:
        found = self.value() if self.is_there else default
        if not isinstance(found, bool):
            self.wrong(f"{self._told()} is neither true nor false")
            return default
        return found

    def number(
        self, default: float | None = None, *, least: float = 0.0, most: float = float("inf")
    ) -> float:
        if not self.is_there:
            return self._missing(default, max(least, 0.0))
        found = self.value()
        if isinstance(found, bool) or not isinstance(found, int | float):
            self.wrong(f"{self._told()} is no number")
            return max(least, 0.0)
        if not least <= found <= most:
            bounds = f"{least:g} to {most:g}" if most != float("inf") else f"{least:g} or more"
            self.wrong(f"{found:g} is out of range: {bounds}")
            return max(least, 0.0)
        return float(found)

    def whole(
        self, default: int | None = None, *, least: int = 0, most: float = float("inf")
    ) -> int:
        found = self.number(default, least=least, most=most)
        if found != int(found):
            self.wrong(f"{found:g} is no whole number")
        return int(found)

    def span(self, default: float | None = None, *, least: float = 0.0) -> float:
        """Seconds of a duration."""
        if not self.is_there:
            return self._missing(default, least)
        try:
            found = parse_span(str(self._scalar()))
        except ValueError as error:
            self.wrong(f"{self._told()} is no duration such as 90s, 1h30m or 7d: {error}")
            return least
        if found < least:
            self.wrong(f"{self._told()} is too short: {least:g}s or more")
            return least
        return found

    def quantity(self, default: str | None = None) -> str:
        if not self.is_there:
            return self._missing(default, "1")
        found = str(self._scalar())
        try:
            if parse_quantity(found).nanos < 0:
                self.wrong(f'"{found}" is negative')
        except ParseError as error:
            self.wrong(f'"{found}" is no quantity such as 4, 500m or 16Gi: {error}')
            return "1"
        return found

    def texts(self) -> tuple[str, ...]:
        return tuple(each.text("") for each in self.items())

    def labels(self) -> dict[str, str]:
        return {name: each.text("") for name, each in self.entries()}

    def _scalar(self) -> str:
        if isinstance(self._node, yaml.ScalarNode):
            return str(self._node.value)
        self.wrong(f"{self._told()} is no text")
        return ""

    def _told(self) -> str:
        if isinstance(self._node, yaml.ScalarNode):
            return f'"{self._node.value}"'
        return "a mapping" if self.is_mapping else "a list"

    def _missing(self, default: T | None, harmless: T) -> T:
        if default is None:
            self.wrong("is required")
            return harmless
        return default


def _rewritten(node: yaml.Node | None, write: Callable[[str], str]) -> yaml.Node | None:
    if isinstance(node, yaml.ScalarNode):
        return yaml.ScalarNode(node.tag, write(node.value), node.start_mark, node.end_mark)
    if isinstance(node, yaml.SequenceNode):
        items = [_rewritten(each, write) for each in node.value]
        return yaml.SequenceNode(node.tag, items, node.start_mark, node.end_mark)
    if isinstance(node, yaml.MappingNode):
        pairs = [(_rewritten(key, write), _rewritten(each, write)) for key, each in node.value]
        return yaml.MappingNode(node.tag, pairs, node.start_mark, node.end_mark)
    return node
