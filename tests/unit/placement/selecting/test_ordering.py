"""The order of what is selected."""

from __future__ import annotations

from argosy.client.resources import (
    CLUSTER_QUEUES,
    CLUSTER_ROLES,
    CONFIG_MAPS,
    CRON_JOBS,
    JOBS,
    NAMESPACES,
    PRIORITY_CLASSES,
    RESOURCE_FLAVORS,
    SERVICES,
    Resource,
)
from argosy.placement.selecting.ordering import rank

OTHER_SERVICES = Resource("a.example.com", "v1", "services", "Service")


def test_known_kinds_by_rank_then_group_then_name_and_unknown_kinds_last() -> None:
    want = [
        (PRIORITY_CLASSES, "", "z"),
        (NAMESPACES, "", "a"),
        # A dash comes before a slash.
        (CONFIG_MAPS, "ns-2", "a"),
        (CONFIG_MAPS, "ns", "a"),
        (CONFIG_MAPS, "ns", "b"),
        (CLUSTER_ROLES, "", "a"),
        (OTHER_SERVICES, "ns", "a"),
        (SERVICES, "ns", "a"),
        (JOBS, "ns", "a"),
        (CRON_JOBS, "ns", "a"),
        (CLUSTER_QUEUES, "", "a"),
        (RESOURCE_FLAVORS, "", "a"),
    ]
    shuffled = want[::-1]
    shuffled.sort(key=lambda each: rank(*each))
    assert shuffled == want
