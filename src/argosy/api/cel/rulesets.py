"""Rules compiled along a schema.

A `RuleSet` mirrors the part of a schema that has rules in it, so that an object is walked only where a rule waits. A
schema without rules has no RuleSet at all. Rules inside allOf apply to the value the allOf stands at, with the type
the structural schema gives it. Compiling is done once per schema and remembered.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from argosy.api.cel.declaring import Converter, converter, declared, own, resource
from argosy.api.cel.fieldpaths import FieldPathError, resolve
from argosy.api.cel.programs import Program, compile_expression
from argosy.api.cel.source import CompileError
from argosy.api.cel.types import BOOL, STRING, Type, optional_of
from argosy.api.schema.structural import UNSET, Rule, Schema


@dataclass(slots=True, frozen=True, eq=False)
class CompiledRule:
    """A rule ready to run. With `problem` it cannot run; with neither it is empty and holds."""

    rule: Rule
    program: Program | None = None
    problem: str = ""
    message: Program | None = None
    message_problem: str = ""
    # Where failures are reported, below the place of the rule.
    field_path: str = ""

    @property
    def uses_old(self) -> bool:
        return self.program is not None and "oldSelf" in self.program.references

    @property
    def optional_old(self) -> bool:
        return bool(self.rule.optional_old_self)


@dataclass(slots=True, frozen=True, eq=False)
class RuleSet:
    """The rules at one place of a schema and below it."""

    schema: Schema
    rules: tuple[CompiledRule, ...] = ()
    # Whether a rule here uses oldSelf; if none does, no messageExpression here may either.
    transitions: bool = False
    convert: Converter | None = None
    items: RuleSet | None = None
    additional: RuleSet | None = None
    properties: dict[str, RuleSet] = field(default_factory=dict)
    all_of: tuple[RuleSet, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.rules or self.items or self.additional or self.properties or self.all_of)


def compile_rules(schema: Schema) -> RuleSet | None:
    """The rules of a resource's schema, kept on it; None if it has none."""
    if schema.rule_set is UNSET:
        schema.rule_set = _compile(schema, schema, root=True)
    found: RuleSet | None = schema.rule_set
    return found


def _compile(rules: Schema, shape: Schema, *, root: bool = False) -> RuleSet | None:
    """`rules` says which rules there are, `shape` what the value looks like; they differ inside an allOf."""
    rules, shape = own(rules), own(shape)
    t = declared(shape, root=root)
    if t is None:
        return None
    seen = resource(shape) if root or shape.embedded_resource else shape
    compiled = tuple(compile_rule(rule, t, seen) for rule in rules.validations)
    items = None
    if rules.items is not None and shape.items is not None:
        items = _compile(rules.items, shape.items)
    additional = None
    if rules.additional is not None and shape.additional is not None:
        additional = _compile(rules.additional, shape.additional)
    properties = {
        name: found
        for name, prop in rules.properties.items()
        if name in shape.properties
        and (found := _compile(prop, shape.properties[name])) is not None
    }
    all_of = tuple(
        found
        for part in rules.all_of
        if (found := _compile(replace(part, embedded_resource=False), shape, root=root)) is not None
    )
    made = RuleSet(
        shape,
        compiled,
        any(rule.uses_old for rule in compiled),
        converter(shape),
        items,
        additional,
        properties,
        all_of,
    )
    return None if made.empty else made


def compile_rule(rule: Rule, t: Type, schema: Schema) -> CompiledRule:
    """Compiles a rule for values of a type; problems are kept in the result."""
    if not rule.rule.strip():
        return CompiledRule(rule)
    old = optional_of(t) if rule.optional_old_self else t
    variables = {"self": t, "oldSelf": old}
    try:
        program = compile_expression(rule.rule, variables)
    except CompileError as error:
        return CompiledRule(rule, problem=f"compilation failed: {error}")
    if program.result != BOOL:
        return CompiledRule(rule, problem="cel expression must evaluate to a bool")
    path = ""
    if rule.field_path:
        try:
            path, _ = resolve(rule.field_path, schema)
        except FieldPathError:
            path = ""
    if not rule.message_expression:
        return CompiledRule(rule, program, field_path=path)
    try:
        message = compile_expression(rule.message_expression, variables)
    except CompileError as error:
        problem = f"messageExpression compilation failed: {error}"
        return CompiledRule(rule, program, message_problem=problem, field_path=path)
    if message.result != STRING:
        problem = "messageExpression must evaluate to a string"
        return CompiledRule(rule, program, message_problem=problem, field_path=path)
    return CompiledRule(rule, program, message=message, field_path=path)
