"""Numbers of pods: per pod set as asked, as changed, and those that are done and give their quota back early."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from argosy.api.objects.kueue.workloads import PodSet, ReclaimablePod, Workload
from argosy.queueing.workloads.drafts import StatusDraft


def pod_set_counts(pod_sets: Iterable[PodSet]) -> dict[str, int]:
    return {pod_set.name: pod_set.count for pod_set in pod_sets}


def with_counts(workload: Workload, counts: Mapping[str, int]) -> Workload:
    """The workload with other numbers of pods, where they are given."""
    pod_sets = tuple(
        replace(pod_set, count=counts.get(pod_set.name, pod_set.count))
        for pod_set in workload.spec.pod_sets
    )
    return replace(workload, spec=replace(workload.spec, pod_sets=pod_sets))


def has_fewer(counts: Mapping[str, int], other: Mapping[str, int]) -> bool:
    """Whether any pod set of `counts` has fewer pods than in `other`."""
    return any(name in other and count < other[name] for name, count in counts.items())


def is_scaled_down(old: Mapping[str, int], new: Mapping[str, int]) -> bool:
    """Whether pods were taken away and none added: quota is free that was not."""
    return old.keys() == new.keys() and has_fewer(new, old) and not has_fewer(old, new)


def same_reclaimable(one: Iterable[ReclaimablePod], other: Iterable[ReclaimablePod]) -> bool:
    """Whether both say the same, in whatever order."""
    ours, theirs = tuple(one), tuple(other)
    return len(ours) == len(theirs) and _by_name(ours) == _by_name(theirs)


def limited_reclaimable(
    workload: Workload, reclaimable: Iterable[ReclaimablePod]
) -> tuple[ReclaimablePod, ...]:
    """No more reclaimable pods than there are; what names no pod set is left for validation to refuse."""
    counts = pod_set_counts(workload.spec.pod_sets)
    return tuple(
        ReclaimablePod(one.name, min(one.count, counts.get(one.name, one.count)))
        for one in reclaimable
    )


def set_reclaimable(draft: StatusDraft, reclaimable: Iterable[ReclaimablePod]) -> bool:
    """Say which pods are done; whether that is news."""
    new = limited_reclaimable(draft.workload, reclaimable)
    if same_reclaimable(draft.status.reclaimable_pods, new):
        return False
    draft.status = replace(draft.status, reclaimable_pods=new)
    return True


def _by_name(pods: Iterable[ReclaimablePod]) -> dict[str, int]:
    return {pod.name: pod.count for pod in pods}
