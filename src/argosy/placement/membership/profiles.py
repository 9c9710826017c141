"""Members as ClusterProfiles (multicluster.x-k8s.io), for programs that know that API and not the fleet's.

Only where the kind is served. A profile says who manages the cluster and whether its control plane is well. Health is
what the member's agent says, while it says something: after three minutes of silence (upstream's chart sets the same)
the heartbeat counts as lost, and is looked for at that time instead of with the next event.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from argosy.api.objects.conditions import condition_documents, with_condition
from argosy.api.objects.core import Namespace
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import HEALTHY, MemberCluster
from argosy.api.objects.metadata import Condition, ObjectMeta, View, find_condition
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.resources import MEMBER_CLUSTERS, NAMESPACES, Resource
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.placement.views import Views

CLUSTER_PROFILES: Final = Resource(
    "multicluster.x-k8s.io", "v1alpha1", "clusterprofiles", "ClusterProfile"
)
NAMESPACE: Final = "fleet-system"
UNHEALTHY_AFTER: Final = timedelta(minutes=3)
_CONTROL_PLANE: Final = "ControlPlaneHealthy"
_CLUSTER_MANAGER: Final = "KubeFleet"
_CLUSTER_MANAGER_LABEL: Final = "x-k8s.io/cluster-manager"
# How often it is looked whether the kind is served meanwhile, for members whom nobody hears of.
_SERVED_SECONDS: Final = 60.0


class ProfileStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()


class ClusterProfile(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    status: ProfileStatus = ProfileStatus()


def health(
    member: MemberCluster, now: datetime, patience: timedelta = UNHEALTHY_AFTER
) -> Condition:
    """What a profile says of the member's control plane."""
    agent = next((a for a in member.status.agent_status if a.type == names.MEMBER_AGENT), None)
    if agent is None:
        said = "The Fleet member agent has not reported its status yet"
        return Condition(_CONTROL_PLANE, "Unknown", "MemberAgentReportedNoStatus", said)
    healthy = find_condition(agent.conditions, HEALTHY)
    if healthy is None:
        said = "The Fleet member agent has reported its status, but the health condition is missing"
        return Condition(_CONTROL_PLANE, "Unknown", "MemberAgentReportedNoHealthInfo", said)
    heartbeat = agent.last_received_heartbeat
    if heartbeat is None or now - heartbeat > patience:
        said = "The Fleet member agent has lost its heartbeat connection to the Fleet hub cluster"
        return Condition(_CONTROL_PLANE, "False", "MemberAgentHeartbeatLost", said)
    if healthy.status == "Unknown":
        said = "The Fleet member agent health check result is out of date or unknown"
        return Condition(_CONTROL_PLANE, "Unknown", "MemberAgentReportedNoHealthInfo", said)
    if healthy.status == "False":
        said = "The Fleet member agent reports that the API server is unhealthy"
        return Condition(_CONTROL_PLANE, "False", "MemberClusterAPIServerUnhealthy", said)
    said = "The Fleet member agent reports that the API server is healthy"
    return Condition(_CONTROL_PLANE, "True", "MemberClusterAPIServerHealthy", said)


class Profiles:
    """One ClusterProfile per member; and the finalizer that keeps a member until its profile has gone."""

    def __init__(
        self, assembly: Assembly, views: Views, *, patience: timedelta = UNHEALTHY_AFTER
    ) -> None:
        self._views = views
        self._clock = assembly.clock
        self._patience = patience
        self._namespaces = assembly.informer(NAMESPACES, Namespace)
        self._profiles = assembly.informer_when_served(CLUSTER_PROFILES, ClusterProfile)
        self._queue = assembly.controller("clusterprofile-controller", self._reconcile)
        views.members.add_handler(self._member_changed)
        self._profiles.add_handler(self._profile_changed)

    def _member_changed(self, old: MemberCluster | None, new: MemberCluster | None) -> None:
        for each in (new, old):
            if each is not None:
                self._queue.add(each.metadata.name)
                return

    def _profile_changed(self, old: ClusterProfile | None, new: ClusterProfile | None) -> None:
        if new is None and old is not None and old.metadata.namespace == NAMESPACE:
            self._queue.add(old.metadata.name)

    async def _reconcile(self, name: str) -> Result:
        member = self._views.members.get("", name)
        if member is None:
            await self._remove(name)
            return DONE
        if member.metadata.deletion_timestamp is not None:
            await self._remove(name)
            finalizers = member.metadata.finalizers
            rest = [each for each in finalizers if each != names.PROFILE_CLEANUP]
            await self._views.set_finalizers(MEMBER_CLUSTERS, member.metadata, rest)
            return DONE
        if not self._profiles.is_synced:
            return Result(_SERVED_SECONDS)
        return await self._show(member)

    async def _show(self, member: MemberCluster) -> Result:
        try:
            profile = await self._profile(member)
            if profile is not None:
                await self._tell(profile, member)
        except NotFound:
            # The kind is served no more.
            return DONE
        heartbeats = [agent.last_received_heartbeat for agent in member.status.agent_status]
        last = max((each for each in heartbeats if each is not None), default=None)
        if last is None:
            return DONE
        silence = (last + self._patience - self._clock.now()).total_seconds()
        return Result(silence + 1.0) if silence >= 0 else DONE

    async def _profile(self, member: MemberCluster) -> ClusterProfile | None:
        name = member.metadata.name
        found = self._profiles.get(NAMESPACE, name)
        if found is not None:
            return found
        body: Object = {
            "metadata": {"name": name, "labels": {_CLUSTER_MANAGER_LABEL: _CLUSTER_MANAGER}},
            "spec": {"clusterManager": {"name": _CLUSTER_MANAGER}, "displayName": name},
        }
        if self._namespaces.get("", NAMESPACE) is None:
            raw = await self._views.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})
            self._namespaces.learn(raw)
        self._profiles.learn(await self._views.create(CLUSTER_PROFILES, body, NAMESPACE))
        return self._profiles.get(NAMESPACE, name)

    async def _tell(self, profile: ClusterProfile, member: MemberCluster) -> None:
        said = health(member, self._clock.now(), self._patience)
        meta = profile.metadata
        new = Condition(said.type, said.status, said.reason, said.message, meta.generation)
        conditions = with_condition(profile.status.conditions, new, self._clock.now())
        if conditions == profile.status.conditions:
            return
        status: Object = {"conditions": condition_documents(conditions)}
        raw = await self._views.patch_status(CLUSTER_PROFILES, meta, status)
        self._profiles.learn(raw)

    async def _remove(self, name: str) -> None:
        profile = self._profiles.get(NAMESPACE, name)
        if profile is not None:
            await self._views.delete(CLUSTER_PROFILES, profile.metadata)
