"""PickN: as many clusters as wanted, the best ones first.

What holds the placement under the latest policy stays, whatever became of its cluster; only what is missing is
picked. With too many, those that are not bound yet go first, then the lowest scores. Bindings of an older policy
are given up unless their cluster is picked again.

With spread constraints every pick changes what the next one sees, so upstream picks one per cycle and comes back at
once, telling nothing before the last. The cycles are played through here in one go, with the same end: after the
first of them an older policy's bindings have been given up, so that they no longer earn their cluster a point, and
may yet be taken up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import SCHEDULED, Binding
from argosy.api.objects.fleet.snapshots import ClusterDecision
from argosy.client.objects import Key
from argosy.placement.scheduling.affinity import Preferences
from argosy.placement.scheduling.ranking import Score, Scored, best_first, first_to_go
from argosy.placement.scheduling.referencing import GivenUp, Referenced, given_up, refer
from argosy.placement.scheduling.room import Room
from argosy.placement.scheduling.screening import Filtered, Screen
from argosy.placement.scheduling.snapshots import (
    Classified,
    CycleError,
    Outcome,
    Renewal,
    Snapshot,
)
from argosy.placement.scheduling.spreading import spread
from argosy.placement.scheduling.statuses import picked_decision, status_after, told


def pick_n(snapshot: Snapshot, bindings: Classified) -> Outcome:
    wanted = _wanted(snapshot)
    surplus = len(bindings.scheduled) + len(bindings.bound) - wanted
    return (
        _downscale(snapshot, bindings, surplus)
        if surplus >= 0
        else _pick(snapshot, bindings, wanted)
    )


def _wanted(snapshot: Snapshot) -> int:
    """The annotation counts: the policy in the snapshot is as old as the snapshot."""
    meta = snapshot.policy_snapshot.metadata
    text = meta.annotations.get(names.NUMBER_OF_CLUSTERS, "")
    if not text.isdecimal():
        raise CycleError(
            f"policy snapshot {meta.name}: annotation {names.NUMBER_OF_CLUSTERS} is {text!r} and no number"
        )
    return int(text)


def _downscale(snapshot: Snapshot, bindings: Classified, surplus: int) -> Outcome:
    """Give up what is too much. Nobody looks at other clusters, so nothing new is told about them."""
    going = (first_to_go(bindings.scheduled) + first_to_go(bindings.bound))[:surplus]
    gone = {each.metadata.name for each in going}
    held = [
        each for each in (*bindings.scheduled, *bindings.bound) if each.metadata.name not in gone
    ]
    status = status_after(
        snapshot,
        told(each.spec.cluster_decision for each in held),
        found=len(held),
        is_fulfilled=True,
        is_whole=False,
    )
    return Outcome(unscheduled=(*bindings.obsolete, *going), status=status)


@dataclass(slots=True)
class _Held:
    """A cluster that holds the placement. `order` is where upstream would find its binding in a list."""

    order: str
    decision: ClusterDecision
    is_bound: bool


@dataclass(slots=True)
class _Cycles:
    """Where the cycles have got to."""

    held: list[_Held]
    obsolete: list[Binding]
    unscheduled: list[GivenUp]
    created: list[ClusterDecision] = field(default_factory=list)
    renewed: list[Renewal] = field(default_factory=list)
    given_up: list[Binding] = field(default_factory=list)

    @property
    def selected(self) -> set[str]:
        return {each.decision.cluster_name for each in self.held}

    def took(self, placement: Key, done: Referenced) -> None:
        """Go on from what a cycle did."""
        again = {each.binding.metadata.name for each in done.renewed}
        self.created += done.created
        self.renewed += done.renewed
        self.given_up = [each for each in self.given_up if each.metadata.name not in again]
        self.given_up += done.unscheduled
        self.unscheduled = [
            each for each in self.unscheduled if each.binding.metadata.name not in again
        ]
        self.unscheduled += [GivenUp(each, each.spec.state) for each in done.unscheduled]
        self.obsolete = []
        for decision in done.created:
            # As its name will begin; the digits behind are not known yet and do not matter here.
            order = names.binding_name(placement.name, decision.cluster_name, "")
            self.held.append(_Held(order, decision, is_bound=False))
        for renewal in done.renewed:
            is_bound = renewal.state != SCHEDULED
            self.held.append(_Held(renewal.binding.metadata.name, renewal.decision, is_bound))


def _pick(snapshot: Snapshot, bindings: Classified, wanted: int) -> Outcome:
    policy = snapshot.policy
    screen = Screen(snapshot)
    preferences = Preferences(policy, snapshot.clusters, snapshot.reserved)
    capacity = Room(policy, snapshot.needs, snapshot.reserved)
    at_once = 1 if policy.topology_spread_constraints else wanted
    cycles = _Cycles(_held(bindings), bindings.obsolete, given_up(bindings.unscheduled))
    while True:
        selected = cycles.selected
        room = spread(policy, snapshot.clusters, selected)
        screened = screen.screen(selected, room)
        kept = {each.spec.target_cluster for each in cycles.obsolete}
        ranked = best_first(
            Scored(
                Score(
                    room.scores[name := cluster.metadata.name],
                    int(capacity.is_in(cluster)),
                    preferences.score(cluster),
                    int(name in kept),
                ),
                name,
            )
            for cluster in screened.passed
        )
        missing = wanted - len(cycles.held)
        batch = min(missing, at_once)
        done = refer(
            [picked_decision(each.cluster, each.score) for each in ranked[:batch]],
            cycles.obsolete,
            cycles.unscheduled,
        )
        before = _listed(cycles.held)
        cycles.took(snapshot.placement, done)
        if missing > batch == len(ranked[:batch]):
            continue
        return _told(
            snapshot, cycles, done, before, ranked[batch:], screened.filtered, wanted=wanted
        )


def _told(
    snapshot: Snapshot,
    cycles: _Cycles,
    done: Referenced,
    before: list[ClusterDecision],
    unpicked: list[Scored],
    filtered: list[Filtered],
    *,
    wanted: int,
) -> Outcome:
    """The end of the last cycle, which alone is told."""
    decisions = [*done.created, *(each.decision for each in done.renewed), *before]
    status = status_after(
        snapshot,
        told(decisions, unpicked, filtered),
        found=len(decisions),
        is_fulfilled=len(decisions) >= wanted,
    )
    return Outcome(tuple(cycles.created), tuple(cycles.renewed), tuple(cycles.given_up), status)


def _held(bindings: Classified) -> list[_Held]:
    return [
        *(
            _Held(each.metadata.name, each.spec.cluster_decision, False)
            for each in bindings.scheduled
        ),
        *(_Held(each.metadata.name, each.spec.cluster_decision, True) for each in bindings.bound),
    ]


def _listed(held: list[_Held]) -> list[ClusterDecision]:
    """Scheduled ones, then bound ones, each in the order of their bindings' names."""
    ordered = sorted(held, key=lambda each: (each.is_bound, each.order))
    return [each.decision for each in ordered]
