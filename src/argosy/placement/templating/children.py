"""The placements that a template has made: who they are to be, and what has to be done about those there are.

Pure. A child selects its object by name, and names the object as its owner, so garbage collection takes it when the
object goes. A child whose object is selected no more goes, too, as an object that is not selected leaves its clusters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from argosy.api.objects.conditions import with_condition
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import (
    Placement,
    PlacementSpec,
    PlacementStatus,
    ResourceSelectorTerm,
)
from argosy.api.objects.fleet.snapshots import SCHEDULED
from argosy.api.objects.metadata import Condition, OwnerReference
from argosy.base.types import Object
from argosy.client.resources import RESOURCE_PLACEMENTS

# The annotation of a template, what it says, and the label by which its children are known.
TEMPLATE: Final = "argosy.dev/placement-template"
EACH: Final = "each"
# A name is also the value of a label on everything that comes of it.
_LONGEST: Final = 63
_DIGITS: Final = 8


@dataclass(slots=True, frozen=True)
class Chosen:
    """An object that a template selects."""

    group: str
    version: str
    kind: str
    name: str
    uid: str


@dataclass(slots=True, frozen=True)
class Plan:
    """What makes the children what they are to be."""

    created: tuple[Object, ...] = ()
    changed: tuple[tuple[Placement, Object], ...] = ()
    removed: tuple[Placement, ...] = ()


def is_template(placement: Placement) -> bool:
    meta = placement.metadata
    return bool(meta.namespace) and meta.annotations.get(TEMPLATE) == EACH


def is_child(placement: Placement) -> bool:
    return TEMPLATE in placement.metadata.labels


def template_of(child: Placement) -> str:
    """The name of the template that made it."""
    return child.metadata.labels.get(TEMPLATE, "")


def plan(template: Placement, chosen: Iterable[Chosen], children: Iterable[Placement]) -> Plan:
    """What to do about a template's children, by what it selects now."""
    wanted = _wanted(template, chosen)
    there = {child.metadata.name: child for child in children}
    created, changed, removed = [], [], []
    for name, body in wanted.items():
        child = there.get(name)
        if child is None:
            created.append(body)
        elif not _is_of(child, body):
            # Its object was deleted and made again; garbage collection takes what is left of the first.
            removed.append(child)
        elif (patch := _patch(child, body)) is not None:
            changed.append((child, patch))
    removed += [child for name, child in there.items() if name not in wanted]
    gone = tuple(each for each in removed if each.metadata.deletion_timestamp is None)
    return Plan(tuple(created), tuple(changed), gone)


def expanded(template: Placement, number: int, now: datetime) -> PlacementStatus:
    """How a template stands: its children are placed, not it."""
    said = Condition(
        RESOURCE_PLACEMENTS.kind + SCHEDULED,
        "True",
        "TemplateExpanded",
        f"{number} selected object(s) have a placement of their own",
        template.metadata.generation,
    )
    kept = tuple(each for each in template.status.conditions if each.type == said.type)
    return PlacementStatus(conditions=with_condition(kept, said, now))


def child_name(template: str, chosen: Chosen) -> str:
    """Unique among a template's children, whatever kinds it selects."""
    name = f"{template}-{chosen.name}"
    if chosen.kind == "Job" and len(name) <= _LONGEST:
        return name
    digest = hashlib.sha256(f"{chosen.group}/{chosen.kind}/{name}".encode()).hexdigest()
    return f"{name[: _LONGEST - _DIGITS - 1].rstrip('-.')}-{digest[:_DIGITS]}"


def _wanted(template: Placement, chosen: Iterable[Chosen]) -> dict[str, Object]:
    return {child_name(template.metadata.name, each): _child(template, each) for each in chosen}


def _child(template: Placement, chosen: Chosen) -> Object:
    meta = template.metadata
    annotations = {
        key: meta.annotations[key]
        for key in (names.QUEUE_MANAGED, names.RESCHEDULE)
        if key in meta.annotations
    }
    owner = OwnerReference(
        f"{chosen.group}/{chosen.version}" if chosen.group else chosen.version,
        chosen.kind,
        chosen.name,
        chosen.uid,
    )
    metadata: Object = {
        "name": child_name(meta.name, chosen),
        "namespace": meta.namespace,
        "labels": {TEMPLATE: meta.name},
        "ownerReferences": [msgspec.to_builtins(owner)],
    }
    if annotations:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": msgspec.to_builtins(_spec(template.spec, chosen))}


def _spec(spec: PlacementSpec, chosen: Chosen) -> PlacementSpec:
    selector = ResourceSelectorTerm(chosen.group, chosen.version, chosen.kind, chosen.name)
    return msgspec.structs.replace(spec, resource_selectors=(selector,))


def _is_of(child: Placement, body: Object) -> bool:
    uids = {each.uid for each in child.metadata.owner_references}
    return body["metadata"]["ownerReferences"][0]["uid"] in uids


def _patch(child: Placement, body: Object) -> Object | None:
    """What a change of the template changes in a child; selectors and names stay."""
    wanted = msgspec.convert(body["spec"], PlacementSpec)
    was = child.spec
    spec: Object = {}
    if wanted.policy != was.policy:
        spec["policy"] = body["spec"].get("policy")
    if wanted.strategy != was.strategy:
        spec["strategy"] = body["spec"].get("strategy")
    if wanted.revision_history_limit != was.revision_history_limit:
        spec["revisionHistoryLimit"] = wanted.revision_history_limit
    patch: Object = {"spec": spec} if spec else {}
    given = body["metadata"].get("annotations", {})
    annotations = {
        key: given.get(key)
        for key in (names.QUEUE_MANAGED, names.RESCHEDULE)
        if given.get(key) != child.metadata.annotations.get(key)
    }
    if annotations:
        patch["metadata"] = {"annotations": annotations}
    return patch or None
