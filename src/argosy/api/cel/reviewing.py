"""Review of a CRD's rules: what Kubernetes says about them when the CRD is written.

Two kinds of findings: about a rule's texts (message, reason, fieldPath) and about its CEL. The second is looked at
only where the first found nothing at this place or below, and comes after all of the first.
Kubernetes also estimates the worst cost of a rule and refuses a CRD for it; this does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from argosy.api.cel.declaring import declared, resource
from argosy.api.cel.fieldpaths import FieldPathError, resolve
from argosy.api.cel.rulesets import compile_rule
from argosy.api.rules.wording import Printed, printed
from argosy.api.schema.structural import Rule, Schema
from argosy.base.fielderrors import FieldError, invalid, not_supported, required

_REASONS = (
    "FieldValueRequired",
    "FieldValueForbidden",
    "FieldValueInvalid",
    "FieldValueDuplicate",
)


def check_rules(schema: Schema, path: str) -> list[FieldError]:
    """The findings about every rule of a resource's schema; `path` is that of the schema in the CRD."""
    review = _review(schema, path, root=True, uncorrelated="")
    return review.texts + review.programs


@dataclass(slots=True)
class _Review:
    texts: list[FieldError] = field(default_factory=list)
    programs: list[FieldError] = field(default_factory=list)

    def add(self, other: _Review) -> None:
        self.texts += other.texts
        self.programs += other.programs


def _review(schema: Schema, path: str, *, root: bool = False, uncorrelated: str) -> _Review:
    review = _Review()
    if schema.additional is not None:
        below = f"{path}.additionalProperties"
        review.add(_review(schema.additional, below, uncorrelated=uncorrelated))
    # The topmost place whose parts cannot be told from one object to the next.
    lost = uncorrelated or (path if schema.map_type == "atomic" else "")
    for name, prop in schema.properties.items():
        review.add(_review(prop, f"{path}.properties[{name}]", uncorrelated=lost))
    for index, part in enumerate(schema.all_of):
        review.texts += _texts_below(part, f"{path}.allOf[{index}]")
    if schema.items is not None:
        lost = uncorrelated or ("" if schema.list_type == "map" else path)
        review.add(_review(schema.items, f"{path}.items", uncorrelated=lost))
    for index, rule in enumerate(schema.validations):
        place = f"{path}.x-kubernetes-validations[{index}]"
        review.texts += _check_texts(rule, schema, place)
    if schema.validations and not review.texts:
        review.programs += _check_programs(schema, path, root=root, uncorrelated=uncorrelated)
    return review


def _texts_below(schema: Schema, path: str) -> list[FieldError]:
    """Rules under allOf are reviewed for their texts only."""
    found = []
    for name, prop in schema.properties.items():
        found += _texts_below(prop, f"{path}.properties[{name}]")
    if schema.items is not None:
        found += _texts_below(schema.items, f"{path}.items")
    for index, rule in enumerate(schema.validations):
        found += _check_texts(rule, schema, f"{path}.x-kubernetes-validations[{index}]")
    return found


def _has_line_breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def _check_texts(rule: Rule, schema: Schema, place: str) -> list[FieldError]:
    errors = []
    text, message = rule.rule.strip(), rule.message.strip()
    if not text:
        errors.append(required(f"{place}.rule", "rule is not specified"))
    elif rule.message and not message:
        errors.append(invalid(f"{place}.message", rule.message, "must be non-empty if specified"))
    elif _has_line_breaks(message):
        errors.append(invalid(f"{place}.message", rule.message, "must not contain line breaks"))
    elif _has_line_breaks(text) and not message:
        detail = "message must be specified if rule contains line breaks"
        errors.append(required(f"{place}.message", detail))
    if rule.message_expression and not rule.message_expression.strip():
        detail = "messageExpression must be non-empty if specified"
        errors.append(required(f"{place}.messageExpression", detail))
    if rule.reason and rule.reason not in _REASONS:
        errors.append(not_supported(f"{place}.reason", rule.reason, _REASONS))
    return errors + _check_field_path(rule, schema, f"{place}.fieldPath")


def _check_field_path(rule: Rule, schema: Schema, place: str) -> list[FieldError]:
    path = rule.field_path
    if not path:
        return []
    errors = []
    if not path.strip():
        errors.append(invalid(place, path, "must be non-empty if specified"))
    if _has_line_breaks(path):
        errors.append(invalid(place, path, "must not contain line breaks"))
    try:
        resolve(path, schema)
    except FieldPathError:
        errors.append(invalid(place, path, "must be a valid path"))
    return errors


def _check_programs(
    schema: Schema, path: str, *, root: bool, uncorrelated: str
) -> list[FieldError]:
    t = declared(schema, root=root)
    if t is None:
        detail = "internal error: failed to retrieve type information for x-kubernetes-validations"
        return [FieldError("InternalError", f"{path}.x-kubernetes-validations", None, detail)]
    seen = resource(schema) if root or schema.embedded_resource else schema
    errors = []
    for index, rule in enumerate(schema.validations):
        place = f"{path}.x-kubernetes-validations[{index}]"
        compiled = compile_rule(rule, t, seen)
        if compiled.problem:
            errors.append(invalid(f"{place}.rule", _printed(rule), compiled.problem))
        if compiled.message_problem:
            where = f"{place}.messageExpression"
            errors.append(invalid(where, _printed(rule), compiled.message_problem))
        if compiled.uses_old:
            if uncorrelated:
                detail = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelated}"
                errors.append(invalid(f"{place}.rule", rule.rule, detail))
        elif rule.optional_old_self is not None:
            detail = "may not be set if oldSelf is not used in rule"
            errors.append(invalid(f"{place}.optionalOldSelf", rule.optional_old_self, detail))
    return errors


def _printed(rule: Rule) -> Printed:
    """The whole rule as the Go struct prints it."""
    return printed(
        {
            "Rule": rule.rule,
            "Message": rule.message,
            "MessageExpression": rule.message_expression,
            "Reason": rule.reason or None,
            "FieldPath": rule.field_path,
            "OptionalOldSelf": rule.optional_old_self,
        }
    )
