"""When the hub was last spoken to, kept on the member as a Lease, by the wall clock: for an agent that starts again.

A record that is older than the truth ends jobs too early, which does no harm; so it is written after the fact, and not
at all where nothing is under terms.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from argosy.api.objects.metadata import View, decoder
from argosy.base.errors import AlreadyExists, NotFound
from argosy.base.timestamps import format_micro
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import LEASES, NAMESPACES

NAMESPACE: Final = "fleet-system"
NAME: Final = "argosy-hub-heard"
_MANAGER: Final = "member-agent"


class _Spec(View, frozen=True):
    renew_time: datetime | None = None


class _Lease(View, frozen=True):
    spec: _Spec = _Spec()


class Records:
    """The record of the member `cluster`."""

    def __init__(self, client: Client, cluster: str) -> None:
        self._client = client
        self._cluster = cluster

    async def read(self) -> float | None:
        """Seconds since the epoch; None if there is no record."""
        try:
            raw = await self._client.get(LEASES, NAME, namespace=NAMESPACE)
        except NotFound:
            return None
        renewed = decoder(_Lease)(bytes(raw.body)).spec.renew_time
        return renewed.timestamp() if renewed is not None else None

    async def write(self, moment: float) -> None:
        spec: Object = {"holderIdentity": self._cluster, "renewTime": format_micro(moment)}
        try:
            await self._patch(spec)
        except NotFound:
            await self._create(spec)

    async def _create(self, spec: Object) -> None:
        try:
            await self._client.create(
                NAMESPACES, {"metadata": {"name": NAMESPACE}}, field_manager=_MANAGER
            )
        except AlreadyExists:
            pass
        body: Object = {"metadata": {"name": NAME}, "spec": spec}
        try:
            await self._client.create(LEASES, body, namespace=NAMESPACE, field_manager=_MANAGER)
        except AlreadyExists:
            await self._patch(spec)

    async def _patch(self, spec: Object) -> None:
        await self._client.patch(
            LEASES, NAME, {"spec": spec}, namespace=NAMESPACE, field_manager=_MANAGER
        )
