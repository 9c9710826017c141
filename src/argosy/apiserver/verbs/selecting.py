"""From the selectors of a request to a selection of the store."""

from __future__ import annotations

from argosy.apiserver.calls import Call
from argosy.base import fielderrors
from argosy.base.errors import BadRequest
from argosy.base.selectors import fields, labels
from argosy.store import Selection

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
    selectable = call.kind.rules.selectable
    for field, _, _ in parsed.requirements:
        if field in _ALWAYS or field in selectable:
            continue
        if selectable or call.kind.custom:
            raise BadRequest(f"field label not supported: {field}")
        raise BadRequest(
            f"{fielderrors.quote(field)} is not a known field selector: "
            'only "metadata.name", "metadata.namespace"'
        )
    return parsed
