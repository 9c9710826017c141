"""From text to something that runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from argosy.api.cel.checking import Checker
from argosy.api.cel.compiling import compile_node
from argosy.api.cel.comprehending import Closure
from argosy.api.cel.functions import functions
from argosy.api.cel.parsing import parse
from argosy.api.cel.source import Problems
from argosy.api.cel.types import Type
from argosy.base.types import Json

# Kubernetes' limit per rule, in CEL's cost units; ours are nodes evaluated inside of loops.
CALL_BUDGET: Final = 1_000_000


@dataclass(slots=True, frozen=True, eq=False)
class Program:
    """A compiled expression. Safe to run from many tasks: every run has a frame of its own."""

    closure: Closure
    slots: int
    result: Type
    references: frozenset[str]

    def run(self, this: Json = None, old: Json = None) -> Json:
        """The value for a `self` and an `oldSelf`; raises CelError or OverBudget."""
        return self.measure(this, old)[0]

    def measure(self, this: Json, old: Json, budget: int = CALL_BUDGET) -> tuple[Json, int]:
        """The value and what is left of the budget."""
        frame = [None] * self.slots
        frame[0], frame[1], frame[2] = this, old, budget  # type: ignore[call-overload]  # a frame holds anything
        value = self.closure(frame)
        return value, frame[2]  # type: ignore[return-value]  # the slot holds the budget


def compile_expression(text: str, variables: Mapping[str, Type]) -> Program:
    """Parses, checks and compiles; raises CompileError with every problem in it.

    `variables` may declare self and oldSelf.
    """
    problems = Problems(text)
    node = parse(text, problems)
    checker = Checker(problems, variables, functions())
    result = checker.check(node)
    closure, slots = compile_node(node)
    return Program(closure, slots, result, frozenset(checker.references))
