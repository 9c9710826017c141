"""Writes pages: what the ledger has waiting, a namespace at a time, some moments after the first end.

Every append names the revision of the page it was decided on. If that has changed, or a page to begin is there already,
an earlier answer was lost or somebody else writes, too: the page is read again, and what it holds counts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

import msgspec

from argosy.api.objects.history import HistorySummary, JobHistory, JobRecord
from argosy.base.clock import Clock
from argosy.base.errors import AlreadyExists, Conflict, Forbidden, NotFound
from argosy.base.types import Json, Object
from argosy.client.objects import Raw, decode
from argosy.client.protocol import Client, PatchType
from argosy.client.resources import JOB_HISTORIES, NAMESPACES
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.dispatch.ledgers import Ledger
from argosy.dispatch.measuring import Measures
from argosy.dispatch.pages import Append, Begin

_LOG: Final = logging.getLogger(__name__)
_MANAGER: Final = "argosy-history"
_NONE: Final = {"complete": 0, "failed": 0, "cancelled": 0}
_AGAIN: Final = Result(requeue_after=0.05)
# Ends of this long are written together. A deleted job is on the hub no more, so its record waits less.
GATHERING_SECONDS: Final = 1.0
URGENT_SECONDS: Final = 0.1


class Pages:
    """The JobHistory objects of one hub."""

    def __init__(self, assembly: Assembly, ledger: Ledger, measures: Measures) -> None:
        self._client: Client = assembly.client
        self._clock: Clock = assembly.clock
        self._ledger = ledger
        self._measures = measures
        self._recorded: list[Callable[[str, JobRecord], None]] = []
        self._queue = assembly.controller("job-history", self._reconcile)
        self._informer = assembly.informer(JOB_HISTORIES, JobHistory)
        self._informer.add_handler(self._changed)

    def on_record(self, hear: Callable[[str, JobRecord], None]) -> None:
        """Have somebody told of every record that the hub holds, with its namespace."""
        self._recorded.append(hear)

    def write(self, namespace: str, *, soon: bool) -> None:
        """Have what waits in a namespace written."""
        self._queue.add_after(namespace, URGENT_SECONDS if soon else GATHERING_SECONDS)

    def _changed(self, old: JobHistory | None, new: JobHistory | None) -> None:
        namespace = (new or old).metadata.namespace  # type: ignore[union-attr]  # one of them is there
        for record in self._ledger.put(old, new):
            for hear in self._recorded:
                hear(namespace, record)
        if old is None:
            # A page is begun, or found at the start: some may be too old, or too many.
            self._queue.add(namespace)

    async def _reconcile(self, namespace: str) -> Result:
        steps = self._ledger.steps(namespace, self._clock.now())
        for step in steps.written:
            try:
                raw = await self._written(namespace, step)
            except (Conflict, AlreadyExists):
                await self._read_again(namespace, step)
                return _AGAIN
            except (NotFound, Forbidden):
                if await self._has_gone(namespace):
                    return DONE
                raise
            self._measures.recorded(step.records)
            self._informer.learn(raw)
        for page in steps.dropped:
            await self._drop(page)
        if steps.due is None:
            return DONE
        return Result(requeue_after=max(steps.due.timestamp() - self._clock.time(), 1.0))

    async def _written(self, namespace: str, step: Append | Begin) -> Raw:
        if isinstance(step, Begin):
            page: Object = {
                "metadata": {"name": step.name},
                "summary": _document(step.summary),
                "records": [_document(each) for each in step.records],
            }
            return await self._client.create(
                JOB_HISTORIES, page, namespace=namespace, field_manager=_MANAGER
            )
        return await self._client.patch(
            JOB_HISTORIES,
            step.page.metadata.name,
            _appended(step),
            kind=PatchType.JSON,
            namespace=namespace,
            field_manager=_MANAGER,
        )

    async def _read_again(self, namespace: str, step: Append | Begin) -> None:
        name = step.name if isinstance(step, Begin) else step.page.metadata.name
        try:
            raw = await self._client.get(JOB_HISTORIES, name, namespace=namespace)
        except NotFound:
            # Deleted by hand, as the watch is about to tell.
            return
        self._informer.learn(raw)

    async def _has_gone(self, namespace: str) -> bool:
        """Whether a namespace takes nothing any more: its history goes with it, and with its jobs."""
        try:
            found = decode(await self._client.get(NAMESPACES, namespace))
        except NotFound:
            found = {}
        if found and found["metadata"].get("deletionTimestamp") is None:
            return False
        lost = self._ledger.give_up(namespace)
        _LOG.info("namespace %s goes, and the records of %d jobs with it", namespace, len(lost))
        return True

    async def _drop(self, page: JobHistory) -> None:
        meta = page.metadata
        try:
            await self._client.delete(
                JOB_HISTORIES, meta.name, namespace=meta.namespace, uid=meta.uid
            )
        except NotFound:
            return


def _appended(step: Append) -> list[Json]:
    """Only to the page as it was; no record of it is sent again."""
    patch: list[Json] = [
        {
            "op": "replace",
            "path": "/metadata/resourceVersion",
            "value": step.page.metadata.resource_version,
        },
        {"op": "add", "path": "/summary", "value": _document(step.summary)},
    ]
    records: list[Json] = [_document(each) for each in step.records]
    if step.page.records:
        return [*patch, *({"op": "add", "path": "/records/-", "value": each} for each in records)]
    return [*patch, {"op": "add", "path": "/records", "value": records}]


def _document(view: HistorySummary | JobRecord) -> Object:
    found: Object = msgspec.to_builtins(view)
    # People read the counts as columns: none is a number, too.
    return {**_NONE, **found} if isinstance(view, HistorySummary) else found
