"""Run a real kube-apiserver on a real etcd for as long as a `with` block lasts.

`control_plane(directory)` starts etcd with its default settings (fsync on) and kube-apiserver with
default admission, RBAC and priority-and-fairness on free loopback ports, writes a kubeconfig, waits
until /readyz answers 200 and gives back a `ControlPlane`. Leaving the block ends every process, and
so does the death of this process (see `children`).

What is set differs from a bare `kube-apiserver` only where every installer sets it too: privileged
pods are allowed, and anonymous requests reach nothing but health and version. There are two users:
`admin` (group system:masters) and `plain` (no rights at all). The controller manager is off unless
controllers are named, so nothing changes objects behind a test's back; the `default` service
account of a namespace, which admission of pods needs, has to be created by hand then.

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

from peer.build import binaries
from peer.children import child, free_ports

READY_SECONDS = 120.0
ISSUER = "https://kubernetes.default.svc.cluster.local"
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
def control_plane(directory: Path, *, controllers: str = "") -> Iterator[ControlPlane]:
    """Start etcd and kube-apiserver with all state below `directory`; stop them on the way out.

    `controllers` is what kube-controller-manager takes under that name (`*` for all its defaults,
    or a list with commas); without it no controller manager runs.
    """
    directory.mkdir(parents=True, exist_ok=True)
    tokens = {name: secrets.token_hex(16) for name in ("admin", "plain")}
    _write_inputs(directory, tokens)
    client, peer, secure = free_ports(3)
    etcd = f"http://127.0.0.1:{client}"
    processes: dict[str, subprocess.Popen[bytes]] = {}
    with ExitStack() as stack:

        def start(name: str, *flags: str) -> None:
            log = stack.enter_context((directory / f"{name}.log").open("wb"))
            processes[name] = stack.enter_context(
                child([str(binaries() / name), *flags], log.fileno())
            )

        start("etcd", *_etcd_flags(directory, etcd, f"http://127.0.0.1:{peer}"))
        start("kube-apiserver", *_apiserver_flags(directory, etcd, secure))
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
            flags = [*_manager_flags(directory, plane), f"--controllers={controllers}"]
            start("kube-controller-manager", *flags)
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


def _etcd_flags(directory: Path, client_url: str, peer_url: str) -> list[str]:
    return [
        f"--data-dir={directory / 'etcd'}",
        f"--listen-client-urls={client_url}",
        f"--advertise-client-urls={client_url}",
        f"--listen-peer-urls={peer_url}",
        f"--initial-advertise-peer-urls={peer_url}",
        f"--initial-cluster=default={peer_url}",
        "--log-level=warn",
    ]


def _apiserver_flags(directory: Path, etcd: str, port: int) -> list[str]:
    return [
        f"--etcd-servers={etcd}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={directory / 'certs'}",
        f"--service-account-issuer={ISSUER}",
        f"--service-account-key-file={directory / 'sa.key'}",
        f"--service-account-signing-key-file={directory / 'sa.key'}",
        f"--token-auth-file={directory / 'tokens.csv'}",
        f"--authentication-config={directory / 'authentication.yaml'}",
        "--authorization-mode=Node,RBAC",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--allow-privileged=true",
        "--endpoint-reconciler-type=none",
    ]


def _manager_flags(directory: Path, plane: ControlPlane) -> list[str]:
    return [
        f"--kubeconfig={plane.kubeconfig}",
        f"--secure-port={free_ports(1)[0]}",
        "--bind-address=127.0.0.1",
        f"--cert-dir={directory / 'manager-certs'}",
        f"--service-account-private-key-file={directory / 'sa.key'}",
        f"--root-ca-file={plane.ca_file}",
        "--leader-elect=false",
    ]


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
