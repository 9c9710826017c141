"""200 jobs submitted continuously go where there is room, keep to their queues' quotas, and all finish, each once."""

from __future__ import annotations

import pytest

from argosy.client.resources import MEMBER_CLUSTERS, RESOURCE_PLACEMENTS
from tests.behaviour.fleet.bursts import Accounts, burst, create
from tests.behaviour.fleet.worlds import Fleet, Shape, told
from tests.support import bursts

NODES = {"m1": 2, "m2": 3, "m3": 4}
ROOM = {name: 8.0 * nodes for name, nodes in NODES.items()}
SHAPE = Shape(members=tuple(NODES), runs=True, has_queues=True, nodes=NODES)
JOBS = 200
# The guide's quota is what the largest cluster has; the smaller one is in the way on every cluster.
LARGE, SMALL = 32, 12


@pytest.mark.parametrize(
    ("seed", "quota", "templated"),
    [
        pytest.param(1, LARGE, False, id="guide", marks=pytest.mark.long),
        pytest.param(2, LARGE, True, id="template", marks=pytest.mark.long),
        pytest.param(3, SMALL, False, id="little-quota"),
    ],
)
def test_a_burst_goes_where_there_is_room_and_every_job_finishes_once(
    seed: int, quota: int, templated: bool
) -> None:
    async def story(fleet: Fleet) -> None:
        for name in NODES:
            await fleet.hub.patch(MEMBER_CLUSTERS, name, {"spec": {"heartbeatPeriodSeconds": 15}})
        await create(fleet, *bursts.everywhere(str(quota), "512Gi"))
        if templated:
            await create(fleet, bursts.template())
        await fleet.pass_time(60)
        accounts = Accounts(fleet, ROOM, quota)
        accounts.begin()
        await burst(fleet, accounts, seed, JOBS, templated=templated)
        for _ in range(100):
            if len(accounts.ended) == JOBS:
                break
            await fleet.pass_time(30)
        await fleet.pass_time(60)
        assert accounts.complaints == []
        assert accounts.given.keys() == accounts.ended.keys() == accounts.wants.keys()
        assert {len(uids) for uids in accounts.made.values()} == {1}
        ended = [
            condition["reason"]
            for each in await fleet.hub.list(RESOURCE_PLACEMENTS)
            for condition in each.get("status", {}).get("conditions", ())
            if condition["type"] == "ResourcePlacementFinished" and condition["status"] == "True"
        ]
        assert ended == ["JobComplete"] * JOBS
        # All clusters were at work, up to what their queues and their machines have.
        for name, room in ROOM.items():
            assert accounts.most_held[name] > min(quota, room) / 2, accounts.most_held

    told(story, SHAPE)
