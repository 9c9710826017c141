"""Whose events are a job's."""

from __future__ import annotations

import pytest

from argosy.sdk.errors import FleetError
from argosy.sdk.events import about_test

OBJECTS = {
    "job/train": True,
    "pod/train-x7k2p": True,
    "pod/train-0-x7k2p": True,
    "workload/job-train-1a2b3": True,
    "resourceplacement/train-placement": True,
    "job/train-2": False,
    "pod/training-x7k2p": False,
    "workload/job-train2-1a2b3": False,
    "node/train": False,
}


@pytest.mark.parametrize(("name", "want"), OBJECTS.items())
def test_what_is_about_a_job(name: str, want: bool) -> None:
    assert about_test("job/train")(name) is want


def test_other_kinds_are_meant_exactly() -> None:
    assert about_test("pods/x")("pod/x")
    assert not about_test("pod/x")("pod/x-abcde")
    assert about_test("")("anything/x")
    with pytest.raises(FleetError, match=r'"/x" is no object: say KIND/NAME'):
        about_test("/x")
