"""What a queue on the member owns in a job, for placements that say `argosy.dev/queue-managed: ignore`.

A queue suspends and starts a job, puts the node labels, tolerations and gates of the flavors it chose into the pod
templates, and marks them; the Job controller makes up a selector and its labels. To upstream all of that is drift, and
with `whenToApply: Always` it is put back, which suspends a running job. Here the manifest is taken as if it said, in
these fields, what the member says: so they never differ, and writing it changes none of them. A manifest that is not
there yet is written whole, suspended as the user wants it to be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.base.types import Json, Object

IGNORE: Final = "ignore"

_KUBEFLOW: Final = ("PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob", "MPIJob")
_KINDS: Final = frozenset(
    {
        ("batch", "Job"),
        ("", "Pod"),
        ("ray.io", "RayJob"),
        ("ray.io", "RayCluster"),
        ("jobset.x-k8s.io", "JobSet"),
        *(("kubeflow.org", kind) for kind in _KUBEFLOW),
    }
)
_POD_FIELDS: Final = ("nodeSelector", "tolerations", "schedulingGates")
# With it Kueue may start a Job with fewer pods than it asks for.
_PARTIAL: Final = "kueue.x-k8s.io/job-min-parallelism"
_MISSING: Final = object()


def as_the_queue_has_it(manifest: Object, live: Object | None) -> Object:
    """The manifest with the fields a queue owns as they are on the member."""
    group = str(manifest.get("apiVersion", "")).rpartition("/")[0]
    if live is None or (group, manifest.get("kind")) not in _KINDS:
        return manifest
    out = _with_marks(manifest, live, _is_uid)
    spec, theirs = _mapping(manifest.get("spec")), _mapping(live.get("spec"))
    out["spec"] = _pods(_switches(manifest, spec, theirs), theirs)
    return out


def _switches(manifest: Object, spec: Object, live: Object) -> Object:
    fields = ["suspend"]
    if manifest.get("kind") == "Job":
        fields += ["selector", "manualSelector"]
        if _PARTIAL in _mapping(_mapping(manifest.get("metadata")).get("annotations")):
            fields += ["parallelism", "completions"]
    out = _taken(spec, live, tuple(fields))
    if isinstance(spec.get("runPolicy"), dict):
        policy = _taken(spec["runPolicy"], _mapping(live.get("runPolicy")), ("suspend",))
        out = {**out, "runPolicy": policy}
    return out


def _pods(ours: Json, live: Json) -> Json:
    """Every pod template in `ours`, however deep, with the nodes and marks it has on the member."""
    if isinstance(ours, list) and isinstance(live, list):
        return [
            _pods(each, live[place]) if place < len(live) else each
            for place, each in enumerate(ours)
        ]
    if not isinstance(ours, dict) or not isinstance(live, dict):
        return ours
    if isinstance(ours.get("containers"), list):
        return _taken(ours, live, _POD_FIELDS)
    out = {key: _pods(value, live.get(key)) for key, value in ours.items()}
    is_template = isinstance(ours.get("spec"), dict) and "containers" in ours["spec"]
    return _with_marks(out, live, _is_mark) if is_template else out


def _with_marks(ours: Object, live: Object, is_mark: Callable[[str], bool]) -> Object:
    """With these labels and annotations as the member has them."""
    meta, theirs = _mapping(ours.get("metadata")), _mapping(live.get("metadata"))
    changed = dict(meta)
    for field in ("labels", "annotations"):
        mine, other = _mapping(meta.get(field)), _mapping(theirs.get(field))
        kept = {key: value for key, value in mine.items() if not is_mark(key)}
        kept |= {key: value for key, value in other.items() if is_mark(key)}
        if kept or field in meta:
            changed[field] = kept
    return {**ours, "metadata": changed} if changed or "metadata" in ours else dict(ours)


def _is_uid(key: str) -> bool:
    return key.rpartition("/")[2] == "controller-uid"


def _is_mark(key: str) -> bool:
    """Of a pod template; a job's own queue and priority are its user's."""
    return _is_uid(key) or key.startswith("kueue.x-k8s.io/")


def _taken(ours: Object, live: Object, fields: tuple[str, ...]) -> Object:
    out = dict(ours)
    for field in fields:
        value = live.get(field, _MISSING)
        if value is _MISSING:
            out.pop(field, None)
        else:
            out[field] = value
    return out


def _mapping(value: Json) -> Object:
    return value if isinstance(value, dict) else {}
