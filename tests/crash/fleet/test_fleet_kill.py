"""kill -9 of any process of a fleet at any moment, then `argosy up`: every job runs to its end, exactly once.

A seed says which jobs are submitted, how long they take and whether their TTLs remove them, who dies and when: the hub
with all that depends on it, a process of members, or all at once, in the middle of the burst, of its end, or of the
next start. At last every job has ended as the hub tells it, and the members' own histories say that each of its
completions was run by one pod, started once.
"""

from __future__ import annotations

import functools
import http.client
import os
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TypeVar

import pytest

from tests.crash.fleet.victims import ALL, HUB, MEMBERS, Death, Doomed, deaths
from tests.support import bursts, ledgers
from tests.support.connections import Connection

SEEDS = int(os.environ.get("ARGOSY_CRASHES", "20"))
# Those of `make test`; the others are played by `make test-long`.
QUICK = 2
MOST_SECONDS = 60.0
QUOTA = "8"
PAUSE_SECONDS = 0.1

T = TypeVar("T")


@pytest.fixture(scope="module", params=[1, 3], ids=["one-process", "three-processes"])
def fleet(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Doomed]:
    """A fleet with queues everywhere, which lives through the deaths of all seeds."""
    doomed = Doomed(tmp_path_factory.mktemp("fleet"), request.param)
    try:
        doomed.up()
        with doomed.connection(HUB) as hub:
            bursts.submit(hub, *bursts.everywhere(QUOTA), bursts.template())
        yield doomed
    finally:
        doomed.end()


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(seed, marks=pytest.mark.long if seed > QUICK else ())
        for seed in range(1, SEEDS // 2 + 1)
    ],
)
def test_every_job_ends_exactly_once_whoever_is_killed(fleet: Doomed, seed: int) -> None:
    source = random.Random(f"{seed}/{fleet.processes}")
    jobs = [_job(source, f"s{seed}-{number}") for number in range(source.randint(20, 40))]
    plan = deaths(source, fleet.processes)
    fleet.up()
    with _answering(fleet) as members:
        since = ledgers.revisions(members)
    _live(fleet, source, jobs, plan)
    ended = _wait(fleet, jobs)
    assert ended == dict.fromkeys(map(bursts.placement_name, jobs), "JobComplete"), plan
    with _answering(fleet) as members:
        ran = ledgers.read(members, since)
    for body in jobs:
        name, spec = body["metadata"]["name"], body["spec"]
        once = _once(spec)
        assert ran[name].counts() == (1, once, once), (name, spec, plan)
    assert "Traceback" not in fleet.log


def _job(source: random.Random, name: str) -> bursts.Body:
    return bursts.job(
        name,
        seconds=source.choice([0.1, 0.4, 0.8, 1.5]),
        pods=source.randint(1, 3),
        ttl=source.choice([None, None, 0, 1, 3]),
        indexed=source.random() < 0.5,
        templated=source.random() < 0.5,
    )


def _once(spec: bursts.Body) -> dict[str, int]:
    """A pod for each completion."""
    completions: int = spec["completions"]
    if spec.get("completionMode") == "Indexed":
        return {str(index): 1 for index in range(completions)}
    return {"": completions}


def _live(fleet: Doomed, source: random.Random, jobs: list[bursts.Body], plan: list[Death]) -> None:
    """Submit the jobs while the plan comes true; whoever was killed is started again."""
    with ThreadPoolExecutor(1) as pool:
        dying = pool.submit(_die, fleet, plan)
        with fleet.connection(HUB) as hub:
            for body in jobs:
                wanted = [body]
                if bursts.placement_name(body) == body["metadata"]["name"]:
                    wanted.append(bursts.placement(body["metadata"]["name"]))
                _patiently(functools.partial(bursts.submit, hub, *wanted))
                time.sleep(source.uniform(0, PAUSE_SECONDS))
        dying.result()


def _die(fleet: Doomed, plan: list[Death]) -> None:
    for death in plan:
        if death.in_start:
            fleet.up_and_die(death.after_seconds)
        else:
            time.sleep(death.after_seconds)
            fleet.kill(death.victim)
        if death.victim in {HUB, ALL}:
            fleet.up()


def _wait(fleet: Doomed, jobs: list[bursts.Body]) -> dict[str, str]:
    """How the jobs' placements have ended, when all have, or when it is too late."""
    wanted = set(map(bursts.placement_name, jobs))
    deadline = time.monotonic() + MOST_SECONDS
    with fleet.connection(HUB) as hub:
        while True:
            found = {name: ended for name, ended in bursts.outcomes(hub).items() if name in wanted}
            if (len(found) == len(wanted) and all(found.values())) or time.monotonic() > deadline:
                return found
            time.sleep(0.2)


@contextmanager
def _answering(fleet: Doomed) -> Iterator[dict[str, Connection]]:
    """The members, when they answer: one whose process was killed is back in a moment."""
    with ExitStack() as stack:
        members = {name: stack.enter_context(fleet.connection(name)) for name in MEMBERS}
        for connection in members.values():
            _patiently(functools.partial(connection.get, "/version"))
        yield members


def _patiently(ask: Callable[[], T]) -> T:
    """Ask again as long as nobody is there."""
    deadline = time.monotonic() + MOST_SECONDS
    while True:
        try:
            return ask()
        except (OSError, http.client.HTTPException):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
