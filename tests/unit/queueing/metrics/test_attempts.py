"""What is counted of the scheduler's cycles."""

from __future__ import annotations

from collections import Counter

from argosy.api.objects.kueue.workloads import Admission
from argosy.base.metrics import Registry
from argosy.queueing.cycles.decisions import Admit, Outcome
from argosy.queueing.cycles.entries import Entry
from argosy.queueing.metrics.attempts import AttemptMetrics
from argosy.queueing.workloads.infos import Info
from tests.unit.queueing.workloads.builders import workload

ROLE = 'replica_role="standalone"'


def entry() -> Entry:
    return Entry(Info(workload(), ()))


def shown(*outcomes: Outcome) -> dict[str, str]:
    registry = Registry()
    metrics = AttemptMetrics(registry)
    for outcome in outcomes:
        metrics.cycle(outcome, 0.25)
    lines = registry.exposition().decode().splitlines()
    pairs = (line.rpartition(" ") for line in lines if line[0] != "#" and "_bucket" not in line)
    return {
        series.removeprefix("kueue_").replace(f",{ROLE}", ""): value
        for series, _, value in pairs
        if "build_info" not in series
    }


def test_cycles_are_counted_by_whether_somebody_was_admitted() -> None:
    admitted = Outcome(admitted=[Admit(entry(), Admission("cq", ()))], requeued=[entry()])
    in_vain = Outcome(requeued=[entry()])
    assert shown(admitted, in_vain, in_vain) == {
        'admission_attempts_total{result="success"}': "1",
        'admission_attempts_total{result="inadmissible"}': "2",
        'admission_attempt_duration_seconds_sum{result="success"}': "0.25",
        'admission_attempt_duration_seconds_count{result="success"}': "1",
        'admission_attempt_duration_seconds_sum{result="inadmissible"}': "0.5",
        'admission_attempt_duration_seconds_count{result="inadmissible"}': "2",
    }


def test_a_cycle_with_nobody_to_look_at_is_no_attempt() -> None:
    assert shown(Outcome()) == {}


def test_skipped_preemptions_are_those_of_the_last_cycle_that_had_any() -> None:
    got = shown(
        Outcome(requeued=[entry()], skipped_preemptions=Counter({"a": 2, "b": 1})),
        Outcome(requeued=[entry()], skipped_preemptions=Counter({"a": 1})),
        Outcome(requeued=[entry()]),
    )
    found = {series: value for series, value in got.items() if "skips" in series}
    assert found == {
        'admission_cycle_preemption_skips{cluster_queue="a"}': "1",
        'admission_cycle_preemption_skips{cluster_queue="b"}': "1",
    }


def test_recomputed_targets_add_up() -> None:
    again = Counter({("a", "deferred_fit"): 2, ("a", "skipped"): 1})
    got = shown(*(Outcome(requeued=[entry()], recomputations=again) for _ in range(2)))
    found = {series: value for series, value in got.items() if "recomputations" in series}
    assert found == {
        'preemption_target_recomputations_total{cluster_queue="a",result="deferred_fit"}': "4",
        'preemption_target_recomputations_total{cluster_queue="a",result="skipped"}': "2",
    }
