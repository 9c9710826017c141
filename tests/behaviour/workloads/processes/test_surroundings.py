"""What containers find: variables, files, names."""

from __future__ import annotations

import os
import tempfile
from base64 import b64encode
from pathlib import Path

import pytest

from argosy.base.types import Object
from argosy.client.resources import (
    CONFIG_MAPS,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    SECRETS,
)
from argosy.workloads.runtimes.process.keeper.orders import Isolation
from tests.behaviour.workloads.processes.machines import (
    EVERYWHERE,
    Machine,
    pod,
    run,
    shell,
    uid,
)


async def configure(machine: Machine) -> None:
    meta = {"name": "settings", "namespace": "ns"}
    await machine.client.create(
        CONFIG_MAPS, {"metadata": meta, "data": {"COLOR": "red", "file.txt": "from a map\n"}}
    )
    secret = {"password": b64encode(b"s3cret").decode()}
    await machine.client.create(
        SECRETS, {"metadata": {"name": "keys", "namespace": "ns"}, "data": secret}
    )


def test_variables_of_all_kinds(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        await configure(machine)
        env = [
            {"name": "PLAIN", "value": "$(COLOR) and $$(COLOR) and $(NOBODY)"},
            {
                "name": "PASSWORD",
                "valueFrom": {"secretKeyRef": {"name": "keys", "key": "password"}},
            },
            {"name": "WHO", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            {"name": "WHERE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
            {"name": "HOST", "valueFrom": {"fieldRef": {"fieldPath": "status.hostIP"}}},
            {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
        ]
        script = 'echo "$PLAIN|$PASSWORD|$WHO|$WHERE|$HOST|$CPU|$HOSTNAME|$1"'
        main = {
            "name": "main",
            "image": "ubuntu",
            "command": ["bash", "-c", script, "bash"],
            "args": ["$(PASSWORD)"],
            "env": env,
            "envFrom": [{"configMapRef": {"name": "settings"}}],
        }
        machine.start(pod("p", main))
        await machine.until_phase("p", "Succeeded")
        want = "red and $(COLOR) and $(NOBODY)|s3cret|p|here|10.1.2.3|8|p|s3cret"
        assert await machine.log("p") == [want]

    run(tmp_path, story)


def test_a_container_waits_for_a_map_that_is_not_there(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        reference = {"configMapKeyRef": {"name": "nobody", "key": "k"}}
        machine.start(pod("p", shell("true", env=[{"name": "A", "valueFrom": reference}])))
        await machine.until(lambda: bool(machine.messages("p", "Failed")))
        assert machine.messages("p", "Failed") == ['Error: configmap "nobody" not found']
        assert machine.state("p")["waiting"] == {
            "reason": "CreateContainerConfigError",
            "message": 'configmap "nobody" not found',
        }

    run(tmp_path, story)


@EVERYWHERE
def test_volumes_of_all_kinds(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        await configure(machine)
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "file").write_text("from the host\n")
        volumes = [
            {"name": "maps", "configMap": {"name": "settings"}},
            {"name": "keys", "secret": {"secretName": "keys"}},
            {"name": "who", "downwardAPI": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]}},
            {"name": "room", "emptyDir": {}},
            {"name": "host", "hostPath": {"path": str(outside)}},
        ]  # fmt: skip
        paths = {
            "maps": "/etc/maps",
            "keys": "/var/run/keys",
            "who": "/who",
            "room": "/room",
            "host": "/host",
        }
        mounts = [{"name": name, "mountPath": path} for name, path in paths.items()]
        script = "\n".join(
            [
                *(
                    f'{name}="${{ARGOSY_VOLUME_{name.upper()}:-{path}}}"'
                    for name, path in paths.items()
                ),
                "cat $maps/file.txt $host/file",
                'echo "$(cat $keys/password) $(cat $who/name)"',
                "echo kept > $room/x && cat $room/x",
            ]
        )
        machine.start(pod("p", shell(script, volumeMounts=mounts), volumes=volumes))
        await machine.until_phase("p", "Succeeded", "Failed")
        assert await machine.log("p") == ["from a map", "from the host", "s3cret p", "kept"]

    run(tmp_path, story, isolation)


def test_a_volume_that_can_not_be_made_keeps_the_pod_pending(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        volumes = [{"name": "far", "nfs": {"server": "s", "path": "/"}}]
        machine.start(pod("p", shell("true"), volumes=volumes))
        await machine.until(lambda: bool(machine.messages("p", "FailedMount")))
        assert machine.messages("p", "FailedMount")[0].startswith(
            'MountVolume.SetUp failed for volume "far" : nfs is not offered'
        )
        assert machine.phase("p") == "Pending"

    run(tmp_path, story)


@EVERYWHERE
def test_each_container_has_a_folder_of_its_own(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("pwd; ls; echo x > mine; ls", "main")))
        await machine.until_phase("p", "Succeeded")
        said = await machine.log("p")
        assert "mine" in said[1:]

    run(tmp_path, story, isolation)
    assert not Path("mine").exists()
    assert not Path("/mine").exists()


@EVERYWHERE
def test_secrets_of_other_pods_are_hidden_where_that_can_be_done(
    tmp_path: Path, isolation: Isolation
) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(f"ls {tmp_path}/state 2>/dev/null | wc -l; hostname")))
        await machine.until_phase("p", "Succeeded")
        seen, name = await machine.log("p")
        if isolation == "none":
            assert seen != "0"
        else:
            assert (seen, name) == ("0", "p")

    run(tmp_path, story, isolation)


@EVERYWHERE
def test_a_part_of_a_volume_is_made_where_it_is_missing(
    tmp_path: Path, isolation: Isolation
) -> None:
    async def story(machine: Machine) -> None:
        await configure(machine)
        volumes = [
            {"name": "room", "emptyDir": {}},
            {"name": "maps", "configMap": {"name": "settings"}},
        ]
        mounts = [
            {"name": "room", "mountPath": "/room", "subPathExpr": "deep/$(COLOR)"},
            {"name": "maps", "mountPath": "/etc/one-file", "subPath": "file.txt"},
        ]
        script = (
            "cd ${ARGOSY_VOLUME_ROOM:-/room} && echo kept > x && cat x; "
            "cat ${ARGOSY_VOLUME_MAPS:-/etc/one-file}"
        )
        env = [{"name": "COLOR", "value": "red"}]
        machine.start(pod("p", shell(script, volumeMounts=mounts, env=env), volumes=volumes))
        await machine.until_phase("p", "Succeeded", "Failed")
        assert await machine.log("p") == ["kept", "from a map"]

    run(tmp_path, story, isolation)


def test_a_part_of_a_volume_that_leads_out_of_it_is_refused(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        shared = tmp_path / "shared"
        shared.mkdir()
        (shared / "out").symlink_to("/etc")
        volumes = [{"name": "room", "hostPath": {"path": str(shared)}}]
        mounts = [{"name": "room", "mountPath": "/room", "subPath": "out/more"}]
        machine.start(pod("p", shell("ls /room", volumeMounts=mounts), volumes=volumes))
        await machine.until(lambda: bool(machine.messages("p", "Failed")))
        assert machine.state("p")["waiting"] == {
            "reason": "CreateContainerConfigError",
            "message": 'failed to prepare subPath for volumeMount "room" of container "main"',
        }

    run(tmp_path, story)
    assert not Path("/etc/more").exists()


@EVERYWHERE
def test_another_user(tmp_path: Path, isolation: Isolation) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can be somebody else")

    async def story(machine: Machine) -> None:
        who = {"securityContext": {"runAsUser": 1234, "runAsGroup": 2345}}
        volumes = [{"name": "room", "emptyDir": {}}]
        mounts = [{"name": "room", "mountPath": "/room"}]
        script = "echo $(id -u) $(id -g); cd /room && touch x && stat -c %u:%g x"
        machine.start(pod("p", shell(script, volumeMounts=mounts), volumes=volumes, **who))
        machine.start(pod("q", {"name": "main", "image": "i", "command": ["nope"]}, **who))
        await machine.until_phase("p", "Succeeded", "Failed")
        assert await machine.log("p") == ["1234 2345", "1234:2345"]
        await machine.until_phase("q", "Failed")
        assert machine.state("q")["terminated"]["reason"] == "StartError"
        assert machine.state("q")["terminated"]["message"] == (
            'unable to start container process: exec: "nope": executable file not found in $PATH'
        )

    if isolation == "none":
        pytest.skip("without a view of its own a command finds no /room")
    run(tmp_path, story, isolation)


@EVERYWHERE
def test_the_kubeconfig_is_hidden_where_that_can_be_done(
    tmp_path: Path, isolation: Isolation
) -> None:
    # Not in /tmp, of which containers have their own.
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        kubeconfig = Path(folder) / "kubeconfig"
        kubeconfig.write_text("token\n")
        hidden = (tmp_path, kubeconfig, Path(folder) / "not-there")

        async def story(machine: Machine) -> None:
            machine.start(pod("p", shell(f"cat {kubeconfig} 2>/dev/null; echo done")))
            await machine.until_phase("p", "Succeeded", "Failed")
            want = ["token", "done"] if isolation == "none" else ["done"]
            assert await machine.log("p") == want

        run(tmp_path, story, isolation, hidden=hidden)


@EVERYWHERE
def test_a_command_may_write_anywhere_and_changes_nothing_here(
    tmp_path: Path, isolation: Isolation
) -> None:
    if isolation != "namespaces":
        pytest.skip(
            "only a view of its own can be written: bubblewrap shows this machine's files read-only"
        )

    async def story(machine: Machine) -> None:
        script = "echo x > /etc/argosy-was-here && cat /etc/argosy-was-here; ls /tmp | wc -l"
        machine.start(pod("p", shell(script)))
        await machine.until_phase("p", "Succeeded", "Failed")
        assert await machine.log("p") == ["x", "0"]

    run(tmp_path, story, isolation)
    assert not Path("/etc/argosy-was-here").exists()


def test_an_ephemeral_volume_is_the_claim_that_was_made_for_the_pod(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    space: Object = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
    }
    volumes = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": space}}}]
    mounts = [{"name": "scratch", "mountPath": "/scratch"}]

    async def claim(machine: Machine, name: str, owner: str) -> None:
        made = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": owner, "controller": True}
        meta = {"name": name, "namespace": "ns", "ownerReferences": [made]}
        spec = {**space, "volumeName": "v", "storageClassName": ""}
        await machine.client.create(PERSISTENT_VOLUME_CLAIMS, {"metadata": meta, "spec": spec})

    async def story(machine: Machine) -> None:
        spec = {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": str(disk)},
        }
        await machine.client.create(PERSISTENT_VOLUMES, {"metadata": {"name": "v"}, "spec": spec})
        for name in ("p", "q"):
            await claim(machine, f"{name}-scratch", uid("p"))
            script = f'echo {name} >> "$ARGOSY_VOLUME_SCRATCH/file"'
            machine.start(pod(name, shell(script, volumeMounts=mounts), volumes=volumes))
        await machine.until_phase("p", "Succeeded")
        await machine.until(lambda: bool(machine.messages("q", "FailedMount")))
        why = "PVC ns/q-scratch was not created for pod ns/q (pod is not owner)"
        want = f'MountVolume.SetUp failed for volume "scratch" : {why}'
        assert machine.messages("q", "FailedMount") == [want]
        assert (disk / "file").read_text() == "p\n"

    run(tmp_path, story)
