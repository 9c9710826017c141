"""How upstream's webhooks print what they refuse: several errors as one, and Go structs with the names of their fields.

Go prints a struct inside a struct as an address, which tells nobody anything; here it is printed whole.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from argosy.api.objects.metadata import LabelSelector
from argosy.base.selectors import labels
from argosy.base.selectors.requirements import SelectorError


def aggregate(problems: Sequence[str]) -> str:
    """Several errors as one, each text once; "" if there is none."""
    unique = list(dict.fromkeys(problems))
    return f"[{', '.join(unique)}]" if len(unique) > 1 else "".join(unique)


def printed(value: object) -> str:
    """A value as Go's %+v has it."""
    match value:
        case None:
            return "<nil>"
        case bool():
            return str(value).lower()
        case LabelSelector():
            return _selector(value)
        case msgspec.Struct():
            fields = msgspec.structs.fields(value)
            return f"{{{' '.join(_field(value, field) for field in fields)}}}"
        case tuple():
            return f"[{' '.join(printed(item) for item in value)}]"
        case _:
            return str(value)


def _field(struct: msgspec.Struct, field: msgspec.structs.FieldInfo) -> str:
    value = getattr(struct, field.name)
    name = field.encode_name[0].upper() + field.encode_name[1:]
    if field.name == "label_selector":
        return f"{name}:{_selector(value)}"
    mark = "&" if isinstance(value, msgspec.Struct) else ""
    return f"{name}:{mark}{printed(value)}"


def _selector(selector: LabelSelector | None) -> str:
    """A label selector prints itself."""
    if selector is None:
        return "nil"
    pairs = "".join(f"{key}: {value}," for key, value in sorted(selector.match_labels.items()))
    terms = "".join(
        f"LabelSelectorRequirement{{Key:{term.key},Operator:{term.operator},Values:{printed(term.values)},}},"
        for term in selector.match_expressions
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{pairs}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{terms}}},}}"
    )


def selector_problems(selector: LabelSelector | None, parent: str) -> list[str]:
    """What is wrong with a label selector; `parent` is what it stands in."""
    if selector is None:
        return []
    try:
        labels.from_object(msgspec.to_builtins(selector))
    except SelectorError as problem:
        return [f"the labelSelector in {parent} {_selector(selector)} is invalid: {problem}"]
    return []
