"""Command lines of sandboxes."""

from __future__ import annotations

import pytest

from argosy.workloads.runtimes.process.keeper.orders import Bind
from argosy.workloads.runtimes.process.sandboxing import (
    Entry,
    Limits,
    bubblewrap,
    is_shown,
    podman_create,
    podman_environment,
    podman_exec,
    podman_words,
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
    "/usr/state": [],
    "/etc/ssl": [Entry("certs")],
    "/usr": [Entry("bin"), Entry("kubeconfig"), Entry("state")],
}  # fmt: skip


def wrap(*binds: Bind) -> list[str]:
    return bubblewrap(
        ["bash", "-c", "true"],
        binds,
        listing=TREE.get,
        devices=["/dev/nvidia0"],
        hidden=["/usr/state", "/usr/kubeconfig", "/tmp/state", "/gone"],
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
    *(
        "--tmpfs",
        "/usr/state",
        "--remount-ro",
        "/usr/state",
        "--ro-bind",
        "/dev/null",
        "/usr/kubeconfig",
    ),
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


def test_podman_creates_a_container_of_an_image() -> None:
    one = pod(
        {"name": "a", "image": "ubuntu:22.04", "workingDir": "/w", "stdin": True, "tty": True}
    )
    got = podman_create(
        "argosy-u-a-0",
        "abc123",
        one.spec.containers[0],
        {"B": "secret", "A": "1", "PATH": "/bin"},
        ["bash", "-c"],
        ["true"],
        [Bind("/v", "/data", read_only=True), Bind("/w", "/work")],
        hostname="p",
        state="/state",
        pid_file="/state/pid",
        limits=Limits([0, 1], 1024, 1000, 2000),
    )
    assert got == [
        *(
            "podman",
            "create",
            "--replace",
            "--name",
            "argosy-u-a-0",
            "--label",
            "dev.argosy.state=/state",
        ),
        *("--log-driver", "none", "--network", "host", "--hostname", "p", "--http-proxy=false"),
        *(
            "--pull",
            "never",
            "--pidfile",
            "/state/pid",
            "--env",
            "A",
            "--env",
            "B",
            "--env",
            "PATH=/bin",
        ),
        *("--volume", "/v:/data:ro", "--volume", "/w:/work", "--workdir", "/w"),
        *("--cpuset-cpus", "0,1", "--memory", "1024b", "--user", "1000:2000"),
        *("--interactive", "--tty", "--entrypoint", '["bash"]', "abc123", "-c", "true"),
    ]


def test_podman_runs_the_images_own_entry_point() -> None:
    one = pod({"name": "a", "image": "nginx"})
    got = podman_create(
        "n", "abc", one.spec.containers[0], {}, [], ["-v"], [], hostname="p", state="/s", pid_file="/p",
        limits=Limits(),
    )  # fmt: skip
    assert "--entrypoint" not in got
    assert got[-2:] == ["abc", "-v"]


def test_podman_gets_what_it_reads_of_our_environment() -> None:
    own = {
        "PATH": "/bin",
        "XDG_RUNTIME_DIR": "/run/user/1",
        "CONTAINERS_CONF": "c",
        "HF_TOKEN": "t",
        "PATHS": "no",
    }
    assert podman_environment(own) == {
        "PATH": "/bin", "XDG_RUNTIME_DIR": "/run/user/1", "CONTAINERS_CONF": "c",
    }  # fmt: skip


WORDS = {
    "runc's words": (
        'Error: runc: unable to start container process: exec: "nope": no: OCI permission denied\n',
        'exec: "nope": no',
    ),
    "only the last line": ("Trying to pull x...\nError: no such host\n\n", "no such host"),
    "nothing": ("", "podman failed without a word"),
}


@pytest.mark.parametrize("case", WORDS)
def test_what_podman_says(case: str) -> None:
    printed, want = WORDS[case]
    assert podman_words(printed) == want


def test_podman_executes() -> None:
    got = podman_exec("n", ["ls", "-l"], stdin=True, tty=False)
    assert got == ["podman", "exec", "--interactive", "n", "ls", "-l"]
