"""Which ReplicaSet is a Deployment's present revision, and how revisions are numbered, named and forgotten. Pure.

The new set is the one whose template equals the Deployment's, apart from the hash label. The highest number of the old
sets plus one is its revision; one that comes back (a rollback) keeps its earlier numbers in the annotation
revision-history. Annotations of the Deployment are copied to the new set, so `kubectl rollout history` finds the change
cause there. Upstream's annotations, names and limits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from argosy.api.objects.apps import Deployment, ReplicaSet
from argosy.base.types import Object
from argosy.client.resources import DEPLOYMENTS
from argosy.workloads.apps.deployments.rollouts import (
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    oldest_first,
    replica_annotations,
    size_of_new,
)
from argosy.workloads.apps.hashes import template_hash
from argosy.workloads.pods.templates import owner_reference

REVISION: Final = "deployment.kubernetes.io/revision"
REVISION_HISTORY: Final = "deployment.kubernetes.io/revision-history"
HASH_LABEL: Final = "pod-template-hash"

_NOT_COPIED: Final = frozenset({
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
    REVISION,
    REVISION_HISTORY,
    DESIRED_REPLICAS,
    MAX_REPLICAS,
})  # fmt: skip
_HISTORY_CHARACTERS: Final = 2000
_NAME_CHARACTERS: Final = 253


def split(
    deployment: Deployment, sets: Sequence[ReplicaSet]
) -> tuple[ReplicaSet | None, list[ReplicaSet]]:
    """The set of the present template, and the others."""
    wanted = deployment.spec.template
    new = next((each for each in oldest_first(sets) if is_same(each.spec.template, wanted)), None)
    return new, [each for each in sets if each is not new]


def is_same(one: Object, other: Object) -> bool:
    """Whether two pod templates are equal apart from the label of their hash."""
    return one.get("spec") == other.get("spec") and _unhashed(one) == _unhashed(other)


def revision_of(replica_set: ReplicaSet) -> int:
    """0 for a set without a readable revision."""
    return _number(replica_set.metadata.annotations.get(REVISION, "")) or 0


def next_revision(olds: Iterable[ReplicaSet]) -> int:
    return max(map(revision_of, olds), default=0) + 1


def new_annotations(
    deployment: Deployment, annotations: dict[str, str], revision: int
) -> dict[str, str]:
    """What the new set, which has these annotations now, should be annotated with besides."""
    wanted = {
        name: value
        for name, value in deployment.metadata.annotations.items()
        if name not in _NOT_COPIED and annotations.get(name) != value
    }
    text = annotations.get(REVISION, "")
    before = _number(text) if text else 0
    if before is None or before >= revision:
        return wanted
    wanted[REVISION] = str(revision)
    if text:
        history = _history(annotations.get(REVISION_HISTORY, ""), text)
        if history is not None:
            wanted[REVISION_HISTORY] = history
    return wanted


def new_replica_set(deployment: Deployment, olds: Sequence[ReplicaSet]) -> Object:
    """The ReplicaSet of the present template, as it is made."""
    meta, spec = deployment.metadata, deployment.spec
    digest = template_hash(spec.template, deployment.status.collision_count)
    selector = spec.selector or {}
    labels = {**(_labels(spec.template) or {}), HASH_LABEL: digest}
    template_meta = {**(spec.template.get("metadata") or {}), "labels": labels}
    made = {
        **new_annotations(deployment, {}, next_revision(olds)),
        **replica_annotations(deployment),
    }
    return {
        "metadata": {
            "name": f"{meta.name[: _NAME_CHARACTERS - 1 - len(digest)]}-{digest}",
            "namespace": meta.namespace,
            "labels": labels,
            "annotations": made,
            "ownerReferences": [owner_reference(DEPLOYMENTS, meta)],
        },
        "spec": {
            "replicas": size_of_new(deployment, olds, 0),
            "minReadySeconds": spec.min_ready_seconds,
            "selector": {
                **selector,
                "matchLabels": {**(selector.get("matchLabels") or {}), HASH_LABEL: digest},
            },
            "template": {**spec.template, "metadata": template_meta},
        },
    }


def outdated(deployment: Deployment, olds: Iterable[ReplicaSet]) -> list[ReplicaSet]:
    """Old sets beyond the history limit that are empty and settled, the oldest revisions first."""
    alive = [each for each in olds if each.metadata.deletion_timestamp is None]
    count = len(alive) - (deployment.spec.revision_history_limit or 0)
    by_revision = sorted(oldest_first(alive), key=revision_of)
    return [
        each
        for each in by_revision[: max(0, count)]
        if not each.status.replicas
        and not each.spec.replicas
        and each.metadata.generation <= each.status.observed_generation
    ]


def _history(history: str, revision: str) -> str | None:
    """Earlier revisions with one more; the first go when it gets long. None when there is no room at all."""
    if not history:
        return revision
    kept = history.split(",")
    while kept and len(",".join(kept)) + 1 + len(revision) > _HISTORY_CHARACTERS:
        kept.pop(0)
    return ",".join([*kept, revision])


def _labels(template: Object) -> dict[str, str] | None:
    return (template.get("metadata") or {}).get("labels")


def _unhashed(template: Object) -> Object:
    meta = template.get("metadata") or {}
    labels = {key: value for key, value in (meta.get("labels") or {}).items() if key != HASH_LABEL}
    return {**{key: value for key, value in meta.items() if value is not None}, "labels": labels}


def _number(text: str) -> int | None:
    digits = text.removeprefix("-").removeprefix("+")
    return int(text) if digits.isascii() and digits.isdigit() else None
