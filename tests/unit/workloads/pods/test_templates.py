"""Pods made from the template of their owner."""

from __future__ import annotations

import pytest

from argosy.api.objects import ObjectMeta
from argosy.client.resources import JOBS
from argosy.workloads.pods.templates import pod_from_template

NAMES = {
    "a short name and a dash": ("job", "job-"),
    "a long name is left whole, for the server to cut": ("j" * 63, "j" * 63 + "-"),
    "a name as long as names may be has no room for the dash": ("j" * 253, "j" * 253),
}


@pytest.mark.parametrize(("owner", "want"), NAMES.values(), ids=NAMES.keys())
def test_pods_are_named_after_their_owner(owner: str, want: str) -> None:
    made = pod_from_template({}, JOBS, ObjectMeta(name=owner, uid="u"))
    assert made["metadata"]["generateName"] == want
