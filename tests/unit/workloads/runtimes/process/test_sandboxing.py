"""Command lines of sandboxes."""

from __future__ import annotations

import pytest

from argosy.workloads.runtimes.process.keeper.orders import Bind
from argosy.workloads.runtimes.process.sandboxing import (
    Entry,
    bubblewrap,
    is_shown,
    podman_exec,
    podman_run,
)
from tests.unit.workloads.runtimes.making import pod

TREE = {
    "/": [
        Entry("bin", "usr/bin"), Entry("dev"), Entry("etc"), Entry("proc"), Entry("run"), Entry("tmp"),
        Entry("usr"), Entry("var"),
    ],
    "/run": [Entry("lock")],
    "/var": [Entry("lock", "../run/lock"), Entry("run", "/run")],
    "/etc": [Entry("hosts"), Entry("ssl")],
    "/etc/ssl": [Entry("certs")],
    "/usr": [Entry("bin")],
}  # fmt: skip


def wrap(*binds: Bind) -> list[str]:
    return bubblewrap(
        ["bash", "-c", "true"],
        binds,
        listing=TREE.get,
        devices=["/dev/nvidia0"],
        hidden=["/state", "/tmp/state"],
        tmp="/runs/tmp",
        home="/runs/home",
        cwd="/work",
        hostname="p",
    )


HEAD = [
    *("bwrap", "--json-status-fd", "3", "--die-with-parent"),
    *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "p"),
    *("--symlink", "usr/bin", "/bin"),
]
SYSTEM = [
    *("--dev", "/dev", "--dev-bind", "/dev/pts", "/dev/pts"),
    *("--dev-bind", "/dev/nvidia0", "/dev/nvidia0"),
    *("--proc", "/proc", "--ro-bind", "/sys", "/sys"),
    *("--bind", "/runs/tmp", "/tmp", "--bind", "/runs/home", "/container"),
    *("--tmpfs", "/state", "--remount-ro", "/state"),
]
TAIL = ["--chdir", "/work", "--", "bash", "-c", "true"]
ETC = ["--ro-bind", "/etc", "/etc"]
RUN = ["--ro-bind", "/run", "/run"]
REST = ["--ro-bind", "/usr", "/usr", "--ro-bind", "/var", "/var"]
ROOT = ["--remount-ro", "/"]


def test_the_hosts_files_are_read_only() -> None:
    assert wrap() == [*HEAD, *ETC, *RUN, *REST, *SYSTEM, *ROOT, *TAIL]


def test_a_volume_at_a_path_that_does_not_exist_at_the_root() -> None:
    volume = ["--bind", "/v", "/data/in"]
    want = [*HEAD, *ETC, *RUN, *REST, *SYSTEM, *volume, *ROOT, *TAIL]
    assert wrap(Bind("/v", "/data/in")) == want


def test_a_volume_in_a_folder_of_the_host_that_has_no_such_path() -> None:
    want = [
        *HEAD,
        "--tmpfs", "/etc", "--ro-bind", "/etc/hosts", "/etc/hosts", "--ro-bind", "/etc/ssl", "/etc/ssl",
        *RUN, *REST, *SYSTEM, "--ro-bind", "/v", "/etc/config", *ROOT, "--remount-ro", "/etc", *TAIL,
    ]  # fmt: skip
    assert wrap(Bind("/v", "/etc/config", read_only=True)) == want


def test_a_volume_over_a_file_that_exists() -> None:
    got = wrap(Bind("/v", "/etc/hosts"))
    assert "--tmpfs" not in got[: got.index("--dev-bind")]
    assert got[-11:-8] == ["--bind", "/v", "/etc/hosts"]


def test_a_volume_behind_a_symbolic_link_of_the_host() -> None:
    want = [
        *HEAD, *ETC, "--tmpfs", "/run", "--ro-bind", "/run/lock", "/run/lock", *REST, *SYSTEM,
        "--bind", "/v", "/run/secrets/token", *ROOT, "--remount-ro", "/run", *TAIL,
    ]  # fmt: skip
    assert wrap(Bind("/v", "/var/run/secrets/token")) == want


def test_links_that_lead_in_a_circle_end_somewhere() -> None:
    tree = {"/": [Entry("a", "b"), Entry("b", "a")]}
    assert not is_shown("/a/x", [], tree.get)


SHOWN = {
    "a folder of the host": ("/etc/ssl", True),
    "a folder of the host by a link": ("/var/run", True),
    "the root": ("/", True),
    "a volume": ("/data", True),
    "a folder in a volume": ("/data/deep", True),
    "the sandbox's own": ("/tmp/x", True),
    "a file": ("/etc/hosts", False),
    "nothing": ("/workspace", False),
    "beside a volume": ("/data2", False),
}


@pytest.mark.parametrize("case", SHOWN)
def test_whether_a_folder_is_shown(case: str) -> None:
    path, want = SHOWN[case]
    assert is_shown(path, [Bind("/v", "/data/")], TREE.get) == want


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
