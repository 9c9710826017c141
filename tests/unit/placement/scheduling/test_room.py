"""No cluster without room is picked before one that has it, where a policy asks for room."""

from __future__ import annotations

from argosy.api.objects.metadata import Quantities
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.placement.scheduling.deciding import decide
from argosy.placement.scheduling.snapshots import take
from tests.support.placing import (
    NOW,
    RESOURCES,
    labelled,
    member,
    pick_n,
    policy_snapshot,
    preferred,
    sorted_by,
)

CPU, MEMORY = (RESOURCES + f"available-{name}" for name in ("cpu", "memory"))
# The guide's: 40 points for the most free CPU, 30 for the most free memory.
GUIDE = preferred((40, sorted_by(CPU)), (30, sorted_by(MEMORY)))
FLEET = (
    member("narrow", available={"cpu": "2", "memory": "100Gi"}),
    member("middling", available={"cpu": "4", "memory": "4Gi"}),
    member("full", available={"cpu": "0", "memory": "1Gi"}),
)


def picked(policy: Object, needs: Quantities, reserved: dict[str, Quantities] | None = None) -> str:
    snapshot = policy_snapshot(pick_n(1, **policy))
    decision = decide(take(Key("", "web"), snapshot, FLEET, (), NOW, reserved, needs=needs))
    (found,) = decision.created
    return found.cluster_name


def told(policy: Object, needs: Quantities, cluster: str) -> str:
    snapshot = policy_snapshot(pick_n(1, **policy))
    status = decide(take(Key("", "web"), snapshot, FLEET, (), NOW, needs=needs)).status
    assert status is not None
    (reason,) = (e.reason for e in status.target_clusters if e.cluster_name == cluster)
    return reason


def test_a_cluster_with_much_memory_and_too_little_cpu_does_not_get_the_job() -> None:
    # By scores alone it does.
    assert picked(GUIDE, {}) == "narrow"
    assert picked(GUIDE, {"cpu": "2", "memory": "1Gi"}) == "narrow"
    assert picked(GUIDE, {"cpu": "3", "memory": "1Gi"}) == "middling"
    assert told(GUIDE, {"cpu": "3"}, "narrow") == (
        'Cluster "narrow" does not score high enough (affinity score: 50, topology spread score: 0); '
        "it has no room left for what is placed"
    )
    assert told(GUIDE, {"cpu": "2"}, "middling") == (
        'Cluster "middling" does not score high enough (affinity score: 41, topology spread score: 0)'
    )


def test_room_that_was_promised_to_others_is_none() -> None:
    wants: Quantities = {"cpu": "2"}
    assert picked(GUIDE, wants, {"narrow": {"cpu": "500m"}}) == "middling"


def test_where_nobody_has_room_scores_decide() -> None:
    assert picked(GUIDE, {"cpu": "64"}) == "narrow"


def test_policies_that_do_not_ask_for_room_are_not_concerned() -> None:
    needs: Quantities = {"cpu": "3"}
    # Packed on purpose, by labels, or by another resource.
    assert picked(preferred((40, sorted_by(CPU, "Ascending"))), needs) == "full"
    assert picked(preferred((40, labelled(zone="a"))), needs) == "narrow"
    assert picked(preferred((40, sorted_by(MEMORY))), needs) == "narrow"
