"""One manifest: find the object, take it over, compare, apply, look whether it works.

The steps are a list, each of which may say the last word (upstream's order, which is part of the contract: an object is
taken over before a diff is reported). Whatever fails becomes the manifest's result, with upstream's words, and never
stops the others.

What a pass has found as it should be is remembered by the object's resourceVersion. As long as that and the Work stay
as they are, the next pass reads the object's version and nothing more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.outcomes import JOB_KINDS
from argosy.api.objects.fleet.placements import REPORT_DIFF, ApplyStrategy
from argosy.base.errors import NotFound, StatusError
from argosy.base.types import Object
from argosy.client.objects import Raw, decode
from argosy.client.protocol import Client
from argosy.member.applying.manifests import Identity, Manifest
from argosy.member.applying.objects import annotation
from argosy.member.applying.owners import NotOurs, after_take_over, is_owned
from argosy.member.applying.reasons import ResultType
from argosy.member.applying.results import Result
from argosy.member.applying.writing import (
    IF_NOT_DRIFTED,
    Failed,
    Order,
    api_error,
    server_side_apply,
    take_over,
    write,
)
from argosy.member.availability.outcomes import Outcome, RunObject, outcome_of
from argosy.member.availability.tracking import Availability, availability
from argosy.member.comparing.cleaning import sanitized
from argosy.member.comparing.diffing import WHOLE_OBJECT, Difference, differences
from argosy.member.comparing.hashing import manifest_hash
from argosy.member.comparing.queues import as_the_queue_has_it

_FULL: Final = "FullComparison"
_NEVER: Final = "Never"
_IF_NO_DIFF: Final = "IfNoDiff"
_DEGRADED: Final = (
    " in degraded mode (full comparison is performed instead of partial comparison, as the manifest object is "
    "considered to be invalid by the member cluster API server)"
)
_TAKES_NO_OVER: Final = (
    "cannot take over object: configuration differences are found between the manifest object and the corresponding "
    "object in the member cluster"
)
_DRIFTED: Final = "cannot apply manifest: drifts are found between the manifest and the object from the member cluster"
_BETWEEN: Final = "between the manifest object and the object from the member cluster"
_NO_NAMESPACE: Final = (
    "failed to apply the manifest: failed to create manifest object: error returned by the API server: "
    "the server does not allow this method on the requested resource"
)


@dataclass(slots=True, frozen=True)
class Settled:
    """What came of a manifest at a revision of its object that needed no write."""

    revision: str
    result: Result


@dataclass(slots=True, frozen=True)
class Ended:
    """A job that has run. Its outcome is None where the Work has told it already."""

    uid: str
    generation: int | None = None
    outcome: Outcome | None = None


@dataclass(slots=True, frozen=True)
class Pass:
    """What all manifests of a Work share in one pass."""

    owner: Object
    strategy: ApplyStrategy
    # Whether there is a Work of a name.
    has_work: Callable[[str], bool]
    # What is left of the job that was made from a manifest of this hash, if it has ended.
    ended: Callable[[Manifest, str], Ended | None]
    # Fields that a queue owns are the queue's.
    leaves_queues: bool = False
    # Jobs stay until their end has been told.
    holds_jobs: bool = True
    settled: dict[Identity, Settled] = field(default_factory=dict)


class _Last(Exception):
    def __init__(self, result: Result) -> None:
        super().__init__(result.type)
        self.result = result


async def process(client: Client, manifest: Manifest, shared: Pass) -> Result:
    """What comes of a manifest that could be read."""
    if manifest.resource is None or manifest.failure is not None:
        raise ValueError(f"{manifest.identifier}: this manifest cannot be applied")
    try:
        return await _Steps(client, manifest, shared).run()
    except _Last as last:
        return last.result


class _Steps:
    def __init__(self, client: Client, manifest: Manifest, shared: Pass) -> None:
        assert manifest.resource is not None
        self._client = client
        self._manifest = manifest
        self._shared = shared
        self._strategy = shared.strategy
        self._live: Object | None = None
        identifier = manifest.identifier
        self._order = Order(
            manifest.resource,
            identifier.name,
            identifier.namespace,
            manifest.obj,
            "",
            shared.owner,
            shared.strategy,
            shared.holds_jobs and (manifest.resource.group, manifest.resource.kind) in JOB_KINDS,
        )

    async def run(self) -> Result:
        raw = await self._find()
        self._keep_to_what_is_settled(raw)
        self._order = replace(self._order, digest=manifest_hash(self._manifest.obj))
        if raw is None:
            self._let_rest()
        else:
            self._live = decode(raw)
            self._leave_to_the_queue(self._live)
            await self._take_over(self._live)
        if self._strategy.type == REPORT_DIFF:
            return await self._report_diff()
        if self._live is not None:
            self._check_ownership(self._live)
            await self._look_for_drift(self._live)
        result = await self._apply()
        if raw is not None and result.type is ResultType.APPLIED and not result.drifts:
            self._settle(raw, result)
        return result

    # The steps.

    async def _find(self) -> Raw | None:
        order = self._order
        if order.resource.namespaced and not order.namespace:
            self._end(ResultType.FAILED_TO_APPLY, _NO_NAMESPACE)
        try:
            return await self._client.get(
                order.resource, order.name, namespace=order.namespace or None
            )
        except NotFound:
            return None
        except StatusError as error:
            what = "failed to find the corresponding object for the manifest object in the member cluster"
            self._end(ResultType.FAILED_TO_FIND, str(api_error(what, error)))

    def _keep_to_what_is_settled(self, raw: Raw | None) -> None:
        known = self._manifest.identity
        settled = self._shared.settled.get(known) if known is not None else None
        if settled is not None and raw is not None and raw.revision == settled.revision:
            raise _Last(replace(settled.result, manifest=self._manifest))

    def _let_rest(self) -> None:
        """A job that has run and is gone has been done; only another manifest is another job."""
        if self._strategy.type == REPORT_DIFF:
            return
        ended = self._shared.ended(self._manifest, self._order.digest)
        if ended is None:
            return
        raise _Last(
            Result(
                self._manifest,
                ResultType.APPLIED,
                uid=ended.uid,
                generation=ended.generation,
                availability=Availability.NOT_TRACKABLE,
                outcome=ended.outcome,
                is_over=True,
            )
        )

    def _leave_to_the_queue(self, live: Object) -> None:
        if self._shared.leaves_queues:
            wanted = as_the_queue_has_it(self._manifest.obj, live)
            self._order = replace(self._order, wanted=wanted)

    async def _take_over(self, live: Object) -> None:
        shared, strategy = self._shared, self._strategy
        if strategy.when_to_take_over == _NEVER or is_owned(live, shared.owner):
            return
        failed = "failed to take over a pre-existing object"
        try:
            wanted = after_take_over(
                live, shared.owner, shared.has_work, may_share=strategy.allow_co_ownership
            )
            if strategy.when_to_take_over == _IF_NO_DIFF:
                found, degraded = await self._compare(live, f"configuration diffs {_BETWEEN}")
                if found:
                    text = _TAKES_NO_OVER + (_DEGRADED if degraded else "")
                    self._end(ResultType.FAILED_TO_TAKE_OVER, text, diffs=found)
            self._live = await take_over(self._client, self._order, live, wanted)
        except (NotOurs, Failed) as error:
            self._end(ResultType.FAILED_TO_TAKE_OVER, f"{failed}: {error}")

    async def _report_diff(self) -> Result:
        if self._live is None:
            return self._result(ResultType.FOUND_DIFF, diffs=(WHOLE_OBJECT,))
        try:
            found, degraded = await self._compare(self._live, f"configuration diffs {_BETWEEN}")
        except Failed as error:
            return self._result(ResultType.FAILED_TO_REPORT_DIFF, str(error))
        if not found:
            return self._result(ResultType.NO_DIFF_FOUND)
        type_ = ResultType.FOUND_DIFF_DEGRADED if degraded else ResultType.FOUND_DIFF
        return self._result(type_, diffs=found)

    def _check_ownership(self, live: Object) -> None:
        if not is_owned(live, self._shared.owner):
            self._end(
                ResultType.NOT_TAKEN_OVER,
                "no ownership of the object in the member cluster; takeover is needed",
            )

    async def _look_for_drift(self, live: Object) -> None:
        """Before applying, where drift forbids it, and only if the hub still wants what was applied last."""
        if self._strategy.when_to_apply != IF_NOT_DRIFTED:
            return
        if annotation(live, names.SPEC_HASH) != self._order.digest:
            return
        what = "pre-apply drifts between the manifest and the object from the member cluster"
        try:
            found, degraded = await self._compare(live, what)
        except Failed as error:
            self._end(ResultType.FAILED_TO_DETECT_DRIFTS, str(error))
        if found and degraded:
            self._end(ResultType.FOUND_DRIFTS_DEGRADED, _DRIFTED + _DEGRADED, drifts=found)
        if found:
            self._end(ResultType.FOUND_DRIFTS, _DRIFTED, drifts=found)

    async def _apply(self) -> Result:
        try:
            self._live = await write(self._client, self._order, self._live)
        except Failed as error:
            error_text = f"failed to apply the manifest: {error}"
            return self._result(ResultType.FAILED_TO_APPLY, error_text)
        drifts: tuple[Difference, ...] = ()
        if self._strategy.comparison_option == _FULL:
            drifts = differences(self._order.wanted, self._live)
        return self._result(ResultType.APPLIED, drifts=drifts)

    # What the steps share.

    async def _compare(self, live: Object, what: str) -> tuple[tuple[Difference, ...], bool]:
        """Hub against member: all of it, or only what the manifest names, which a trial of applying it shows."""
        wanted = self._order.wanted
        if self._strategy.comparison_option == _FULL:
            return differences(wanted, live), False
        try:
            applied = await server_side_apply(
                self._client, self._order, sanitized(wanted), force=True, dry_run=True
            )
        except Failed as error:
            said = error.__cause__
            if isinstance(said, StatusError) and said.reason == "Invalid":
                return differences(wanted, live), True
            raise Failed(
                f"failed to calculate {what}: failed to apply the manifest in dry-run mode: {error}"
            ) from said
        return differences(applied, live), False

    def _settle(self, raw: Raw, result: Result) -> None:
        assert self._live is not None
        known = self._manifest.identity
        if known is not None and self._live["metadata"].get("resourceVersion") == raw.revision:
            light = Manifest(self._manifest.identifier, {})
            self._shared.settled[known] = Settled(raw.revision, replace(result, manifest=light))

    def _end(self, type_: ResultType, error: str, **found: tuple[Difference, ...]) -> NoReturn:
        raise _Last(self._result(type_, error, **found))

    def _result(
        self,
        type_: ResultType,
        error: str = "",
        drifts: tuple[Difference, ...] = (),
        diffs: tuple[Difference, ...] = (),
    ) -> Result:
        result = Result(self._manifest, type_, error, drifts, diffs)
        live = self._live
        if live is None:
            return result
        meta = live["metadata"]
        return replace(
            result,
            generation=int(meta.get("generation") or 0),
            uid=str(meta.get("uid") or ""),
            availability=availability(self._order.resource, live)
            if result.is_applied
            else Availability.SKIPPED,
            outcome=_outcome(self._order, live) if is_owned(live, self._shared.owner) else None,
            status=live.get("status"),
        )


def _outcome(order: Order, live: Object) -> Outcome | None:
    if order.resource.kind not in {"Job", "RayJob", "JobSet"}:
        return None
    try:
        return outcome_of(order.resource, msgspec.convert(live, RunObject))
    except msgspec.ValidationError:
        return None
