"""The options of a request: what the query and, for deletes, the body say about how a verb is to be done.

Parsing is strict where Kubernetes is strict (dryRun, fieldManager, fieldValidation, force, propagationPolicy) and
gives its words, all problems of a request in one answer. A request without a query shares one immutable `Options`,
so that the common case costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from argosy.api.rules.metadata import validate_field_manager
from argosy.api.rules.wording import unsupported
from argosy.base import fielderrors
from argosy.base.errors import BadRequest, Invalid
from argosy.base.fielderrors import FieldError
from argosy.base.types import Json, Object

FIELD_VALIDATIONS: Final = ("", "Ignore", "Strict", "Warn")
PROPAGATIONS: Final = ("Foreground", "Background", "Orphan")
APPLY: Final = "application/apply-patch+yaml"

_KINDS: Final = {"create": "CreateOptions", "update": "UpdateOptions", "patch": "PatchOptions"}
_INTEGER: Final = re.compile(r"[+-]?[0-9]+").fullmatch


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

    @property
    def is_plain_write(self) -> bool:
        """Whether a write is meant to be done, and told of what is wrong with it, as usual."""
        return not self.dry_run and self.field_validation == "Warn"


DEFAULTS: Final = Options()


def parse(query: Mapping[str, str], verb: str, patch: str = "") -> Options:
    """Options of a query; `verb` decides which kind of options object errors name, `patch` is a patch's media type."""
    if not query and patch != APPLY:
        return DEFAULTS
    parsed = Options(
        dry_run="dryRun" in query,
        field_manager=query.get("fieldManager", ""),
        field_validation=query.get("fieldValidation") or "Warn",
        force=_boolean(query.get("force")),
        label_selector=query.get("labelSelector", ""),
        field_selector=query.get("fieldSelector", ""),
        resource_version=query.get("resourceVersion", ""),
        resource_version_match=query.get("resourceVersionMatch", ""),
        limit=integer(query.get("limit")) or 0,
        continue_=query.get("continue", ""),
        watch=_boolean(query.get("watch")),
        allow_bookmarks=_boolean(query.get("allowWatchBookmarks")),
        send_initial_events=(
            _boolean(query["sendInitialEvents"]) if "sendInitialEvents" in query else None
        ),
        timeout_seconds=integer(query.get("timeoutSeconds")),
        grace_seconds=integer(query.get("gracePeriodSeconds")),
        propagation=query.get("propagationPolicy") or _orphaning(query.get("orphanDependents")),
    )
    if verb in _KINDS:
        _refuse(_KINDS[verb], _write_problems(query, patch))
    elif verb.startswith("delete"):
        _refuse("DeleteOptions", _delete_problems(query))
    return parsed


def with_delete_body(options: Options, body: Object) -> Options:
    """DeleteOptions of the body take the place of the query's; what the query selects stays."""
    preconditions = body.get("preconditions") or {}
    if not isinstance(preconditions, dict):
        raise BadRequest("preconditions must be an object")
    _refuse("DeleteOptions", _delete_problems(body))
    orphan = body.get("orphanDependents")
    return replace(
        options,
        dry_run=bool(body.get("dryRun")),
        grace_seconds=_bodyinteger(body, "gracePeriodSeconds"),
        propagation=body.get("propagationPolicy")
        or _orphaning(None if orphan is None else str(bool(orphan)).lower()),
        precondition_uid=preconditions.get("uid"),
        precondition_revision=preconditions.get("resourceVersion"),
    )


def manager_required() -> Invalid:
    """An apply without a manager's name: nobody could own what it applies."""
    return Invalid("PatchOptions", "", [_no_manager()], group="meta.k8s.io")


def _no_manager() -> FieldError:
    return fielderrors.required("fieldManager", "is required for apply patch")


def _refuse(kind: str, problems: list[FieldError]) -> None:
    if problems:
        raise Invalid(kind, "", problems, group="meta.k8s.io")


def _write_problems(query: Mapping[str, str], patch: str) -> list[FieldError]:
    """What is wrong with the options of a create, an update or a patch."""
    problems: list[FieldError] = []
    manager = query.get("fieldManager", "")
    if patch == APPLY and not manager:
        problems.append(_no_manager())
    elif patch and patch != APPLY and "force" in query:
        problems.append(fielderrors.forbidden("force", "may not be specified for non-apply patch"))
    if manager:
        problems += validate_field_manager(manager, "fieldManager")
    if "dryRun" in query:
        problems += _dry_run_problems([query["dryRun"]])
    validation = query.get("fieldValidation", "")
    if validation not in FIELD_VALIDATIONS:
        problems.append(unsupported("fieldValidation", validation, FIELD_VALIDATIONS))
    return problems


def _delete_problems(given: Mapping[str, Json]) -> list[FieldError]:
    """What is wrong with DeleteOptions, of a query or of a body."""
    problems: list[FieldError] = []
    policy = given.get("propagationPolicy")
    if policy is not None and given.get("orphanDependents") is not None:
        text = "orphanDependents and deletionPropagation cannot be both set"
        problems.append(fielderrors.invalid("propagationPolicy", policy, text))
    if policy is not None and policy not in PROPAGATIONS:
        problems.append(unsupported("propagationPolicy", policy, (*PROPAGATIONS, "nil")))
    dry_run = given.get("dryRun")
    if dry_run is not None:
        problems += _dry_run_problems([dry_run] if isinstance(dry_run, str) else dry_run)
    return problems


def _dry_run_problems(values: list[Json]) -> list[FieldError]:
    if all(value == "All" for value in values):
        return []
    return [unsupported("dryRun", values, ["All"])]


def _orphaning(orphan: str | None) -> str | None:
    """The propagation that the older orphanDependents stands for."""
    if orphan is None:
        return None
    return "Orphan" if _boolean(orphan) else "Background"


def _boolean(value: str | None) -> bool:
    """As Kubernetes reads a boolean parameter: absent, false and 0 are false, all else is true."""
    return value is not None and value.lower() not in {"false", "0"}


def integer(value: str | None) -> int | None:
    """A number of a query; None where none is given."""
    if value is None or value == "":
        return None
    if _INTEGER(value) is None:
        raise BadRequest(f"strconv.ParseInt: parsing {fielderrors.quote(value)}: invalid syntax")
    number = int(value)
    if not -(2**63) <= number < 2**63:
        raise BadRequest(
            f"strconv.ParseInt: parsing {fielderrors.quote(value)}: value out of range"
        )
    return number


def _bodyinteger(body: Object, name: str) -> int | None:
    value = body.get(name)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise BadRequest(f"{name} must be an integer, got {fielderrors.print_value(value)}")
    return value
