"""get and list: the newest durable state, or the state at a revision that is still in the history.

A list in pages stays on the revision of its first page; its continue token says which that was and where to go on.
When the history no longer reaches back so far the
answer is 410 with a token that goes on at the newest revision instead, as in Kubernetes.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

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
        if options.resource_version not in {"", "0"}:
            raise BadRequest("specifying resource version is not allowed when using continue")
        after, revision = _read_token(options.continue_)
    else:
        revision = _exact_revision(cluster, call)
    try:
        page = cluster.store.list(
            call.kind.stored_resource, chosen, limit=options.limit, after=after, revision=revision
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
    problem = None
    if match and match not in {"Exact", "NotOlderThan"}:
        problem = fielderrors.not_supported(
            "resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]
        )
    elif match and not given:
        problem = fielderrors.forbidden(
            "resourceVersionMatch",
            "resourceVersionMatch is forbidden unless resourceVersion is provided",
        )
    elif match == "Exact" and given == "0":
        problem = fielderrors.forbidden(
            "resourceVersionMatch",
            'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        )
    if problem is not None:
        raise Invalid("ListOptions", "", [problem], group="meta.k8s.io")
    _not_too_new(cluster, given)
    if match == "Exact" or (not match and options.limit and given not in {"", "0"}):
        return parse_revision(given)
    return None


def _not_too_new(cluster: Cluster, given: str) -> None:
    if given in {"", "0"}:
        return
    revision = parse_revision(given)
    if revision > cluster.store.revision:
        raise Timeout(
            f"Too large resource version: {revision}, current: {cluster.store.revision}",
            details=Details(
                causes=(Cause("ResourceVersionTooLarge", "Too large resource version"),),
                retryAfterSeconds=1,
            ),
        )


def parse_revision(given: str) -> int:
    """A resourceVersion parameter as a number."""
    if not given.isascii() or not given.isdigit() or int(given) >= 2**64:
        problem = fielderrors.invalid(
            "resourceVersion", given, f'strconv.ParseUint: parsing "{given}": invalid syntax'
        )
        raise BadRequest(problem.body)
    return int(given)


def _token(revision: int, last: tuple[str, str], *, inconsistent: bool = False) -> str:
    start = f"{last[0]}/{last[1]}\0"
    raw = msgspec.json.encode(_Token("meta.k8s.io/v1", -1 if inconsistent else revision, start))
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _read_token(token: str) -> tuple[tuple[str, str], int | None]:
    """Where to go on (after this namespace and name), and at which revision (None: the newest)."""
    try:
        raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        read = msgspec.json.decode(raw, type=_Token)
    except (binascii.Error, ValueError, UnicodeEncodeError, msgspec.MsgspecError) as error:
        raise BadRequest(f"continue key is not valid: {error}") from error
    if read.v != "meta.k8s.io/v1":
        raise BadRequest(
            f"continue key is not valid: server does not recognize this encoded version {fielderrors.quote(read.v)}"
        )
    namespace, slash, name = read.start.removesuffix("\0").partition("/")
    if not slash:
        raise BadRequest(
            "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)"
        )
    if read.rv == 0:
        raise BadRequest(
            "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"
        )
    return (namespace, name), (read.rv if read.rv > 0 else None)
