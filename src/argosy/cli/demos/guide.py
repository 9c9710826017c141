"""The user's guide "Scheduling AI Jobs with Kueue and Placement", its steps 1 to 7 and what it says to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from argosy.cli.demos.steps import Run, Say, Step, Story, Until

if TYPE_CHECKING:
    from argosy.sdk import Fleet

NAMESPACE: Final = "compute-jobs"
JOBS: Final = ("mock-workload", "model-evaluation")
_NS: Final = f"-n {NAMESPACE}"
# Of `argosy queue tree`, as many as fit into 100 columns.
TREE: Final = (
    "NAME",
    "RESOURCE",
    "NOMINAL",
    "USED",
    "BORROWED",
    "FREE",
    "WEIGHT",
    "SHARE",
    "PENDING",
)
_ON: Final = "--context {cluster:mock-workload}"


def reported(fleet: Fleet) -> str:
    """Which members have not said yet what they have."""
    silent = [each.name for each in fleet.clusters() if not each.cpu.available]
    return ", ".join(silent)


def _not_running(fleet: Fleet) -> str:
    """Which jobs have no cluster, or have not been started there by their queue."""
    from argosy.sdk import JobState

    early = {JobState.RUNNING, JobState.COMPLETE}
    found = {each.name: each for each in fleet.jobs(NAMESPACE)}
    return ", ".join(
        f"{name} is {found[name].state}" if name in found else f"{name} is not there"
        for name in JOBS
        if name not in found or found[name].state not in early
    )


STORY: Final = Story(
    name="guide",
    title="From an empty fleet to finished AI jobs: the guide, step by step, with the commands as they run.",
    namespace=NAMESPACE,
    steps=(
        Step(
            "Guide, steps 1 to 3: ResourceFlavor, ClusterQueue, Namespace",
            "What every cluster needs before it can queue jobs: a kind of resource, a quota of 32 CPUs and 128Gi, and "
            "a namespace. They are created on the hub, where they do nothing yet. (The guide writes v1beta1; the "
            "warning that this version is old is Kueue's own.)",
            (Run("kubectl apply -f {examples}/1-queues.yaml"),),
        ),
        Step(
            "Guide, step 4: a ClusterResourcePlacement takes them to every cluster",
            "PickAll means all members, NamespaceOnly the namespace without what is in it.",
            (
                Run("kubectl apply -f {examples}/2-everywhere.yaml"),
                Run(
                    "kubectl wait crp/sample-kueue --for=condition=ClusterResourcePlacementAvailable --timeout=60s"
                ),
                Run(
                    "kubectl describe crp sample-kueue | sed -n '/^  Conditions:/,/^  Observed/p' | "
                    "grep -E 'Message:|Type:'"
                ),
                Say("It is done where these are there, on any member:"),
                Run("kubectl --context cluster-2 get resourceflavor default-flavor"),
                Run("kubectl --context cluster-2 get clusterqueue cluster-queue"),
                Run("kubectl --context cluster-2 get ns compute-jobs"),
            ),
        ),
        Step(
            "Guide, steps 5 and 6: a LocalQueue and two jobs",
            "The jobs are suspended and name their queue. On the hub nobody runs them: it is where things are placed "
            "from.",
            (
                Run("kubectl apply -f {examples}/3-jobs.yaml"),
                Run(
                    f"kubectl get jobs {_NS} -o custom-columns=NAME:.metadata.name,SUSPENDED:.spec.suspend"
                ),
            ),
        ),
        Step(
            "The clusters say what they have",
            "Every member's agent reports nodes, free CPU and memory to the hub. Placements choose by that.",
            (
                Until("all members have reported", reported),
                Run("kubectl get memberclusters"),
            ),
        ),
        Step(
            "Guide, step 7: three ResourcePlacements",
            "The LocalQueue goes to all clusters. Each job goes to one: 40 points for the most free CPU, 30 for the "
            "most free memory. There the queue admits it, and takes `suspend` away.",
            (
                Run("kubectl apply -f {examples}/4-placements.yaml"),
                Run(
                    f"kubectl wait rp/queue-placement {_NS} --for=condition=ResourcePlacementAvailable --timeout=60s"
                ),
                Until("the jobs run", _not_running),
                Run(f"kubectl get resourceplacements {_NS}"),
                Run(f"kubectl {_ON} get jobs,pods {_NS}"),
            ),
        ),
        Step(
            "Where the jobs are, cluster by cluster",
            "The guide's loop over all contexts, and the queue on the member that has the jobs. The jobs take half a "
            "minute; nodes are simulated, and a `sleep` takes as long as it says.",
            (
                Run(
                    'for ctx in $(kubectl config get-contexts -o name); do echo "=== Cluster: $ctx ==="; '
                    f"kubectl --context $ctx get jobs {_NS}; done"
                ),
                Run(f"kubectl {_ON} get localqueue local-queue {_NS}"),
                Run(f"kubectl {_ON} get clusterqueue cluster-queue -o wide"),
                Run(f"kubectl {_ON} get workloads {_NS}"),
            ),
        ),
        Step(
            "The job runs, and its placement reads Applied: False",
            "These placements say `whenToApply: IfNotDrifted`: what somebody changed on the member is reported and "
            "left alone. The queue has changed the job: it started it.",
            (
                Run(
                    f"kubectl wait rp/job1-placement {_NS} --for=condition=ResourcePlacementApplied=false --timeout=60s"
                ),
                Run(
                    f"kubectl describe rp job1-placement {_NS} | sed -n '/Observed Drifts:/,/Target Cluster/p'"
                ),
                Say(
                    "`suspend` is true on the hub and false on the member: that is the queue at work. The uids in "
                    "selector and labels are made up by the member's API server. So this drift means: the job was "
                    "taken over by its queue. Nothing is to be repaired, and the events say that the rollout is "
                    "complete:"
                ),
                Run(f"kubectl describe rp job1-placement {_NS} | grep -A 9 '^Events:'"),
                Say(
                    "Argosy can tell the same in words, with the scores of all clusters. (Placements with the "
                    "annotation argosy.dev/queue-managed=ignore do not count what a queue changes as drift.)"
                ),
                Run(f"argosy why rp/job1-placement {_NS} | sed -n '/^Clusters:/,/^$/p'"),
                Run(f"argosy queue tree {_ON}", columns=TREE),
            ),
        ),
        Step(
            "Logs, while it runs",
            "Followed on the cluster that has the job, until it ends.",
            (Run(f"kubectl {_ON} logs -f job/mock-workload {_NS}", seconds=120),),
        ),
        Step(
            "How the jobs ended, seen from the hub",
            "A placement has one condition more than KubeFleet's, Finished: what became of the job, with the numbers "
            "of its pods. `kubectl wait` can wait for it.",
            (
                Run(
                    f"kubectl wait rp/job1-placement rp/job2-placement {_NS} "
                    "--for=condition=ResourcePlacementFinished --timeout=120s",
                    seconds=130,
                ),
                Run(
                    f"kubectl describe rp job1-placement job2-placement {_NS} | "
                    "grep -E '^    Message: +Job .*succeeded'"
                ),
                Run(f"kubectl {_ON} get jobs {_NS}"),
                Run(f"argosy jobs {_NS}"),
            ),
        ),
    ),
    next=(
        ("kubectl apply -f {examples}", "the same once more, all at once"),
        ("argosy submit FILE --queue local-queue --follow", "a job and its placement in one step"),
        ("argosy logs mock-workload -n compute-jobs", "finds the cluster by itself"),
        ("argosy status", "the fleet, its processes and clusters"),
        ("argosy demo fairness", "borrowing, fair sharing, preemption"),
        ("argosy demo burst", "200 jobs over all clusters"),
    ),
)
