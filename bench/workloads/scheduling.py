"""How fast the scheduler decides: pods per second of the pure core, writes left out.

    python bench/workloads/scheduling.py [--pods 10000] [--nodes 5000]

Each row is a fresh cluster and one Job's worth of alike pods, taken in batches as the controller takes them. `batch`
is the longest the event loop would be held.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import msgspec

from argosy.api.objects import Node, Pod
from argosy.base.types import Object
from argosy.workloads.scheduling.deciding import Assigned, Candidate, Decider
from argosy.workloads.scheduling.queueing import SchedulingQueue

BATCH = 64
TAINT = {"key": "team", "value": "a", "effect": "NoSchedule"}
LABELS = {"job": "a"}


def node(number: int, *, is_tainted: bool) -> Node:
    name = f"n{number:05}"
    labels = {
        "kubernetes.io/hostname": name,
        "topology.kubernetes.io/zone": f"zone-{number % 5}",
        "pool": "a" if number % 2 else "b",
    }
    has = {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "8"}
    return msgspec.convert(
        {
            "metadata": {"name": name, "labels": labels},
            "spec": {"taints": [TAINT] if is_tainted else []},
            "status": {"allocatable": has},
        },
        Node,
    )


def pod(number: int, spec: Object) -> Pod:
    resources = {"requests": {"cpu": "1", "memory": "2Gi"}}
    return msgspec.convert(
        {
            "metadata": {
                "name": f"p{number}", "namespace": "ns", "uid": f"u{number}",
                "labels": {**LABELS, "batch.kubernetes.io/job-completion-index": str(number)},
            },
            "spec": {"containers": [{"name": "c", "resources": resources}], **spec},
        },
        Pod,
    )  # fmt: skip


def constraint(topology: str, when: str) -> Object:
    spread = {
        "topologyKey": topology,
        "maxSkew": 1,
        "whenUnsatisfiable": when,
        "labelSelector": {"matchLabels": LABELS},
    }
    return {"topologySpreadConstraints": [spread]}


def anti_affinity(topology: str) -> Object:
    term = {"topologyKey": topology, "labelSelector": {"matchLabels": LABELS}}
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    return {"affinity": {"podAntiAffinity": rule}}


ROWS: dict[str, Object] = {
    "plain": {},
    "nodeSelector + taint": {
        "nodeSelector": {"pool": "a"},
        "tolerations": [{"key": "team", "operator": "Exists"}],
    },
    "zone spread, hard": constraint("topology.kubernetes.io/zone", "DoNotSchedule"),
    "host spread, soft": constraint("kubernetes.io/hostname", "ScheduleAnyway"),
    "host anti-affinity": anti_affinity("kubernetes.io/hostname"),
    "too big for any node": {"overhead": {"cpu": "64"}},
}


def measure(pods: int, nodes: int, spec: Object) -> tuple[float, float, int]:
    decider, queue = Decider(), SchedulingQueue()
    for number in range(nodes):
        decider.ledger.put_node(node(number, is_tainted="tolerations" in spec))
    asked = [pod(number, spec) for number in range(pods)]
    started = time.process_time()
    longest, assigned = 0.0, 0
    for one in asked:
        queue.put(decider.candidate(one))
    while batch := queue.pop(BATCH, decider.are_alike, 0.0):
        took, done = timed(lambda chosen=batch: decide(decider, queue, chosen))  # type: ignore[misc]
        longest = max(longest, took)
        assigned += done
    return time.process_time() - started, longest, assigned


def decide(decider: Decider, queue: SchedulingQueue, batch: list[Candidate]) -> int:
    assigned = 0
    for outcome in decider.decide(batch):
        uid = outcome.candidate.pod.metadata.uid
        if isinstance(outcome, Assigned):
            assigned += 1
            queue.remove(uid)
        else:
            outcome.diagnosis.message()
            queue.refused(uid, 0.0, decider.waits_as(outcome.candidate.profile))
    return assigned


def timed(work: Callable[[], int]) -> tuple[float, int]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=5_000)
    chosen = parser.parse_args()
    print(f"{chosen.pods} pods on {chosen.nodes} nodes")
    print(f"{'':24}{'seconds':>10}{'pods/s':>10}{'placed':>10}{'batch ms':>10}")
    for name, spec in ROWS.items():
        seconds, longest, assigned = measure(chosen.pods, chosen.nodes, spec)
        rate = chosen.pods / seconds
        print(f"{name:24}{seconds:10.2f}{rate:10.0f}{assigned:10}{longest * 1000:10.1f}")


if __name__ == "__main__":
    main()
