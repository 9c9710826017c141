"""Controllers that keep pods running: replication controllers and the apps group."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from argosy.api.columns.formatting import (
    NONE,
    age,
    container_cells,
    labels_text,
    name_of,
    parts,
    selector_text,
)
from argosy.api.columns.printers import (
    AGE,
    CONTAINERS,
    IMAGES,
    NAME,
    SELECTOR,
    Printer,
    Printers,
    integer,
)
from argosy.api.kinds import Column
from argosy.base.types import Json, Object


def _replication_controller(obj: Object, now: datetime) -> list[Json]:
    spec, _ = parts(obj)
    return [*_replicas(obj, now), labels_text(spec.get("selector"))]


def _replica_set(obj: Object, now: datetime) -> list[Json]:
    spec, _ = parts(obj)
    return [*_replicas(obj, now), selector_text(spec.get("selector")) or NONE]


def _replicas(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    return [
        name_of(obj),
        spec.get("replicas") or 0,
        status.get("replicas") or 0,
        status.get("readyReplicas") or 0,
        age(obj, now),
        *container_cells(spec.get("template")),
    ]


def _deployment(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    return [
        name_of(obj),
        f"{status.get('readyReplicas') or 0}/{spec.get('replicas') or 0}",
        status.get("updatedReplicas") or 0,
        status.get("availableReplicas") or 0,
        age(obj, now),
        *container_cells(spec.get("template")),
        selector_text(spec.get("selector")),
    ]


def _stateful_set(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    ready = f"{status.get('readyReplicas') or 0}/{spec.get('replicas') or 0}"
    return [name_of(obj), ready, age(obj, now), *container_cells(spec.get("template"))]


def _daemon_set(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    template = spec.get("template") or {}
    return [
        name_of(obj),
        status.get("desiredNumberScheduled") or 0,
        status.get("currentNumberScheduled") or 0,
        status.get("numberReady") or 0,
        status.get("updatedNumberScheduled") or 0,
        status.get("numberAvailable") or 0,
        labels_text((template.get("spec") or {}).get("nodeSelector")),
        age(obj, now),
        *container_cells(template),
        selector_text(spec.get("selector")) or NONE,
    ]


def _controller_revision(obj: Object, now: datetime) -> list[Json]:
    owners = obj["metadata"].get("ownerReferences") or ()
    owner = next((owner for owner in owners if owner.get("controller")), None)
    controller = NONE
    if owner is not None:
        group, _, _ = owner["apiVersion"].rpartition("/")
        kind = owner["kind"].lower()
        controller = f"{kind}.{group}/{owner['name']}" if group else f"{kind}/{owner['name']}"
    return [name_of(obj), controller, obj.get("revision") or 0, age(obj, now)]


_REPLICA_COLUMNS: Final = (
    NAME,
    integer("Desired", "Pods that should exist."),
    integer("Current", "Pods that exist."),
    integer("Ready", "Pods that are ready."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
)

PRINTERS: Final[Printers] = {
    ("", "ReplicationController"): Printer(_REPLICA_COLUMNS, _replication_controller),
    ("apps", "ReplicaSet"): Printer(_REPLICA_COLUMNS, _replica_set),
    ("apps", "Deployment"): Printer(
        (
            NAME,
            Column("Ready", description="Pods that are ready, of those that should exist."),
            Column("Up-to-date", description="Pods of the newest template."),
            Column("Available", description="Pods ready for at least minReadySeconds."),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ),
        _deployment,
    ),
    ("apps", "StatefulSet"): Printer(
        (
            NAME,
            Column("Ready", description="Pods that are ready, of those that should exist."),
            AGE,
            CONTAINERS,
            IMAGES,
        ),
        _stateful_set,
    ),
    ("apps", "DaemonSet"): Printer(
        (
            NAME,
            integer("Desired", "Nodes that should run the pod."),
            integer("Current", "Nodes that should and do run it."),
            integer("Ready", "Nodes where the pod is ready."),
            integer("Up-to-date", "Nodes that run the newest template."),
            integer("Available", "Nodes where the pod is available."),
            Column("Node Selector", description="Labels of the nodes that are meant."),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ),
        _daemon_set,
    ),
    ("apps", "ControllerRevision"): Printer(
        (
            NAME,
            Column("Controller", description="The object whose past this is."),
            Column("Revision", description="Number of the revision."),
            AGE,
        ),
        _controller_revision,
    ),
}
