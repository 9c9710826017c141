"""Containers as processes: what they say, how they end, and when they are run again."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.workloads.runtimes.process.keeper.orders import Isolation
from tests.behaviour.workloads.processes.machines import (
    EVERYWHERE,
    Machine,
    left_of,
    pod,
    run,
    shell,
    uid,
)


@EVERYWHERE
def test_a_command_that_succeeds(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("echo out; echo err >&2; echo no newline | tr -d '\\n'")))
        status = await machine.until_phase("p", "Succeeded")
        assert machine.phases("p") == ["Pending", "Running", "Succeeded"]
        ended = machine.state("p")["terminated"]
        assert (ended["exitCode"], ended["reason"]) == (0, "Completed")
        assert ended["containerID"].startswith("process://")
        ready = {one["type"]: (one["status"], one.get("reason")) for one in status["conditions"]}
        assert ready["Ready"] == ("False", "PodCompleted")
        assert ready["Initialized"] == ("True", "PodCompleted")
        assert sorted(await machine.log("p")) == ["err", "no newline", "out"]
        assert machine.reasons("p") == ["Pulled", "Created", "Started"]
        assert machine.messages("p", "Pulled")[0].startswith(
            'Image "ubuntu" is recorded, not pulled: containers run as local processes'
        )

    run(tmp_path, story, isolation)


def test_arguments_alone_are_the_command_when_they_begin_with_a_program(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", {"name": "main", "image": "ubuntu", "args": ["echo", "hello"]}))
        await machine.until_phase("p", "Succeeded")
        assert await machine.log("p") == ["hello"]
        machine.start(pod("q", {"name": "main", "image": "sleep", "args": ["2400s"]}))
        want = "no command specified"
        await machine.until(lambda: want in machine.state("q")["waiting"].get("message", ""))
        assert machine.state("q")["waiting"]["reason"] == "CreateContainerError"

    run(tmp_path, story, "none")


ENDS = {
    "an exit code": ("exit 3", 3, "Error"),
    "a signal": ("kill -9 $BASHPID", 137, "Error"),
    "a signal that has a name": ("kill -USR1 $BASHPID", 138, "Error"),
}


@EVERYWHERE
@pytest.mark.parametrize("case", ENDS)
def test_a_command_that_fails_with(tmp_path: Path, isolation: Isolation, case: str) -> None:
    script, code, reason = ENDS[case]

    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(script)))
        await machine.until_phase("p", "Failed")
        ended = machine.state("p")["terminated"]
        assert (ended["exitCode"], ended["reason"]) == (code, reason)

    run(tmp_path, story, isolation)


@EVERYWHERE
def test_a_command_that_does_not_exist(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", {"name": "main", "image": "i", "command": ["no-such-program"]}))
        await machine.until_phase("p", "Failed")
        ended = machine.state("p")["terminated"]
        want = (
            'unable to start container process: exec: "no-such-program": '
            "executable file not found in $PATH"
        )
        assert (ended["exitCode"], ended["reason"], ended["message"]) == (128, "StartError", want)
        assert machine.messages("p", "Failed") == [f"Error: {want}"]

    run(tmp_path, story, isolation)


def test_an_image_without_a_command_waits_and_says_what_to_do(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", {"name": "main", "image": "nginx"}))
        await machine.until(lambda: bool(machine.messages("p", "Failed")))
        waiting = machine.state("p")["waiting"]
        assert waiting["reason"] == "CreateContainerError"
        assert waiting["message"] == (
            'no command specified: image "nginx" is recorded, not pulled, so its entry point is unknown; set command '
            "in the pod, give args that begin with a program of this machine, or install podman to run the image"
        )
        assert machine.phase("p") == "Pending"
        machine.stop("p", 30)
        await machine.until(lambda: machine.ends == ["p"])

    run(tmp_path, story)


def test_restart_on_failure_until_it_succeeds(tmp_path: Path) -> None:
    count = tmp_path / "count"
    script = f"echo x >> {count}; test $(wc -l < {count}) -ge 3"

    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(script), restartPolicy="OnFailure"))
        await machine.until_phase("p", "Succeeded")
        main = machine.container("p")
        assert main["restartCount"] == 2
        assert main["lastState"]["terminated"]["exitCode"] == 1
        pod_name = f"p_ns({uid('p')})"
        assert machine.messages("p", "BackOff") == [
            f"Back-off restarting failed container main in pod {pod_name}"
        ]
        states = [one["containerStatuses"][0]["state"] for one in machine.statuses["p"]]
        waiting = [one["waiting"]["reason"] for one in states if "waiting" in one]
        assert "CrashLoopBackOff" in waiting
        assert machine.phases("p") == ["Pending", "Running", "Succeeded"]

    run(tmp_path, story)


def test_the_log_of_the_run_before(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    script = f"if test -e {mark}; then echo second; else touch {mark}; echo first; exit 1; fi"

    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(script), restartPolicy="OnFailure"))
        await machine.until_phase("p", "Succeeded")
        assert await machine.log("p") == ["second"]
        assert await machine.log("p", previous=True) == ["first"]

    run(tmp_path, story)


@EVERYWHERE
def test_init_containers_come_first_and_in_order(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        volumes = [{"name": "shared", "emptyDir": {}}]
        mounts = [{"name": "shared", "mountPath": "/data"}]
        where = "${ARGOSY_VOLUME_SHARED:-/data}/order"
        machine.start(
            pod(
                "p",
                shell(f"cat {where}", volumeMounts=mounts),
                initContainers=[
                    shell(f"echo {name} >> {where}", name, volumeMounts=mounts)
                    for name in ("one", "two")
                ],
                volumes=volumes,
            )
        )
        await machine.until_phase("p", "Succeeded")
        assert await machine.log("p") == ["one", "two"]
        first = machine.statuses["p"][0]
        assert [one["state"] for one in first["initContainerStatuses"]] == [
            {"waiting": {"reason": "PodInitializing"}}
        ] * 2

    run(tmp_path, story, isolation)


def test_an_init_container_that_fails_fails_the_pod(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("echo never"), initContainers=[shell("exit 2", "init")]))
        await machine.until_phase("p", "Failed")
        assert machine.state("p", "init")["terminated"]["exitCode"] == 2
        assert machine.state("p") == {"waiting": {"reason": "PodInitializing"}}
        assert await machine.log("p") == []

    run(tmp_path, story)


def test_sidecars_run_beside_and_end_after_the_others(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        sidecar = shell(
            "trap 'echo bye; exit 0' TERM; echo hi; while :; do sleep 0.01; done", "side"
        )
        machine.start(
            pod("p", shell("exit 0"), initContainers=[{**sidecar, "restartPolicy": "Always"}])
        )
        await machine.until_phase("p", "Succeeded")
        said = await machine.log("p", "side")
        assert (said[0], said[-1]) == ("hi", "bye")
        assert machine.state("p", "side")["terminated"]["exitCode"] == 0
        assert machine.messages("p", "Killing") == ["Stopping container side"]
        assert left_of("p") == []

    run(tmp_path, story)


def test_the_termination_message(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("echo -n because > $ARGOSY_TERMINATION_LOG; exit 1")))
        tail = shell("echo last words; exit 1", terminationMessagePolicy="FallbackToLogsOnError")
        machine.start(pod("q", tail))
        await machine.until_phase("p", "Failed")
        await machine.until_phase("q", "Failed")
        assert machine.state("p")["terminated"]["message"] == "because"
        assert machine.state("q")["terminated"]["message"] == "last words\n"

    run(tmp_path, story)


def test_fifty_pods_start_within_seconds(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        names = [f"p{number}" for number in range(50)]
        for name in names:
            machine.start(pod(name, shell(f"echo {name}")))
        await machine.until(lambda: all(machine.phase(name) == "Succeeded" for name in names))
        assert [await machine.log(name) for name in names] == [[name] for name in names]
        assert left_of(*names) == []

    run(tmp_path, story)
