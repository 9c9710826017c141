"""The deciding core: what the cluster looks like, and which pod goes where.

Pure: deltas come in (`put_node`, `place`, …), decisions go out. Nothing is awaited, nothing is written, no time is
read. A batch is a run of pods with one profile, decided in order as if one by one: each choice is counted at once
(assumed) and moves the scores of one node. When one pod finds no node, the rest of its batch does not either; the
reasons are computed once.

A nominated pod (one that waits for its victims to leave) holds its place against pods of no higher priority, for
resources and ports; affinity to nominated pods is not looked at.

Laws (tests/unit/workloads/scheduling): no resource is ever overcommitted; a pod is refused only if no node passes every
filter; a batch decides as its pods one by one; giving a refused pod another try without a change refuses it again;
a group of waiting pods is `helped` whenever one of them would be given a node.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from argosy.api.objects import Pod
from argosy.workloads.scheduling import diagnoses
from argosy.workloads.scheduling.columns import Columns
from argosy.workloads.scheduling.defaults import DefaultSpreading
from argosy.workloads.scheduling.diagnoses import Diagnosis
from argosy.workloads.scheduling.ledger import Ledger
from argosy.workloads.scheduling.matching import HeldTerms, Matching
from argosy.workloads.scheduling.neighbors import Neighbors
from argosy.workloads.scheduling.placements import Placement, placement
from argosy.workloads.scheduling.preempting import Preempting
from argosy.workloads.scheduling.profiles import Profile, Profiles
from argosy.workloads.scheduling.ranking import Ranking
from argosy.workloads.scheduling.screening import Cluster, Screen
from argosy.workloads.scheduling.spreading import Spreading
from argosy.workloads.scheduling.standings import Standings
from argosy.workloads.scheduling.volumes import Volumes


@dataclass(slots=True, eq=False)
class Candidate:
    """A pod that asks for a node."""

    pod: Pod
    profile: Profile


@dataclass(frozen=True, slots=True)
class Assigned:
    """A pod that has a node. It is counted there already; `forget` it if the binding fails."""

    candidate: Candidate
    node: str
    # A node that was held for it and is not any more.
    released: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """A pod that has none, and why."""

    candidate: Candidate
    diagnosis: Diagnosis
    # Where it will go when its victims have left; empty if preemption does not help.
    nominated: str = ""
    victims: tuple[Placement, ...] = ()
    # Pods of lower priority that were nominated to the same node and have to look for another.
    denominated: tuple[Placement, ...] = ()
    # A node that was held for it and is not any more.
    released: str = ""


@dataclass(slots=True)
class _Batch:
    """What the pods of one profile share while they are decided."""

    profile: Profile
    screen: Screen
    ranking: Ranking
    # Why the last pod was refused, while nothing has changed since.
    refusal: tuple[Diagnosis, int] | None = None
    # Whether the rest is left for later: victims were found, which takes a while, or claims were promised something.
    is_done: bool = False


class Decider:
    """The state of one cluster and the decisions on it."""

    def __init__(self) -> None:
        self.ledger: Final = Ledger()
        self.profiles: Final = Profiles()
        self.columns: Final = Columns(self.ledger)
        self.matching: Final = Matching(self.ledger)
        self.held: Final = HeldTerms(self.ledger)
        self.volumes: Final = Volumes(self.ledger)
        self.preempting: Final = Preempting(self.ledger)
        self.defaults: Final = DefaultSpreading()
        self.nominations: Final[dict[str, Placement]] = {}
        self._cluster = Cluster(
            self.ledger,
            self.columns,
            Standings(self.ledger, self.columns),
            Spreading(self.ledger, self.columns, self.matching),
            Neighbors(self.ledger, self.columns, self.matching, self.held),
            self.volumes,
        )

    def candidate(self, pod: Pod) -> Candidate:
        return Candidate(pod, self.profiles.of(pod))

    def are_alike(self, one: Candidate, other: Candidate) -> bool:
        """Whether two pods get the same answers, so that they can be in one batch."""
        return (
            one.profile is other.profile
            and not self.held.reads_numbers
            and not self._nominated(one)
            and not self._nominated(other)
        )

    def decide(self, batch: Sequence[Candidate]) -> list[Assigned | Refused]:
        """Decide on pods that are alike, in their order: on all of them, or on the first few.

        Looking for victims takes long in a large cluster, so after a pod for which some were found the rest is left
        to the caller's next call; so it is after a pod that has settled where its claims go.
        """
        profile = batch[0].profile
        if not len(self.ledger):
            return [Refused(one, Diagnosis(0)) for one in batch]
        if objection := self.objection(profile):
            plugin = "NodeAffinity" if objection == diagnoses.CONFLICT else "VolumeBinding"
            whole = Diagnosis(len(self.ledger), objection, plugins={plugin})
            return [Refused(one, whole) for one in batch]
        own = {one.pod.metadata.uid for one in batch}
        with self._reserving(profile, own):
            default = None
            if profile.soft is None:
                default = self.defaults.selector(profile)
            shared = _Batch(
                profile,
                Screen(self._cluster, profile),
                Ranking(self._cluster, profile, default),
            )
            decided: list[Assigned | Refused] = []
            for one in batch:
                decided.append(self._one(shared, one))
                if shared.is_done:
                    break
            return decided

    def objection(self, profile: Profile) -> str:
        """Why a profile is refused before any node is looked at; empty if nodes are."""
        if not len(self.ledger):
            return diagnoses.NO_NODES
        if profile.node_class.required.names == frozenset():
            return diagnoses.CONFLICT
        return self.volumes.objection(profile) if profile.claims else ""

    def waits_as(self, profile: Profile) -> Profile:
        """The profile that stands for all who are refused now if this one is, and for the same reasons.

        Namespace, labels and owner matter only where rules between pods, spreading or claims do. Should a rule come up
        later that concerns some of those who wait together, they are woken together all the same, and whoever is
        refused for the rule waits apart from then on.
        """
        if profile.hard or profile.claims or self._cluster.neighbors.restrict(profile):
            return profile
        return self.profiles.anonymous(profile)

    def helped(
        self,
        profile: Profile,
        touched: Collection[str],
        objection: str = "",
        *,
        is_expectant: bool = False,
    ) -> bool:
        """Whether pods of a profile that were refused, for an `objection` or by every node, should try again.

        They should if a node takes one of them now, or if there is something else to say. `touched` are the nodes that
        pods have left or that are not what they were since the pods were refused: on these, victims may be found.
        Where rules between pods are concerned, victims elsewhere are left to the flush of leftovers. Pods that have
        victims already (`is_expectant`) look for no others. O(touched) for plain pods, a few array operations for
        others.
        """
        now = self.objection(profile)
        if now != objection:
            return now != diagnoses.NO_NODES
        if now:
            return False
        with self._reserving(profile, ()):
            screen = Screen(self._cluster, profile)
            if screen.feasible().any():
                return True
            return not is_expectant and self._may_preempt(screen, profile, touched)

    def _may_preempt(self, screen: Screen, profile: Profile, touched: Collection[str]) -> bool:
        if profile.never_preempts or self.preempting.is_hopeless(profile):
            return False
        admitted = self._cluster.standings.of(profile.node_class).admitted
        rows = (self.ledger.rows[name] for name in touched if name in self.ledger.rows)
        return any(admitted[row] and self.preempting.helps(screen, profile, row) for row in rows)

    def expectant(self, touched: Collection[str], left: Collection[str]) -> list[str]:
        """The pods nominated to `touched` nodes that need not wait for victims any more, and those nominated to nodes
        that some pod has `left`, by uid.
        """
        return [
            uid
            for uid, held in self.nominations.items()
            if held.node in left
            or (
                held.node in touched
                and not self.preempting.victims_leaving(held.profile, held.node)
            )
        ]

    def forget(self, pod: Pod) -> Placement | None:
        """A binding failed: the pod is not where it was assumed to be."""
        placed = self.ledger.displace(pod.metadata.uid)
        if placed is not None and placed.profile.claims:
            self.volumes.unsettle(placed.profile)
        return placed

    # One pod.

    def _one(self, batch: _Batch, candidate: Candidate) -> Assigned | Refused:
        ledger = self.ledger
        if batch.refusal is not None and batch.refusal[1] == ledger.used_log.position:
            return Refused(candidate, batch.refusal[0])
        row = self._choose(batch, candidate)
        if row is None:
            return self._refuse(batch, candidate)
        node = ledger.name(row)
        released = self._release(candidate, node)
        ledger.place(placement(candidate.pod, batch.profile, node))
        if batch.profile.claims and self.volumes.settle(batch.profile, node):
            batch.is_done = True
        return Assigned(candidate, node, released)

    def _choose(self, batch: _Batch, candidate: Candidate) -> int | None:
        nominated = self._nominated(candidate)
        if nominated:
            row = self.ledger.rows.get(nominated)
            if row is not None and batch.screen.passes(row):
                return row
        return batch.ranking.best(batch.screen.feasible())

    def _refuse(self, batch: _Batch, candidate: Candidate) -> Refused:
        profile = batch.profile
        diagnosis, hopeful = batch.screen.diagnose()
        nominated = self._nominated(candidate)
        if profile.never_preempts:
            diagnosis.preemption = diagnoses.NEVER_PREEMPTS
        elif (
            nominated in self.ledger.rows
            and hopeful[self.ledger.rows[nominated]]
            and self.preempting.victims_leaving(profile, nominated)
        ):
            diagnosis.preemption = diagnoses.VICTIMS_LEAVING
            # The place stays reserved for it.
            return Refused(candidate, diagnosis, nominated=nominated)
        else:
            found, diagnosis.preemption = self.preempting.find(batch.screen, profile, hopeful)
            batch.is_done = found is not None
            if found is not None:
                node = self.ledger.name(found.row)
                released = self._release(candidate, node)
                denominated = self._nominate(candidate, profile, node)
                return Refused(candidate, diagnosis, node, found.victims, denominated, released)
        batch.refusal = diagnosis, self.ledger.used_log.position
        return Refused(candidate, diagnosis, released=self._release(candidate, ""))

    # Nominations.

    def nominate(self, candidate: Candidate) -> None:
        """Take over what a pod's status says, as after a restart or when somebody else has written it."""
        pod = candidate.pod
        if node := pod.status.nominated_node_name:
            self.nominations[pod.metadata.uid] = placement(pod, candidate.profile, node)
        else:
            self.nominations.pop(pod.metadata.uid, None)

    def _nominated(self, candidate: Candidate) -> str:
        found = self.nominations.get(candidate.pod.metadata.uid)
        return found.node if found is not None else candidate.pod.status.nominated_node_name

    def _release(self, candidate: Candidate, node: str) -> str:
        """The pod goes to `node` or nowhere; the other node that was held for it until now."""
        held = self.nominations.pop(candidate.pod.metadata.uid, None)
        return held.node if held is not None and held.node != node else ""

    def _nominate(self, candidate: Candidate, profile: Profile, node: str) -> tuple[Placement, ...]:
        """Hold the place for the pod; who of lower priority held it until now."""
        lower = tuple(
            other
            for other in self.nominations.values()
            if other.node == node and other.profile.priority < profile.priority
        )
        for other in lower:
            del self.nominations[other.uid]
        mine = placement(candidate.pod, profile, node)
        self.nominations[mine.uid] = mine
        return lower

    @contextmanager
    def _reserving(self, profile: Profile, own: Collection[str]) -> Iterator[None]:
        """Count nominated pods of no lower priority on their nodes, except those who ask themselves."""
        if self.nominations:
            for other in self.nominations.values():
                row = self.ledger.rows.get(other.node)
                if (
                    row is not None
                    and other.uid not in own
                    and other.profile.priority >= profile.priority
                ):
                    self.ledger.reserve(other, row, 1)
                    other.row = row
        try:
            yield
        finally:
            for other in self.nominations.values():
                if other.row >= 0:
                    self.ledger.reserve(other, other.row, -1)
                    other.row = -1
