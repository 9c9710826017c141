"""Whose pods are waited for before the next workload is admitted: those of all that hold quota."""

from __future__ import annotations

import pytest

from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cache.caches import Cache
from argosy.queueing.workloads.making import Infos
from tests.unit.queueing.workloads.builders import ADMISSION, condition, workload

_RESERVED = condition("QuotaReserved")


@pytest.mark.parametrize(
    ("given", "is_waited_for"),
    [
        (workload(_RESERVED, admission=ADMISSION), True),
        (workload(_RESERVED, condition("Admitted"), admission=ADMISSION), True),
        (workload(_RESERVED, condition("PodsReady", "False"), admission=ADMISSION), True),
        (workload(_RESERVED, condition("PodsReady"), admission=ADMISSION), False),
    ],
    ids=["reserving", "admitted", "not ready", "ready"],
)
def test_a_workload_is_waited_for(given: Workload, is_waited_for: bool) -> None:
    cache = Cache()
    cache.add_workload(Infos().make(given))
    assert bool(cache.unready) is is_waited_for
    cache.remove_workload("ns/wl")
    assert not cache.unready
