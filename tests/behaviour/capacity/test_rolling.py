"""What a pool changes reaches its nodes, as far as Kubernetes allows."""

from __future__ import annotations

from argosy.client.resources import NODES
from tests.behaviour.capacity.pools import Pooled, pooled


def test_labels_and_taints_roll_out_and_what_others_put_there_stays() -> None:
    async def story(here: Pooled) -> None:
        taint = {"key": "team", "value": "a", "effect": "NoSchedule"}
        await here.pool(minimum=1, labels={"team": "a", "old": "x"}, taints=[taint])
        await here.pass_time(5)
        (name,) = await here.nodes()
        mine = {"metadata": {"labels": {"mine": "1"}}}
        await here.client.patch(NODES, name, mine)
        await here.edit("pool", labels={"team": "b", "old": None}, taints=None, zone="z1")
        await here.pass_time(5)
        node = await here.get(NODES, name)
        assert node is not None
        labels = node["metadata"]["labels"]
        assert (labels["team"], labels["mine"]) == ("b", "1")
        assert labels["topology.kubernetes.io/zone"] == "z1"
        assert "old" not in labels
        assert "taints" not in node["spec"]

    pooled(story)


def test_a_change_of_shape_is_for_new_nodes_only_and_the_status_says_so() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(minimum=1)
        await here.pass_time(5)
        await here.edit("pool", machine={"cpu": "16"}, minimum=2)
        await here.pass_time(5)
        cpus = sorted(node["status"]["capacity"]["cpu"] for node in await here.list(NODES))
        assert cpus == ["16", "8"]
        assert (await here.status_of())["outdated"] == 1
        want = (
            "2 nodes are ready; 1 of 2 keep the machine shape they were made with, because a change of spec.machine is "
            "for new nodes only"
        )
        assert await here.condition("Ready") == ("True", "NodesReady", want)

    pooled(story)
