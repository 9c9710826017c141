"""Examples of every verb, as people type them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

EXAMPLES: Final[Mapping[str, tuple[str, ...]]] = {
    "submit": (
        "argosy submit job.yaml                              to the cluster with the most room",
        "argosy submit job.yaml -q team-a --follow           wait in a queue, and see it through",
        "argosy submit job.yaml --prefer cheapest --dry-run  only tell where it would go",
        "argosy submit job.yaml --prefer region=eu-west",
        "generate-jobs | argosy submit - -o name             many jobs, one after the other",
    ),
    "jobs": (
        "argosy jobs -A                        all jobs of the fleet",
        "argosy jobs --active --sort-by wait   who waits longest",
        "argosy jobs --cluster cluster-2 --state Running -o wide",
        "argosy jobs -w                        a line for each that changes",
        "argosy jobs -A -o json | jq '.jobs[] | select(.state == \"Failed\")'",
    ),
    "logs": (
        "argosy logs train                     of all its pods, on whichever clusters",
        "argosy logs -f train                  from its start to its end",
        "argosy logs train --tail 20 --timestamps",
        "argosy logs rayjob/train -c head",
    ),
    "cancel": (
        "argosy cancel train                   job and placement, wherever it runs",
        "argosy cancel train-1 train-2 --wait  and wait until nothing is left of them",
    ),
    "events": (
        "argosy events -A                      of the hub and every member",
        "argosy events --for job/train         of a job, its placement, Workload and pods",
        "argosy events -A --types Warning -f   warnings, as they come",
    ),
    "top": (
        "argosy top                            a live screen; q quits, tab shows one part",
        "argosy top jobs                       jobs alone, from those that run to those that ended",
        "argosy top --once | less              everything, once",
        "argosy top clusters -o json | jq '.clusters[] | select(.isReachable | not)'",
    ),
    "demo": (
        "argosy demo                           a fleet, queues, two jobs, and what became of them",
        "argosy demo fairness",
        "argosy demo burst",
    ),
    "why": (
        "argosy why job/train                  where it was placed, why it waits, what would help",
        "argosy why rp/train-placement         of a placement",
        "argosy why workload/job-train-1a2b3 --context cluster-1",
    ),
    "up": (
        "argosy up                             a hub and three members, until Ctrl-C",
        "argosy up --detach --members 5        in the background",
        "argosy up --memory                    nothing survives the end",
    ),
    "down": ("argosy down", "argosy down --timeout 5s --force"),
    "status": ("argosy status", "argosy status -o json"),
    "reset": ("argosy down && argosy reset --yes",),
    "hub": ("argosy hub --kubeconfig ~/.kube/config --context hub",),
    "member": ("argosy member cluster-1 --hub-kubeconfig hub.yaml --kubeconfig cluster-1.yaml",),
    "serve": (
        "argosy serve --state ./one --kubeconfig ./one.yaml",
        "argosy serve --memory --kubeconfig ./one.yaml",
    ),
    "simulate": (
        "argosy simulate small",
        "argosy simulate tenants --until 1d --seed 7 --out monday",
    ),
    "crds": ("argosy crds | kubectl apply -f -", "argosy crds clusterqueues localqueues"),
    "list": (
        "argosy list clusterqueue --context cluster-1",
        "argosy list workload -A --status pending --context cluster-1",
        "argosy list pods --for job/train --context cluster-1",
    ),
    "create": (
        "argosy create clusterqueue team-a --nominal-quota 'default:cpu=8;memory=32Gi'",
        "argosy create localqueue main -c team-a -n research",
    ),
    "stop": ("argosy stop clusterqueue team-a --keep-already-running", "argosy stop workload w"),
    "resume": ("argosy resume clusterqueue team-a",),
    "delete": ("argosy delete workload job-train-1a2b3 --yes", "argosy delete clusterqueue team-a"),
    "queue": ("argosy queue tree --context cluster-1", "argosy queue tree lab -o json"),
    "placement": ("argosy placement tree rp/train-placement -n research",),
    "approve": ("argosy approve clusterapprovalrequest run-prod",),
    "drain": ("argosy drain cluster cluster-2",),
    "uncordon": ("argosy uncordon cluster cluster-2",),
    "completion": (
        "source <(argosy completion bash)                             for this shell",
        "argosy completion zsh > ~/.zfunc/_argosy                     with ~/.zfunc in fpath",
        "argosy completion fish > ~/.config/fish/completions/argosy.fish",
    ),
    "get": (
        "argosy get memberclusters             on the hub",
        "argosy get pods -A --cluster cluster-2",
    ),
    "describe": (
        "argosy describe job/train             on the hub, and on the clusters where it runs",
        "argosy describe node n-1 --cluster cluster-2",
    ),
    "edit": ("argosy edit clusterqueue team-a --cluster cluster-1",),
    "patch": (
        'argosy patch clusterqueue team-a --type merge -p \'{"spec":{"cohortName":"lab"}}\'',
    ),
}
