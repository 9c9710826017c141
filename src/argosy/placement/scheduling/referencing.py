"""From picked clusters to bindings: take up what is there, make what is missing, give up what nobody picked.

A binding from an older policy keeps its state. One that was given up and is not gone yet gets the state back that
it had, which its annotation remembers; so clusters that come and go never leave a trail of bindings behind.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.snapshots import ClusterDecision
from argosy.placement.scheduling.snapshots import CycleError, Renewal


class GivenUp(NamedTuple):
    """An Unscheduled binding and the state it had before; "" if that is not known."""

    binding: Binding
    state: str


class Referenced(NamedTuple):
    created: list[ClusterDecision]
    renewed: list[Renewal]
    unscheduled: list[Binding]


def given_up(bindings: Iterable[Binding]) -> list[GivenUp]:
    return [
        GivenUp(each, each.metadata.annotations.get(names.PREVIOUS_STATE, "")) for each in bindings
    ]


def refer(
    picked: Sequence[ClusterDecision], obsolete: Iterable[Binding], unscheduled: Iterable[GivenUp]
) -> Referenced:
    wanted = {each.cluster_name: each for each in picked}
    result = Referenced([], [], [])
    taken: set[str] = set()
    for binding in obsolete:
        decision = wanted.get(binding.spec.target_cluster)
        if decision is None or decision.cluster_name in taken:
            result.unscheduled.append(binding)
        else:
            taken.add(decision.cluster_name)
            result.renewed.append(Renewal(binding, binding.spec.state, decision))
    for binding, state in unscheduled:
        decision = wanted.get(binding.spec.target_cluster)
        if decision is None or decision.cluster_name in taken:
            continue
        if not state:
            raise CycleError(
                f"failed to find the previous state of an unscheduled binding: {binding.metadata.name}"
            )
        taken.add(decision.cluster_name)
        result.renewed.append(Renewal(binding, state, decision))
    result.created.extend(each for each in picked if each.cluster_name not in taken)
    return result
