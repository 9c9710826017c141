"""The command line of what a queue admin does: list, create, stop, resume, delete, queue tree, why.

Verbs, kinds, flags and their short forms are kueuectl's, and what it has not is in their manner.
"""

from __future__ import annotations

import argparse

from argosy.cli import flags
from argosy.cli.flags import (
    CLUSTER_QUEUE,
    COHORT,
    LOCAL_QUEUE,
    RESOURCE_FLAVOR,
    WORKLOAD,
    Commands,
    add_command,
    add_passed,
    add_verb,
)


def add_commands(commands: Commands) -> None:
    _add_list(commands)
    _add_create(commands)
    _add_stop(commands)
    _add_delete(commands)
    _add_tree(commands)
    _add_placements(commands)
    _add_why(commands)
    for verb in ("get", "describe", "edit", "patch"):
        flags.add_passed_verb(commands, verb)


def _add_list(commands: Commands) -> None:
    kinds = add_verb(commands, "list", "List queues, workloads, flavors, cohorts, pods of a job.")

    def listed(
        names: tuple[str, ...], summary: str, coroutine: str, module: str = "listing"
    ) -> argparse.ArgumentParser:
        parser = add_command(kinds, names, summary, module, coroutine)
        flags.add_output(parser)
        parser.add_argument("-l", "--selector", default="", metavar="LABELS", help="by labels")
        parser.add_argument("--field-selector", default="", metavar="FIELDS", help="by fields")
        return parser

    queues = listed(CLUSTER_QUEUE, "List ClusterQueues.", "cluster_queues")
    queues.add_argument(
        "--active", action="append", default=[], metavar="BOOL", help="true: active; false: others"
    )
    local = listed(LOCAL_QUEUE, "List LocalQueues.", "local_queues")
    flags.add_all_namespaces(local)
    local.add_argument("-c", "--clusterqueue", default="", metavar="NAME", help="of this one")
    listed(RESOURCE_FLAVOR, "List ResourceFlavors.", "resource_flavors")
    listed(COHORT, "List Cohorts.", "cohorts")
    _add_workload_filters(listed(WORKLOAD, "List Workloads.", "workloads", "workloads"))
    pods = listed(("pods", "pod", "po"), "List the pods of a job.", "pods", "pods")
    flags.add_all_namespaces(pods)
    pods.add_argument(
        "--for", dest="owner", required=True, metavar="TYPE[.GROUP]/NAME", help="the job"
    )


def _add_workload_filters(parser: argparse.ArgumentParser) -> None:
    flags.add_all_namespaces(parser)
    parser.add_argument("-c", "--clusterqueue", default="", metavar="NAME", help="admitted there")
    parser.add_argument("-q", "--localqueue", default="", metavar="NAME", help="of this one")
    parser.add_argument(
        "--status",
        action="append",
        default=[],
        metavar="STATUS",
        help="all, pending, quotareserved, admitted, finished; may be repeated",
    )
    parser.add_argument(
        "--for", dest="owner", default="", metavar="TYPE[.GROUP]/NAME", help="of this job"
    )


def _add_create(commands: Commands) -> None:
    kinds = add_verb(commands, "create", "Create a queue, flavor or cohort.")

    def created(names: tuple[str, ...], summary: str, coroutine: str) -> argparse.ArgumentParser:
        parser = add_command(kinds, names, summary, "creating", coroutine)
        parser.add_argument("name", metavar="NAME")
        flags.add_output(parser)
        flags.add_dry_run(parser)
        return parser

    _add_queue_flags(created(CLUSTER_QUEUE, "Create a ClusterQueue.", "cluster_queue"))
    local = created(LOCAL_QUEUE, "Create a LocalQueue.", "local_queue")
    local.add_argument(
        "-c", "--clusterqueue", required=True, metavar="NAME", help="its ClusterQueue"
    )
    local.add_argument(
        "-i", "--ignore-unknown-cq", action="store_true", help="even if there is no such one"
    )
    flavor = created(RESOURCE_FLAVOR, "Create a ResourceFlavor.", "resource_flavor")
    for name, form, text in (
        ("--node-labels", "KEY=VALUE", "labels of its nodes"),
        ("--node-taints", "KEY[=VALUE]:EFFECT", "taints of its nodes"),
        ("--tolerations", "KEY[=VALUE][:EFFECT]", "tolerations that its pods get"),
    ):
        flavor.add_argument(name, action="append", default=[], metavar=form, help=text)
    cohort = created(COHORT, "Create a Cohort.", "cohort")
    cohort.add_argument("--parent", default="", metavar="NAME", help="the cohort above it")
    cohort.add_argument("--weight", default="", metavar="NUMBER", help="weight in fair sharing")
    _add_quotas(cohort)


