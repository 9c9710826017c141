"""The SDK's public face: what it is called, and that it is cheap until it is used."""

from __future__ import annotations

import inspect
import subprocess
import sys

import argosy
from argosy import sdk
from argosy.sdk import AsyncFleet, Fleet

PUBLIC = [
    "Amount", "AsyncFleet", "Choice", "Cluster", "ClusterState", "Considered", "Fleet", "FleetError", "FleetEvent",
    "FleetJob", "JobState", "LogLine", "Queue", "QueueUse", "Submission",
]  # fmt: skip
METHODS = {
    "cancel", "close", "clusters", "connect", "consider", "events", "job", "jobs", "logs", "namespace", "problems",
    "queues", "states", "submit", "wait", "watch_jobs", "why",
}  # fmt: skip


def test_all_is_what_it_is() -> None:
    assert sdk.__all__ == PUBLIC
    assert argosy.__all__ == ["AsyncFleet", "Fleet", "__version__"]
    assert all(getattr(sdk, name).__doc__ for name in PUBLIC)


def test_both_faces_have_the_same_methods_and_parameters() -> None:
    # Those who watch a fleet themselves stand on the async one's connections.
    for face, more in ((AsyncFleet, {"connections"}), (Fleet, set[str]())):
        assert {name for name in dir(face) if not name.startswith("_")} == METHODS | more
    for name in METHODS - {"namespace", "problems"}:
        got = inspect.signature(getattr(Fleet, name)).parameters
        assert list(got) == list(inspect.signature(getattr(AsyncFleet, name)).parameters), name


def test_importing_argosy_loads_nothing_of_it() -> None:
    ask = "import sys, argosy; print('argosy.sdk' in sys.modules, 'asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", ask], check=True, capture_output=True, text=True)
    assert done.stdout == "False False\n"
