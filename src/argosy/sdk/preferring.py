"""What users prefer, as the policy of a placement. Pure.

    ``             room: forty points for free CPU, thirty for free memory, as the guide has it
    `cheapest`     the price of a core or a GiB, whichever the job pays by; then room
    `fastest`      the shortest wait in the queues; then room
    `region=NAME`  the clusters of a region; among them by room

Points are interpolated over the fleet (see the scheduler's affinity), so a preference that comes before room has sixty
points and room seven, and a region has a hundred and room seventy. Whatever a job needs beyond CPU and memory (GPUs)
counts a hundred: where there is none of it, nothing else helps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.podresources import Amounts
from argosy.api.prices import CORE_COST, MEMORY_COST
from argosy.base.types import Object
from argosy.member.properties.facts import QUEUE_WAIT, REGION
from argosy.placement.scheduling.properties import RESOURCE_PREFIX
from argosy.sdk.errors import FleetError, Unplaceable

CHEAPEST: Final = "cheapest"
FASTEST: Final = "fastest"
REGION_IS: Final = "region="
_REGION_LABELS: Final = ("region", "topology.kubernetes.io/region")
_USUAL: Final = frozenset(("cpu", "memory", "ephemeral-storage", "pods"))


def policy_of(
    clusters: int, prefer: str, needs: Amounts, members: Sequence[MemberCluster]
) -> Object:
    """The `spec.policy` of the placement; Unplaceable for a region in which nobody is."""
    if clusters < 1:
        raise FleetError(f"clusters: {clusters}: a job goes to at least one cluster")
    preferred = [_sorted(_available(name), 100) for name in sorted(needs) if name not in _USUAL]
    required: list[Object] = []
    if not prefer:
        preferred += _room(40, 30)
    elif prefer == CHEAPEST:
        preferred += [_sorted(_price_of(needs), 60, ascending=True), *_room(4, 3)]
    elif prefer == FASTEST:
        preferred += [_sorted(QUEUE_WAIT, 60, ascending=True), *_room(4, 3)]
    elif prefer.startswith(REGION_IS) and prefer != REGION_IS:
        label = _region_label(members, prefer.removeprefix(REGION_IS))
        preferred += [*label, *_room(40, 30)]
        if not label:
            required = [_in_region(prefer.removeprefix(REGION_IS))]
    else:
        raise FleetError(
            f'prefer: "{prefer}" is no preference: say {CHEAPEST}, {FASTEST} or {REGION_IS}NAME'
        )
    affinity: Object = {"preferredDuringSchedulingIgnoredDuringExecution": preferred}
    if required:
        terms = {"clusterSelectorTerms": required}
        affinity["requiredDuringSchedulingIgnoredDuringExecution"] = terms
    return {
        "placementType": "PickN",
        "numberOfClusters": clusters,
        "affinity": {"clusterAffinity": affinity},
    }


def region_of(member: MemberCluster) -> str:
    """Where its nodes are by its own report, else by the labels it was given."""
    told = member.status.properties.get(REGION)
    if told is not None:
        return told.value
    found = (member.metadata.labels.get(each) for each in _REGION_LABELS)
    return next((each for each in found if each), "")


def _room(cpu: int, memory: int) -> list[Object]:
    return [_sorted(_available("cpu"), cpu), _sorted(_available("memory"), memory)]


def _available(resource: str) -> str:
    return f"{RESOURCE_PREFIX}available-{resource}"


def _sorted(name: str, weight: int, *, ascending: bool = False) -> Object:
    order = "Ascending" if ascending else "Descending"
    return {"weight": weight, "preference": {"propertySorter": {"name": name, "sortOrder": order}}}


def _price_of(needs: Amounts) -> str:
    """By what the job pays; most machines have a few GiB for a core, and a job that asks for nothing pays nothing."""
    return MEMORY_COST if "memory" in needs and "cpu" not in needs else CORE_COST


def _region_label(members: Iterable[MemberCluster], region: str) -> list[Object]:
    """Preferred by label, which only counts for as much as it is worth; nothing where only nodes tell the region."""
    everybody = list(members)
    for label in _REGION_LABELS:
        if any(each.metadata.labels.get(label) == region for each in everybody):
            preference = {"labelSelector": {"matchLabels": {label: region}}}
            return [{"weight": 100, "preference": preference}]
    if not any(region_of(each) == region for each in everybody):
        known = ", ".join(sorted({region_of(each) for each in everybody} - {""})) or "none"
        raise Unplaceable(f'no cluster of the fleet is in region "{region}": there are {known}')
    return []


def _in_region(region: str) -> Object:
    expression = {"name": f"argosy.dev/regions/{region}/count", "operator": "Gt", "values": ["0"]}
    return {"propertySelector": {"matchExpressions": [expression]}}
