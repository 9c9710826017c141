"""Leader election by a Lease, as client-go does it: of several replicas one works, and another takes over when
it falls silent.

The holder renews every two seconds. Whoever waits looks at the lease and remembers, on its own clock, when it
last changed; fifteen seconds of silence by that clock and the lease is free. Clocks of different machines are
never compared. A holder that cannot renew for ten seconds stops its work by itself, five seconds before
anybody else may start. Ending in order gives the lease back, so that the next one need not wait.

Two never lead at once, however late answers come: a holder counts its ten seconds from the moment it sent the
request that succeeded, and everybody else counts fifteen from a moment after that. (client-go counts from the
answer, which a slow network can delay past the end of the lease.) What this cannot see is work that goes on
although it was cancelled.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

import msgspec

from argosy.base.clock import Clock
from argosy.base.errors import NotFound, StatusError
from argosy.base.timestamps import format_micro
from argosy.base.types import Object
from argosy.client.objects import Raw
from argosy.client.protocol import Client
from argosy.client.resources import LEASES

_LOG: Final = logging.getLogger(__name__)
# Waiting candidates look again after the retry period stretched by up to this share.
_JITTER: Final = 1.2


class LeadershipLost(Exception):
    """The lease could not be renewed in time; whoever worked under it has been stopped."""


@dataclass(frozen=True, slots=True)
class LeaseTimes:
    """Seconds. A waiting candidate waits `duration`, a holder gives up after `renew_deadline`."""

    duration: float = 15.0
    renew_deadline: float = 10.0
    retry_period: float = 2.0

    def __post_init__(self) -> None:
        if not self.duration > self.renew_deadline > self.retry_period * _JITTER:
            raise ValueError(
                f"lease times must fall: duration {self.duration} > renewDeadline {self.renew_deadline} "
                f"> {_JITTER} * retryPeriod {self.retry_period}"
            )


DEFAULT_TIMES: Final = LeaseTimes()


class _Spec(msgspec.Struct, frozen=True):
    holderIdentity: str = ""  # noqa: N815  (the wire's names)
    leaseDurationSeconds: int = 0  # noqa: N815
    acquireTime: str | None = None  # noqa: N815
    renewTime: str | None = None  # noqa: N815
    leaseTransitions: int = 0  # noqa: N815


class _Lease(msgspec.Struct, frozen=True):
    spec: _Spec = _Spec()


_decode = msgspec.json.Decoder(_Lease).decode


class LeaderElector:
    """One candidate for one lease."""

    def __init__(
        self,
        client: Client,
        *,
        namespace: str,
        name: str,
        identity: str,
        clock: Clock,
        times: LeaseTimes = DEFAULT_TIMES,
        source: random.Random | None = None,
    ) -> None:
        self._client = client
        self._namespace = namespace
        self._name = name
        self._identity = identity
        self._clock = clock
        self._times = times
        self._source = source or random.Random()
        self._seen = _Spec()
        self._revision = ""
        # When the lease was last seen to change, by our clock.
        self._seen_at = float("-inf")
        # When the request was sent that last made it ours.
        self._held_since = float("-inf")

    @property
    def leader(self) -> str:
        """Who held the lease when we last looked."""
        return self._seen.holderIdentity

    @property
    def is_leader(self) -> bool:
        return self.leader == self._identity

    async def run(self, lead: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Wait for the lease, run `lead` while it is ours, give it back.

        Returns when `lead` does; raises LeadershipLost after stopping it when the lease is lost.
        """
        try:
            await self._acquire()
            await self._lead(lead)
        finally:
            await self._release()

    async def _lead(self, lead: Callable[[], Coroutine[Any, Any, None]]) -> None:
        leading = asyncio.create_task(lead(), name=f"leading:{self._name}")
        renewing = asyncio.create_task(self._renew(), name=f"renewing:{self._name}")
        try:
            await asyncio.wait({leading, renewing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            # The work ends before the lease does.
            await _stop(leading)
            await _stop(renewing)
        if not leading.cancelled():
            leading.result()
        if not renewing.cancelled():
            renewing.result()

    async def _acquire(self) -> None:
        _LOG.info("attempting to acquire leader lease %s/%s", self._namespace, self._name)
        while not await self._try_until(self._clock.monotonic() + self._times.renew_deadline):
            await self._clock.sleep(
                self._times.retry_period * (1 + _JITTER * self._source.random())
            )
        _LOG.info("acquired lease %s/%s as %s", self._namespace, self._name, self._identity)

    async def _renew(self) -> None:
        while True:
            deadline = self._held_since + self._times.renew_deadline
            await self._clock.sleep(self._times.retry_period)
            while not await self._try_until(deadline):
                if (left := deadline - self._clock.monotonic()) <= 0:
                    raise LeadershipLost(
                        f"lease {self._namespace}/{self._name} could not be renewed within "
                        f"{self._times.renew_deadline:g} seconds; it is held by {self.leader or 'nobody'}"
                    )
                await self._clock.sleep(min(left, self._times.retry_period))

    async def _try_until(self, deadline: float) -> bool:
        """Take or renew the lease; whether it is known by `deadline` that it is ours."""
        started = self._clock.monotonic()
        try:
            async with asyncio.timeout(max(0.0, deadline - started)):
                held = await self._try()
        except TimeoutError:
            return False
        if held:
            self._held_since = started
        return held

    async def _try(self) -> bool:
        """Take or renew the lease; whether it is ours now."""
        try:
            if self.is_leader and self._is_valid():
                try:
                    await self._update(self._renewed(self._seen))
                except StatusError as error:
                    _LOG.info("lease %s: %s; looking at it again", self._name, error)
                else:
                    return True
            return await self._look_and_take()
        except StatusError as error:
            _LOG.warning("lease %s/%s: %s", self._namespace, self._name, error)
            return False

    async def _look_and_take(self) -> bool:
        try:
            raw = await self._client.get(LEASES, self._name, namespace=self._namespace)
        except NotFound:
            await self._create()
            return True
        if raw.revision != self._revision:
            self._note(raw)
        if self.leader and not self.is_leader and self._is_valid():
            return False
        await self._update(self._renewed(self._seen) if self.is_leader else self._taken(self._seen))
        return True

    async def _create(self) -> None:
        lease = self._object(self._taken(_Spec(leaseTransitions=-1)))
        self._note(await self._client.create(LEASES, lease, namespace=self._namespace))

    async def _update(self, spec: _Spec) -> None:
        lease = self._object(spec)
        lease["metadata"]["resourceVersion"] = self._revision
        self._note(await self._client.update(LEASES, lease, namespace=self._namespace))

    async def _release(self) -> None:
        """Hand the lease to whoever comes next. A failure costs them the wait, nothing else."""
        if not self.is_leader:
            return
        now = format_micro(self._clock.now())
        spec = _Spec("", 1, now, now, self._seen.leaseTransitions)
        try:
            async with asyncio.timeout(self._times.renew_deadline):
                await self._update(spec)
        except (StatusError, TimeoutError) as error:
            _LOG.warning(
                "lease %s/%s could not be released: %s", self._namespace, self._name, error
            )

    def _note(self, raw: Raw) -> None:
        self._seen, self._revision = _decode(raw.body).spec, raw.revision
        self._seen_at = self._clock.monotonic()

    def _is_valid(self) -> bool:
        return self._clock.monotonic() < self._seen_at + self._seen.leaseDurationSeconds

    def _renewed(self, old: _Spec) -> _Spec:
        now = format_micro(self._clock.now())
        return _Spec(
            self._identity,
            ceil(self._times.duration),
            old.acquireTime or now,
            now,
            old.leaseTransitions,
        )

    def _taken(self, old: _Spec) -> _Spec:
        now = format_micro(self._clock.now())
        return _Spec(self._identity, ceil(self._times.duration), now, now, old.leaseTransitions + 1)

    def _object(self, spec: _Spec) -> Object:
        # An empty holder is refused: nobody holds the lease when the field is missing.
        fields = {k: v for k, v in msgspec.to_builtins(spec).items() if v not in {"", None}}
        return {"metadata": {"name": self._name, "namespace": self._namespace}, "spec": fields}


async def _stop(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait for it to end, whatever way; its result is read by the caller."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
