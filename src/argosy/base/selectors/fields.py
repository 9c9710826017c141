"""Field selectors: `metadata.name=web,status.phase!=Running`.

Terms are sorted as texts before they are parsed, as upstream does, so that a selector prints the same
whatever the order it was written in. A backslash escapes `,`, `=` and itself in values; field names know no
escapes. Which fields a kind supports is the API server's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from argosy.base.selectors.requirements import SelectorError

__all__ = ["FieldRequirement", "FieldSelector", "SelectorError", "escape", "everything", "parse"]

_first_operator = re.compile("!=|==|=").search
_split = re.compile(r"(?:[^\\,]|\\.|\\$)*", re.DOTALL).match
_SPECIAL: Final = frozenset("\\,=")


class FieldRequirement(NamedTuple):
    """One term; `operator` is "=" or "!="."""

    field: str
    operator: str
    value: str

    def __str__(self) -> str:
        return f"{self.field}{self.operator}{escape(self.value)}"


@dataclass(frozen=True, slots=True)
class FieldSelector:
    """A conjunction of terms over flat field names. A field an object lacks reads as the empty text."""

    requirements: tuple[FieldRequirement, ...] = ()

    def matches(self, fields: Mapping[str, str]) -> bool:
        for field, operator, value in self.requirements:
            if (fields.get(field, "") == value) is (operator == "!="):
                return False
        return True

    @property
    def exact(self) -> dict[str, str]:
        """Fields every match has with exactly this value; the first term wins where two contradict."""
        found: dict[str, str] = {}
        for field, operator, value in self.requirements:
            if operator == "=":
                found.setdefault(field, value)
        return found

    @property
    def empty(self) -> bool:
        return not self.requirements

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


_EVERYTHING: Final = FieldSelector()


def everything() -> FieldSelector:
    return _EVERYTHING


@lru_cache(maxsize=4096)
def parse(text: str) -> FieldSelector:
    """The selector of `kubectl --field-selector text`; `SelectorError` in Kubernetes' words if it is none."""
    return FieldSelector(tuple(_requirements(text))) if text else _EVERYTHING


def _requirements(text: str) -> Iterable[FieldRequirement]:
    for term in sorted(_terms(text)):
        if not term:
            continue
        found = _first_operator(term)
        if found is None:
            raise SelectorError(f"invalid selector: '{text}'; can't understand '{term}'")
        operator = "!=" if found[0] == "!=" else "="
        field, value = term[: found.start()], _unescape(term[found.end() :])
        if field or value:  # upstream lets a bare operator pass as no term at all
            yield FieldRequirement(field, operator, value)


def _terms(text: str) -> Iterable[str]:
    """The texts between unescaped commas, escapes kept."""
    at = 0
    while at <= len(text):
        found = _split(text, at)
        assert found is not None  # the expression matches the empty text
        yield found[0]
        at = found.end() + 1


def escape(value: str) -> str:
    """`value` as it is written in a field selector."""
    return value.replace("\\", r"\\").replace(",", r"\,").replace("=", r"\=")


def _unescape(value: str) -> str:
    if _SPECIAL.isdisjoint(value):
        return value
    out: list[str] = []
    characters = iter(value)
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            if escaped not in _SPECIAL:
                text = f"invalid field selector: invalid escape sequence: \\{escaped}"
                raise SelectorError(text)
            out.append(escaped)
        elif character in _SPECIAL:
            # Upstream prints the character's number.
            text = f"invalid field selector: unescaped character in value: {ord(character)}"
            raise SelectorError(text)
        else:
            out.append(character)
    return "".join(out)
