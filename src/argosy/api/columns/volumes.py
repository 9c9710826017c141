"""Volumes, claims and the storage group."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from argosy.api.columns.formatting import NONE, UNSET, age, name_of, parts
from argosy.api.columns.printers import AGE, NAME, Printer, Printers, integer
from argosy.api.kinds import Column
from argosy.base.types import Json, Object

_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_DEFAULT_ANNOTATIONS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def _volume(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    claim = spec.get("claimRef")
    return [
        name_of(obj),
        (spec.get("capacity") or {}).get("storage", "0"),
        _modes(spec.get("accessModes") or ()),
        spec.get("persistentVolumeReclaimPolicy", ""),
        _phase(obj, status),
        "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}",
        _class_name(obj, spec),
        _or_unset(spec.get("volumeAttributesClassName")),
        status.get("reason", ""),
        age(obj, now),
        _or_unset(spec.get("volumeMode")),
    ]


def _claim(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    volume = spec.get("volumeName") or ""
    return [
        name_of(obj),
        _phase(obj, status),
        volume,
        (status.get("capacity") or {}).get("storage", "0") if volume else "",
        _modes(status.get("accessModes") or ()) if volume else "",
        _class_name(obj, spec),
        _or_unset(spec.get("volumeAttributesClassName")),
        age(obj, now),
        _or_unset(spec.get("volumeMode")),
    ]


def _phase(obj: Object, status: Object) -> str:
    return "Terminating" if obj["metadata"].get("deletionTimestamp") else status.get("phase") or ""


def _modes(modes: Iterable[str]) -> str:
    given = set(modes)
    return ",".join(short for mode, short in _MODES.items() if mode in given)


def _class_name(obj: Object, spec: Object) -> str:
    annotations: dict[str, str] = obj["metadata"].get("annotations") or {}
    return annotations.get(_CLASS_ANNOTATION) or spec.get("storageClassName") or ""


def _or_unset(value: str | None) -> str:
    return UNSET if value is None else value


def _storage_class(obj: Object, now: datetime) -> list[Json]:
    annotations: dict[str, str] = obj["metadata"].get("annotations") or {}
    is_default = any(annotations.get(key) == "true" for key in _DEFAULT_ANNOTATIONS)
    return [
        f"{name_of(obj)} (default)" if is_default else name_of(obj),
        obj.get("provisioner", ""),
        obj.get("reclaimPolicy") or "Delete",
        obj.get("volumeBindingMode") or "Immediate",
        bool(obj.get("allowVolumeExpansion")),
        age(obj, now),
    ]


def _attributes_class(obj: Object, now: datetime) -> list[Json]:
    return [name_of(obj), obj.get("driverName", ""), age(obj, now)]


def _attachment(obj: Object, now: datetime) -> list[Json]:
    spec, status = parts(obj)
    volume = (spec.get("source") or {}).get("persistentVolumeName") or ""
    return [
        name_of(obj),
        spec.get("attacher", ""),
        volume,
        spec.get("nodeName", ""),
        bool(status.get("attached")),
        age(obj, now),
    ]


def _csi_node(obj: Object, now: datetime) -> list[Json]:
    spec, _ = parts(obj)
    return [name_of(obj), len(spec.get("drivers") or ()), age(obj, now)]


def _csi_driver(obj: Object, now: datetime) -> list[Json]:
    spec, _ = parts(obj)
    requests = spec.get("tokenRequests")
    return [
        name_of(obj),
        spec.get("attachRequired", True),
        bool(spec.get("podInfoOnMount")),
        bool(spec.get("storageCapacity")),
        UNSET if requests is None else ",".join(r.get("audience", "") for r in requests),
        bool(spec.get("requiresRepublish")),
        ",".join(spec.get("volumeLifecycleModes") or ()) or NONE,
        age(obj, now),
    ]


def _boolean(name: str, description: str) -> Column:
    return Column(name, "boolean", description=description)


PRINTERS: Final[Printers] = {
    ("", "PersistentVolume"): Printer(
        (
            NAME,
            Column("Capacity", description="Size."),
            Column("Access Modes", description="How it can be mounted."),
            Column("Reclaim Policy", description="What happens to it after its claim."),
            Column("Status", description="Whether it is free, bound or released."),
            Column("Claim", description="Claim it is bound to."),
            Column("StorageClass", description="Class it belongs to."),
            Column("VolumeAttributesClass", description="Class of changeable attributes."),
            Column("Reason", description="Why it is in its status."),
            AGE,
            Column("VolumeMode", priority=1, description="Filesystem or Block."),
        ),
        _volume,
    ),
    ("", "PersistentVolumeClaim"): Printer(
        (
            NAME,
            Column("Status", description="Whether it is bound."),
            Column("Volume", description="Volume it is bound to."),
            Column("Capacity", description="Size it got."),
            Column("Access Modes", description="How it can be mounted."),
            Column("StorageClass", description="Class it asks for."),
            Column("VolumeAttributesClass", description="Class of changeable attributes."),
            AGE,
            Column("VolumeMode", priority=1, description="Filesystem or Block."),
        ),
        _claim,
    ),
    ("storage.k8s.io", "StorageClass"): Printer(
        (
            NAME,
            Column("Provisioner", description="Who makes volumes of this class."),
            Column("ReclaimPolicy", description="What happens to volumes after their claim."),
            Column("VolumeBindingMode", description="When volumes are bound."),
            Column("AllowVolumeExpansion", description="Whether claims may grow."),
            AGE,
        ),
        _storage_class,
    ),
    ("storage.k8s.io", "VolumeAttributesClass"): Printer(
        (NAME, Column("DriverName", description="Driver the attributes are for."), AGE),
        _attributes_class,
    ),
    ("storage.k8s.io", "VolumeAttachment"): Printer(
        (
            NAME,
            Column("Attacher", format="name", description="Driver that attaches."),
            Column("PV", description="Volume."),
            Column("Node", description="Node it is attached to."),
            _boolean("Attached", "Whether it is attached."),
            AGE,
        ),
        _attachment,
    ),
    ("storage.k8s.io", "CSINode"): Printer(
        (NAME, integer("Drivers", "Number of drivers on the node."), AGE), _csi_node
    ),
    ("storage.k8s.io", "CSIDriver"): Printer(
        (
            NAME,
            _boolean("AttachRequired", "Whether volumes are attached before they are mounted."),
            _boolean("PodInfoOnMount", "Whether the driver is told of the pod."),
            _boolean("StorageCapacity", "Whether scheduling looks at free capacity."),
            Column("TokenRequests", description="Audiences of tokens the driver gets."),
            _boolean("RequiresRepublish", "Whether mounts are refreshed."),
            Column("Modes", description="Lifecycles of volumes it supports."),
            AGE,
        ),
        _csi_driver,
    ),
}
