"""A door to the hub for each member, which can be shut: how a region goes dark while everything in it goes on.

A door is an address of the hub's own, for the agent of one member. Shutting it cuts the connections that came through
it, in the middle of whatever they carry, and refuses new ones, as a network does that is gone; the member notices
nothing else, and its jobs go on. Fleets that nobody wants to disturb have no doors: their agents use the hub's address.
"""

from __future__ import annotations

from typing import Final

from argosy.apiserver.http.serving import Listener
from argosy.fleet.clusters import Listening


class Doors:
    """Those of one fleet. They are opened when its hub is there (`build`) and stopped before it goes."""

    def __init__(self) -> None:
        self._hub: Listening | None = None
        self._open: dict[str, Listener] = {}
        self._ports: Final[dict[str, int]] = {}

    async def build(self, hub: Listening, member: str) -> str:
        """The address for the agent of a member."""
        self._hub = hub
        await self.open(member)
        return f"https://{hub.place.host}:{self._ports[member]}"

    async def shut(self, member: str) -> None:
        """Cut the member off; one that is cut off stays so."""
        listener = self._open.pop(member, None)
        if listener is not None:
            await listener.stop(grace_seconds=0.0)

    async def open(self, member: str) -> None:
        """Let it in, where it knocks already."""
        if member in self._open or self._hub is None:
            return
        listener = await self._hub.listen_at(self._ports.get(member, 0))
        self._open[member] = listener
        self._ports[member] = listener.port

    async def stop(self) -> None:
        for member in list(self._open):
            await self.shut(member)
