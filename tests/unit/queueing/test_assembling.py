"""The heart's parts by the gates of a configuration."""

from __future__ import annotations

from functools import partial

from argosy.queueing.assembling import infos, order
from argosy.queueing.configuration import Configuration, decode
from argosy.queueing.cycles.ordering import Classical, Fair, by_age, by_priority, by_share_alone
from argosy.queueing.quotas.shares import is_borrowing_on
from argosy.queueing.workloads.making import Infos

FAIR = "fairSharing: {preemptionStrategies: [LessThanInitialShare]}\n"


def _configured(text: str) -> Configuration:
    head = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    return decode((head + text).encode(), name="f.yaml")


def test_gates_that_nobody_names_have_kueues_defaults() -> None:
    got = infos(_configured(""))
    assert got == Infos(got.excluded_prefixes)
    assert _order(_configured("")) == (Classical, {"seniority": by_priority})
    assert _order(_configured(FAIR)) == (
        Fair,
        {"seniority": by_priority, "borrowing": is_borrowing_on},
    )


def test_gates_that_are_named() -> None:
    gates = "PriorityBoost: true, ReclaimablePods: false, SchedulingEquivalenceHashing: false"
    got = infos(_configured(f"featureGates: {{{gates}}}"))
    assert got == Infos(got.excluded_prefixes, boosts=True, reclaims=False, compares=False)


def test_cohorts_that_do_not_go_by_priority() -> None:
    given = _configured("featureGates: {PrioritySortingWithinCohort: false}")
    assert _order(given) == (Classical, {"seniority": by_age})
    assert not infos(given).by_priority


def test_fair_sharing_by_shares_alone() -> None:
    given = _configured(f"featureGates: {{FairSharingPrioritizeNonBorrowing: false}}\n{FAIR}")
    assert _order(given) == (Fair, {"seniority": by_priority, "borrowing": by_share_alone})


def _order(given: Configuration) -> tuple[object, object]:
    made = order(given)
    assert isinstance(made, partial)
    return made.func, made.keywords
