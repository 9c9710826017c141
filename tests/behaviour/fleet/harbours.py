"""Where a voyage has to end: every placement where it wants to be, all it selects on its members, and nothing else."""

from __future__ import annotations

from argosy.api.objects.fleet import names
from argosy.base.types import Json, Object
from argosy.client.resources import (
    APPLIED_WORKS,
    CONFIG_MAPS,
    JOBS,
    NAMESPACES,
    RESOURCE_OVERRIDES,
    WORKS,
)
from argosy.placement.scopes import SCOPES
from tests.behaviour.fleet.voyages import ALONE, SPACES, Ship
from tests.behaviour.fleet.worlds import Fleet

# Conditions a placement with clusters ends in.
ARRIVED = {
    "RolloutStarted": "True",
    "Overridden": "True",
    "WorkSynchronized": "True",
    "Applied": "True",
    "Available": "True",
}
# Heartbeats, and server-side apply, which is the server's to find idle.
QUIET = {
    "patch memberclusters",
    "patch internalmemberclusters",
    *(f"apply {each.plural}" for each in (NAMESPACES, CONFIG_MAPS, JOBS)),
}


async def arrive(ship: Ship) -> None:
    """Check all of it."""
    fleet = ship.fleet
    clusters = {name: await picked(ship, name) for name in ship.placements}
    await check_leftovers(ship)
    for member in fleet.members:
        wanted = await wanted_on(fleet, member, clusters)
        assert await there_on(fleet, member, ship) == wanted, f"on {member}"
        works = {
            each["metadata"]["name"]
            for each in await fleet.hub.list(WORKS)
            if each["metadata"]["namespace"] == names.member_namespace(member)
        }
        applied = {
            each["metadata"]["name"] for each in await fleet.members[member].list(APPLIED_WORKS)
        }
        assert applied == works, f"{member} has {applied} for {works}"
    assert ship.watchman.complaints == [], ship.watchman.complaints
    again = {made: count for made, count in ship.watchman.made.items() if count > 1}
    assert again == {}, f"made again from the same manifest: {again}"
    await check_rest(ship)


async def picked(ship: Ship, name: str) -> set[str]:
    """The clusters of a placement, after checking that it says of them what it should."""
    fleet, spec = ship.fleet, ship.placements[name]
    said = await fleet.said(name)
    clusters = {each for each in await fleet.clusters(name) if each}
    policy = spec["policy"]
    match policy["placementType"]:
        case "PickFixed":
            assert clusters == set(policy["clusterNames"]), (name, clusters, policy)
        case "PickAll":
            assert clusters == set(fleet.members), (name, clusters)
        case _:
            assert len(clusters) == policy["numberOfClusters"], (name, clusters, policy)
    bound = sorted(each["spec"]["targetCluster"] for each in await fleet.bindings(name))
    assert bound == sorted(clusters), (name, bound, clusters)
    wanted = ARRIVED if clusters else {}
    now = {type_: text.split(" ", 1)[0] for type_, text in said.items()}
    got = {type_: status for type_, status in now.items() if type_ in ARRIVED}
    assert got == wanted, (name, said, await fleet.clusters(name))
    placement = await fleet.placement(name)
    generations = {each["observedGeneration"] for each in placement["status"]["conditions"]}
    assert generations == {placement["metadata"]["generation"]}, (name, placement["status"])
    return clusters


async def wanted_on(fleet: Fleet, member: str, clusters: dict[str, set[str]]) -> dict[str, Json]:
    """What placements select for a member, with its overrides."""
    found: dict[str, Json] = {}
    for name, where in clusters.items():
        if member not in where:
            continue
        if name in SPACES:
            found[f"Namespace/{name}"] = None
            obj = await fleet.hub.get(CONFIG_MAPS, "c", name)
            if obj is not None:
                labels = await overridden(fleet, name, member)
                found[f"ConfigMap/{name}/c"] = [obj["data"], labels]
        elif name.startswith("app/j"):
            run = await fleet.hub.get(JOBS, ALONE[name], "app")
            if run is not None:
                found[f"Job/{ALONE[name]}"] = run["metadata"]["annotations"]["voyage"]
        else:
            obj = await fleet.hub.get(CONFIG_MAPS, ALONE[name], "app")
            if obj is not None:
                found[f"ConfigMap/app/{ALONE[name]}"] = [obj["data"], {}]
    return found


