"""Node affinity and nodeSelector, compiled to predicates on a node's labels and name.

Required terms are alternatives, the expressions of one term all hold; an empty term matches nothing. The nodeSelector
has to hold besides. Preferred terms add their weights. Expressions that cannot be parsed match nothing; the API lets
none through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from argosy.base.selectors.requirements import (
    Labels,
    Operator,
    SelectorError,
    compiled,
    require,
)
from argosy.base.types import Object

_Check: TypeAlias = Callable[[Labels], bool]

_OPERATORS: Final = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
    "Gt": Operator.GREATER_THAN,
    "Lt": Operator.LESS_THAN,
}


class _Term:
    """One nodeSelectorTerm."""

    __slots__ = ("_checks", "_fields", "_is_broken", "names")

    def __init__(self, term: Object) -> None:
        self._checks: list[_Check] = []
        # What the node's name must be, or must not be.
        self._fields: list[tuple[str, bool]] = []
        self._is_broken = not (term.get("matchExpressions") or term.get("matchFields"))
        try:
            for expression in term.get("matchExpressions") or ():
                self._checks.append(_compiled(expression))
        except SelectorError:
            self._is_broken = True
        for expression in term.get("matchFields") or ():
            values: list[str] = expression.get("values") or []
            operator = expression.get("operator")
            if len(values) != 1 or operator not in {"In", "NotIn"}:
                self._is_broken = True
            else:
                self._fields.append((values[0], operator == "In"))
        named = {name for name, wanted in self._fields if wanted}
        # The only node that can match, where the term names any: none at all if it names several. None: it names none.
        self.names: Final = (named if len(named) == 1 else set()) if named else None

    def matches(self, labels: Labels, name: str) -> bool:
        return (
            not self._is_broken
            and all((name == other) is wanted for other, wanted in self._fields)
            and all(check(labels) for check in self._checks)
        )


class RequiredAffinity:
    """The nodes a pod may run on: its nodeSelector and its required node affinity."""

    __slots__ = ("_equal", "_terms")

    def __init__(self, node_selector: Mapping[str, str], affinity: Object | None) -> None:
        self._equal = tuple(node_selector.items())
        required = (affinity or {}).get("requiredDuringSchedulingIgnoredDuringExecution")
        self._terms: tuple[_Term, ...] | None = None
        if required is not None:
            self._terms = _terms(required.get("nodeSelectorTerms"))

    @property
    def is_open(self) -> bool:
        """Whether every node matches."""
        return not self._equal and self._terms is None

    @property
    def names(self) -> frozenset[str] | None:
        """The only nodes that can match when every term names one, as for pods of DaemonSets; None otherwise.

        Empty if no node can, because each term asks for several names at once.
        """
        if not self._terms:
            return None
        found: set[str] = set()
        for term in self._terms:
            if term.names is None:
                return None
            found |= term.names
        return frozenset(found)

    def matches(self, labels: Labels, name: str) -> bool:
        for key, value in self._equal:
            if labels.get(key) != value:
                return False
        return self._terms is None or any(term.matches(labels, name) for term in self._terms)


class PreferredTerms:
    """The node affinity a pod would rather have."""

    __slots__ = ("_terms",)

    def __init__(self, affinity: Object | None) -> None:
        preferred = (affinity or {}).get("preferredDuringSchedulingIgnoredDuringExecution") or ()
        self._terms = tuple(
            (term["weight"], _Term(term.get("preference") or {})) for term in preferred
        )

    def __bool__(self) -> bool:
        return bool(self._terms)

    def score(self, labels: Labels, name: str) -> int:
        """The weights of the terms that match."""
        return sum(weight for weight, term in self._terms if term.matches(labels, name))


def _terms(terms: Iterable[Object] | None) -> tuple[_Term, ...]:
    """Terms without expressions match nothing and are left out."""
    return tuple(
        _Term(term)
        for term in terms or ()
        if term.get("matchExpressions") or term.get("matchFields")
    )


def _compiled(expression: Object) -> _Check:
    operator = _OPERATORS.get(expression.get("operator", ""))
    if operator is None:
        raise SelectorError("unknown operator")
    return compiled(require(expression.get("key", ""), operator, expression.get("values") or ()))
