"""`argosy placement tree`: placement, snapshots, bindings, Works and objects, each with how it stands."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import PolicySnapshot, ResourceSnapshot
from argosy.api.objects.fleet.works import ManifestCondition, SentWork
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.placement.explaining.families import Family, outcome, telling


@dataclass(slots=True, frozen=True)
class Branch:
    """One object: what it is, where it is meant for, how it stands, and what came of it."""

    kind: str
    name: str
    cluster: str = ""
    state: str = ""
    reason: str = ""
    message: str = ""
    children: tuple[Branch, ...] = ()


def tree(family: Family) -> Branch:
    placement = family.placement
    state, reason, message = _told(telling(placement.status.conditions))
    children = (
        *(_policy(each) for each in family.policies),
        *(_resources(each) for each in family.resources),
        *(_binding(family, each) for each in family.bindings),
        *(_child(each) for each in family.children),
    )
    kind = "placement" if placement.metadata.deletion_timestamp is None else "placement, ending"
    name = family.title.partition(" ")[2]
    return Branch(kind, name, "", state, reason, message, children)


def _child(placement: Placement) -> Branch:
    """Of a template: told like the root of a tree of its own."""
    status = placement.status
    state, reason, message = _told(outcome(status.conditions) or telling(status.conditions))
    clusters = ", ".join(each.cluster_name for each in status.placement_statuses)
    return Branch("placement", placement.metadata.name, clusters, state, reason, message)


def _policy(snapshot: PolicySnapshot) -> Branch:
    state, reason, message = _told(telling(snapshot.status.conditions))
    return Branch(
        _latest("policy", snapshot.metadata), snapshot.metadata.name, "", state, reason, message
    )


def _resources(snapshot: ResourceSnapshot) -> Branch:
    number = len(snapshot.spec.selected_resources)
    told = f"{number} object" if number == 1 else f"{number} objects"
    return Branch(_latest("resources", snapshot.metadata), snapshot.metadata.name, message=told)


def _latest(kind: str, meta: ObjectMeta) -> str:
    return kind if meta.labels.get(names.IS_LATEST) == "true" else f"{kind}, old"


def _binding(family: Family, binding: Binding) -> Branch:
    state, reason, message = _told(telling(binding.status.conditions))
    kind = f"binding, {binding.spec.state.lower()}"
    if binding.metadata.deletion_timestamp is not None:
        kind = "binding, ending"
    return Branch(
        kind,
        binding.metadata.name,
        binding.spec.target_cluster,
        state,
        reason,
        message,
        tuple(_work(each) for each in family.works_of(binding)),
    )


def _work(work: SentWork) -> Branch:
    state, reason, message = _told(telling(work.status.conditions))
    kind = "work" if work.metadata.deletion_timestamp is None else "work, ending"
    return Branch(
        kind,
        work.metadata.name,
        names.member_of(work.metadata.namespace),
        state,
        reason,
        message,
        tuple(_manifest(each) for each in work.status.manifest_conditions),
    )


def _manifest(found: ManifestCondition) -> Branch:
    state, reason, message = _told(telling(found.conditions))
    became = outcome(found.conditions)
    if became is not None:
        state = f"{state}, {became.type}={became.status}"
        reason = became.reason if reason == "Applied" else f"{reason}, {became.reason}"
        message = f"{became.message}; {message}"
    which = found.identifier
    name = f"{which.namespace}/{which.name}" if which.namespace else which.name
    return Branch(which.kind, name, "", state, reason, message)


def _told(condition: Condition | None) -> tuple[str, str, str]:
    if condition is None:
        return "", "", ""
    return f"{condition.type}={condition.status}", condition.reason, condition.message
