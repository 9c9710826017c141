"""What of an object stays on the hub when it is passed on: whatever this cluster's server has put in.

Labels, finalizers and annotations go along, but for those of kubectl and of Deployments, and how long the hub keeps a
job after its end: that is the hub's matter, and said of an ended job it must not make it run again. A Service leaves
the addresses and ports it was given. A Job whose selector the server made leaves the labels with its uid, because the
member's server makes its own; its selector stays as an empty one, as upstream has it.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects.history import KEEP
from argosy.base.types import Json, Object

_METADATA: Final = (
    "resourceVersion",
    "generation",
    "uid",
    "selfLink",
    "deletionTimestamp",
    "managedFields",
    "ownerReferences",
    "creationTimestamp",
)
_ANNOTATIONS: Final = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "deployment.kubernetes.io/revision",
    KEEP,
)
_JOB_LABELS: Final = ("controller-uid", "batch.kubernetes.io/controller-uid")


def sanitize(obj: Object) -> None:
    """Strip a freshly decoded object, in place."""
    meta = _object(obj, "metadata")
    _without(meta, _METADATA)
    annotations = _object(meta, "annotations")
    _without(annotations, _ANNOTATIONS)
    if not annotations:
        meta.pop("annotations", None)
    obj.pop("status", None)
    match obj.get("apiVersion"), obj.get("kind"):
        case "v1", "Service":
            _sanitize_service(_object(obj, "spec"))
        case "batch/v1", "Job":
            _sanitize_job(_object(obj, "spec"))


def _sanitize_service(spec: Object) -> None:
    if spec.get("clusterIP") not in {None, "None"}:
        _without(spec, ("clusterIP", "clusterIPs"))
    spec.pop("healthCheckNodePort", None)
    for port in spec.get("ports") or ():
        port.pop("nodePort", None)


def _sanitize_job(spec: Object) -> None:
    if spec.get("manualSelector") is True:
        return
    _without(_object(_object(spec, "selector"), "matchLabels"), _JOB_LABELS)
    meta = _object(_object(spec, "template"), "metadata")
    meta.pop("creationTimestamp", None)
    _without(_object(meta, "labels"), _JOB_LABELS)


def _object(parent: Object, name: str) -> Object:
    """The object in a field; an empty one, which belongs to nobody, where there is none."""
    found: Json = parent.get(name)
    return found if isinstance(found, dict) else {}


def _without(fields: Object, names: tuple[str, ...]) -> None:
    for name in names:
        fields.pop(name, None)
