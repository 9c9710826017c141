"""Fewer pods than a workload would like: where it allows them, and the configuration does."""

from __future__ import annotations

import pytest

from argosy.api.objects import Namespace
from argosy.queueing.cycles.nominating import Nominator, Surroundings
from argosy.queueing.flavors.assigning import Assigner
from argosy.queueing.flavors.assignments import Mode
from argosy.queueing.preemption.preempting import Preemptor
from tests.unit.queueing.flavors.building import cluster, info, pod_set


@pytest.mark.parametrize(
    ("allows_fewer", "want"), [(True, (Mode.FIT, 4)), (False, (Mode.NO_FIT, 6))]
)
def test_a_workload_gets_fewer_pods(allows_fewer: bool, want: tuple[Mode, int]) -> None:
    snapshot = cluster({"f": {"cpu": "4"}})
    nominator = Nominator(
        Assigner(), Preemptor(), Surroundings(lambda _: Namespace(), lambda _: {}), allows_fewer
    )
    wanted = info(pod_set("main", 6, min_count=1, cpu="1"))
    got, _ = nominator.assignments(wanted, snapshot.queues["cq"], snapshot, cycle=1, now=0.0)
    assert (got.mode, got.pod_sets[0].count) == want
