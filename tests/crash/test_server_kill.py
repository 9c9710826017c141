"""kill -9 of a server in the middle of a write load, again and again: nothing acknowledged is lost.

After each restart every acknowledged write is there, nothing is there in part, the revision has not gone back, and
a watch that saw a revision before the crash goes on after it without a gap.
"""

from __future__ import annotations

import http.client
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.crash.loads import PATH, Known, Load, is_whole, whole
from tests.support.connections import Connection, address_of
from tests.support.processes import start

KILLS = 20
SELECTED = f"{PATH}?labelSelector=load%3Dyes"


@pytest.mark.timeout(300)
def test_twenty_kills_lose_nothing(tmp_path: Path) -> None:
    choice = random.Random(20)
    known: dict[str, Known] = {}
    last, acknowledged = 0, 0
    # What a watcher knows: the objects as of a revision before the crash.
    seen: dict[str, int] = {}
    since = 0
    for round_ in range(KILLS):
        served = start(tmp_path)
        address = address_of(served.kubeconfig)
        connection = Connection(address)
        if round_:
            last = verify(connection, known, last)
            follow(connection, seen, since)
        listed = connection.get(SELECTED)
        since = int(listed["metadata"]["resourceVersion"])
        assert since >= last
        seen = revisions(listed["items"])
        load = Load(address, round_, known)
        load.start(choice.randrange(1, 250))
        assert load.enough.wait(60), load.problems
        served.kill()
        load.join()
        connection.close()
        assert served.process.stdout is not None
        served.process.stdout.close()
        acknowledged += load.acknowledged
        for name in load.in_doubt:
            known.setdefault(name, Known(0, present=False))
        assert "Traceback" not in served.log
    assert acknowledged > KILLS * 20


def revisions(items: list[dict[str, Any]]) -> dict[str, int]:
    return {one["metadata"]["name"]: int(one["metadata"]["resourceVersion"]) for one in items}


def verify(connection: Connection, known: dict[str, Known], last: int) -> int:
    """Hold what is there against what was acknowledged, then take over what is there; returns the revision."""
    listed = connection.get(SELECTED)
    revision = int(listed["metadata"]["resourceVersion"])
    assert revision >= max(last, *(one.revision for one in known.values()))
    assert all(is_whole(one) for one in listed["items"])
    present = revisions(listed["items"])
    ahead = []
    for name, told in known.items():
        got = present.get(name)
        if (got is not None) == told.present and got in {None, told.revision}:
            continue
        # The write that was under way: later than what was acknowledged, never older.
        assert got is None or got > told.revision, f"{name} went back from {told} to {got}"
        ahead.append(name)
    writers = [name.partition("-")[0] for name in ahead]
    assert len(writers) == len({*writers}), f"one writer had two writes under way: {ahead}"
    assert set(present) <= set(known)
    for name in ahead:
        known[name] = Known(present.get(name, 0), name in present)
    made = connection.create(PATH, whole(f"marker-{revision}", "")) if revision else None
    assert made is not None
    assert int(made["metadata"]["resourceVersion"]) > revision
    connection.delete(f"{PATH}/marker-{revision}")
    return revision


def follow(connection: Connection, seen: dict[str, int], since: int) -> None:
    """Watch from before the crash: what was seen then and the events since make what is there now."""
    want = revisions(connection.get(SELECTED)["items"])
    address = connection.address
    stream = http.client.HTTPSConnection(
        address.host, address.port, context=address.tls, timeout=20
    )
    path = f"{SELECTED}&watch=1&resourceVersion={since}&timeoutSeconds=20"
    stream.request("GET", path, headers={"Authorization": f"Bearer {address.token}"})
    response = stream.getresponse()
    assert response.status == 200
    # The last write there is: everything before it must have come.
    marker = connection.create(PATH, whole("end-of-watch", ""))["metadata"]["resourceVersion"]
    revision = since
    while True:
        event = json.loads(response.readline())
        meta = event["object"]["metadata"]
        assert int(meta["resourceVersion"]) > revision, "events out of order"
        revision = int(meta["resourceVersion"])
        if event["type"] == "DELETED":
            del seen[meta["name"]]
        else:
            assert (meta["name"] in seen) == (event["type"] == "MODIFIED")
            seen[meta["name"]] = revision
        if meta["resourceVersion"] == marker:
            break
    stream.close()
    del seen["end-of-watch"]
    assert seen == want
    connection.delete(f"{PATH}/end-of-watch")
