"""Probes and hooks of real processes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from argosy.base.types import Object
from tests.behaviour.workloads.processes.machines import Machine, pod, run, shell

FOREVER = "while :; do sleep 0.02; done"
# Probes count in seconds; a pod in these tests is done with within two.
EVERY_SECOND = {"periodSeconds": 1, "timeoutSeconds": 5, "failureThreshold": 1}


def condition(status: Object, type_: str) -> Object:
    found: Object = next(one for one in status["conditions"] if one["type"] == type_)
    return found


def test_a_container_is_ready_when_its_probe_says_so(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        mark = tmp_path / "mark"
        probe = {"exec": {"command": ["test", "-e", str(mark)]}, **EVERY_SECOND}
        machine.start(pod("p", shell(FOREVER, readinessProbe=probe)))
        await machine.until(lambda: bool(machine.messages("p", "Unhealthy")))
        ready = condition(machine.statuses["p"][-1], "Ready")
        assert (ready["status"], ready["reason"], ready["message"]) == (
            "False", "ContainersNotReady", "containers with unready status: [main]",
        )  # fmt: skip
        mark.touch()
        await machine.until(lambda: bool(machine.container("p")["ready"]))
        assert condition(machine.statuses["p"][-1], "Ready")["status"] == "True"
        assert machine.messages("p", "Unhealthy")[0] == "Readiness probe failed: "

    run(tmp_path, story)


def test_a_container_that_fails_its_liveness_probe_is_restarted(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        probe = {"exec": {"command": ["bash", "-c", "echo sick; exit 1"]}, **EVERY_SECOND}
        script = f"trap 'exit 0' TERM; {FOREVER}"
        machine.start(pod("p", shell(script, livenessProbe=probe), restartPolicy="Always"))
        await machine.until(
            lambda: machine.phase("p") != "" and machine.container("p")["restartCount"] >= 1
        )
        assert machine.messages("p", "Unhealthy")[0] == "Liveness probe failed: sick\n"
        assert machine.messages("p", "Killing")[0] == (
            "Container main failed liveness probe, will be restarted"
        )

    run(tmp_path, story)


def test_nothing_else_is_probed_before_the_startup_probe_succeeds(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        mark = tmp_path / "mark"
        startup = {
            "exec": {"command": ["test", "-e", str(mark)]}, **EVERY_SECOND, "failureThreshold": 30,
        }  # fmt: skip
        liveness = {"exec": {"command": ["false"]}, **EVERY_SECOND}
        container = shell(FOREVER, startupProbe=startup, livenessProbe=liveness)
        machine.start(pod("p", container))
        await machine.until(lambda: bool(machine.messages("p", "Unhealthy")))
        assert machine.container("p")["started"] is False
        assert machine.messages("p", "Killing") == []
        mark.touch()
        await machine.until(lambda: bool(machine.messages("p", "Killing")))
        assert all(
            text.startswith(("Startup probe failed", "Liveness probe failed"))
            for text in machine.messages("p", "Unhealthy")
        )

    run(tmp_path, story)


def test_http_and_tcp_probes(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            asked = await reader.readline()
            code = b"200 OK" if b"/healthy" in asked else b"503 Sorry"
            writer.write(b"HTTP/1.1 " + code + b"\r\nContent-Length: 0\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        ports = [{"name": "web", "containerPort": port}]
        good = {"httpGet": {"path": "/healthy", "port": "web"}, **EVERY_SECOND}
        bad = {"httpGet": {"path": "/sick", "port": port}, **EVERY_SECOND}
        open_ = {"tcpSocket": {"port": port}, **EVERY_SECOND}
        for name, probe in (("good", good), ("bad", bad), ("open", open_)):
            machine.start(pod(name, shell(FOREVER, readinessProbe=probe, ports=ports)))
        await machine.until(
            lambda: all(
                machine.phase(name) and machine.container(name)["ready"]
                for name in ("good", "open")
            )
        )
        await machine.until(lambda: bool(machine.messages("bad", "Unhealthy")))
        assert machine.messages("bad", "Unhealthy")[0] == (
            "Readiness probe failed: HTTP probe failed with statuscode: 503"
        )
        server.close()
        await machine.until(lambda: bool(machine.messages("open", "Unhealthy")))
        assert machine.messages("open", "Unhealthy")[0] == (
            f"Readiness probe failed: dial tcp 127.0.0.1:{port}: connect: connection refused"
        )

    run(tmp_path, story)


def test_a_post_start_hook_that_fails_ends_the_container(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        hook = {"postStart": {"exec": {"command": ["false"]}}}
        machine.start(pod("p", shell(FOREVER, lifecycle=hook)))
        await machine.until_phase("p", "Failed")
        assert machine.messages("p", "FailedPostStartHook") == ["PostStartHook failed"]

    run(tmp_path, story)


def test_a_probe_that_takes_too_long_has_failed(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        probe = {"exec": {"command": ["sleep", "60"]}, **EVERY_SECOND, "timeoutSeconds": 1}
        machine.start(pod("p", shell(FOREVER, readinessProbe=probe)))
        await machine.until(lambda: bool(machine.messages("p", "Unhealthy")))
        assert "timed out after 1s" in machine.messages("p", "Unhealthy")[0]

    run(tmp_path, story)
