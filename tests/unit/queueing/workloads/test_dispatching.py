"""For which workloads clusters are looked for."""

from __future__ import annotations

import pytest

from argosy.queueing.workloads.dispatching import awaits_nomination
from tests.unit.queueing.workloads.builders import check, workload


@pytest.mark.parametrize(
    ("state", "cluster", "is_elastic", "want"),
    [
        ("Pending", None, False, True),
        ("Pending", None, True, True),
        ("Pending", "worker", False, False),
        ("Pending", "worker", True, True),
        ("Ready", None, False, False),
        ("Retry", "worker", True, False),
        ("Rejected", None, False, False),
        ("", None, True, False),
    ],
)
def test_clusters_are_looked_for(
    state: str, cluster: str | None, is_elastic: bool, want: bool
) -> None:
    given = check("multikueue", state) if state else None
    got = awaits_nomination(workload(cluster_name=cluster), given, is_elastic=is_elastic)
    assert got is want
