"""The heart's parts by the gates of a configuration."""

from __future__ import annotations

from argosy.queueing.assembling import infos, order
from argosy.queueing.configuration import Configuration, decode
from argosy.queueing.cycles.ordering import Classical, Fair, by_age


def _configured(text: str) -> Configuration:
    head = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    return decode((head + text).encode(), name="f.yaml")


def test_gates_that_nobody_names_have_kueues_defaults() -> None:
    given = _configured("")
    got = infos(given)
    assert (got.boosts, got.reclaims, got.by_priority) == (False, True, True)
    assert order(given) is Classical


def test_gates_that_are_named() -> None:
    got = infos(_configured("featureGates: {PriorityBoost: true, ReclaimablePods: false}"))
    assert (got.boosts, got.reclaims, got.by_priority) == (True, False, True)


def test_cohorts_that_do_not_go_by_priority() -> None:
    given = _configured(
        "featureGates: {PrioritySortingWithinCohort: false}\n"
        "fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n"
    )
    made = order(given)
    assert getattr(made, "func", None) is Fair
    assert getattr(made, "keywords", None) == {"seniority": by_age}
    assert not infos(given).by_priority
