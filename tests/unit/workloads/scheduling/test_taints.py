"""Sets of taints that no node has any more are forgotten, and their numbers are used again."""

from __future__ import annotations

from argosy.workloads.scheduling.deciding import Decider
from tests.unit.workloads.scheduling.builders import decide, node, outcome, pod


def test_taints_that_come_and_go_leave_nothing() -> None:
    made = Decider()
    asking = pod("a", tolerations=[{"key": "turn", "value": "kept", "operator": "Equal"}])
    for number in range(2000):
        value = "kept" if number % 7 == 3 else str(number)
        taint = {"key": "turn", "value": value, "effect": "NoSchedule"}
        made.ledger.put_node(node("n1", taints=[taint]))
        made.ledger.put_node(node("n2", taints=[{**taint, "value": f"{value}-2"}]))
        got = outcome(decide(made, asking)[0])
        assert (got == "n1") is (value == "kept"), (number, got)
        made.ledger.displace("a")
    assert len(made.ledger.taint_sets) < 100
