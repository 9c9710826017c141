"""What a run stands on: a placement that waits for runs, clusters picked for it, and nothing half done.

Asked once when a run is initialized, and again at every later look. Whatever is wrong here ends the run, except for
bindings that are just being moved to a new policy: those are looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from argosy.api.objects.conditions import is_current
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import UNSCHEDULED, Binding
from argosy.api.objects.fleet.placements import ROLLING_UPDATE, ApplyStrategy
from argosy.api.objects.fleet.policies import PICK_FIXED, PICK_N
from argosy.api.objects.fleet.snapshots import SCHEDULED, PolicySnapshot
from argosy.api.objects.metadata import find_condition
from argosy.api.rules.integers import AtoiError, atoi
from argosy.client.objects import Key
from argosy.placement.updateruns.aborting import Unsettled, by_user, invalid, unexpected
from argosy.placement.updateruns.looks import Look, full


@dataclass(slots=True, frozen=True)
class Policy:
    """The latest policy snapshot; `count` is how many clusters it wants, None where it wants all that fit."""

    snapshot: PolicySnapshot
    index: str
    count: int | None


class Bound(NamedTuple):
    """A placement's bindings: to be updated, and to be deleted at the end."""

    selected: tuple[Binding, ...]
    leaving: tuple[Binding, ...]


def apply_strategy(look: Look) -> ApplyStrategy:
    """How the placement has its resources applied."""
    if look.placement is None:
        raise invalid(by_user("parent placement not found"))
    spec = look.placement.spec
    if not spec.is_external:
        raise invalid(
            by_user(
                "parent placement does not have an external rollout strategy, current strategy: "
                f"{spec.strategy.type or ROLLING_UPDATE}"
            )
        )
    return spec.apply_strategy


def latest_policy(look: Look) -> Policy:
    """Not yet whether it is scheduled: a run's status names the policy it would have used."""
    latest = [one for one in look.policies if one.metadata.labels.get(names.IS_LATEST) == "true"]
    placement = full(look.placement_key)
    if not latest:
        raise invalid(f"no latest policy snapshot associated with the placement: `{placement}`")
    if len(latest) > 1:
        raise invalid(
            unexpected(
                f"more than one ({len(latest)} in actual) latest policy snapshots associated with the placement: "
                f"`{placement}`"
            )
        )
    snapshot = latest[0]
    index = snapshot.metadata.labels.get(names.POLICY_INDEX, "")
    if not index:
        raise invalid(
            unexpected(
                f"policy snapshot `{full(Key(*snapshot.metadata.key))}` does not have a policy index label"
            )
        )
    return Policy(snapshot, index, _count(snapshot))


def check_scheduled(policy: Policy) -> None:
    meta = policy.snapshot.metadata
    said = find_condition(policy.snapshot.status.conditions, SCHEDULED)
    if not is_current(said, meta.generation, "True"):
        raise invalid(f"policy snapshot `{meta.name}` not fully scheduled yet")


def _count(snapshot: PolicySnapshot) -> int | None:
    policy = snapshot.spec.policy
    if policy is None:
        return None
    if policy.type == PICK_FIXED:
        return len(policy.cluster_names)
    return _wanted(snapshot) if policy.type == PICK_N else None


def _wanted(snapshot: PolicySnapshot) -> int:
    """The annotation tells today's number; the policy itself is as old as the snapshot."""
    text = snapshot.metadata.annotations.get(names.NUMBER_OF_CLUSTERS)
    if text is None:
        raise _no_count(snapshot, f"cannot find annotation {names.NUMBER_OF_CLUSTERS}")
    wrong = f"invalid annotation {names.NUMBER_OF_CLUSTERS}: {text} is not a valid count"
    try:
        count = atoi(text)
    except AtoiError as error:
        raise _no_count(snapshot, f"{wrong}: {error}") from None
    if count < 0:
        raise _no_count(snapshot, wrong)
    return count


def _no_count(snapshot: PolicySnapshot, why: str) -> Exception:
    name = full(Key(*snapshot.metadata.key))
    return invalid(
        unexpected(
            f"{why}: the policy snapshot `{name}` doesn't have valid cluster count annotation"
        )
    )


def bindings(look: Look, policy: Policy) -> Bound:
    """Those of the latest policy are updated; those that were given up go at the end."""
    name = policy.snapshot.metadata.name
    selected, leaving = [], []
    for binding in look.bindings:
        if binding.spec.state == UNSCHEDULED:
            leaving.append(binding)
        elif binding.spec.scheduling_policy_snapshot_name == name:
            selected.append(binding)
        else:
            meta, old = binding.metadata, binding.spec.scheduling_policy_snapshot_name
            raise Unsettled(
                f"binding `{full(Key(*meta.key))}` with old policy snapshot `{meta.namespace}/{old}` has state "
                f"{binding.spec.state}, we might observe a transient state, need retry"
            )
    if not selected and not leaving:
        raise invalid(
            "no scheduled or to-be-deleted bindings found for the latest policy snapshot "
            f"{full(Key(*policy.snapshot.metadata.key))}"
        )
    if policy.count is not None and policy.count != len(selected):
        raise invalid(
            unexpected(
                f"the number of selected bindings {len(selected)} is not equal to the observed cluster count "
                f"{policy.count}"
            )
        )
    return Bound(tuple(selected), tuple(leaving))
