"""Run a real Kubernetes control plane for as long as a `with` block lasts.

`control_plane(directory)` starts etcd and kube-apiserver on free loopback ports (`flags` has their
command lines), writes a kubeconfig, waits until /readyz answers 200 and gives back a
`ControlPlane`. Leaving the block ends every process, and so does the death of this process (see
`children`).

Anonymous requests reach nothing but health and version. There are two users: `admin` (group
system:masters), whose kubeconfig the other processes use too, and `plain` (no rights at all). The
controller manager is off unless controllers are named, and so are the scheduler and kwok, the
kubelets of fake nodes: nothing changes objects behind a test's back. Without controllers the
`default` service account of a namespace, which admission of pods needs, has to be created by hand.

`serving` runs Argosy behind the same type; `tests/differential` and `bench` put the two side by side.
"""

from __future__ import annotations

import secrets
import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from peer import flags
from peer.build import binaries
from peer.children import child, free_ports

READY_SECONDS = 120.0
ANONYMOUS = """\
apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous:
  enabled: true
  conditions: [{path: /healthz}, {path: /livez}, {path: /readyz}, {path: /version}]
"""


class StartError(Exception):
    """A server could not be started; the text holds the end of the guilty log."""


@dataclass(slots=True, frozen=True)
class ControlPlane:
    """A running control plane: where it listens, who may speak to it, and its processes."""

    url: str
    ca_file: Path
    kubeconfig: Path
    tokens: dict[str, str]
    processes: dict[str, subprocess.Popen[bytes]] = field(repr=False)

    def tls(self) -> ssl.SSLContext:
        """Return a context that trusts this server and no other."""
        return ssl.create_default_context(cafile=str(self.ca_file))


def is_built(*names: str) -> bool:
    """Say whether the peer's binaries are there (see peer/build.py)."""
    return all((binaries() / name).exists() for name in names or ("etcd", "kube-apiserver"))


@contextmanager
def control_plane(
    directory: Path,
    *,
    controllers: str = "",
    scheduler: bool = False,
    kwok: bool = False,
    limits: bool = True,
) -> Iterator[ControlPlane]:
    """Start etcd and kube-apiserver with all state below `directory`; stop them on the way out.

    `controllers` is what kube-controller-manager takes under that name (`*` for all its defaults,
    or a list with commas); without it no controller manager runs. `limits` says whether it and
    kube-scheduler keep their client rate limits.
    """
    directory.mkdir(parents=True, exist_ok=True)
    tokens = {name: secrets.token_hex(16) for name in ("admin", "plain")}
    _write_inputs(directory, tokens)
    client, peer, secure, manager, scheduling = free_ports(5)
    etcd = f"http://127.0.0.1:{client}"
    processes: dict[str, subprocess.Popen[bytes]] = {}
    with ExitStack() as stack:

        def start(name: str, command: list[str]) -> None:
            log = stack.enter_context((directory / f"{name}.log").open("wb"))
            processes[name] = stack.enter_context(
                child([str(binaries() / name), *command], log.fileno())
            )

        start("etcd", flags.etcd(directory, etcd, f"http://127.0.0.1:{peer}"))
        start("kube-apiserver", flags.apiserver(directory, etcd, secure))
        plane = ControlPlane(
            url=f"https://127.0.0.1:{secure}",
            ca_file=directory / "certs" / "apiserver.crt",
            kubeconfig=directory / "kubeconfig",
            tokens=tokens,
            processes=processes,
        )
        _wait_ready(plane, directory)
        write_kubeconfig(plane)
        if controllers:
            command = flags.controller_manager(directory, manager, controllers, limits=limits)
            start("kube-controller-manager", command)
        if scheduler:
            start("kube-scheduler", flags.scheduler(directory, scheduling, limits=limits))
        if kwok:
            start("kwok", flags.kwok(directory))
        yield plane


def write_kubeconfig(plane: ControlPlane) -> None:
    """Write one context per user; `admin` is current."""
    cluster = {"server": plane.url, "certificate-authority": str(plane.ca_file)}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "admin",
        "clusters": [{"name": "peer", "cluster": cluster}],
        "users": [{"name": n, "user": {"token": t}} for n, t in plane.tokens.items()],
        "contexts": [{"name": n, "context": {"cluster": "peer", "user": n}} for n in plane.tokens],
    }
    plane.kubeconfig.touch(mode=0o600)
    plane.kubeconfig.write_text(yaml.safe_dump(content, sort_keys=False))


def _write_inputs(directory: Path, tokens: dict[str, str]) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    files = {
        "sa.key": pem.decode(),
        "tokens.csv": f'{tokens["admin"]},admin,admin,"system:masters"\n'
        f'{tokens["plain"]},plain,plain,""\n',
        "authentication.yaml": ANONYMOUS,
    }
    for name, content in files.items():
        (directory / name).touch(mode=0o600)
        (directory / name).write_text(content)


def _wait_ready(plane: ControlPlane, directory: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while not (plane.ca_file.exists() and _is_ready(plane)):
        for name, process in plane.processes.items():
            if process.poll() is not None or time.monotonic() > deadline:
                tail = (directory / f"{name}.log").read_text(errors="replace")[-2000:]
                raise StartError(f"{name} did not become ready; its log ends with:\n{tail}")
        time.sleep(0.05)


def _is_ready(plane: ControlPlane) -> bool:
    try:
        with urllib.request.urlopen(
            f"{plane.url}/readyz", context=plane.tls(), timeout=5
        ) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False
