"""Events as events.k8s.io/v1 takes them: complete, and settled once written.

Rules see the stored form, core's, and so do the paths of their errors, with the one exception of the reporting
controller. The fields core calls by other names and this group calls deprecated must be empty in a new event. An update
may bring a series or carry it on, and change nothing else.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.events.core import SELECTABLE, validate_event
from argosy.api.rules.internals import internal
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.wording import IMMUTABLE, printed
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Json, Object

_CONTROLLER: Final = "reportingController"
_TYPES: Final = ("Normal", "Warning")
_DEPRECATED: Final = ("firstTimestamp", "lastTimestamp", "count", "source")
# Paths of what an update may not change, in the order of the checks; one of them is checked twice.
_SETTLED: Final = (
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "reason",
    "type",
    "eventTime",
    "action",
    "related",
    _CONTROLLER,
    "reportingInstance",
)
_ZERO: Final = {"count": 0, "eventTime": None, "firstTimestamp": None, "lastTimestamp": None}


def _validate(event: Object) -> list[FieldError]:
    errors = validate_event(event, _CONTROLLER)
    errors += validate_metadata(event, True, is_dns1123_subdomain)
    errors += _validate_series(event)
    if not event.get("eventTime"):
        errors.append(required("eventTime"))
    if (kind := event.get("type", "")) not in _TYPES:
        errors.append(invalid("type", "", f"has invalid value: {kind}"))
    errors += [invalid(field, "", "needs to be unset") for field in _DEPRECATED if event.get(field)]
    return errors


def _validate_series(event: Object) -> list[FieldError]:
    if (series := event.get("series")) is None:
        return []
    errors: list[FieldError] = []
    if series.get("count", 0) < 2:
        errors.append(invalid("series.count", "", "should be at least 2"))
    if not series.get("lastObservedTime"):
        errors.append(required("series.lastObservedTime"))
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_event(new, _CONTROLLER)
    errors += validate_metadata_update(new, old)
    if new.get("series") != old.get("series"):
        errors += _validate_series(new)
    for path in _SETTLED:
        field = "reportingComponent" if path == _CONTROLLER else path
        value = new.get(field)
        if (value or None) != (old.get(field) or None):
            errors.append(invalid(path, _shown(field, value), IMMUTABLE))
    return errors


def _shown(field: str, value: Json) -> Json:
    """A rejected value as upstream's internal struct prints it."""
    match field:
        case "involvedObject":
            return printed(internal("ObjectReference", value or {}))
        case "related":
            return printed(internal("ObjectReference", value)) if value is not None else None
        case "source":
            source = value or {}
            parts = (("Component", "component"), ("Host", "host"))
            return printed({name: source.get(key, "") for name, key in parts})
    return _ZERO.get(field, "") if value is None else value


RULES: Final[dict[str, Rules]] = {
    "Event": Rules(
        validate=_validate,
        validate_update=_validate_update,
        name_problems=is_dns1123_subdomain,
        selectable=SELECTABLE,
        create_on_update=True,
        tracks_generation=False,
    )
}
