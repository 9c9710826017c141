"""Run `argosy serve`, or `argosy up`, for as long as a `with` block lasts, behind the same type as its peer.

It is the command that users run, from the same environment as this interpreter, with everything
below one directory: the state, the kubeconfig and the log. What is read from it is what users get:
the one line that says it is ready, and the kubeconfig.
"""

from __future__ import annotations

import base64
import selectors
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import yaml

from peer.children import child
from peer.running import ControlPlane, StartError

READY_SECONDS = 120.0


def argosy(directory: Path, *flags: str) -> AbstractContextManager[ControlPlane]:
    """Start one cluster with all state below `directory`; stop it on the way out."""
    return _running("serve", directory, *flags)


def fleet(directory: Path, *flags: str) -> AbstractContextManager[ControlPlane]:
    """Start a fleet, whose hub is what is given back; its members are contexts of the kubeconfig."""
    return _running("up", directory, *flags)


@contextmanager
def _running(verb: str, directory: Path, *flags: str) -> Iterator[ControlPlane]:
    directory.mkdir(parents=True, exist_ok=True)
    kubeconfig = directory / "kubeconfig"
    command = [str(Path(sys.executable).with_name("argosy")), verb]
    command += ["--state", str(directory / "state"), "--kubeconfig", str(kubeconfig), *flags]
    path = directory / "argosy.log"
    with path.open("wb") as log, child(command, log.fileno(), stdout=subprocess.PIPE) as process:
        _wait_for_line(process, path)
        yield read_kubeconfig(kubeconfig, {"argosy": process})


def bare_argosy(directory: Path) -> AbstractContextManager[ControlPlane]:
    """The API alone, as kube-apiserver and etcd are."""
    return argosy(directory, "--bare")


def read_kubeconfig(path: Path, processes: dict[str, subprocess.Popen[bytes]]) -> ControlPlane:
    """Take the current context apart; the certificate authority gets a file of its own."""
    content = yaml.safe_load(path.read_text())
    context = _named(content["contexts"], content["current-context"])["context"]
    cluster = _named(content["clusters"], context["cluster"])["cluster"]
    user = _named(content["users"], context["user"])["user"]
    ca_file = path.with_name("ca.crt")
    if "certificate-authority-data" in cluster:
        ca_file.write_bytes(base64.b64decode(cluster["certificate-authority-data"]))
    else:
        ca_file = path.parent / cluster["certificate-authority"]
    return ControlPlane(cluster["server"], ca_file, path, {"admin": user["token"]}, processes)


def _named(entries: list[dict[str, dict[str, str]]], name: str) -> dict[str, dict[str, str]]:
    return next(entry for entry in entries if str(entry["name"]) == name)


def _wait_for_line(process: subprocess.Popen[bytes], log: Path) -> None:
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if not selector.select(READY_SECONDS) or not process.stdout.readline():
            tail = log.read_text(errors="replace")[-2000:]
            raise StartError(f"argosy did not become ready; its log ends with:\n{tail}")
