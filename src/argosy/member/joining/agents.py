"""The agent of one member: it follows its InternalMemberCluster on the hub and answers it there.

Told to join, it says so at once, with what the cluster has, and again every heartbeat, a little earlier or later each
time so that a fleet does not beat in step. Told to leave, it first stops its work (`is_joined`), gives its Works free,
whose objects stay on the cluster, and says that it left; then it is silent until it is told to join again.

The agent reaches the hub as an identity that sees its own namespace only. A hub that cannot be reached is tried again
and again, ever more slowly but at least once a heartbeat, with one line in the log when it goes and one when it is
back; nothing else has to be done for the member to be well again. At rest, a beat is one probe of the cluster and one
patch on the hub.

Others may live by heartbeats that the hub has acknowledged (`follow`): they are told when each was sent, which is the
last moment of which it is certain that the hub had not heard it yet.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import JOIN, LEAVE, InternalMemberCluster, MemberStatus
from argosy.api.objects.fleet.memberstatuses import status_patch
from argosy.api.objects.metadata import Condition, ObjectMeta, View, decoder
from argosy.base.errors import Conflict, NotFound, StatusError
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import INTERNAL_MEMBER_CLUSTERS, WORKS
from argosy.control.assemblies import Assembly
from argosy.control.informers import Selection
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.member.joining import reports
from argosy.member.joining.probing import probe
from argosy.member.joining.reports import Report, agent_of
from argosy.member.metrics import JoiningMetrics
from argosy.member.properties import Collected, Collector

COMPONENT: Final = "v1beta1InternalMemberClusterController"
MANAGER: Final = "member-agent"
_LOG: Final = logging.getLogger(__name__)
# A heartbeat comes this much earlier or later at most.
_JITTER: Final = 0.05
# How long the first report waits for the cluster's nodes and pods.
_START_SECONDS: Final = 10.0
_OK: Final = 200


class _Head(View, frozen=True):
    """What is read of a Work to give it free, and of an answer."""

    metadata: ObjectMeta = ObjectMeta()


class Beat(NamedTuple):
    """A heartbeat that the hub has acknowledged: when it was sent, by the monotonic clock and by the wall's, and
    whether the hub counts the cluster as lost all the same.
    """

    sent: float
    at: float
    is_lost: bool = False


class Joining:
    """Keeps one cluster a member. `probing` says whether its API server is well, as an HTTP status."""

    def __init__(
        self,
        hub: Assembly,
        member: Assembly,
        cluster: str,
        *,
        collector: Collector | None = None,
        probing: Callable[[], Awaitable[int]] | None = None,
    ) -> None:
        self.cluster: Final = cluster
        self.namespace: Final = names.member_namespace(cluster)
        self._hub = hub.client
        self._clock = hub.clock
        self._source = hub.source
        self._collector = collector or Collector(member)
        self._probing = probing or (lambda: probe(member.client))
        self._is_started = False
        self._failures = 0
        self._joined = asyncio.Event()
        self._has_left = False
        self._told: list[tuple[Callable[[Beat], None], Callable[[], None]]] = []
        self._paces: list[Callable[[], float]] = []
        self._recorder = hub.recorder(COMPONENT)
        self._metrics = JoiningMetrics(hub.metrics)
        self._internals = hub.informer(
            INTERNAL_MEMBER_CLUSTERS, InternalMemberCluster, Selection(namespace=self.namespace)
        )
        self._queue = hub.controller("internalmembercluster-controller", self._reconcile)
        self._internals.add_handler(self._changed)

    @property
    def is_joined(self) -> bool:
        """Whether the hub wants this cluster in the fleet: nobody applies its Works before, or after."""
        return self._joined.is_set()

    @property
    def has_left(self) -> bool:
        """Whether the hub has let this cluster go, as far as is known: an agent that has heard nothing yet has not."""
        return self._has_left

    async def joined(self) -> None:
        """Wait until the cluster is in the fleet."""
        await self._joined.wait()

    def follow(
        self, heard: Callable[[Beat], None], left: Callable[[], None], pace: Callable[[], float]
    ) -> None:
        """Tell of acknowledged heartbeats and of the end of membership; beat every `pace()` seconds at least."""
        self._told.append((heard, left))
        self._paces.append(pace)

    def beat_soon(self) -> None:
        """Do not wait for the next heartbeat's time."""
        if self.is_joined:
            self._queue.add(Key(self.namespace, self.cluster))

    def _changed(
        self, old: InternalMemberCluster | None, new: InternalMemberCluster | None
    ) -> None:
        # Statuses are the agent's own words.
        if (
            old is None
            or new is None
            or old.metadata.uid != new.metadata.uid
            or old.metadata.generation != new.metadata.generation
            or (_is_lost(old.metadata) and not _is_lost(new.metadata))
        ):
            self._queue.add(Key(self.namespace, self.cluster))

    async def _reconcile(self, key: Key) -> Result:
        internal = self._internals.get(*key)
        if internal is None:
            self._be_out()
            return DONE
        try:
            result = await self._answer(internal)
        except NotFound:
            # It has gone meanwhile; the informer will tell.
            return DONE
        except Conflict:
            raise
        except StatusError as error:
            return self._try_later(internal, error)
        if self._failures:
            _LOG.info("%s: the hub is back", self.cluster)
            self._failures = 0
        return result

    async def _answer(self, internal: InternalMemberCluster) -> Result:
        state = internal.spec.state
        if state == JOIN:
            return await self._join(internal)
        if state == LEAVE:
            return await self._leave(internal)
        _LOG.error("%s: the hub asks for %r; Join and Leave are known", self.cluster, state)
        return DONE

    # Being a member.

    async def _join(self, internal: InternalMemberCluster) -> Result:
        self._joined.set()
        self._has_left = False
        health = await self._probing()
        collected = await self._collected()
        report = reports.joined(internal, health, collected, self._clock.now())
        sent, at = self._clock.monotonic(), self._clock.time()
        answer = await self._say(internal, report)
        if answer is not None:
            beat = Beat(sent, at, _is_lost(answer))
            for heard, _left in self._told:
                heard(beat)
        period = self._period(internal)
        if health == _OK and collected is not None:
            return Result(requeue_after=period)
        # What is wrong may be over soon.
        return Result(requeue_after=min(period, _START_SECONDS))

    async def _collected(self) -> Collected | None:
        """What the cluster has; None while that is not known."""
        if not self._is_started and not self._collector.is_ready:
            self._is_started = True
            try:
                async with asyncio.timeout(_START_SECONDS):
                    await self._collector.ready()
            except TimeoutError:
                _LOG.warning("%s: nodes and pods cannot be read yet", self.cluster)
        if not self._collector.is_ready:
            return None
        return self._collector.collect(self._clock.now().replace(microsecond=0))

    def _period(self, internal: InternalMemberCluster) -> float:
        share = 1 + _JITTER * (2 * self._source.random() - 1)
        longest = min((pace() for pace in self._paces), default=float("inf"))
        return max(1.0, min(internal.spec.heartbeat_period_seconds, longest)) * share

    def _try_later(self, internal: InternalMemberCluster, error: StatusError) -> Result:
        if not self._failures:
            _LOG.warning("%s: the hub cannot be told: %s", self.cluster, error)
        period = self._period(internal)
        pause = min(period, 2.0 ** min(self._failures, 10))
        self._failures += 1
        return Result(requeue_after=pause)

    # Leaving.

    def _be_out(self) -> None:
        was_in = self.is_joined
        self._joined.clear()
        self._has_left = True
        for _heard, left in self._told if was_in else ():
            left()

    async def _leave(self, internal: InternalMemberCluster) -> Result:
        self._be_out()
        if reports.has_left(internal):
            return DONE
        try:
            await self._release()
        except Conflict:
            raise
        except StatusError as error:
            failed = reports.failed_to_leave(internal, error.message, self._clock.now())
            await self._say(internal, failed)
            raise
        await self._say(internal, reports.left(internal, self._clock.now()))
        return DONE

    async def _release(self) -> None:
        """Let the hub delete the Works; what they brought stays where it is."""
        works = await self._hub.list_all(WORKS, namespace=self.namespace)
        for raw in works.items:
            meta = decoder(_Head)(bytes(raw.body)).metadata
            if names.WORK_CLEANUP not in meta.finalizers:
                continue
            rest = [each for each in meta.finalizers if each != names.WORK_CLEANUP]
            patch: Object = {
                "metadata": {"finalizers": rest or None, "resourceVersion": meta.resource_version}
            }
            try:
                await self._hub.patch(
                    WORKS, meta.name, patch, namespace=self.namespace, field_manager=MANAGER
                )
            except NotFound:
                continue

    # Saying.

    async def _say(self, internal: InternalMemberCluster, report: Report) -> ObjectMeta | None:
        """Write the report; what the hub answered, None if there was nothing to write."""
        patch = status_patch(internal.status, report.status)
        answer = None
        if patch:
            raw = await self._hub.patch(
                INTERNAL_MEMBER_CLUSTERS,
                self.cluster,
                {"status": patch},
                namespace=self.namespace,
                subresource="status",
                field_manager=MANAGER,
            )
            self._internals.learn(raw)
            self._metrics.told(_said(internal.status), _said(report.status))
            answer = decoder(_Head)(bytes(raw.body)).metadata
        about = reference(INTERNAL_MEMBER_CLUSTERS, internal.metadata)
        for note in report.notes:
            self._recorder.event(about, note.type, note.reason, note.message)
        return answer


def _said(status: MemberStatus) -> tuple[Condition, ...]:
    """What the agent says of itself."""
    agent = agent_of(status)
    return agent.conditions if agent is not None else ()


def _is_lost(meta: ObjectMeta) -> bool:
    """Whether the hub has given up, or may be giving up, what the cluster has."""
    return names.LOST in meta.annotations


def add_joining(
    hub: Assembly,
    member: Assembly,
    cluster: str,
    *,
    collector: Collector | None = None,
    probing: Callable[[], Awaitable[int]] | None = None,
) -> Joining:
    """Have a cluster be a member of the hub's fleet; both assemblies run beside each other."""
    return Joining(hub, member, cluster, collector=collector, probing=probing)
