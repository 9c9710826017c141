"""Whether a search of flavors goes on where it stopped."""

from __future__ import annotations

import pytest

from argosy.queueing.flavors.progress import is_outdated
from argosy.queueing.workloads.infos import LastAssignment

CASES = {
    "goes on while the ClusterQueue is as it was": ("a", 3, 9, False),
    "starts over when more may fit": ("a", 4, 9, True),
    "goes on in the cycle right after, whatever may fit": ("a", 4, 6, False),
    "starts over when the workload asks for something else": ("b", 3, 6, True),
    "takes a hash nobody worked out for the same": ("unknown", 3, 9, False),
    "takes no hash for the same": ("", 3, 9, False),
}


@pytest.mark.parametrize(("hash_", "generation", "cycle", "want"), CASES.values(), ids=CASES)
def test_search(hash_: str, generation: int, cycle: int, want: bool) -> None:
    last = LastAssignment(({"cpu": 0},), generation=3, cycle=5, scheduling_hash="a")
    got = is_outdated(last, scheduling_hash=hash_, generation=generation, cycle=cycle)
    assert got is want
