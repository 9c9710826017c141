"""A law: a fleet at rest does no writes but heartbeats."""

from __future__ import annotations

from argosy.client.resources import NAMESPACES, RESOURCE_OVERRIDES
from tests.behaviour.fleet.test_changes import override
from tests.behaviour.fleet.worlds import Fleet, Shape, pick, rolling, told

SELECTS_MAP = {"group": "", "version": "v1", "kind": "ConfigMap", "name": "c"}
SELECTS_JOB = {"group": "batch", "version": "v1", "kind": "Job", "name": "j"}


def test_a_fleet_at_rest_writes_nothing_but_heartbeats() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.config_map("c")
        await fleet.place("all", policy=pick("PickAll"), strategy=rolling())
        await fleet.hub.create(NAMESPACES, {"metadata": {"name": "other"}})
        await fleet.hub.create(
            RESOURCE_OVERRIDES, override("x", namespaced=True, placement="all"), "app"
        )
        space = {"group": "", "version": "v1", "kind": "Namespace", "name": "other"}
        await fleet.place("some", space, policy=pick("PickN", 2))
        await fleet.place("too-many", space, policy=pick("PickN", 9))
        await fleet.place("conflict", {**space, "name": "app"}, policy=pick("PickAll"))
        await fleet.job("j", suspend=True)
        await fleet.place("app/job", SELECTS_JOB, policy=pick("PickN", 1))
        await fleet.place("app/diff", SELECTS_MAP, strategy=rolling(type="ReportDiff"))
        await fleet.place("outside", space, strategy={"type": "External"})
        await fleet.pass_time(1800)
        lines = [fleet.hub.line]
        for member in fleet.members.values():
            lines += [member.to_hub, member.to_self]
        for line in lines:
            line.writes()
        await fleet.pass_time(3600)
        hub, *others = [dict(line.writes()) for line in lines]
        assert set(hub) == {"patch memberclusters"}
        assert 175 <= hub["patch memberclusters"] <= 185
        for to_hub, to_self in zip(others[::2], others[1::2], strict=True):
            assert set(to_hub) == {"patch internalmemberclusters"}
            assert to_self == {}

    told(story, Shape())
