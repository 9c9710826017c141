"""The options of a request: what the query and, for deletes, the body say about how a verb is to be done.

Parsing is strict where Kubernetes is strict (dryRun, fieldValidation, propagationPolicy, resourceVersionMatch) and
gives its words. A request without a query shares one
immutable `Options`, so that the common case costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from argosy.base import fielderrors
from argosy.base.errors import BadRequest, Invalid
from argosy.base.fielderrors import FieldError
from argosy.base.types import Json, Object

FIELD_VALIDATIONS: Final = ("Ignore", "Strict", "Warn")
PROPAGATIONS: Final = ("Background", "Foreground", "Orphan")
MAX_MANAGER_BYTES: Final = 128


@dataclass(slots=True, frozen=True)
class Options:
    """Every option of every verb; a verb reads its own."""

    dry_run: bool = False
    field_manager: str = ""
    field_validation: str = "Warn"
    force: bool = False
    label_selector: str = ""
    field_selector: str = ""
    resource_version: str = ""
    resource_version_match: str = ""
    limit: int = 0
    continue_: str = ""
    watch: bool = False
    allow_bookmarks: bool = False
    send_initial_events: bool | None = None
    timeout_seconds: int | None = None
    grace_seconds: int | None = None
    # None, or Background, Foreground, Orphan.
    propagation: str | None = None
    precondition_uid: str | None = None
    precondition_revision: str | None = None


DEFAULTS: Final = Options()


def parse(query: Mapping[str, str], verb: str) -> Options:
    """Options of a query; `verb` decides which kind of options object errors name."""
    if not query:
        return DEFAULTS
    return Options(
        dry_run=_dry_run(query.get("dryRun"), verb),
        field_manager=_manager(query.get("fieldManager", ""), verb),
        field_validation=_field_validation(query.get("fieldValidation"), verb),
        force=_boolean(query.get("force")),
        label_selector=query.get("labelSelector", ""),
        field_selector=query.get("fieldSelector", ""),
        resource_version=query.get("resourceVersion", ""),
        resource_version_match=query.get("resourceVersionMatch", ""),
        limit=_integer(query.get("limit"), "limit") or 0,
        continue_=query.get("continue", ""),
        watch=_boolean(query.get("watch")),
        allow_bookmarks=_boolean(query.get("allowWatchBookmarks")),
        send_initial_events=(
            _boolean(query["sendInitialEvents"]) if "sendInitialEvents" in query else None
        ),
        timeout_seconds=_integer(query.get("timeoutSeconds"), "timeoutSeconds"),
        grace_seconds=_integer(query.get("gracePeriodSeconds"), "gracePeriodSeconds"),
        propagation=_propagation(query.get("propagationPolicy"), query.get("orphanDependents")),
    )


def with_delete_body(options: Options, body: Object) -> Options:
    """DeleteOptions of the body take the place of the query's."""
    preconditions = body.get("preconditions") or {}
    if not isinstance(preconditions, dict):
        raise BadRequest("preconditions must be an object")
    orphan = body.get("orphanDependents")
    return Options(
        dry_run=options.dry_run or _dry_run_list(body.get("dryRun")),
        grace_seconds=_body_integer(body, "gracePeriodSeconds", options.grace_seconds),
        propagation=_propagation(
            body.get("propagationPolicy"), None if orphan is None else str(bool(orphan)).lower()
        )
        or options.propagation,
        precondition_uid=preconditions.get("uid"),
        precondition_revision=preconditions.get("resourceVersion"),
        label_selector=options.label_selector,
        field_selector=options.field_selector,
        resource_version=options.resource_version,
        limit=options.limit,
        continue_=options.continue_,
    )


def _kind_of(verb: str) -> str:
    names = {"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}
    return names.get(verb, "DeleteOptions")


def _invalid(verb: str, error: FieldError) -> Invalid:
    return Invalid(_kind_of(verb), "", [error], group="meta.k8s.io")


def _dry_run(value: str | None, verb: str) -> bool:
    if not value:
        return False
    if value != "All":
        raise _invalid(verb, fielderrors.not_supported("dryRun", [value], ["All"]))
    return True


def _dry_run_list(value: Json) -> bool:
    if not value:
        return False
    if value != ["All"]:
        raise _invalid("delete", fielderrors.not_supported("dryRun", value, ["All"]))
    return True


def _manager(value: str, verb: str) -> str:
    if len(value.encode()) > MAX_MANAGER_BYTES:
        raise _invalid(verb, fielderrors.too_long("fieldManager", MAX_MANAGER_BYTES))
    if not value.isprintable():
        bad = next(ch for ch in value if not ch.isprintable())
        detail = f"invalid character {fielderrors.quote(bad)} (at position {value.index(bad)})"
        raise _invalid(verb, fielderrors.invalid("fieldManager", value, detail))
    return value


def _field_validation(value: str | None, verb: str) -> str:
    if not value:
        return "Warn"
    if value not in FIELD_VALIDATIONS:
        error = fielderrors.not_supported("fieldValidation", value, ["", *FIELD_VALIDATIONS])
        raise _invalid(verb, error)
    return value


def _propagation(policy: Json, orphan: str | None) -> str | None:
    if policy is not None and orphan is not None:
        error = fielderrors.invalid(
            "propagationPolicy",
            policy,
            "orphanDependents and deletionPropagation cannot be both set",
        )
        raise _invalid("delete", error)
    if orphan is not None:
        return "Orphan" if _boolean(orphan) else "Background"
    if policy is None or policy == "":
        return None
    if policy not in PROPAGATIONS:
        error = fielderrors.not_supported("propagationPolicy", policy, [*PROPAGATIONS, "nil"])
        raise _invalid("delete", error)
    return str(policy)


def _boolean(value: str | None) -> bool:
    """As Kubernetes reads a boolean parameter: absent, false and 0 are false, all else is true."""
    return value is not None and value.lower() not in {"false", "0"}


def _integer(value: str | None, name: str) -> int | None:
    if value is None or value == "":
        return None
    try:
        number = int(value)
    except ValueError:
        raise _bad_integer(name, value) from None
    if not -(2**63) <= number < 2**63:
        raise _bad_integer(name, value)
    return number


def _bad_integer(name: str, value: str) -> BadRequest:
    return BadRequest(
        f"{name}: strconv.ParseInt: parsing {fielderrors.quote(value)}: invalid syntax"
    )


def _body_integer(body: Object, name: str, default: int | None) -> int | None:
    value = body.get(name)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadRequest(f"{name} must be an integer, got {fielderrors.print_value(value)}")
    return value
