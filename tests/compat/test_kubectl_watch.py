"""`kubectl get -w`: a list, then what changes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.compat.objects import config_map, pod
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl

# A watch that stays silent is a failure, not an endless test.
PATIENCE_SECONDS = 20.0


@contextmanager
def watching(kubectl: Kubectl, *arguments: str) -> Iterator[Iterator[str]]:
    """The lines a watch prints, as they come; it is ended with the block."""
    process = kubectl.start(*arguments)
    assert process.stdout is not None
    timer = threading.Timer(PATIENCE_SECONDS, process.kill)
    timer.start()
    try:
        yield iter(process.stdout.readline, "")
    finally:
        timer.cancel()
        process.terminate()
        process.communicate()


def test_changes_come_as_rows_under_one_head(kubectl: Kubectl, api: Connection) -> None:
    kubectl("create", "-f", "-", stdin=pod("one"))
    path = f"/api/v1/namespaces/{kubectl.namespace}/pods"
    with watching(kubectl, "get", "pods", "-w") as lines:
        assert next(lines).split()[:3] == ["NAME", "READY", "STATUS"]
        assert next(lines).split()[:3] == ["one", "0/1", "Pending"]
        api.create(path, pod("two"))
        assert next(lines).split()[:3] == ["two", "0/1", "Pending"]
        api.merge(f"{path}/one/status", {"status": {"phase": "Succeeded"}})
        assert next(lines).split()[:3] == ["one", "0/1", "Succeeded"]
        api.delete(f"{path}/two?gracePeriodSeconds=0")
        assert next(lines).split()[0] == "two"


def test_watch_events_are_typed_in_json(kubectl: Kubectl, api: Connection) -> None:
    path = f"/api/v1/namespaces/{kubectl.namespace}/configmaps"
    arguments = ["get", "cm", "-l", "watched=yes", "--watch-only", "--output-watch-events"]
    shape = "jsonpath={.type} {.object.metadata.name} {.object.data.key}{'\\n'}"
    with watching(kubectl, *arguments, "-o", shape) as lines:
        got: list[str] = []
        ready = threading.Event()

        def read() -> None:
            for line in lines:
                got.append(line.rstrip("\n"))
                if line.startswith("ADDED first"):
                    ready.set()
                if line.startswith("DELETED last"):
                    return

        reader = threading.Thread(target=read)
        reader.start()
        # The watch is open once it shows a change; until then write it again.
        for number in range(200):
            if ready.wait(0.1):
                break
            api.request("DELETE", f"{path}/first")
            api.create(path, config_map("first", {"key": str(number)}, watched="yes"))
        api.create(path, config_map("last", watched="yes"))
        api.merge(f"{path}/last", {"data": {"key": "new"}})
        api.merge(f"{path}/last", {"metadata": {"labels": {"watched": "no"}}})
        reader.join(PATIENCE_SECONDS)
    last = [line for line in got if " last " in line]
    assert last == ["ADDED last value", "MODIFIED last new", "DELETED last new"]


def test_a_watch_ends_when_its_time_is_over(kubectl: Kubectl, api: Connection) -> None:
    got = kubectl.run("get", "cm", "-w", "--request-timeout=1s", "-o", "name")
    assert got.code in {0, 1}
    assert got.lines in ([], ["configmap/kube-root-ca.crt"])


def test_a_watch_goes_on_from_a_revision(kubectl: Kubectl, api: Connection) -> None:
    path = f"/api/v1/namespaces/{kubectl.namespace}/configmaps"
    since = api.create(path, config_map("before"))["metadata"]["resourceVersion"]
    api.create(path, config_map("after"))
    raw = f"{path}?watch=1&resourceVersion={since}&timeoutSeconds=1"
    events = [json.loads(line) for line in kubectl("get", "--raw", raw).lines]
    names = [(one["type"], one["object"]["metadata"]["name"]) for one in events]
    assert ("ADDED", "after") in names
    assert ("ADDED", "before") not in names


def test_watch_of_one_object(kubectl: Kubectl, api: Connection) -> None:
    path = f"/api/v1/namespaces/{kubectl.namespace}/configmaps"
    api.create(path, config_map("mine"))
    api.create(path, config_map("other"))
    shape = "jsonpath={.data.key}{'\\n'}"
    with watching(kubectl, "get", "cm", "mine", "-w", "-o", shape) as lines:
        assert next(lines) == "value\n"
        api.merge(f"{path}/other", {"data": {"key": "no"}})
        api.merge(f"{path}/mine", {"data": {"key": "yes"}})
        assert next(lines) == "yes\n"