def _add_queue_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cohort", default="", metavar="NAME", help="the cohort it belongs to")
    parser.add_argument(
        "--namespace-selector",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="labels of namespaces that may submit (default: all namespaces)",
    )
    for name, default, text in (
        ("--queuing-strategy", "BestEffortFIFO", "BestEffortFIFO or StrictFIFO"),
        ("--reclaim-within-cohort", "Never", "Never, LowerPriority or Any"),
        (
            "--preemption-within-cluster-queue",
            "Never",
            "Never, LowerPriority or LowerOrNewerEqualPriority",
        ),
    ):
        parser.add_argument(name, default=default, metavar="POLICY", help=text)
    _add_quotas(parser)


def _add_quotas(parser: argparse.ArgumentParser) -> None:
    form = "FLAVOR:RESOURCE=QUANTITY[;...]"
    for name, text in (
        ("--nominal-quota", "what it has"),
        ("--borrowing-limit", "what it may borrow at most"),
        ("--lending-limit", "what it lends at most"),
    ):
        parser.add_argument(name, action="append", default=[], metavar=form, help=text)


def _add_stop(commands: Commands) -> None:
    for verb, summary in (
        ("stop", "Hold a Workload, ClusterQueue or LocalQueue."),
        ("resume", "Let a held Workload, ClusterQueue or LocalQueue go on."),
    ):
        kinds = add_verb(commands, verb, summary)
        for names, what in (
            (WORKLOAD, "workload"),
            (CLUSTER_QUEUE, "cluster_queue"),
            (LOCAL_QUEUE, "local_queue"),
        ):
            parser = add_command(
                kinds, names, f"{verb.capitalize()} one.", "stopping", f"{verb}_{what}"
            )
            parser.add_argument("name", metavar="NAME")
            flags.add_output(parser)
            flags.add_dry_run(parser)
            if verb == "stop" and names is not WORKLOAD:
                parser.add_argument(
                    "--keep-already-running", action="store_true", help="let what is admitted end"
                )


def _add_delete(commands: Commands) -> None:
    kinds = add_verb(
        commands, "delete", "Delete Workloads with their jobs; others as kubectl does."
    )
    summary = "Delete Workloads and the jobs they belong to; asks first."
    parser = add_command(kinds, WORKLOAD, summary, "deleting", "workloads")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument("--all", action="store_true", help="all of the namespace")
    flags.add_all_namespaces(parser)
    flags.add_dry_run(parser)
    for names in (CLUSTER_QUEUE, LOCAL_QUEUE, RESOURCE_FLAVOR, COHORT):
        add_passed(kinds, names, "delete")


def _add_tree(commands: Commands) -> None:
    kinds = add_verb(commands, "queue", "Look at all queues of a cluster together.")
    summary = "Print cohorts and ClusterQueues with their quota, usage, weights and shares."
    tree = add_command(kinds, ("tree",), summary, "trees", "tree")
    tree.add_argument(
        "name", nargs="?", default="", metavar="NAME", help="only the tree this one is in"
    )
    flags.add_document(tree)


def _add_placements(commands: Commands) -> None:
    kinds = add_verb(commands, "placement", "Look at a placement and all that came of it.")
    summary = (
        "Print a placement with its snapshots, bindings, Works and objects, and how each stands."
    )
    tree = add_command(kinds, ("tree",), summary, "placements", "show_tree")
    tree.add_argument(
        "name",
        metavar="NAME",
        help="of a ResourcePlacement or ClusterResourcePlacement; rp/NAME, crp/NAME",
    )
    flags.add_document(tree)


def _add_why(commands: Commands) -> None:
    summary = (
        "Say why a workload waits or a placement is not where it should be, and what would help."
    )
    parser = add_command(commands, ("why",), summary, "whys", "why")
    parser.add_argument(
        "what",
        nargs="+",
        metavar="TYPE/NAME",
        help="workload/x, a job of any kind (job/x), crp/x, rp/x",
    )
    flags.add_document(parser)
