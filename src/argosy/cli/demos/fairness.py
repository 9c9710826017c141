"""The talk "Multitenancy and Fairness at Scale with Kueue", told with running jobs: a lab of three tenants, and what
becomes of it in a company.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from argosy.cli.demos import examples
from argosy.cli.demos.steps import Run, Say, Step, Story, Until

if TYPE_CHECKING:
    from argosy.sdk import Fleet

_CLUSTER: Final = "cluster-3"
_GPU: Final = "acme.com/gpu"
_ON: Final = f"--context {_CLUSTER}"
_TREE: Final = Run(
    f"argosy queue tree {_ON}",
    columns=(
        "NAME",
        "NOMINAL",
        "SUBTREE",
        "USED",
        "BORROWED",
        "FREE",
        "WEIGHT",
        "SHARE",
        "PENDING",
    ),
)


def _submit(tenant: str, first: int, last: int) -> Run:
    """Jobs of one accelerator each."""
    return Run(
        f'for n in $(seq {first} {last}); do sed "s/TENANT/{tenant}/g; s/NUMBER/$n/g" '
        "{examples}/job.yaml; done | kubectl apply -f - | tail -1"
    )


def _why(tenant: str) -> Run:
    """Of one that waits."""
    return Run(
        f"argosy why -n lab {_ON} "
        f"workload/$(argosy list workloads -n lab {_ON} -q {tenant} --status pending -o name | tail -1 | cut -d/ -f2)"
        " | sed '/^HELD BY/,$d'"
    )


def using(**wanted: int) -> Callable[[Fleet], str]:
    """Who does not use so many accelerators yet."""

    def lacks(fleet: Fleet) -> str:
        used = {
            queue.name.removesuffix("-queue"): sum(
                use.used for use in queue.uses if use.resource == _GPU
            )
            for queue in fleet.queues()
            if queue.cluster == _CLUSTER
        }
        return ", ".join(
            f"{name} uses {used.get(name, 0):g} of {want}"
            for name, want in wanted.items()
            if used.get(name) != want
        )

    return lacks


STORY: Final = Story(
    name="fairness",
    title="Tenants that share a cluster: quotas, borrowing, fair sharing, preemption, organizations.",
    namespace="lab",
    up=("--queueing-config", str(examples.folder("fairness") / "configuration.yaml")),
    steps=(
        Step(
            "A lab with 24 accelerators for three tenants",
            "Bob, Alice and Carol have a ClusterQueue each, with 8 accelerators for sure. The queues are of one "
            "cohort, so that what one does not use the others may borrow. Everything is created on the hub and placed "
            f"on {_CLUSTER}, which gets machines for it.",
            (
                Run(f"kubectl {_ON} apply -f {{examples}}/1-nodes.yaml"),
                Run("kubectl apply -f {examples}/2-lab.yaml -f {examples}/3-placements.yaml"),
                Run(
                    "kubectl wait rp/queues -n lab --for=condition=ResourcePlacementAvailable --timeout=60s"
                ),
                Until("the tenants have their queues", using(bob=0, alice=0, carol=0)),
                _TREE,
            ),
        ),
        Step(
            "Bob is alone, and uses everything",
            "24 jobs of one accelerator each. 8 are Bob's own, 16 he borrows: nothing is left idle.",
            (
                _submit("bob", 1, 24),
                Until("Bob uses all 24", using(bob=24)),
                _TREE,
            ),
        ),
        Step(
            "Alice comes, and Bob is preempted",
            "Alice submits 24 jobs, too. Her own 8 she gets in any case. What is idle, Carol's 8, is shared by weight: "
            "share = borrowed / (sum of quotas x weight), and whoever has the highest share gives first. Alice weighs "
            "2, Bob 1.",
            (
                _submit("alice", 1, 24),
                Until("their shares of what is idle are fair", using(bob=11, alice=13)),
                _TREE,
                Say(
                    "Bob borrows 3 and Alice 5: his 3/24 by weight 1 and her 5/24 by weight 2 are as near as they can "
                    "be. His youngest jobs went back into the line. Why one of them waits:"
                ),
                _why("bob"),
            ),
        ),
        Step(
            "Carol takes back what is hers",
            "A quota is a guarantee: Carol's 8 jobs run at once, and those who borrowed her accelerators give them "
            "back.",
            (
                _submit("carol", 1, 8),
                Until("everybody has the 8 that are theirs", using(bob=8, alice=8, carol=8)),
                _TREE,
            ),
        ),
        Step(
            "The lab becomes part of a company",
            "Cohorts have parents. ai-inc has two organizations: the lab, and ai-innovators with 12 accelerators for "
            "all of its teams. Dave's team has none of its own, and submits 16 jobs.",
            (
                Run("kubectl apply -f {examples}/4-organization.yaml"),
                Run(
                    "kubectl wait rp/organization-queues -n lab --for=condition=ResourcePlacementAvailable "
                    "--timeout=60s"
                ),
                _submit("dave", 1, 16),
                Until(
                    "Dave uses what his organization has",
                    using(dave=12, bob=8, alice=8, carol=8),
                ),
                _TREE,
            ),
        ),
        Step(
            "What an organization does not use, it uses itself first",
            "Carol deletes her jobs. 8 accelerators of the lab are idle, and Bob, Alice and Dave all have jobs in "
            "line. Bob and Alice get them, though Dave's organization has three times the weight: they borrow within "
            "the lab, which takes nothing from anybody.",
            (
                Run("kubectl delete jobs -n lab -l tenant=carol | tail -1"),
                Until("the lab uses its 24 again", using(dave=12, bob=11, alice=13, carol=0)),
                _TREE,
                _why("dave"),
            ),
        ),
    ),
    next=(
        ("argosy up --queueing-config FILE", "a fleet with fair sharing"),
        ("argosy queue tree --context cluster-3", "quotas, usage and shares, level by level"),
        (
            "argosy why job/NAME -n lab --context cluster-3",
            "what it waits for, and what would help",
        ),
        ("argosy demo burst", "200 jobs over all clusters"),
    ),
)
