"""Pods made from the template of their owner, and objects made in growing batches.

A template is shared by every pod made from it, so it is never changed: what a pod adds goes into new dicts on the way
down to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Final

from argosy.api.objects import ObjectMeta
from argosy.base.errors import StatusError
from argosy.base.types import Object
from argosy.client.resources import Resource

# The most a pod's name may have. What leaves no room for the suffix is cut by the server.
_NAME_CHARACTERS: Final = 253


def owner_reference(resource: Resource, owner: ObjectMeta) -> Object:
    """The reference that makes `owner` the controller of an object."""
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def pod_from_template(
    template: Object,
    resource: Resource,
    owner: ObjectMeta,
    *,
    name: str = "",
    generate_name: str = "",
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    finalizers: Iterable[str] = (),
) -> Object:
    """A new pod of `owner`, named `name`, or by the server after `generate_name` (the owner's name unless said)."""
    meta = template.get("metadata") or {}
    made: Object = {"ownerReferences": [owner_reference(resource, owner)]}
    if name:
        made["name"] = name
    else:
        dash = "-" if len(owner.name) < _NAME_CHARACTERS else ""
        made["generateName"] = generate_name or f"{owner.name}{dash}"
    if all_labels := {**(meta.get("labels") or {}), **(labels or {})}:
        made["labels"] = all_labels
    if all_annotations := {**(meta.get("annotations") or {}), **(annotations or {})}:
        made["annotations"] = all_annotations
    if all_finalizers := [*(meta.get("finalizers") or ()), *finalizers]:
        made["finalizers"] = all_finalizers
    return {"metadata": made, "spec": template.get("spec") or {}}


async def in_growing_batches(
    count: int, work: Callable[[int], Coroutine[None, None, None]], *, first: int = 1
) -> tuple[int, StatusError | None]:
    """Do `work(0)` … `work(count - 1)`, one at a time, then two, four, … at once, and stop after a batch that failed.

    Returns how many succeeded and the first error. A quota that is used up is thus hit once or twice, not a thousand
    times.
    """
    done, started, batch = 0, 0, min(first, count)
    while batch:
        results = await asyncio.gather(
            *(work(number) for number in range(started, started + batch)), return_exceptions=True
        )
        started += batch
        failures = [result for result in results if isinstance(result, BaseException)]
        done += batch - len(failures)
        for failure in failures:
            if not isinstance(failure, StatusError):
                raise failure
        if failures:
            first_failure = failures[0]
            assert isinstance(first_failure, StatusError)
            return done, first_failure
        batch = min(2 * batch, count - started)
    return done, None


def is_namespace_terminating(error: StatusError) -> bool:
    """Whether something could not be made because its namespace is going away."""
    causes = error.details.causes if error.details is not None else ()
    return any(cause.reason == "NamespaceTerminating" for cause in causes)
