"""A watch over HTTP that survives its connections.

Servers end watches every few minutes and connections break; the watch then goes on from the last revision it
has seen, so its reader notices nothing. It waits as long as the server asks (Retry-After), else ever longer, and
renews a credential that is refused, once. It ends with an error only when the server says that going on is
impossible: Expired (the reader lists again), or a refusal that a repetition cannot cure. One that breaks among
its initial events is Expired too: what it has shown of the objects cannot be continued.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Mapping
from typing import Final

import msgspec

from argosy.base.errors import Expired, InternalError, Unauthorized, from_status
from argosy.base.types import Object
from argosy.client.objects import WatchEvent, read_event
from argosy.client.resources import Resource
from argosy.client.transport import Failed, Request, Transport

_LOG: Final = logging.getLogger(__name__)
# The server is asked to end a watch after five to ten minutes, as client-go asks: that spreads the
# watches of a fleet over replicas of the server again.
_LEAST_SECONDS: Final = 300
# A stream may be silent this much longer than the server said it would last.
_GRACE_SECONDS: Final = 30


class _Frame(msgspec.Struct, gc=False):
    type: str
    object: msgspec.Raw


_decode_frame = msgspec.json.Decoder(_Frame).decode
_decode_status = msgspec.json.Decoder(Object).decode


class Watching:
    """One watch and where it stands."""

    def __init__(
        self,
        transport: Transport,
        resource: Resource,
        path: str,
        params: Mapping[str, str],
        *,
        since: str,
        initial_events: bool,
    ) -> None:
        self._transport = transport
        self._resource = resource
        self._path = path
        self._params = params
        self._revision = since
        # Objects that were there before come first, up to a bookmark.
        self._initial = initial_events
        self._begun = False

    async def events(self) -> AsyncGenerator[WatchEvent, None]:
        failures, renewed = 0, False
        while True:
            lost: Failed | None = None
            try:
                async for event in self._connection():
                    failures, renewed = 0, False
                    yield event
            except Failed as failed:
                if isinstance(failed.error, Unauthorized) and not renewed:
                    self._transport.renew()
                    renewed = True
                    continue
                if not failed.again:
                    raise failed.error from failed.__cause__
                lost = failed
            if self._begun:
                # Half of the objects is no state to resume from, and what was deleted meanwhile would never be
                # reported.
                raise Expired("the watch ended within its initial events; start again")
            if lost is not None:
                _LOG.warning("watch of %s: %s; it will be resumed", self._path, lost.error)
            if lost is not None or failures:
                asked = lost.pause if lost is not None else None
                await self._transport.clock.sleep(self._transport.pause(failures, asked))
            # A server that ends every watch at once must not be asked in a tight loop.
            failures += 1

    async def _connection(self) -> AsyncGenerator[WatchEvent, None]:
        seconds = self._transport.spread(_LEAST_SECONDS)
        params = {**self._params, "watch": "true", "timeoutSeconds": str(seconds)}
        if self._revision:
            params["resourceVersion"] = self._revision
        if self._initial:
            params |= {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"}
        request = Request("GET", self._path, params)
        async with self._transport.stream(request, seconds + _GRACE_SECONDS) as content:
            rest = b""
            async for chunk in content.iter_any():
                lines = (rest + chunk).split(b"\n") if rest else chunk.split(b"\n")
                rest = lines.pop()
                for line in lines:
                    if line:
                        yield self._event(line)

    def _event(self, line: bytes) -> WatchEvent:
        try:
            frame = _decode_frame(line)
        except msgspec.DecodeError as error:
            raise InternalError(
                f"{self._path} sent a watch event that is no JSON: {error}"
            ) from None
        if frame.type == "ERROR":
            raise from_status(_decode_status(frame.object))
        event = read_event(self._resource, frame.type, bytes(frame.object))
        if not self._initial:
            self._revision = event.object.revision
        elif event.initial_end:
            self._revision = event.object.revision
            self._initial = self._begun = False
        else:
            self._begun = True
        return event
