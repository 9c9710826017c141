"""From the selectors of a request to a selection of the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.conversions import events
from argosy.apiserver.calls import Call
from argosy.base import fielderrors
from argosy.base.errors import BadRequest
from argosy.base.selectors import fields, labels
from argosy.store import Selection

# Resources whose fields have other names than those of the stored form.
_LABELS: Final = {"events.events.k8s.io": events.SELECTABLE}
_ALWAYS = frozenset({"metadata.name", "metadata.namespace"})


def selection(call: Call) -> Selection:
    """Raises BadRequest in Kubernetes' words for selectors that do not parse or fields nobody can select by."""
    options = call.options
    label_selector = field_selector = None
    if options.label_selector:
        try:
            label_selector = labels.parse(options.label_selector)
        except ValueError as error:
            raise BadRequest(str(error)) from error
    if options.field_selector:
        field_selector = _fields(call)
    name = call.name or None
    if name is not None and call.verb in {"list", "watch"} and field_selector is None:
        field_selector = fields.parse(f"metadata.name={name}")
    return Selection(namespace=call.namespace or None, labels=label_selector, fields=field_selector)


def _fields(call: Call) -> fields.FieldSelector:
    text = call.options.field_selector
    try:
        parsed = fields.parse(text)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    names = _LABELS.get(call.kind.resource)
    selectable = call.kind.rules.selectable if names is None else names
    for field, _, _ in parsed.requirements:
        if field in _ALWAYS or field in selectable:
            continue
        if call.kind.resource == "jobs.batch":
            raise BadRequest(f"field label {fielderrors.quote(field)} not supported for Job")
        if selectable or call.kind.custom:
            raise BadRequest(f"field label not supported: {field}")
        raise BadRequest(
            f"{fielderrors.quote(field)} is not a known field selector: "
            'only "metadata.name", "metadata.namespace"'
        )
    return _renamed(parsed, names) if names is not None else parsed


def _renamed(selector: fields.FieldSelector, names: Mapping[str, str]) -> fields.FieldSelector:
    """A selector in the names of the stored form."""
    return fields.FieldSelector(
        tuple(
            requirement._replace(field=names.get(requirement.field, requirement.field))
            for requirement in selector.requirements
        )
    )
