"""200 jobs submitted to `argosy up`, one after the other, in the guide's way and by a placement template.

They go to all three members, more to the larger ones; what ran and which quota was held is read from the members' own
histories, so nothing in between is missed.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.support import bursts, ledgers
from tests.support.connections import Connection, address_of
from tests.support.processes import sailing

JOBS = 200
QUOTA = 32
MOST_SECONDS = 90.0
CORES = {"cluster-1": 16, "cluster-2": 24, "cluster-3": 32}


@pytest.fixture(scope="module")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Connection]]:
    """A fleet with queues everywhere: its hub and its members."""
    with sailing(tmp_path_factory.mktemp("burst")) as fleet, ExitStack() as stack:
        found = {
            name: stack.enter_context(Connection(address_of(fleet.kubeconfig, name)))
            for name in ("hub", *CORES)
        }
        bursts.submit(found["hub"], *bursts.everywhere(str(QUOTA), "128Gi"), bursts.template())
        for name in CORES:
            queue = f"/apis/kueue.x-k8s.io/v1beta1/namespaces/{bursts.SPACE}/localqueues"
            found[name].until(f"{queue}/{bursts.QUEUE}")
        yield found
        assert "Traceback" not in fleet.log


@pytest.mark.timeout(180)
@pytest.mark.parametrize("templated", [False, True], ids=["guide", "template"])
def test_a_burst_spreads_over_the_members_and_every_job_finishes_once(
    clusters: dict[str, Connection], templated: bool
) -> None:
    hub = clusters["hub"]
    members = {name: clusters[name] for name in CORES}
    since = ledgers.revisions(members)
    source = random.Random(templated)
    prefix = "t" if templated else "g"
    jobs = [
        bursts.job(
            f"{prefix}-{number}",
            seconds=source.choice([0.5, 1, 2, 4]),
            pods=source.choice([1, 1, 2, 4]),
            cpu=source.choice(["1", "2"]),
            ttl=source.choice([None, None, 0, 5]),
            templated=templated,
        )
        for number in range(JOBS)
    ]
    for body in jobs:
        name = body["metadata"]["name"]
        bursts.submit(hub, body, *([] if templated else [bursts.placement(name)]))
    wanted = set(map(bursts.placement_name, jobs))
    ended: dict[str, str] = {}
    deadline = time.monotonic() + MOST_SECONDS
    while len(ended) < JOBS and time.monotonic() < deadline:
        time.sleep(0.5)
        found = bursts.outcomes(hub)
        ended = {name: how for name, how in found.items() if how and name in wanted}
    assert ended == dict.fromkeys(wanted, "JobComplete")
    ran = ledgers.read(members, since)
    for body in jobs:
        pods = {"": body["spec"]["completions"]}
        assert ran[body["metadata"]["name"]].counts() == (1, pods, pods)
    for name, connection in members.items():
        held = ledgers.most_held(ledgers.history(connection, ledgers.WORKLOADS, since[name]))
        assert CORES[name] / 2 < held <= QUOTA, name
    where = Counter(_clusters(hub, wanted))
    assert where["cluster-1"] < where["cluster-3"], where
    assert min(where[name] for name in CORES) >= JOBS / 8, where


def _clusters(hub: Connection, wanted: set[str]) -> list[str]:
    """Where the placements have gone."""
    path = f"/apis/placement.kubernetes-fleet.io/v1beta1/namespaces/{bursts.SPACE}/resourcebindings"
    return [
        each["spec"]["targetCluster"]
        for each in hub.get(path)["items"]
        if each["metadata"]["labels"]["kubernetes-fleet.io/parent-CRP"] in wanted
    ]
