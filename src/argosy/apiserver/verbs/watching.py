"""watch: a stream of changes, from a revision on, from the newest state on, or with the whole state first (watch-list).

An event's JSON is made once and shared by all watchers of the same version; it hangs on the event itself. Everything
waiting for a watcher goes out in one write. A bookmark tells a quiet watcher how far it has seen, so that it can come
back later without a list. The store cuts off a watcher that does not read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from argosy.api.rules.wording import unsupported
from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Writer
from argosy.apiserver.verbs.reading import parse_revision
from argosy.apiserver.verbs.selecting import selection
from argosy.base import fielderrors
from argosy.base.errors import Expired, Invalid, StatusError, Timeout
from argosy.store import Compacted, Event, Record, TooSlow, Watch

# Kubernetes sends a bookmark about every minute.
BOOKMARK_SECONDS: Final = 60.0
LAST_BOOKMARK_SECONDS: Final = 2.0
# Without a wish a watch lives this long at least; up to twice as long, so that not all come back at once.
MIN_TIMEOUT_SECONDS: Final = 1800
# A stream writes at most this many events before it looks whether the client still reads.
_BURST: Final = 500

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"

# How one record looks inside a frame: plain JSON, or a Table, or metadata only.
Render = Callable[[Record], bytes]


class Watching:
    """One watch of one client. `open` fails with a plain error before the stream starts; `run` streams."""

    def __init__(self, cluster: Cluster, call: Call, render: Render | None = None) -> None:
        self._cluster = cluster
        self._call = call
        self._render = render or (lambda record: encoding.present(call.kind, call.version, record))
        self._shared = render is None
        self._initial: list[Record] = []
        self._bookmark_initial = False
        self._watch = self._open()

    def _open(self) -> Watch:
        call, store = self._call, self._cluster.store
        options = call.options
        chosen = selection(call)
        _check_options(call)
        given = options.resource_version
        if options.send_initial_events or (
            given in {"", "0"} and options.send_initial_events is None
        ):
            page = store.list(call.kind.stored_resource, chosen)
            self._initial = list(page.records)
            self._bookmark_initial = bool(options.send_initial_events)
            since = page.revision
        elif given in {"", "0"}:
            since = store.revision
        else:
            since = parse_revision(given)
            if since > store.revision:
                raise Timeout(f"Too large resource version: {since}, current: {store.revision}")
        try:
            return store.watch(call.kind.stored_resource, chosen, since=since)
        except Compacted:
            raise Expired(f"too old resource version: {since} ({store.compacted})") from None

    def timeout_seconds(self) -> float:
        given = self._call.options.timeout_seconds
        if given:
            return float(given)
        spread = int(self._cluster.ids.uid()[:4], 16) / 0xFFFF
        return MIN_TIMEOUT_SECONDS * (1 + spread)

    async def run(self, writer: Writer) -> None:
        """Write frames until the time is over, the client goes, or the store cuts it off."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + self.timeout_seconds()
        # One timer for a minute of events: a timeout around every wait would cost as much as the event.
        alarm = loop.call_at(_next_bookmark(loop.time(), ends), self._watch.nudge)
        try:
            await self._send_initial(writer)
            while loop.time() < ends:
                events = await self._watch.next()
                if not events and loop.time() < ends:
                    if self._call.options.allow_bookmarks:
                        writer.write(self._bookmark(self._watch.revision))
                    alarm = loop.call_at(_next_bookmark(loop.time(), ends), self._watch.nudge)
                for start in range(0, len(events), _BURST):
                    writer.write(b"".join(map(self._frame, events[start : start + _BURST])))
                    await writer.drain()
        except TooSlow as error:
            writer.write(error_frame(Expired(str(error))))
        finally:
            alarm.cancel()
            self._watch.close()

    async def _send_initial(self, writer: Writer) -> None:
        records, self._initial = self._initial, []
        for start in range(0, len(records), _BURST):
            frames = (self._added(record) for record in records[start : start + _BURST])
            writer.write(b"".join(frames))
            await writer.drain()
        if self._bookmark_initial:
            writer.write(self._bookmark(self._watch.revision, initial=True))

    def _added(self, record: Record) -> bytes:
        return b'{"type":"ADDED","object":' + self._render(record) + b"}\n"

    def _frame(self, event: Event) -> bytes:
        if not self._shared:
            return b'{"type":"%b","object":%b}\n' % (
                event.type.encode(),
                self._render(event.record),
            )
        key = (event.type, self._call.kind.group, self._call.version)
        frame = event.frames.get(key)
        if frame is None:
            frame = b'{"type":"%b","object":%b}\n' % (
                event.type.encode(),
                self._render(event.record),
            )
            event.frames[key] = frame
        return frame

    def _bookmark(self, revision: int, *, initial: bool = False) -> bytes:
        meta: dict[str, object] = {"resourceVersion": str(revision)}
        if initial:
            meta["annotations"] = {INITIAL_EVENTS_END: "true"}
        kind = self._call.kind
        obj = {"kind": kind.kind, "apiVersion": self._call.api_version, "metadata": meta}
        return b'{"type":"BOOKMARK","object":' + encoding.to_json(obj) + b"}\n"


def _next_bookmark(now: float, ends: float) -> float:
    """In a minute, or shortly before the watch ends, so that its client can go on where it was."""
    last = ends - LAST_BOOKMARK_SECONDS
    return min(now + BOOKMARK_SECONDS, last) if last > now else ends


def error_frame(error: StatusError) -> bytes:
    return b'{"type":"ERROR","object":' + encoding.to_json(error.to_status()) + b"}\n"


def _check_options(call: Call) -> None:
    options = call.options
    match, field = options.resource_version_match, "resourceVersionMatch"
    problems = []
    if options.send_initial_events is not None and match != "NotOlderThan":
        detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        problems.append(fielderrors.forbidden(field, detail))
    if match:
        if options.send_initial_events is None:
            detail = (
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
            )
            problems.append(fielderrors.forbidden(field, detail))
        if match != "NotOlderThan":
            problems.append(unsupported(field, match, ("NotOlderThan",)))
        if options.continue_:
            detail = "resourceVersionMatch is forbidden when continue is provided"
            problems.append(fielderrors.forbidden(field, detail))
    if problems:
        raise Invalid("ListOptions", "", problems, group="meta.k8s.io")
