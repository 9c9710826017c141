"""Build the real Kubernetes control plane that Argosy is compared with.

`python peer/build.py [NAME…]` compiles etcd, kube-apiserver, kube-controller-manager,
kube-scheduler and the load generator of the benchmark from the Go module beside this file, and
kwok, which plays the kubelets of fake nodes, from a module of its own, because it stands on newer
Kubernetes libraries. Sources come from the Go module proxy, pinned by go.sum; binaries go into
`.peer/bin/` of the repository, or into `$ARGOSY_PEER_DIR/bin`. A binary that was built from the
same module files and the same sources is left alone, so every make target may call this first.

It deliberately downloads no release binaries: the peer is compiled on the machine that compares,
by the Go that is at hand, or not at all (exit code 3, so a caller can tell "no Go" from a failed
build).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
KUBERNETES_VERSION = "v1.35.4"
NO_GO = 3

PACKAGES = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "load": "./load",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
}


def binaries() -> Path:
    """Return the directory that holds the peer's binaries."""
    root = os.environ.get("ARGOSY_PEER_DIR")
    return (Path(root) if root else HERE.parent / ".peer") / "bin"


def module(name: str) -> Path:
    """Return the directory of the Go module that a binary is built from."""
    return HERE / "kwok" if name == "kwok" else HERE


def fingerprint(name: str) -> str:
    """Hash what a binary is made of: the module, its sums, its flags and our own sources."""
    digest = hashlib.sha256(" ".join(ldflags(name)).encode())
    own = sorted((HERE / "load").glob("*.go")) if name == "load" else []
    for path in [module(name) / "go.mod", module(name) / "go.sum", *own]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def ldflags(name: str) -> list[str]:
    """Strip symbols, and give Kubernetes' commands the version that a release carries."""
    flags = ["-s", "-w"]
    if not name.startswith("kube-"):
        return flags
    major, minor, _ = KUBERNETES_VERSION.removeprefix("v").split(".")
    stamps = {
        "gitMajor": major,
        "gitMinor": minor,
        "gitVersion": KUBERNETES_VERSION,
        "gitTreeState": "clean",
    }
    for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
        flags += [f"-X {package}.{key}={value}" for key, value in stamps.items()]
    return flags


def build(go: str, name: str, jobs: int) -> bool:
    """Build one binary unless it is up to date; say whether it was built."""
    output = binaries() / name
    stamp = output.with_suffix(".fingerprint")
    want = fingerprint(name)
    if output.exists() and stamp.exists() and stamp.read_text() == want:
        return False
    output.parent.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    flags = ["-p", str(jobs), "-trimpath", "-ldflags", " ".join(ldflags(name))]
    command = ["nice", go, "build", *flags, "-o", str(output), PACKAGES[name]]
    environment = {**os.environ, "CGO_ENABLED": "0"}
    subprocess.run(command, cwd=module(name), env=environment, check=True)
    stamp.write_text(want)
    return True


def main() -> int:
    """Build what the command line names."""
    parser = argparse.ArgumentParser(prog="peer/build.py", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*PACKAGES, []], metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2, help="parallel compile jobs (default 2)")
    options = parser.parse_args()
    go = shutil.which("go")
    if go is None:
        print("peer: no Go toolchain found, so kube-apiserver cannot be built", file=sys.stderr)
        return NO_GO
    for name in options.names or PACKAGES:
        try:
            built = build(go, name, options.jobs)
        except subprocess.CalledProcessError as error:
            print(f"peer: building {name} failed", file=sys.stderr)
            return error.returncode
        print(f"peer: {binaries() / name} {'built' if built else 'is up to date'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
