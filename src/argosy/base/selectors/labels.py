"""Label selectors: which objects a list, a watch or a controller means.

A selector is compiled once: equality terms, by far the most common, are a tuple of pairs, everything else a
tuple of closures. Selectors are immutable, compare by their requirements and are cached by text, so a busy
server parses each text once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final

from argosy.base.fielderrors import quote
from argosy.base.selectors.parsing import parse_requirements
from argosy.base.selectors.requirements import (
    Labels,
    Operator,
    Requirement,
    SelectorError,
    compiled,
    require,
)
from argosy.base.types import Json

__all__ = [
    "LabelSelector", "Operator", "Requirement", "SelectorError",
    "everything", "from_labels", "from_object", "nothing", "parse",
]  # fmt: skip

_OPERATORS: Final = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


class LabelSelector:
    """A conjunction of requirements, sorted by key."""

    __slots__ = ("_checks", "_equal", "_requirements", "never")

    def __init__(self, requirements: Iterable[Requirement] = (), *, never: bool = False) -> None:
        self._requirements = tuple(sorted(requirements, key=lambda term: term.key))
        self._equal: tuple[tuple[str, str], ...] = tuple(
            (term.key, value) for term in self._requirements if (value := term.exact) is not None
        )
        self._checks: tuple[Callable[[Labels], bool], ...] = tuple(
            compiled(term) for term in self._requirements if term.exact is None
        )
        # Matches nothing at all, whatever the requirements: the selector an object leaves out.
        self.never: Final = never

    def matches(self, labels: Labels) -> bool:
        for key, value in self._equal:
            if labels.get(key) != value:
                return False
        for check in self._checks:
            if not check(labels):
                return False
        return not self.never

    def requirements(self) -> tuple[Requirement, ...]:
        return self._requirements

    @property
    def exact(self) -> dict[str, str]:
        """Labels every match has with exactly this value: what an index can look up."""
        return dict(self._equal)

    @property
    def empty(self) -> bool:
        """Whether every object matches."""
        return not self._requirements and not self.never

    def __str__(self) -> str:
        return ",".join(map(str, self._requirements))

    def __repr__(self) -> str:
        return "LabelSelector(nothing)" if self.never else f"LabelSelector({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelSelector):
            return NotImplemented
        return (self._requirements, self.never) == (other._requirements, other.never)

    def __hash__(self) -> int:
        return hash((self._requirements, self.never))


_EVERYTHING: Final = LabelSelector()
_NOTHING: Final = LabelSelector(never=True)


def everything() -> LabelSelector:
    return _EVERYTHING


def nothing() -> LabelSelector:
    return _NOTHING


@lru_cache(maxsize=4096)
def parse(text: str) -> LabelSelector:
    """The selector of `kubectl -l text`; `SelectorError` in Kubernetes' words if it is none."""
    return LabelSelector(parse_requirements(text)) if text else _EVERYTHING


def from_labels(labels: Mapping[str, str]) -> LabelSelector:
    """Objects that carry all of `labels`."""
    return LabelSelector(require(key, Operator.EQUALS, (value,)) for key, value in labels.items())


def from_object(selector: Mapping[str, Json] | None) -> LabelSelector:
    """The selector a metav1.LabelSelector stands for. None matches nothing, an empty one everything."""
    if selector is None:
        return _NOTHING
    labels: Mapping[str, str] = selector.get("matchLabels") or {}
    terms = [require(key, Operator.EQUALS, (value,)) for key, value in sorted(labels.items())]
    for expression in selector.get("matchExpressions") or ():
        name = expression.get("operator", "")
        operator = _OPERATORS.get(name)
        if operator is None:
            raise SelectorError(f"{quote(name)} is not a valid label selector operator")
        terms.append(require(expression.get("key", ""), operator, expression.get("values") or ()))
    return LabelSelector(terms) if terms else _EVERYTHING
