"""What a decision about a run depends on: everything, as it stands at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import PolicySnapshot
from argosy.api.objects.fleet.updateruns import ApprovalRequest, UpdateRun, UpdateStrategy
from argosy.client.objects import Key
from argosy.placement.updateruns.marking import Moment


@dataclass(slots=True, frozen=True)
class Look:
    """`policies` and `bindings` are those of the run's placement; `members` are in order of their names."""

    run: UpdateRun
    now: datetime
    placement: Placement | None = None
    strategy: UpdateStrategy | None = None
    policies: Sequence[PolicySnapshot] = ()
    bindings: Sequence[Binding] = ()
    members: Sequence[MemberCluster] = ()
    # Those of the run, by name.
    approvals: Mapping[str, ApprovalRequest] = field(default_factory=dict)

    @property
    def placement_key(self) -> Key:
        return Key(self.run.metadata.namespace, self.run.spec.placement_name)

    @property
    def strategy_key(self) -> Key:
        return Key(self.run.metadata.namespace, self.run.spec.staged_rollout_strategy_name)

    @property
    def moment(self) -> Moment:
        return Moment(self.run.metadata.generation, self.now)


def full(key: Key) -> str:
    """A name as upstream writes it into messages: with the slash, whether or not there is a namespace."""
    return f"{key.namespace}/{key.name}"
