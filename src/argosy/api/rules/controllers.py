"""What kinds that make pods from a template share: Jobs, Deployments and the sets.

Their selector must select what their template makes, their names end up in the names of pods, and a rejected template
is printed as upstream's internal struct.
"""

from __future__ import annotations

from typing import Final

from argosy.api.rules.internals import internal
from argosy.api.rules.labels import validate_label_selector
from argosy.api.rules.names import is_dns1123_label
from argosy.api.rules.pods import default_pod_template
from argosy.api.rules.wording import (
    IMMUTABLE,
    NOT_NEGATIVE,
    Printed,
    in_order,
    printed,
    unsupported,
)
from argosy.base.fielderrors import FieldError, forbidden, invalid, required
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


def default_set(obj: Object) -> Object:
    """The spec, with its template filled in and its selector printed even where there is none."""
    spec: Object = obj.setdefault("spec", {})
    default_pod_template(spec.setdefault("template", {}))
    spec.setdefault("selector", None)
    return spec


def template_labels(template: Object) -> Object:
    return (template.get("metadata") or {}).get("labels") or {}


def validate_not_negative(holder: Object, fields: tuple[str, ...], path: str) -> list[FieldError]:
    return [
        invalid(f"{path}.{field}", value, NOT_NEGATIVE)
        for field in fields
        if (value := holder.get(field)) is not None and value < 0
    ]


def validate_selector(spec: Object, kind: str) -> list[FieldError]:
    """A selector is there, is well formed and does not select everything."""
    selector, path = spec.get("selector"), "spec.selector"
    if selector is None:
        return [required(path)]
    return validate_label_selector(selector, path) + validate_selective(selector, path, kind)


def validate_selective(selector: Object, path: str, kind: str) -> list[FieldError]:
    if selector.get("matchLabels") or selector.get("matchExpressions"):
        return []
    return [invalid(path, printed_selector(selector), f"empty selector is invalid for {kind}")]


def validate_restart(template: Object, path: str, kind: str) -> list[FieldError]:
    """Pods of a set run until something else ends them."""
    pod: Object = template.get("spec") or {}
    errors: list[FieldError] = []
    if (policy := pod.get("restartPolicy", "")) != "Always":
        errors.append(unsupported(f"{path}.spec.restartPolicy", policy, ("Always",)))
    if pod.get("activeDeadlineSeconds") is not None:
        detail = f"activeDeadlineSeconds in {kind} is not Supported"
        errors.append(forbidden(f"{path}.spec.activeDeadlineSeconds", detail))
    return errors


def validate_same_selector(new: Object, old: Object) -> list[FieldError]:
    selector = new["spec"].get("selector")
    if selector == old["spec"].get("selector"):
        return []
    return [invalid("spec.selector", printed_selector(selector), IMMUTABLE)]


def validate_collisions(new: Object, old: Object) -> list[FieldError]:
    """collisionCount salts the names of what the controller makes, so it never goes back."""
    before = (old.get("status") or {}).get("collisionCount")
    count = (new.get("status") or {}).get("collisionCount") or 0
    if before is None or count >= before:
        return []
    return [invalid("status.collisionCount", count, "cannot be decremented")]


def validate_counts(
    status: Object, counts: tuple[str, ...], parts: tuple[str, ...], ready: str
) -> list[FieldError]:
    """No count is negative, no part larger than the whole, and only ready pods are available."""
    errors = validate_not_negative(status, counts, "status")
    total = status.get("replicas") or 0
    errors += [
        invalid(f"status.{field}", value, "cannot be greater than status.replicas")
        for field in parts
        if (value := status.get(field) or 0) > total
    ]
    available = status.get("availableReplicas") or 0
    if available > (status.get("readyReplicas") or 0):
        detail = f"cannot be greater than {ready}"
        errors.append(invalid("status.availableReplicas", available, detail))
    return errors


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
