"""Counting pods that have ended, exactly once each, whatever crashes in between.

A pod is counted in three steps, and the finalizer on it is what makes them safe:

1. its uid is written into `status.uncountedTerminatedPods` (of an Indexed Job: its index into `completedIndexes`);
2. the finalizer is taken from the pod, which may vanish from then on;
3. its uid is taken out of the list, and the counter goes up, in one write.

A crash after 1 repeats 2, a crash after 2 finds a uid without a pod that has the finalizer, and does 3. `next_batch`
prepares step 1 for at most 500 pods, which keeps the list below 20 KB; `settle` is step 3. Larger numbers take as many
rounds within one look, each of whose writes holds step 3 of the round before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from argosy.api.objects import Pod, is_true
from argosy.workloads.jobs.assessing import Situation, has_index, is_failed, is_indexed
from argosy.workloads.jobs.drafts import (
    COMPLETE,
    FAILED,
    FAILURE_TARGET,
    SUCCESS_CRITERIA_MET,
    condition,
)
from argosy.workloads.jobs.ledgers import Entry, Ledger
from argosy.workloads.jobs.policies import judge_failure

MOST_UNCOUNTED: Final = 500


def batches(situation: Situation, ledger: Ledger) -> Iterator[tuple[Pod, ...]]:
    """Count in rounds: each brings the draft to what is to be written before the finalizers of its pods are removed.

    The caller writes the draft, removes the finalizers (telling the ledger) and asks for the next round, with which the
    draft goes on. There is always one round, so that a draft without ended pods is written too.
    """
    situation.draft.count_untracked(ledger.tracked)
    _note_indexes(situation)
    _note_verdict(situation)
    rest = iter(situation.countable)
    while True:
        batch, is_last = _next_batch(situation, rest)
        yield batch
        situation.draft.count_untracked(ledger.tracked)
        if is_last:
            return


def finish(situation: Situation) -> bool:
    """Add the final condition if the Job is over and all of its pods have ended and are counted."""
    finishing, draft = situation.finishing, situation.draft
    if finishing is None or draft.uncounted or situation.terminating:
        return False
    draft.ensure_condition(finishing)
    if finishing.type == COMPLETE:
        draft.completion_time = finishing.last_transition_time
    return True


def _next_batch(situation: Situation, rest: Iterator[Entry]) -> tuple[tuple[Pod, ...], bool]:
    """Note pods as uncounted until there are enough; gives those to take the finalizer from and whether that is all."""
    draft = situation.draft
    known = {*draft.uncounted_succeeded, *draft.uncounted_failed}
    known_failed = set(draft.uncounted_failed)
    batch: list[Pod] = []
    new_indexes = 0
    for found in rest:
        pod = found.pod
        failed = is_failed(situation.job, pod)
        if not _may_let_go(situation, found, failed):
            continue
        batch.append(pod)
        if pod.status.phase == "Succeeded" and found.uid not in known_failed:
            if is_indexed(situation.job):
                new_indexes += _is_new_index(situation, found)
            elif found.uid not in known:
                draft.uncounted_succeeded.append(found.uid)
        elif found.uid not in known_failed and _counts_as_failed(situation, found, failed):
            draft.uncounted_failed.append(found.uid)
        if new_indexes + draft.uncounted >= MOST_UNCOUNTED:
            return tuple(batch), False
    return tuple(batch), True


def _may_let_go(situation: Situation, found: Entry, failed: bool) -> bool:
    job, pod = situation.job, found.pod
    if (
        job.metadata.deletion_timestamp is not None
        or situation.finishing is not None
        or pod.status.phase == "Succeeded"
    ):
        return True
    if not failed:
        return False
    kept = situation.delayed.get(found.index)
    return kept is None or kept.metadata.uid != found.uid


def _counts_as_failed(situation: Situation, found: Entry, failed: bool) -> bool:
    """Whether a pod that did not succeed is a failure. Once the Job has failed, every pod that still runs is."""
    finishing, job = situation.finishing, situation.job
    is_over = finishing is not None and finishing.type == FAILED
    if not (failed or is_over) or not has_index(job, found):
        return False
    return judge_failure(job.spec.pod_failure_policy, found.pod).counts


def _is_new_index(situation: Situation, found: Entry) -> bool:
    return has_index(situation.job, found) and found.index not in situation.previous_indexes


def _note_indexes(situation: Situation) -> None:
    if not is_indexed(situation.job):
        return
    draft, failed = situation.draft, situation.failed_indexes
    draft.succeeded = situation.succeeded_indexes.total
    draft.completed_indexes = str(situation.succeeded_indexes)
    draft.failed_indexes = str(failed) if failed is not None else None


def _note_verdict(situation: Situation) -> None:
    """Add the interim condition of a Job that is over; from here on `finishing` is the final one."""
    finishing, draft, now = situation.finishing, situation.draft, situation.now
    if finishing is None or finishing.type not in {FAILURE_TARGET, SUCCESS_CRITERIA_MET}:
        return
    if not is_true(draft.conditions, finishing.type):
        draft.add_condition(finishing)
    final = FAILED if finishing.type == FAILURE_TARGET else COMPLETE
    situation.finishing = condition(final, "True", finishing.reason, finishing.message, now)
