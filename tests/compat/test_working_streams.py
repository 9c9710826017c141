"""Logs, exec, cp, attach and port-forward with real processes behind them."""

from __future__ import annotations

import re
import socket
import subprocess
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.compat.working import Working

pytestmark = pytest.mark.kubectl
pytest_plugins = ("tests.compat.working",)

FOREVER = "trap 'exit 0' TERM; echo up; while :; do sleep 0.1; done"


def test_logs_follow_until_the_container_ends(working: Working) -> None:
    working.pod("count", "for i in 1 2 3 4; do echo line $i; sleep 0.2; done")
    working.until(lambda: working.kubectl.run("logs", "count").stdout)
    assert working("logs", "-f", "count").lines == [f"line {i}" for i in (1, 2, 3, 4)]
    assert working("logs", "count", "--tail=2").lines == ["line 3", "line 4"]
    assert len(working("logs", "count", "--since=1h").lines) == 4
    stamped = working("logs", "count", "--timestamps", "--tail=1").stdout
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z line 4\n", stamped)
    assert working("logs", "count", "--limit-bytes=6").stdout == "line 1"


def test_logs_of_the_run_before_and_of_each_container(working: Working) -> None:
    init = {"name": "first", "image": "x", "command": ["sh", "-c", "echo prepared"]}
    # The second run stays, so that there is a run before it and a run that goes on.
    script = "test -e /cache/seen && { echo again; exec sleep 60; }; touch /cache/seen; echo once; exit 7"
    mount = {"name": "cache", "mountPath": "/cache"}
    working.pod(
        "twice", script, policy="OnFailure",
        initContainers=[init], container={"volumeMounts": [mount]},
        volumes=[{"name": "cache", "emptyDir": {}}], terminationGracePeriodSeconds=1,
    )  # fmt: skip
    working.wait("pod/twice", "jsonpath={.status.containerStatuses[0].restartCount}=1")
    working.wait("pod/twice", "condition=ready")
    working.until(lambda: working("logs", "twice").stdout)
    assert working("logs", "twice", "-c", "main").stdout == "again\n"
    assert working("logs", "twice", "-c", "main", "--previous").stdout == "once\n"
    assert working("logs", "twice", "-c", "first").stdout == "prepared\n"
    # kubectl reads all of them at once, in any order.
    both = working("logs", "twice", "--all-containers", "--prefix").lines
    assert sorted(both) == ["[pod/twice/first] prepared", "[pod/twice/main] again"]
    last = "jsonpath={.status.containerStatuses[0].lastState.terminated.exitCode}"
    assert working("get", "pod", "twice", "-o", last).stdout == "7"


def test_commands_in_a_container(working: Working, tmp_path: Path) -> None:
    env = [{"name": "GREETING", "value": "hello"}]
    working.pod("shell", FOREVER, container={"env": env})
    working.wait("pod/shell", "condition=ready")
    said = working.kubectl.run(
        "exec", "shell", "--", "sh", "-c", "echo $GREETING; echo e >&2; exit 3"
    )
    assert (said.code, said.stdout) == (3, "hello\n")
    assert said.stderr == "e\ncommand terminated with exit code 3\n"
    assert (
        working("exec", "-i", "shell", "--", "tr", "a-z", "A-Z", stdin="loud\n").stdout == "LOUD\n"
    )
    message = working.fails("exec", "shell", "-c", "nobody", "--", "true")
    assert (
        message == "Error from server (BadRequest): container nobody is not valid for pod shell\n"
    )
    absent = working.kubectl.run("exec", "shell", "--", "no-such-program")
    assert absent.code != 0
    assert "no-such-program" in absent.stderr
    (tmp_path / "sent").write_text("there and back\n")
    working("cp", str(tmp_path / "sent"), "shell:/tmp/kept")
    assert working("exec", "shell", "--", "cat", "/tmp/kept").stdout == "there and back\n"
    working("cp", "shell:/tmp/kept", str(tmp_path / "back"))
    assert (tmp_path / "back").read_text() == "there and back\n"


def test_a_pod_that_is_attached_to_and_removed(working: Working) -> None:
    run = ("run", "once", "--image=ubuntu", "-i", "--rm", "--restart=Never", "--quiet")
    script = "read name; echo hello $name"
    said = working(*run, "--command", "--", "bash", "-c", script, stdin="reader\n")
    assert "hello reader\n" in said.stdout
    assert "NotFound" in working.fails("get", "pod", "once")


