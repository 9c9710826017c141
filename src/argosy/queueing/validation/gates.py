"""Which of Kueue's feature gates change what a write is told, with upstream's defaults."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Gates:
    """Each field is the gate of the same words.

    `nominated_clusters_only`: no gate, but the dispatcher's choice. A workload goes only to clusters it was nominated
    for, unless it is offered to all at once.
    """

    reject_updates_to_cq_with_invalid_on_flavors: bool = False
    elastic_jobs_via_workload_slices: bool = True
    priority_boost: bool = False
    tas_validate_workload_slice_size: bool = True
    workload_validate_resources_are_non_negative: bool = True
    workload_validation_for_pod_set_metadata: bool = True
    nominated_clusters_only: bool = True


DEFAULTS = Gates()
