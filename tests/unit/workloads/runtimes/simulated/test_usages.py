"""Usage is a part of the requests, of running containers only, and moves gently."""

from __future__ import annotations

from argosy.workloads.runtimes.protocol import Usage
from argosy.workloads.runtimes.simulated.rules import UsageFactors
from argosy.workloads.runtimes.simulated.usages import usage_of
from tests.unit.workloads.runtimes.views import pod

RUNNING = {
    "phase": "Running",
    "containerStatuses": [{"name": "main", "state": {"running": {}}}],
}
ASKING = {"resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}


def test_usage_stays_around_its_part_of_the_requests() -> None:
    one = pod("sleep", "9", container=ASKING, status=RUNNING)
    factors = UsageFactors(cpu=0.5, memory=0.25)
    got = [usage_of(one, factors, float(now))["main"] for now in range(0, 300, 10)]
    assert all(900_000_000 <= used.nanocores <= 1_100_000_000 for used in got)
    assert all((230 << 20) <= used.memory_bytes <= (260 << 20) for used in got)
    assert len(set(got)) > 10
    assert usage_of(one, factors, 5.0) == usage_of(one, factors, 5.0)


def test_a_container_that_asks_for_nothing_uses_a_little() -> None:
    used = usage_of(pod("sleep", "9", status=RUNNING), UsageFactors(), 0.0)["main"]
    assert Usage(5_000_000, 1 << 20) < used < Usage(20_000_000, 64 << 20)


def test_what_does_not_run_uses_nothing() -> None:
    assert usage_of(pod("sleep", "9"), UsageFactors(), 0.0) == {}
