"""Random voyages of a whole fleet: users change their minds, lines are bad, controllers and agents die.

A seed says all of it. Writes fail, or arrive and their answers do not; watches break; the hub and the agents are killed
in the middle of what they do, and start anew. When the weather has calmed down and some time has passed, everything has
to be as if nothing had happened (`harbours`). Jobs end and are taken by their TTLs, seen or unseen. Meanwhile a `Watchman` sees every state of every binding and every Job
that members make, and notes what must never be, not even for a moment.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, Final

from argosy.api.objects.fleet import names
from argosy.base.errors import AlreadyExists, Conflict, NotFound, ServiceUnavailable
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.resources import (
    CLUSTER_RESOURCE_BINDINGS,
    CONFIG_MAPS,
    JOBS,
    NAMESPACES,
    RESOURCE_BINDINGS,
    RESOURCE_OVERRIDES,
    Resource,
)
from argosy.placement.scopes import scope_of
from tests.behaviour.fleet.worlds import (
    Fleet,
    Line,
    Member,
    Shape,
    config_map,
    job,
    key_of,
    pick,
    rolling,
)
from tests.fakes.clients import Fault

WRITES: Final = frozenset({"create", "update", "patch", "apply", "delete"})
# How long a write is on its way, at most; each way.
SECONDS_OF_A_WRITE: Final = 0.05
ACTIONS: Final = 25
STORMS: Final = 8
SPACES: Final = ("n1", "n2", "n3")
# Placements of `app`, and what each selects there.
ALONE: Final = {"app/x": "x", "app/y": "y", "app/j1": "j1", "app/j2": "j2"}


MOMENT: Final = "2026-01-01T01:00:00Z"
COMPLETE: Final[Object] = {
    "succeeded": 1,
    "startTime": MOMENT,
    "completionTime": MOMENT,
    "conditions": [
        {"type": each, "status": "True", "lastTransitionTime": MOMENT, "reason": "", "message": ""}
        for each in ("SuccessCriteriaMet", "Complete")
    ],
    "uncountedTerminatedPods": {},
    "ready": 0,
    "terminating": 0,
}


class Weather:
    """What becomes of the calls on a line."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)

    def fate(self, verb: str) -> Fault:
        source = self._source
        luck = source.random()
        if verb not in WRITES:
            return Fault(ServiceUnavailable("not now") if luck < 0.03 else None)
        there, back = (source.uniform(0, SECONDS_OF_A_WRITE) for _ in range(2))
        if luck < 0.06:
            return Fault(ServiceUnavailable("never sent"), before=there)
        if luck < 0.14:
            return Fault(ServiceUnavailable("no answer"), before=there, after=back, lost=True)
        return Fault(before=there, after=back)


@dataclass
class Watchman:
    """Sees what happens, past all weather."""

    fleet: Fleet
    # What users want now.
    placements: dict[str, Object]
    # (member, job, AppliedWork, hash) of every Job that was made.
    made: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    # AppliedWorks of a placement on a member, by their uids.
    owners: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    complaints: list[str] = field(default_factory=list)
    _bindings: dict[str, dict[str, Object]] = field(default_factory=lambda: defaultdict(dict))
    _failed: dict[str, float] = field(default_factory=dict)
    _picked: dict[str, list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))

    def begin(self) -> None:
        for resource in (CLUSTER_RESOURCE_BINDINGS, RESOURCE_BINDINGS):
            self.fleet.keep(self._watch_bindings(resource))
        for member in self.fleet.members.values():
            self.fleet.keep(self._watch_jobs(member))

    async def _watch_jobs(self, member: Member) -> None:
        async for change, obj in events(member, JOBS):
            if change != "ADDED":
                continue
            meta = obj["metadata"]
            (owner,) = meta["ownerReferences"]
            spec_hash = meta["annotations"][names.SPEC_HASH]
            made = (member.name, meta["name"], owner["uid"], spec_hash)
            self.made[made] += 1
            self.owners[member.name, owner["name"]].add(owner["uid"])

    async def _watch_bindings(self, resource: Resource) -> None:
        async for change, obj in events(self.fleet.hub, resource):
            meta = obj["metadata"]
            parent = f"{meta.get('namespace', '')}/{meta['labels'][names.PARENT]}"
            before = self._bindings[parent].pop(meta["name"], None)
            if change != "DELETED":
                self._bindings[parent][meta["name"]] = obj
            self._note(parent, before, obj if change != "DELETED" else None)

    def _note(self, parent: str, before: Object | None, after: Object | None) -> None:
        now = self.fleet.clock.time()
        bindings = self._bindings[parent]
        history = self._picked[parent]
        # One on its way out, perhaps of an earlier placement of that name, is no target any more.
        picked = sum(
            each["spec"]["state"] != "Unscheduled" and "deletionTimestamp" not in each["metadata"]
            for each in bindings.values()
        )
        # Who is scaled down needs no more from the moment its user says so.
        policy = self.placements.get(parent.removeprefix("/"), {}).get("policy", {})
        history.append((now, min(picked, policy.get("numberOfClusters", picked))))
        while len(history) > 1 and history[1][0] < now - 1:
            history.pop(0)
        if before is None or after is None or not is_ready(before) or is_ready(after):
            return
        name = after["metadata"]["name"]
        if before["spec"]["resourceSnapshotName"] == after["spec"]["resourceSnapshotName"]:
            self._failed[name] = now
            return
        # One that was ready was updated. All voyages let one be missing. What failed by itself this very moment was
        # ready when that was decided.
        ready = sum(
            is_ready(each) or self._failed.get(other, 0.0) > now - 1
            for other, each in bindings.items()
        )
        least = min(count for _, count in history) - 1
        if ready < least:
            self.complaints.append(f"{name} was updated, and {ready} of {least} are left at {now}")


