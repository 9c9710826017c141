"""Command lines of sandboxes."""

from __future__ import annotations

from argosy.workloads.runtimes.process.keeper.orders import Bind
from argosy.workloads.runtimes.process.sandboxing import (
    Entry,
    bubblewrap,
    podman_exec,
    podman_run,
)
from tests.unit.workloads.runtimes.making import pod

TREE = {
    "/": [Entry("bin", "usr/bin"), Entry("dev"), Entry("etc"), Entry("proc"), Entry("tmp"), Entry("usr")],
    "/etc": [Entry("hosts"), Entry("ssl")],
    "/etc/ssl": [Entry("certs")],
    "/usr": [Entry("bin")],
}  # fmt: skip


def wrap(*binds: Bind) -> list[str]:
    return bubblewrap(
        ["bash", "-c", "true"],
        binds,
        listing=TREE.get,
        hidden=["/state"],
        tmp="/run/tmp",
        cwd="/work",
        hostname="p",
    )


HEAD = [
    *("bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts"),
    *("--hostname", "p"),
]
SYSTEM = [
    *("--dev-bind", "/dev", "/dev", "--proc", "/proc", "--ro-bind", "/sys", "/sys"),
    *("--bind", "/run/tmp", "/tmp", "--tmpfs", "/state"),
]
TAIL = ["--chdir", "/work", "--", "bash", "-c", "true"]
USR = ["--ro-bind", "/usr", "/usr"]


def test_the_hosts_files_are_read_only() -> None:
    want = [
        *HEAD,
        "--symlink",
        "usr/bin",
        "/bin",
        "--ro-bind",
        "/etc",
        "/etc",
        *USR,
        *SYSTEM,
        *TAIL,
    ]
    assert wrap() == want


def test_a_volume_at_a_path_that_does_not_exist_at_the_root() -> None:
    want = [
        *HEAD, "--symlink", "usr/bin", "/bin", "--ro-bind", "/etc", "/etc", *USR, *SYSTEM,
        "--bind", "/v", "/data/in", *TAIL,
    ]  # fmt: skip
    assert wrap(Bind("/v", "/data/in")) == want


def test_a_volume_in_a_folder_of_the_host_that_has_no_such_path() -> None:
    want = [
        *HEAD, "--symlink", "usr/bin", "/bin",
        "--tmpfs", "/etc", "--ro-bind", "/etc/hosts", "/etc/hosts", "--ro-bind", "/etc/ssl", "/etc/ssl",
        *USR, *SYSTEM, "--ro-bind", "/v", "/etc/config", *TAIL,
    ]  # fmt: skip
    assert wrap(Bind("/v", "/etc/config", read_only=True)) == want


def test_a_volume_over_a_file_that_exists() -> None:
    got = wrap(Bind("/v", "/etc/hosts"))
    assert "--tmpfs" not in got[: got.index("--dev-bind")]
    assert got[-9:-6] == ["--bind", "/v", "/etc/hosts"]


def test_podman_runs_the_image() -> None:
    one = pod(
        {
            "name": "a",
            "image": "ubuntu:22.04",
            "workingDir": "/w",
            "imagePullPolicy": "Always",
            "stdin": True,
            "tty": True,
        }
    )
    got = podman_run(
        "argosy-u-a-0",
        one.spec.containers[0],
        {"B": "secret", "A": "1"},
        ["bash", "-c"],
        ["true"],
        [Bind("/v", "/data", read_only=True), Bind("/w", "/work")],
        hostname="p",
        cpus=[0, 1],
        memory_bytes=1024,
        user=1000,
        group=2000,
    )
    assert got == [
        *("podman", "run", "--rm", "--replace", "--name", "argosy-u-a-0", "--log-driver", "none"),
        *("--network", "host", "--hostname", "p", "--pull", "always", "--env", "A", "--env", "B"),
        *("--volume", "/v:/data:ro", "--volume", "/w:/work", "--workdir", "/w"),
        *("--cpuset-cpus", "0,1", "--memory", "1024b", "--user", "1000:2000"),
        *("--interactive", "--tty", "--entrypoint", "bash", "ubuntu:22.04", "-c", "true"),
    ]


def test_podman_runs_the_images_own_entry_point() -> None:
    one = pod({"name": "a", "image": "nginx"})
    got = podman_run("n", one.spec.containers[0], {}, [], ["-v"], [], hostname="p")
    assert "--entrypoint" not in got
    assert got[-2:] == ["nginx", "-v"]


def test_podman_executes() -> None:
    got = podman_exec("n", ["ls", "-l"], stdin=True, tty=False)
    assert got == ["podman", "exec", "--interactive", "n", "ls", "-l"]
