"""get and list: the newest durable state, or the state at a revision that is still in the history.

A list in pages stays on the revision of its first page; its continue token says which that was and where to go on.
When the history no longer reaches back so far the answer is 410 with a token that goes on at the newest revision
instead, as in Kubernetes.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from argosy.api.rules.wording import unsupported
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs.selecting import selection
from argosy.base import fielderrors
from argosy.base.errors import BadRequest, Cause, Details, Expired, Invalid, Timeout
from argosy.store import Compacted, Record

_TOO_OLD: Final = (
    "The provided continue parameter is too old to display a consistent list result. You can start a new list "
    "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
    "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
    "modified, or deleted between the time the first chunk was returned and now may show up in the list."
)

_NOT_BASE64: Final = re.compile(r"[^A-Za-z0-9_-]")


class _Token(msgspec.Struct, frozen=True, forbid_unknown_fields=False):
    v: str = ""
    rv: int = 0
    start: str = ""


@dataclass(slots=True, frozen=True)
class Listing:
    """One page of a list."""

    records: Sequence[Record]
    revision: int
    continue_: str = ""
    remaining: int | None = None


def get(cluster: Cluster, call: Call) -> Record:
    record = cluster.store.get(call.key)
    if record is None:
        raise call.not_found()
    _not_too_new(cluster, call.options.resource_version)
    return record


def list_(cluster: Cluster, call: Call) -> Listing:
    options = call.options
    chosen = selection(call)
    after, revision = None, None
    if options.continue_:
        _check_options(call)
        if options.resource_version not in {"", "0"}:
            raise BadRequest("specifying resource version is not allowed when using continue")
        after, revision = _read_token(options.continue_)
    else:
        revision = _exact_revision(cluster, call)
    try:
        page = cluster.store.list(
            call.kind.stored_resource,
            chosen,
            limit=max(options.limit, 0),
            after=after,
            revision=revision,
        )
    except Compacted:
        if after is None:
            raise Expired("The resourceVersion for the provided list is too old.") from None
        raise TooOldToken(_token(cluster.store.revision, after, inconsistent=True)) from None
    continue_, remaining = "", None
    if page.more:
        last = page.records[-1].key
        continue_ = _token(page.revision, (last.namespace, last.name))
        if chosen.labels is None and chosen.fields is None:
            remaining = page.remaining
    return Listing(page.records, page.revision, continue_, remaining)


class TooOldToken(Expired):
    """410 that offers a token to go on with."""

    def __init__(self, continue_: str) -> None:
        super().__init__(_TOO_OLD)
        self.continue_ = continue_

    def to_status(self) -> dict[str, object]:
        status = super().to_status()
        status["metadata"] = {"continue": self.continue_}
        return status


def _exact_revision(cluster: Cluster, call: Call) -> int | None:
    options = call.options
    match = options.resource_version_match
    given = options.resource_version
    _check_options(call)
    _not_too_new(cluster, given, "invalid resource version: ")
    if match == "Exact" or (not match and options.limit > 0 and given not in {"", "0"}):
        return parse_revision(given)
    return None


def _check_options(call: Call) -> None:
    options = call.options
    match, given = options.resource_version_match, options.resource_version
    problems = []
    if match:
        field = "resourceVersionMatch"
        if not given:
            detail = "resourceVersionMatch is forbidden unless resourceVersion is provided"
            problems.append(fielderrors.forbidden(field, detail))
        if options.continue_:
            detail = "resourceVersionMatch is forbidden when continue is provided"
            problems.append(fielderrors.forbidden(field, detail))
        if match not in {"Exact", "NotOlderThan"}:
            problems.append(unsupported(field, match, ("Exact", "NotOlderThan", "")))
        elif match == "Exact" and given == "0":
            detail = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
            problems.append(fielderrors.forbidden(field, detail))
    if options.send_initial_events is not None:
        detail = "sendInitialEvents is forbidden for list"
        problems.append(fielderrors.forbidden("sendInitialEvents", detail))
    if problems:
        raise Invalid("ListOptions", "", problems, group="meta.k8s.io")


def _not_too_new(cluster: Cluster, given: str, said: str = "") -> None:
    if given in {"", "0"}:
        return
    revision = parse_revision(given, said)
    if revision > cluster.store.revision:
        raise Timeout(
            f"Too large resource version: {revision}, current: {cluster.store.revision}",
            details=Details(
                causes=(Cause("ResourceVersionTooLarge", "Too large resource version"),),
                retryAfterSeconds=1,
            ),
        )


def parse_revision(given: str, said: str = "") -> int:
    """A resourceVersion parameter as a number; `said` stands before the text of what is wrong with it."""
    problem = ""
    if not given.isascii() or not given.isdigit():
        problem = "invalid syntax"
    elif len(given) > 20 or int(given) >= 2**64:
        problem = "value out of range"
    if problem:
        detail = f"strconv.ParseUint: parsing {fielderrors.quote(given)}: {problem}"
        raise BadRequest(f"{said}{fielderrors.invalid('resourceVersion', given, detail)}")
    return int(given)


def _token(revision: int, last: tuple[str, str], *, inconsistent: bool = False) -> str:
    start = f"{last[0]}/{last[1]}\0"
    raw = msgspec.json.encode(_Token("meta.k8s.io/v1", -1 if inconsistent else revision, start))
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _read_token(token: str) -> tuple[tuple[str, str], int | None]:
    """Where to go on (after this namespace and name), and at which revision (None: the newest)."""
    read = _decoded(token)
    if read.v != "meta.k8s.io/v1":
        raise _bad_token(f"server does not recognize this encoded version {read.v}")
    if read.rv == 0:
        raise _bad_token("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
    if not read.start:
        raise _bad_token("encoded start key empty (version meta.k8s.io/v1)")
    namespace, slash, name = read.start.removesuffix("\0").partition("/")
    if not slash:
        raise _bad_token(read.start)
    return (namespace, name), (read.rv if read.rv > 0 else None)


def _decoded(token: str) -> _Token:
    illegal = _NOT_BASE64.search(token)
    if illegal is not None or len(token) % 4 == 1:
        at = illegal.start() if illegal is not None else len(token) - 1
        raise _bad_token(f"illegal base64 data at input byte {at}")
    raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    try:
        return msgspec.json.decode(raw, type=_Token)
    except ValueError:
        # Go names the first character that cannot begin a value; what goes wrong later is told in our words.
        first = raw[:1].decode("latin-1")
        if not first:
            problem = "unexpected end of JSON input"
        elif first in "{[":
            problem = "the token holds no page of a list"
        else:
            shown = fielderrors.quote(first)[1:-1]
            problem = f"invalid character '{shown}' looking for beginning of value"
        raise _bad_token(problem) from None


def _bad_token(problem: str) -> BadRequest:
    return BadRequest(f"invalid continue token: continue key is not valid: {problem}")