def is_ready(binding: Object) -> bool:
    generation = binding["metadata"]["generation"]
    return any(
        each["type"] == "Available"
        and each["status"] == "True"
        and each["observedGeneration"] == generation
        for each in binding.get("status", {}).get("conditions", ())
    )


async def events(cluster: Any, resource: Resource) -> AsyncGenerator[tuple[str, Object], None]:
    async with contextlib.aclosing(cluster.client.watch(resource)) as found:
        async for event in found:
            if event.type != "BOOKMARK":
                yield event.type, decode(event.object)


class Ship:
    """A fleet on its voyage."""

    def __init__(self, fleet: Fleet, seed: int) -> None:
        self.fleet = fleet
        self.hub = fleet.hub
        self.placements: dict[str, Object] = {}
        self.watchman = Watchman(fleet, self.placements)
        self._source = random.Random(seed)
        self._storms = random.Random(-seed)
        self._runs = 0
        # Placements whose clusters may have changed, since they were made, by what users did.
        self.moved: set[str] = set()
        self.log: list[str] = []

    @property
    def lines(self) -> list[Line]:
        found = [self.hub.line]
        for member in self.fleet.members.values():
            found += [member.to_hub, member.to_self]
        return found

    # The voyage.

    async def fit_out(self) -> None:
        for name in SPACES:
            await self.hub.create(NAMESPACES, {"metadata": {"name": name}})
            await self.hub.create(CONFIG_MAPS, config_map("c", name), name)
        for member in self.fleet.members.values():
            await member.create(NAMESPACES, {"metadata": {"name": "app"}})
        for name in ("x", "y"):
            await self.fleet.config_map(name)
        for name in ("j1", "j2"):
            await self._make_job(name)
        self.watchman.begin()

    async def sail(self) -> None:
        for number, line in enumerate(self.lines):
            line.fate = Weather(self._storms.randrange(10**6) + number).fate
        await asyncio.gather(self._act(), self._storm())
        for line in self.lines:
            line.fate = None
        # A placement that lacks a cluster may not spare another, so its rollout would stand still, as upstream.
        for name in self.fleet.members:
            await self.fleet.taint(name)

    async def _act(self) -> None:
        ways = (
            (self._place, 5),
            (self._edit, 5),
            (self._scale, 3),
            (self._unplace, 2),
            (self._replace, 1),
            (self._override, 2),
            (self._taint, 2),
            (self._restrategize, 1),
            (self._lose, 2),
            (self._finish, 4),
            (self._vandalize, 2),
        )
        for name in ("n1", "app/j1", "app/x"):
            await self._create(name)
        for _ in range(ACTIONS):
            await self.fleet.pass_time(self._source.choice([0.0, 0.05, 0.5, 3.0, 10.0]))
            (way,) = self._source.choices([w for w, _ in ways], [n for _, n in ways])
            self.log.append(f"{self.fleet.clock.time():.2f} {way.__name__}")
            await way()

    async def _storm(self) -> None:
        source = self._storms
        for _ in range(STORMS):
            await self.fleet.pass_time(source.uniform(0, 15))
            members = list(self.fleet.members.values())
            match source.randrange(5):
                case 0 | 1:
                    await self._restart(self.hub)
                case 2:
                    await self._restart(source.choice(members))
                case 3:
                    line = source.choice(self.lines)
                    line.down()
                    await self.fleet.pass_time(source.uniform(0, 40))
                    line.up()
                case _:
                    line = source.choice(self.lines)
                    line.client.cut() if source.random() < 0.5 else line.client.expire()

    async def _restart(self, cluster: Any) -> None:
        self.log.append(f"{self.fleet.clock.time():.2f} restart {getattr(cluster, 'name', 'hub')}")
        await cluster.kill()
        # What is on its way arrives before anybody else begins, as a lease grants.
        await self.fleet.pass_time(self._storms.uniform(3 * SECONDS_OF_A_WRITE, 20))
        await cluster.start()

    # What users do.

    def _any(self, *found: str) -> str | None:
        return self._source.choice(sorted(found)) if found else None

    async def _place(self) -> None:
        name = self._any(*({*SPACES, *ALONE} - self.placements.keys()))
        if name is not None:
            await self._create(name)

    async def _create(self, name: str) -> None:
        source = self._source
        policy = source.choice(
            [
                pick("PickAll"),
                pick("PickN", source.randint(1, 4)),
                {
                    "placementType": "PickFixed",
                    "clusterNames": sorted(source.sample(list(self.fleet.members), 2)),
                },
            ]
        )
        spec: Object = {
            "resourceSelectors": [self._selector(name)],
            "policy": policy,
            "strategy": rolling(1),
        }
        key = key_of(name)
        body = {"metadata": {"name": key.name}, "spec": spec}
        try:
            await self.hub.create(scope_of(key.namespace).placements, body, key.namespace)
        except AlreadyExists:
            # The last one of that name has not gone yet.
            return
        self.placements[name] = spec
        # Whoever comes after another of the same name finds the clusters as that one left them.
        if any(name == word for word in self.log):
            self.moved.add(name)
        self.log.append(name)

    def _selector(self, name: str) -> Object:
        if name in SPACES:
            return {"group": "", "version": "v1", "kind": "Namespace", "name": name}
        what = ALONE[name]
        if what.startswith("j"):
            return {"group": "batch", "version": "v1", "kind": "Job", "name": what}
        return {"group": "", "version": "v1", "kind": "ConfigMap", "name": what}

    async def _unplace(self) -> None:
        name = self._any(*self.placements)
        if name is not None:
            key = key_of(name)
            del self.placements[name]
            with contextlib.suppress(NotFound):
                await self.hub.delete(scope_of(key.namespace).placements, key.name, key.namespace)

    async def _replace(self) -> None:
        """Delete one and make it again, soon."""
        name = self._any(*self.placements)
        if name is None:
            return
        key = key_of(name)
        del self.placements[name]
        await self.hub.delete(scope_of(key.namespace).placements, key.name, key.namespace)
        await self.fleet.pass_time(self._source.choice([0.2, 5, 30]))
        await self._create(name)

    async def _scale(self) -> None:
        name = self._any(*self.placements)
        if name is None:
            return
        source, spec = self._source, self.placements[name]
        policy = spec["policy"]
        if policy["placementType"] == "PickN":
            policy["numberOfClusters"] = source.randint(0, 4)
        elif policy["placementType"] == "PickFixed":
            policy["clusterNames"] = sorted(source.sample(list(self.fleet.members), 2))
        else:
            policy["tolerations"] = [{"key": "k", "operator": "Exists"}]
        self.moved.add(name)
        await self._change(name, {"policy": policy})

    async def _restrategize(self) -> None:
        name = self._any(*self.placements)
        if name is not None:
            kind = self._source.choice(["ClientSideApply", "ServerSideApply"])
            # By force: others write to what was placed, too.
            force = {"force": True} if kind == "ServerSideApply" else None
            strategy = rolling(1, type=kind, serverSideApplyConfig=force)
            await self._change(name, {"strategy": strategy})

    async def _change(self, name: str, spec: Object) -> None:
        key = key_of(name)
        await self.hub.patch(
            scope_of(key.namespace).placements, key.name, {"spec": spec}, key.namespace
        )

    async def _edit(self) -> None:
        namespace, name = self._source.choice(
            [*((each, "c") for each in SPACES), ("app", "x"), ("app", "y")]
        )
        data = {"data": {"a": str(self._source.randrange(1000))}}
        try:
            await self.hub.patch(CONFIG_MAPS, name, data, namespace)
        except NotFound:
            await self.hub.create(CONFIG_MAPS, config_map(name, namespace), namespace)

    async def _lose(self) -> None:
        """Delete something that is placed; or make a job anew."""
        if self._source.random() < 0.5:
            space = self._source.choice(SPACES)
            with contextlib.suppress(NotFound):
                await self.hub.delete(CONFIG_MAPS, "c", space)
            return
        name = self._source.choice(["j1", "j2"])
        with contextlib.suppress(NotFound):
            await self.hub.delete(JOBS, name)
        await self.fleet.pass_time(self._source.choice([0.1, 5]))
        await self._make_job(name)

    async def _make_job(self, name: str) -> None:
        """Every one is another, so that a second run of it is seen as one."""
        self._runs += 1
        body = job(name, parallelism=1)
        body["metadata"]["annotations"] = {"voyage": str(self._runs)}
        with contextlib.suppress(AlreadyExists):
            await self.hub.create(JOBS, body, "app")

    async def _override(self) -> None:
        space = self._source.choice(SPACES)
        found = await self.hub.get(RESOURCE_OVERRIDES, "o", space)
        if found is not None and self._source.random() < 0.4:
            await self.hub.delete(RESOURCE_OVERRIDES, "o", space)
            return
        member = self._source.choice(list(self.fleet.members))
        term = {"labelSelector": {"matchLabels": {names.MEMBER_NAME: member}}}
        value = {"who": f"{member}-{self._source.randrange(100)}"}
        rule = {
            "clusterSelector": {"clusterSelectorTerms": [term]},
            "jsonPatchOverrides": [{"op": "add", "path": "/metadata/labels", "value": value}],
        }
        selector = {"group": "", "version": "v1", "kind": "ConfigMap", "name": "c"}
        spec = {
            "placement": {"name": space, "scope": "Cluster"},
            "resourceSelectors": [selector],
            "policy": {"overrideRules": [rule]},
        }
        if found is None:
            await self.hub.create(
                RESOURCE_OVERRIDES, {"metadata": {"name": "o"}, "spec": spec}, space
            )
        elif "deletionTimestamp" not in found["metadata"]:
            await self.hub.patch(RESOURCE_OVERRIDES, "o", {"spec": spec}, space)

    async def _taint(self) -> None:
        member = self._source.choice(list(self.fleet.members))
        taint = {"key": "k", "value": "v", "effect": "NoSchedule"}
        await self.fleet.taint(member, *([taint] if self._source.random() < 0.5 else []))

    async def _finish(self) -> None:
        """Jobs end on their member, and their TTL removes them, sooner or later, whoever has heard of it by then."""
        member = self._source.choice(list(self.fleet.members.values()))
        for found in await member.list(JOBS):
            name, uid = found["metadata"]["name"], found["metadata"]["uid"]
            ttl = self._source.choice([0, 0, 0.5, 3, 20])
            self.log.append(
                f"{self.fleet.clock.time():.2f} {name} ends on {member.name}, for {ttl} s"
            )
            with contextlib.suppress(NotFound, Conflict):
                await member.client.patch(
                    JOBS, name, {"status": COMPLETE}, namespace="app", subresource="status"
                )
                await self.fleet.pass_time(ttl)
                await member.client.delete(JOBS, name, namespace="app", uid=uid)

    async def _vandalize(self) -> None:
        """Somebody breaks what was placed, on a member."""
        member = self._source.choice(list(self.fleet.members.values()))
        space = self._source.choice(SPACES)
        with contextlib.suppress(NotFound):
            if self._source.random() < 0.5:
                await member.delete(CONFIG_MAPS, "c", space)
            else:
                await member.patch(CONFIG_MAPS, "c", {"data": {"a": "broken"}}, space)


def shape_of(seed: int) -> Shape:
    return Shape(members=("m1", "m2", "m3", "m4"), seed=seed)
