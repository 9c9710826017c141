"""`argosy list pods --for TYPE/NAME`: the pods of a job, whatever its kind, as `kubectl get pods` shows them.

Which labels a kind's controller puts on its pods is that kind's fact; the selectors are kueuectl's, and those of the
sets that have one of their own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Final

from argosy.api.columns.pods import PRINTERS
from argosy.api.kinds import Column
from argosy.base.types import Object
from argosy.cli import listing, naming, printing
from argosy.cli.connecting import CommandError, Session
from argosy.client.objects import decode
from argosy.client.resources import PODS

Selector = Callable[[Object], str]

_TRAINING: Final = "training.kubeflow.org"


def _named(label: str) -> Selector:
    return lambda job: f"{label}={job['metadata']['name']}"


def _training(operator: str) -> Selector:
    return lambda job: (
        f"{_TRAINING}/job-name={job['metadata']['name']},{_TRAINING}/operator-name={operator}"
    )


def _ray_job(job: Object) -> str:
    cluster = (job.get("status") or {}).get("rayClusterName")
    return f"ray.io/cluster={cluster}" if cluster else ""


def _own(job: Object) -> str:
    """The selector that the object has itself."""
    selector = (job.get("spec") or {}).get("selector") or {}
    parts = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    for one in selector.get("matchExpressions") or ():
        values = ",".join(one.get("values") or ())
        match one["operator"]:
            case "In":
                parts.append(f"{one['key']} in ({values})")
            case "NotIn":
                parts.append(f"{one['key']} notin ({values})")
            case "Exists":
                parts.append(one["key"])
            case "DoesNotExist":
                parts.append(f"!{one['key']}")
    return ",".join(parts)


# By group and kind.
SELECTORS: Final[Mapping[tuple[str, str], Selector]] = {
    ("batch", "Job"): _named("batch.kubernetes.io/job-name"),
    ("jobset.x-k8s.io", "JobSet"): _named("jobset.sigs.k8s.io/jobset-name"),
    ("trainer.kubeflow.org", "TrainJob"): _named("jobset.sigs.k8s.io/jobset-name"),
    ("leaderworkerset.x-k8s.io", "LeaderWorkerSet"): _named("leaderworkerset.sigs.k8s.io/name"),
    ("workload.codeflare.dev", "AppWrapper"): _named("workload.codeflare.dev/appwrapper"),
    ("ray.io", "RayCluster"): _named("ray.io/cluster"),
    ("ray.io", "RayJob"): _ray_job,
    ("kubeflow.org", "MPIJob"): _training("mpi-operator"),
    **{
        ("kubeflow.org", kind): _training(f"{kind.lower()}-controller")
        for kind in ("JAXJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")
    },
    **{
        ("apps", kind): _own for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
    },
}  # fmt: skip


async def pods(session: Session, parsed: argparse.Namespace) -> int:
    printing.check_output(parsed.output, (*printing.FORMATS, "wide"))
    kind, name = naming.split_name(
        parsed.owner,
        f"invalid value '{parsed.owner}' used in --for flag; value must be in the format TYPE[.API-GROUP]/NAME",
    )
    resource, job = await naming.find_object(
        session, kind, name, all_namespaces=parsed.all_namespaces
    )
    if job is None:
        return _none(session, parsed)
    selecting = SELECTORS.get((resource.group, resource.kind))
    selector = selecting(job) if selecting is not None else ""
    if not selector:
        raise CommandError(f"unsupported kind: {resource.kind}")
    found = await session.client.list_all(
        PODS,
        namespace=None if parsed.all_namespaces else session.namespace,
        label_selector=",".join(filter(None, (parsed.selector, selector))),
        field_selector=parsed.field_selector,
    )
    if parsed.output not in {"", "wide"}:
        listing.print_objects(PODS, found.items, found.revision, parsed)
    elif found.items:
        _print(session, [decode(raw) for raw in found.items], parsed)
    return 0 if found.items else _none(session, parsed)


def _print(session: Session, found: list[Object], parsed: argparse.Namespace) -> None:
    printer = PRINTERS["", "Pod"]

    def is_shown(column: Column) -> bool:
        return column.priority == 0 or parsed.output == "wide"

    head = [column.name.upper() for column in printer.columns if is_shown(column)]
    rows = [
        [
            str(cell)
            for column, cell in zip(printer.columns, printer.cells(pod, session.now), strict=True)
            if is_shown(column)
        ]
        for pod in found
    ]
    namespaces = [pod["metadata"]["namespace"] for pod in found]
    listing.print_rows(head, rows, namespaces if parsed.all_namespaces else None)


def _none(session: Session, parsed: argparse.Namespace) -> int:
    where = "." if parsed.all_namespaces else f" in {session.namespace} namespace."
    print(f"No resources found{where}", file=sys.stderr)
    return 0