async def overridden(fleet: Fleet, space: str, member: str) -> Object:
    override = await fleet.hub.get(RESOURCE_OVERRIDES, "o", space)
    if override is None:
        return {}
    (rule,) = override["spec"]["policy"]["overrideRules"]
    (term,) = rule["clusterSelector"]["clusterSelectorTerms"]
    if term["labelSelector"]["matchLabels"][names.MEMBER_NAME] != member:
        return {}
    (patch,) = rule["jsonPatchOverrides"]
    found: Object = patch["value"]
    return found


async def there_on(fleet: Fleet, member: str, ship: Ship) -> dict[str, Json]:
    """What a member has of all that could be placed; jobs that have ended count as there."""
    cluster = fleet.members[member]
    found: dict[str, Json] = {}
    for space in await cluster.list(NAMESPACES):
        if space["metadata"]["name"] in SPACES:
            found[f"Namespace/{space['metadata']['name']}"] = None
    for obj in await cluster.list(CONFIG_MAPS):
        meta = obj["metadata"]
        if meta["name"] != "kube-root-ca.crt" and meta["namespace"] in {"app", *SPACES}:
            labels = meta.get("labels", {})
            found[f"ConfigMap/{meta['namespace']}/{meta['name']}"] = [obj["data"], labels]
    for obj in await cluster.list(JOBS):
        found[f"Job/{obj['metadata']['name']}"] = obj["metadata"]["annotations"]["voyage"]
    for work in await fleet.hub.list(WORKS):
        if work["metadata"]["namespace"] != names.member_namespace(member):
            continue
        runs = {
            each["metadata"]["name"]: each["metadata"]["annotations"]["voyage"]
            for each in work["spec"]["workload"].get("manifests", ())
            if each["kind"] == "Job"
        }
        for entry in work["status"]["manifestConditions"]:
            name = entry["identifier"]["name"]
            ended = any(
                c["type"] == "Finished" and c["status"] == "True" for c in entry["conditions"]
            )
            if entry["identifier"]["kind"] == "Job" and ended:
                found.setdefault(f"Job/{name}", runs[name])
    return found


async def check_leftovers(ship: Ship) -> None:
    """What belongs to placements that are gone is gone with them."""
    fleet = ship.fleet
    for scope in SCOPES:
        there = {
            f"{each['metadata'].get('namespace', '')}/{each['metadata']['name']}".removeprefix("/")
            for each in await fleet.hub.list(scope.placements)
        }
        wanted = {
            name for name in ship.placements if ("/" in name) == bool(scope.placements.namespaced)
        }
        assert there == wanted, (there, wanted)
        for resource in (scope.bindings, scope.policy_snapshots, scope.resource_snapshots):
            for each in await fleet.hub.list(resource):
                meta = each["metadata"]
                parent = f"{meta.get('namespace', '')}/{meta['labels'][names.PARENT]}"
                assert parent.removeprefix("/") in wanted, f"{resource.kind} {meta['name']}"
                assert "deletionTimestamp" not in meta, f"{resource.kind} {meta['name']}"
                if resource == scope.bindings:
                    assert each["spec"]["state"] == "Bound", each


async def check_rest(ship: Ship) -> None:
    """A new hub and new agents have nothing to say that is not said already."""
    fleet = ship.fleet
    for line in ship.lines:
        line.writes()
    before = await revisions(fleet)
    await fleet.hub.kill()
    await fleet.hub.start()
    for member in fleet.members.values():
        await member.kill()
        await member.start()
    await fleet.pass_time(60)
    for line in ship.lines:
        extra = {what: count for what, count in line.writes().items() if what not in QUIET}
        assert extra == {}, f"a new hub or agent wrote {extra}"
    assert await revisions(fleet) == before, "something changed on a member"


async def revisions(fleet: Fleet) -> list[str]:
    return [
        f"{member.name} {resource.kind} {each['metadata']['name']} {each['metadata']['resourceVersion']}"
        for member in fleet.members.values()
        for resource in (NAMESPACES, CONFIG_MAPS, JOBS, APPLIED_WORKS)
        for each in await member.list(resource)
    ]
