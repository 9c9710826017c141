"""What kinds that make pods from a template share: Jobs, Deployments and the sets.

Their selector must select what their template makes, their names end up in the names of pods, and a rejected template
is printed as upstream's internal struct.
"""

from __future__ import annotations

from typing import Final

from argosy.api.rules.internals import internal
from argosy.api.rules.names import is_dns1123_label
from argosy.api.rules.wording import NOT_NEGATIVE, Printed, in_order, printed
from argosy.base.fielderrors import FieldError, invalid
from argosy.base.selectors import labels as selectors
from argosy.base.selectors.labels import SelectorError
from argosy.base.types import Object

MISMATCH: Final = "`selector` does not match template `labels`"
_METADATA_ORDER: Final = ("name", "generateName", "namespace", "uid", "labels", "annotations")


def selects(selector: Object | None, labels: Object) -> bool | None:
    """Whether a selector takes these labels; None where no selector can be made of it."""
    if selector is None:
        return False
    if not selector.get("matchExpressions"):
        wanted: Object = selector.get("matchLabels") or {}
        if all(labels.get(key) == value for key, value in wanted.items()):
            return True
    try:
        return selectors.from_object(selector).matches(labels)
    except SelectorError:
        return None


def template_labels(template: Object) -> Object:
    return (template.get("metadata") or {}).get("labels") or {}


def validate_not_negative(holder: Object, fields: tuple[str, ...], path: str) -> list[FieldError]:
    return [
        invalid(f"{path}.{field}", value, NOT_NEGATIVE)
        for field in fields
        if (value := holder.get(field)) is not None and value < 0
    ]


def without_value(path: str, detail: str) -> FieldError:
    """A value that upstream calls invalid and does not print."""
    return invalid(path, Printed(detail), "")


def printed_template(template: Object) -> Printed:
    meta = in_order(template.get("metadata") or {}, _METADATA_ORDER)
    for field in ("labels", "annotations"):
        if field in meta:
            meta[field] = dict(sorted(meta[field].items()))
    return printed(meta | {"Spec": internal("PodSpec", template.get("spec") or {})})


def printed_selector(selector: Object | None) -> Printed:
    if selector is None:
        return printed(None)
    shown = in_order(selector, ("matchLabels", "matchExpressions"))
    if labels := shown.get("matchLabels"):
        shown["matchLabels"] = dict(sorted(labels.items()))
    if expressions := shown.get("matchExpressions"):
        order = ("key", "operator", "values")
        shown["matchExpressions"] = [in_order(each, order) for each in expressions]
    return printed(shown)


def name_warnings(obj: Object) -> list[str]:
    """Pods are named after the object, and a hostname has no dots."""
    problems = is_dns1123_label((obj.get("metadata") or {}).get("name", ""))
    if not problems:
        return []
    text = (
        "metadata.name: this is used in Pod names and hostnames, which can result in surprising "
        f"behavior; a DNS label is recommended: [{' '.join(problems)}]"
    )
    return [text]


def generation_changed(new: Object, old: Object) -> bool:
    return bool(new["metadata"].get("generation") != old["metadata"].get("generation"))
