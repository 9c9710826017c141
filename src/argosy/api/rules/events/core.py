"""Events as core/v1 takes them: nearly everything, for the sake of old clients.

An event with an `eventTime` comes from a writer of the new form and has to be complete whichever group it is sent to.
Of any other, only the namespace has to agree with that of the object it tells about. Metadata gets no check but the
server's generic one, so a name only has to fit into a URL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import validate_common_create
from argosy.api.rules.names import is_dns1123_subdomain, is_path_segment, is_qualified_name
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Object

_REPORTER_LIMIT: Final = 128
_NOTE_LIMIT: Final = 1024


def _involved(field: str) -> Callable[[Object], str]:
    def read(event: Object) -> str:
        return str((event.get("involvedObject") or {}).get(field, ""))

    return read


def _top(field: str) -> Callable[[Object], str]:
    def read(event: Object) -> str:
        return str(event.get(field, ""))

    return read


def _source(event: Object) -> str:
    """Who reported, in the old place or the new."""
    return str((event.get("source") or {}).get("component") or event.get("reportingComponent", ""))


SELECTABLE: Final[Mapping[str, Callable[[Object], str]]] = {
    "involvedObject.kind": _involved("kind"),
    "involvedObject.namespace": _involved("namespace"),
    "involvedObject.name": _involved("name"),
    "involvedObject.uid": _involved("uid"),
    "involvedObject.apiVersion": _involved("apiVersion"),
    "involvedObject.resourceVersion": _involved("resourceVersion"),
    "involvedObject.fieldPath": _involved("fieldPath"),
    "reason": _top("reason"),
    "reportingComponent": _top("reportingComponent"),
    "source": _source,
    "type": _top("type"),
}


def validate_event(event: Object, controller_field: str) -> list[FieldError]:
    """What both groups check. `controller_field` is what the group calls the reporting controller."""
    namespace = (event.get("metadata") or {}).get("namespace", "")
    involved = (event.get("involvedObject") or {}).get("namespace", "")
    if event.get("eventTime"):
        agrees = bool(involved) or namespace in {"default", "kube-system"}
        errors = _validate_complete(event, controller_field)
    else:
        agrees = involved == namespace or (not involved and namespace == "default")
        errors = []
    if not agrees:
        detail = "does not match event.namespace"
        errors.insert(0, invalid("involvedObject.namespace", involved, detail))
    errors += [invalid("namespace", namespace, text) for text in is_dns1123_subdomain(namespace)]
    return errors


def _validate_complete(event: Object, controller_field: str) -> list[FieldError]:
    errors: list[FieldError] = []
    controller = event.get("reportingComponent", "")
    if not controller:
        errors.append(required(controller_field))
    errors += [
        invalid(controller_field, controller, text) for text in is_qualified_name(controller)
    ]
    for field in ("reportingInstance", "action", "reason"):
        value = event.get(field, "")
        if not value:
            errors.append(required(field))
        errors += _validate_length(value, field, _REPORTER_LIMIT)
    errors += _validate_length(event.get("message", ""), "message", _NOTE_LIMIT)
    return errors


def _validate_length(value: str, field: str, limit: int) -> list[FieldError]:
    if len(value) <= limit // 4 or len(value.encode()) <= limit:
        return []
    return [invalid(field, "", f"can have at most {limit} characters")]


def _validate(event: Object) -> list[FieldError]:
    return validate_event(event, "reportingComponent") or validate_common_create(event, True)


def _validate_update(new: Object, _old: Object) -> list[FieldError]:
    return validate_event(new, "reportingComponent")


RULES: Final[dict[str, Rules]] = {
    "Event": Rules(
        validate=_validate,
        validate_update=_validate_update,
        name_problems=is_path_segment,
        selectable=SELECTABLE,
        create_on_update=True,
        tracks_generation=False,
    )
}
