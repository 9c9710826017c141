"""Pools have at least their minimum, complete and at once; thousands of them in seconds."""

from __future__ import annotations

from argosy.client.resources import NODES
from tests.behaviour.capacity.pools import Pooled, pooled


def test_a_pool_with_minimum_three_gives_three_ready_nodes() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(minimum=3, labels={"team": "a"})
        await here.pass_time(3)
        nodes = await here.list(NODES)
        assert len(nodes) == 3
        for node in nodes:
            assert node["metadata"]["name"].startswith("pool-")
            ready = next(c for c in node["status"]["conditions"] if c["type"] == "Ready")
            assert ready["status"] == "True"
            assert node["metadata"]["labels"]["team"] == "a"
            assert "taints" not in node["spec"]
        status = await here.status_of()
        assert (status["nodes"], status["ready"], status["booting"]) == (3, 3, 0)
        assert await here.condition("Ready") == ("True", "NodesReady", "3 nodes are ready")

    pooled(story)
