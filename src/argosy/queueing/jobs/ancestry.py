"""Whose job is this? Jobs own jobs: a JobSet its Jobs, a RayJob its RayCluster. Only the top-most that queueing manages
gets a Workload; those below run when it does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from argosy.base.types import Object
from argosy.queueing.jobs import names

MOST_DEEP: Final = 10
TOO_DEEP: Final = (
    f"Terminated search for Kueue-managed Job because ancestor depth exceeded limit of {MOST_DEEP}"
)
# Owners on the way up that are no jobs themselves.
PASSED: Final = frozenset({("apps/v1", "ReplicaSet")})


class NestingError(Exception):
    """The owners of a job lead nowhere."""


class Parent(NamedTuple):
    """An owner that was found, and whether it is of a kind that can be queued."""

    job: Object
    is_job: bool


@dataclass(slots=True, frozen=True)
class Lineage:
    """The top-most ancestor that is managed, None for a job that stands alone; and how the search ended."""

    ancestor: Object | None = None
    is_too_deep: bool = False


def queue_name(job: Object) -> str:
    """The LocalQueue a job names: by its label or, as old guides write it, by an annotation of the same name."""
    meta = job["metadata"]
    for mapping in (meta.get("labels"), meta.get("annotations")):
        name: str = (mapping or {}).get(names.QUEUE_NAME, "")
        if name:
            return name
    return ""


def is_named_by_annotation(job: Object) -> bool:
    """Whether the queue is known from an annotation only."""
    labels = job["metadata"].get("labels") or {}
    return not labels.get(names.QUEUE_NAME) and bool(queue_name(job))


def controller_of(obj: Object) -> Object | None:
    for owner in obj["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            found: Object = owner
            return found
    return None


def lineage(
    job: Object, find: Callable[[Object, str], Parent | None], *, manages_unnamed: bool
) -> Lineage:
    """Walk up the controllers. `find` gives the owner a reference names, None where it is unknown or not of a kind
    that is followed. Raises NestingError where owners go in a circle.
    """
    namespace = job["metadata"].get("namespace", "")
    top: Object | None = None
    seen = {job["metadata"].get("uid", "")}
    current = job
    for _ in range(MOST_DEEP):
        owner = controller_of(current)
        if owner is None:
            return Lineage(top)
        if owner["uid"] in seen:
            raise NestingError("cyclic ownership")
        parent = find(owner, namespace)
        if parent is None or parent.job["metadata"]["uid"] != owner["uid"]:
            return Lineage(top)
        if parent.is_job and (queue_name(parent.job) or manages_unnamed):
            top = parent.job
        seen.add(owner["uid"])
        current = parent.job
    return Lineage(top, is_too_deep=controller_of(current) is not None)
