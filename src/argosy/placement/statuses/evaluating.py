"""How a placement stands as a whole: a pure judgement of its policy snapshot, bindings and resource snapshots.

First whether it is scheduled, as the scheduler says for the edition at hand. Then the picked clusters, each by its
binding, in the scheduler's order, and the clusters that are missing. Then the sum: stage by stage, an unknown cluster
makes the stage unknown, a failed one makes it fail, and what comes after a stage that is not True is not said.

Where somebody else rolls out (External), clusters may have different snapshots. Only if all have the same one is it the
placement's, and the sum is told of it.

Properties: the result depends on the picture alone, clusters keep the moments of their transitions, and judging the
same picture again, with this result as the old status, gives the same status (`test_evaluating_laws`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from argosy.api.objects.conditions import with_condition, without_conditions
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import OVERRIDDEN, ROLLOUT_STARTED, Binding
from argosy.api.objects.fleet.outcomes import with_outcome
from argosy.api.objects.fleet.placements import (
    REPORT_DIFF,
    PerClusterStatus,
    Placement,
    PlacementSpec,
    PlacementStatus,
    ResourceIdentifier,
)
from argosy.api.objects.fleet.policies import PICK_FIXED, PICK_N
from argosy.api.objects.fleet.snapshots import (
    SCHEDULED,
    ClusterDecision,
    PolicySnapshot,
    ResourceSnapshot,
)
from argosy.api.objects.fleet.works import FINISHED
from argosy.api.objects.metadata import Condition, find_condition
from argosy.placement.outcomes import of_clusters
from argosy.placement.scopes import Scope, scope_of
from argosy.placement.statuses.clusters import (
    ClusterVerdict,
    Expected,
    selected_cluster,
    unselected_cluster,
)
from argosy.placement.statuses.wordings import (
    APPLY_STAGES,
    FALSE,
    NO_OVERRIDES,
    REPORT_STAGES,
    STAGES,
    TRUE,
    UNKNOWN,
    Told,
    Wording,
    told,
)

_EXTERNAL = "RolloutControlledByExternalController"


@dataclass(slots=True, frozen=True)
class Picture:
    """What a placement is judged by. `index` tells the index of a resource snapshot's name, "" if it has gone;
    `selected` who is in the snapshots of an index.
    """

    placement: Placement
    policy: PolicySnapshot | None
    resources: ResourceSnapshot | None
    bindings: Sequence[Binding]
    index: Callable[[str], str]
    selected: Callable[[str], tuple[ResourceIdentifier, ...]]

    @property
    def scope(self) -> Scope:
        return scope_of(self.placement.metadata.namespace)

    @property
    def generation(self) -> int:
        return self.placement.metadata.generation


def stages_of(spec: PlacementSpec) -> tuple[str, ...]:
    """The stages a placement goes through."""
    return REPORT_STAGES if spec.apply_strategy.type == REPORT_DIFF else APPLY_STAGES


def evaluate(picture: Picture, wording: Wording, now: datetime) -> PlacementStatus:
    """The status a placement is to have."""
    return _Evaluation(picture, wording, now).status()


class _Evaluation:
    def __init__(self, picture: Picture, wording: Wording, now: datetime) -> None:
        self._picture = picture
        self._wording = wording
        self._now = now
        self._scope = picture.scope
        self._spec = picture.placement.spec
        self._stages = stages_of(self._spec)

    def status(self) -> PlacementStatus:
        old = self._picture.placement.status
        scheduled = self._scheduled()
        conditions = with_condition(old.conditions, scheduled, self._now)
        index = "" if self._spec.is_external else self._latest_index()
        if scheduled.status == UNKNOWN:
            return self._told(index, (), conditions)
        decisions = self._picture.policy.status.target_clusters if self._picture.policy else ()
        verdicts = self._verdicts(each for each in decisions if each.selected)
        clusters = (*(each.status for each in verdicts), *self._missing(decisions, len(verdicts)))
        if not verdicts:
            # What was said of clusters that have gone is said no more; what is said of the placement itself stays.
            types = [self._scope.condition(each) for each in (*STAGES, FINISHED)]
            return self._told(index, clusters, without_conditions(conditions, types))
        conditions = self._with_outcome(conditions, verdicts)
        if self._spec.is_external:
            index, unclear = self._rolled_out(verdicts)
            if unclear:
                said = {ROLLOUT_STARTED: (UNKNOWN, Told(_EXTERNAL, unclear))}
                return self._told(index, clusters, self._with_stages(conditions, said))
        return self._told(index, clusters, self._with_stages(conditions, self._sum(verdicts)))

    def _told(
        self,
        index: str,
        clusters: tuple[PerClusterStatus, ...],
        conditions: tuple[Condition, ...],
    ) -> PlacementStatus:
        return PlacementStatus(
            selected_resources=self._picture.selected(index) if index else (),
            observed_resource_index=index,
            placement_statuses=clusters,
            conditions=conditions,
        )

    def _latest_index(self) -> str:
        latest = self._picture.resources
        return latest.metadata.labels.get(names.RESOURCE_INDEX, "") if latest is not None else ""

    # Whether it is scheduled.

    def _scheduled(self) -> Condition:
        type_, generation = self._scope.condition(SCHEDULED), self._picture.generation
        policy = self._picture.policy
        said = find_condition(policy.status.conditions, SCHEDULED) if policy is not None else None
        if (
            policy is None
            or said is None
            or said.status == UNKNOWN
            or said.observed_generation < policy.metadata.generation
            or policy.status.observed_crp_generation < generation
        ):
            message = "Scheduling has not completed"
            return Condition(type_, UNKNOWN, "SchedulePending", message, generation)
        return Condition(type_, said.status, said.reason, said.message, generation)

    # Its clusters.

    def _verdicts(self, selected: Iterable[ClusterDecision]) -> list[ClusterVerdict]:
        bindings = self._bindings()
        old = {
            each.cluster_name: each for each in self._picture.placement.status.placement_statuses
        }
        return [
            selected_cluster(
                decision,
                (binding := bindings.get(decision.cluster_name)),
                self._expected(binding),
                old.get(decision.cluster_name),
                generation=self._picture.generation,
                now=self._now,
            )
            for decision in selected
        ]

    def _bindings(self) -> dict[str, Binding]:
        """By cluster; those that go, and those of another policy, do not count."""
        policy = self._picture.policy
        return {
            each.spec.target_cluster: each
            for each in self._picture.bindings
            if each.metadata.deletion_timestamp is None
            and each.spec.target_cluster
            and policy is not None
            and each.spec.scheduling_policy_snapshot_name == policy.metadata.name
        }

    def _expected(self, binding: Binding | None) -> Expected:
        if self._spec.is_external:
            name = binding.spec.resource_snapshot_name if binding is not None else ""
            return Expected(self._stages, None, self._picture.index(name) if name else "")
        latest = self._picture.resources
        name = latest.metadata.name if latest is not None else ""
        return Expected(self._stages, name, self._latest_index())

    def _missing(
        self, decisions: Sequence[ClusterDecision], found: int
    ) -> Iterable[PerClusterStatus]:
        """Clusters that a placement asks for and that could not be picked."""
        policy = self._spec.wanted
        asked = 0
        if policy.type == PICK_N:
            asked = policy.number_of_clusters or 0
        elif policy.type == PICK_FIXED:
            asked = len(policy.cluster_names)
        unselected = [each for each in decisions if not each.selected]
        nameless = [
            each
            for each in self._picture.placement.status.placement_statuses
            if not each.cluster_name
        ]
        for number, decision in enumerate(unselected[: max(0, asked - found)]):
            old = nameless[number] if number < len(nameless) else None
            yield unselected_cluster(
                decision, old, generation=self._picture.generation, now=self._now
            )

    # The sum.

    def _rolled_out(self, verdicts: Sequence[ClusterVerdict]) -> tuple[str, str]:
        """The index that all clusters have, and why it cannot be told how the rollout stands, "" if it can."""
        begins = "Rollout is controlled by an external controller and"
        indexes = {each.status.observed_resource_index for each in verdicts}
        if len(indexes) > 1:
            return "", f"{begins} different resource snapshot versions are observed across clusters"
        (index,) = indexes
        if not index:
            return "", (
                f"{begins} no resource snapshot name is observed across clusters. To determine rollout status, check"
                f" the {self._scope.update_runs.kind} resources with spec.placementName matching this placement"
            )
        for each in verdicts:
            if each.reached.get(ROLLOUT_STARTED) == UNKNOWN:
                return index, (
                    f"{begins} cluster {each.status.cluster_name} is in RolloutStarted Unknown state"
                )
        return index, ""

    def _sum(self, verdicts: Sequence[ClusterVerdict]) -> dict[str, tuple[str, Told]]:
        """What is said of each stage, up to the first that is not True."""
        said = {}
        for stage in self._stages:
            counts = Counter(each.reached[stage] for each in verdicts if stage in each.reached)
            status = next((each for each in (UNKNOWN, FALSE) if counts[each]), TRUE)
            words = told(self._wording, stage, status, counts[status])
            if (stage, status) == (OVERRIDDEN, TRUE) and not _are_overridden(verdicts):
                words = Told("NoOverrideSpecified", NO_OVERRIDES)
            said[stage] = (status, words)
            if status != TRUE:
                break
        return said

    def _with_outcome(
        self, conditions: tuple[Condition, ...], verdicts: Sequence[ClusterVerdict]
    ) -> tuple[Condition, ...]:
        """What became of jobs, wherever one has begun."""
        told = (find_condition(each.status.conditions, FINISHED) for each in verdicts)
        outcome = of_clusters(each for each in told if each is not None)
        type_ = self._scope.condition(FINISHED)
        if outcome is None:
            return without_conditions(conditions, (type_,))
        new = msgspec.structs.replace(
            outcome, type=type_, observed_generation=self._picture.generation
        )
        return with_outcome(conditions, new, self._now)

    def _with_stages(
        self, conditions: tuple[Condition, ...], said: dict[str, tuple[str, Told]]
    ) -> tuple[Condition, ...]:
        for stage, (status, words) in said.items():
            type_ = self._scope.condition(stage)
            new = Condition(type_, status, words.reason, words.message, self._picture.generation)
            conditions = with_condition(conditions, new, self._now)
        silent = (self._scope.condition(each) for each in STAGES if each not in said)
        return without_conditions(conditions, silent)


def _are_overridden(verdicts: Iterable[ClusterVerdict]) -> bool:
    return any(
        each.status.applicable_resource_overrides
        or each.status.applicable_cluster_resource_overrides
        for each in verdicts
    )