def test_a_port_is_forwarded_to_a_process_that_listens(working: Working) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = (
        f"cd /tmp && echo found >file && exec python3 -u -m http.server {port} --bind 127.0.0.1"
    )
    working.pod("web", server, terminationGracePeriodSeconds=1)
    working.until(lambda: "Serving" in working.kubectl.run("logs", "web").stdout)
    forward = working.kubectl.start("port-forward", "pod/web", f":{port}", "--address=127.0.0.1")
    try:
        assert forward.stdout is not None
        line = forward.stdout.readline()
        found = re.match(rf"Forwarding from 127\.0\.0\.1:(\d+) -> {port}", line)
        assert found, line
        url = f"http://127.0.0.1:{found[1]}/file"
        with urllib.request.urlopen(url, timeout=20) as answer:
            assert answer.read() == b"found\n"
    finally:
        forward.terminate()
        forward.communicate(timeout=20)


def test_a_pod_that_ignores_sigterm_is_killed_after_its_grace(working: Working) -> None:
    working.pod("deaf", "trap '' TERM; echo deaf; while :; do sleep 0.1; done")
    working.until(lambda: working.kubectl.run("logs", "deaf").stdout)
    done = working("delete", "pod", "deaf", "--grace-period=1", "--timeout=50s")
    assert done.stdout.startswith('pod "deaf"')
    reasons = [reason for reason, _ in working.events("deaf")]
    assert reasons == ["Scheduled", "Pulled", "Created", "Started", "Killing"]


def test_a_shell_in_a_terminal(working: Working) -> None:
    working.pod("tty", FOREVER)
    working.wait("pod/tty", "condition=ready")
    # `script` gives kubectl a terminal; its size comes a moment after the command has begun.
    sized = '\'until test "$(stty size)" != "0 0"; do sleep 0.1; done; stty size\''
    command = " ".join(working.kubectl.command("exec", "-it", "tty", "--", "sh", "-c", sized))
    done = subprocess.run(
        ["script", "-qec", f"stty rows 33 cols 77; {command}", "/dev/null"],
        env=working.kubectl.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "33 77" in done.stdout, done


def test_asking_too_early_or_in_the_wrong_place(working: Working) -> None:
    working.pod("nowhere", "true", nodeSelector={"no": "where"})
    working.wait("pod/nowhere", "condition=PodScheduled=false")
    assert working("logs", "nowhere").stdout == ""
    said = working.fails("exec", "nowhere", "--", "true")
    assert said == "Error from server (BadRequest): pod nowhere does not have a host assigned\n"
    said = working.fails("port-forward", "pod/nowhere", "1:1")
    assert (
        said == "error: unable to forward port because pod is not running. Current status=Pending\n"
    )
    working.pod("entry", "true", container={"command": [], "image": "nobody/knows"})
    waiting = "jsonpath={.status.containerStatuses[0].state.waiting.reason}=CreateContainerError"
    working.wait("pod/entry", waiting)
    said = working.fails("logs", "entry")
    assert said == (
        'Error from server (BadRequest): container "main" in pod "entry" is waiting to start: CreateContainerError\n'
    )
    (event,) = [text for reason, text in working.events("entry") if reason == "Failed"]
    assert 'image "nobody/knows"' in event
    assert "set command in the pod" in event


# Asks for the pods of its namespace as the pod's service account; prints the code and their names.
ASK = """
import json, os, ssl, urllib.error, urllib.request
home = "/var/run/secrets/kubernetes.io/serviceaccount"
token, namespace = (open(f"{home}/{name}").read() for name in ("token", "namespace"))
host, port = (os.environ[f"KUBERNETES_SERVICE_{name}"] for name in ("HOST", "PORT"))
request = urllib.request.Request(f"https://{host}:{port}/api/v1/namespaces/{namespace}/pods")
request.add_header("Authorization", f"Bearer {token}")
trusted = ssl.create_default_context(cafile=f"{home}/ca.crt")
try:
    with urllib.request.urlopen(request, context=trusted) as answer:
        print(answer.status, *(pod["metadata"]["name"] for pod in json.load(answer)["items"]))
except urllib.error.HTTPError as error:
    print(error.code, json.load(error)["reason"])
"""


def test_a_pod_asks_its_own_cluster_as_its_service_account(working: Working) -> None:
    working.pod("asks", FOREVER)
    working.wait("pod/asks", "condition=ready")
    ask = ("exec", "asks", "--", "python3", "-c", ASK)
    assert working(*ask).stdout == "403 Forbidden\n"
    working("create", "role", "reader", "--verb=list", "--resource=pods")
    account = f"--serviceaccount={working.namespace}:default"
    working("create", "rolebinding", "reader", "--role=reader", account)
    assert working(*ask).stdout == "200 asks\n"
