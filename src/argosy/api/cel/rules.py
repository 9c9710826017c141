"""x-kubernetes-validations at work: an object in, field errors out.

A rule sees the value it is declared at as `self`. A rule that mentions oldSelf is a transition rule: it runs on
updates where an old value correlates (or always, with optionalOldSelf). Errors keep Kubernetes' shapes. The root
of an object has no path and prints as <nil>, as there.

Costs: nothing for a schema without rules; otherwise the walk follows the RuleSet, and old elements and equality are
looked up only on updates and only where needed. A budget per object bounds the worst case.

`validate_rules` expects an object that passed schema validation without type, length, required or enum errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from argosy.api.cel.correlating import Correlation, key_of, keyed
from argosy.api.cel.programs import CALL_BUDGET, Program
from argosy.api.cel.reviewing import check_rules
from argosy.api.cel.rulesets import CompiledRule, RuleSet, compile_rules
from argosy.api.cel.values import NONE, CelError, Optional, OverBudget
from argosy.api.schema.structural import Rule, Schema
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    required,
    without_value,
)
from argosy.base.types import Json, Object

__all__ = ["check_rules", "compile_rules", "rules_hold", "validate_rules"]

# Kubernetes' limit for all rules on one object.
_OBJECT_BUDGET: Final = 10_000_000
_LONGEST_MESSAGE: Final = 5 * 1024
_OUT_OF_BUDGET: Final = (
    "validation failed due to running out of cost budget, no further validation rules will be run"
)


class _Exhausted(Exception):
    """The budget is spent; no further rule runs on this object."""


def validate_rules(
    schema: Schema, obj: Object, old: Object | None = None, warnings: list[str] | None = None
) -> list[FieldError]:
    """The errors of an object by its schema's rules; `old` makes it an update.

    A failure that the old object had at the same, unchanged place goes to `warnings`.
    """
    rules = compile_rules(schema)
    if rules is None:
        return []
    walk = _Walk([] if warnings is None else warnings)
    root = None if old is None else Correlation(obj, old, schema)
    try:
        walk.value(rules, "", obj, old, _Place(root, None))
    except _Exhausted:
        pass
    return walk.errors


def rules_hold(
    schema: Schema, new: Object, old: Object, fields: Iterable[str], *, whole: bool
) -> bool:
    """Whether the rules below some fields of a resource, and with `whole` those about it as a whole, have nothing to
    say about an update, and use no more than half the budget.

    Where they have something to say, `validate_rules` may yet forgive it.
    """
    rules = compile_rules(schema)
    if rules is None:
        return True
    walk = _Walk([])
    try:
        if whole and rules.rules:
            walk.judge(rules, "", new, old, _NOWHERE)
        for name in fields:
            below = rules.properties.get(name)
            if below is not None and name in new:
                walk.value(below, name, new[name], old.get(name), _NOWHERE)
    except _Exhausted:
        return False
    return not walk.errors and not walk.warnings and walk.budget > _OBJECT_BUDGET // 2


@dataclass(slots=True, frozen=True)
class _Place:
    """The correlation of a place, and that of its nearest ancestor that has one."""

    here: Correlation | None
    above: Correlation | None

    def unchanged(self) -> bool:
        nearest = self.here if self.here is not None else self.above
        return nearest is not None and nearest.unchanged()

    def field(self, name: str) -> _Place:
        if self.here is None:
            return self
        if self.above is None and name in {"apiVersion", "kind"}:
            return _NOWHERE
        return _Place(self.here.field(name), self.here)

    def element(self, index: int) -> _Place:
        return self if self.here is None else _Place(self.here.element(index), self.here)


_NOWHERE: Final = _Place(None, None)


@dataclass(slots=True)
class _Walk:
    warnings: list[str]
    errors: list[FieldError] = field(default_factory=list)
    budget: int = _OBJECT_BUDGET

    def value(self, rules: RuleSet, path: str, obj: Json, old: Json, place: _Place) -> None:
        """Judges a value and everything below it. Null is never judged; rules above it may."""
        if obj is None:
            return
        if rules.rules:
            self.judge(rules, path, obj, old, place)
        for part in rules.all_of:
            self.value(part, path, obj, old, _Place(None, place.above))
        if isinstance(obj, dict):
            self._object(rules, path, obj, old if isinstance(old, dict) else {}, place)
        elif isinstance(obj, list) and rules.items is not None:
            self._list(rules, rules.items, path, obj, old, place)

    def _object(self, rules: RuleSet, path: str, obj: Object, old: Object, place: _Place) -> None:
        if rules.additional is not None:
            for key, value in obj.items():
                below = f"{path}[{key}]"
                self.value(rules.additional, below, value, old.get(key), place.field(key))
        for name, found in rules.properties.items():
            if name in obj:
                below = f"{path}.{name}" if path else name
                self.value(found, below, obj[name], old.get(name), place.field(name))

    def _list(
        self, rules: RuleSet, items: RuleSet, path: str, obj: list[Json], old: Json, place: _Place
    ) -> None:
        schema = rules.schema
        before: dict[tuple[Json, ...], Json] = {}
        if isinstance(old, list) and schema.list_type == "map":
            before = keyed(old, schema)
        for index, value in enumerate(obj):
            mine = before.get(key_of(value, schema) or ()) if before else None
            self.value(items, f"{path}[{index}]", value, mine, place.element(index))

    def judge(self, rules: RuleSet, path: str, obj: Json, old: Json, place: _Place) -> None:
        shown = path or "<nil>"
        kind = rules.schema.type
        if self.budget <= 0:
            self.errors.append(invalid(shown, kind, _OUT_OF_BUDGET))
            raise _Exhausted
        convert = rules.convert
        this = obj if convert is None else convert(obj)
        before = old if rules.transitions else None
        if convert is not None and before is not None:
            before = convert(before)
        for compiled in rules.rules:
            if compiled.problem:
                detail = f"rule compile error: {compiled.problem}"
                self.errors.append(invalid(shown, kind, detail))
            elif compiled.program is not None:
                self._rule(compiled, compiled.program, rules, path, (this, before), place)

    def _rule(
        self,
        compiled: CompiledRule,
        program: Program,
        rules: RuleSet,
        path: str,
        values: tuple[Json, Json],
        place: _Place,
    ) -> None:
        this, old = values
        uses_old = compiled.uses_old
        if uses_old:
            if compiled.optional_old:
                old = NONE if old is None else Optional(present=True, value=old)
            elif old is None:
                return
        shown, kind = path or "<nil>", rules.schema.type
        try:
            holds = self._run(program, this, old)
        except CelError as error:
            self.errors.append(invalid(shown, kind, _failure(str(error), compiled.rule)))
            return
        except OverBudget:
            detail = (
                "'operation cancelled: actual cost limit exceeded': no further validation rules will be run "
                f"due to call cost exceeds limit for rule: {_rule_text(compiled.rule)}"
            )
            self.errors.append(invalid(shown, kind, detail))
            raise _Exhausted from None
        if holds:
            return
        detail = self._message(compiled, this, old) or _default_message(compiled.rule)
        made = _field_error(_below(path, compiled.field_path), kind, this, detail, compiled.rule)
        if not uses_old and place.unchanged():
            self.warnings.append(str(made))
        else:
            self.errors.append(made)

    def _run(self, program: Program, this: Json, old: Json) -> Json:
        try:
            value, left = program.measure(this, old)
        except (AttributeError, KeyError, TypeError):
            # Types are checked against the schema; an object older than the schema may have others.
            raise CelError("no such overload") from None
        self.budget -= 1 + CALL_BUDGET - left
        return value

    def _message(self, compiled: CompiledRule, this: Json, old: Json) -> str:
        """What messageExpression says; "" if it says nothing of use, and `message` speaks instead."""
        program = compiled.message
        if program is None:
            return ""
        if "oldSelf" in program.references and (old is None or compiled.optional_old):
            return ""
        try:
            text = str(self._run(program, this, old)).strip()
        except (CelError, OverBudget):
            return ""
        if len(text.encode()) > _LONGEST_MESSAGE or "\n" in text:
            return ""
        return text


def _below(path: str, tail: str) -> str:
    if not tail:
        return path or "<nil>"
    return f"{path}.{tail}" if path else tail


def _rule_text(rule: Rule) -> str:
    return rule.message.strip() if rule.message else rule.rule.strip()


def _default_message(rule: Rule) -> str:
    return rule.message.strip() if rule.message else f"failed rule: {_rule_text(rule)}"


def _failure(error: str, rule: Rule) -> str:
    if error.startswith("no such overload"):
        return (
            f"'{error}': call arguments did not match a supported operator, function or macro signature "
            f"for rule: {_rule_text(rule)}"
        )
    return f"{error} evaluating rule: {_rule_text(rule)}"


def _field_error(path: str, kind: str, value: Json, detail: str, rule: Rule) -> FieldError:
    match rule.reason:
        case "FieldValueForbidden":
            return forbidden(path, detail)
        case "FieldValueRequired":
            return required(path, detail)
        case "FieldValueDuplicate":
            made = duplicate(path, value)
        case _:
            made = invalid(path, value, detail)
    if kind not in {"object", "array"}:
        return made
    return without_value(made)
