"""The command lines of the peer's processes: what every installer sets too, and loopback ports.

Everything else keeps its default, so the peer behaves as released: etcd calls fsync, kube-apiserver
has its default admission, RBAC and priority-and-fairness, controllers and scheduler their defaults.
The one deliberate choice is `limits`: with them the controller manager (20 requests a second) and
the scheduler (50) keep the client rates that they are released with; without them a benchmark sees
what the processes can do.
"""

from __future__ import annotations

from pathlib import Path

ISSUER = "https://kubernetes.default.svc.cluster.local"
STAGES = Path(__file__).with_name("kwok") / "stages.yaml"
NO_LIMITS = ["--kube-api-qps=100000", "--kube-api-burst=100000"]


def etcd(directory: Path, client_url: str, peer_url: str) -> list[str]:
    """One member, all state below `directory`."""
    return [
        f"--data-dir={directory / 'etcd'}",
        f"--listen-client-urls={client_url}",
        f"--advertise-client-urls={client_url}",
        f"--listen-peer-urls={peer_url}",
        f"--initial-advertise-peer-urls={peer_url}",
        f"--initial-cluster=default={peer_url}",
        "--log-level=warn",
    ]


def apiserver(directory: Path, etcd_url: str, port: int) -> list[str]:
    """The API server; tokens and anonymous access come from files that `running` writes."""
    return [
        f"--etcd-servers={etcd_url}",
        *_listen(directory / "certs", port),
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


def controller_manager(directory: Path, port: int, controllers: str, *, limits: bool) -> list[str]:
    """The controllers that are named (`*`: all that run by default)."""
    return [
        f"--kubeconfig={directory / 'kubeconfig'}",
        *_listen(directory / "manager-certs", port),
        f"--service-account-private-key-file={directory / 'sa.key'}",
        f"--root-ca-file={directory / 'certs' / 'apiserver.crt'}",
        "--leader-elect=false",
        f"--controllers={controllers}",
        *([] if limits else [*NO_LIMITS, "--concurrent-job-syncs=20"]),
    ]


def scheduler(directory: Path, port: int, *, limits: bool) -> list[str]:
    """The scheduler with its default profile."""
    return [
        f"--kubeconfig={directory / 'kubeconfig'}",
        *_listen(directory / "scheduler-certs", port),
        "--leader-elect=false",
        *([] if limits else NO_LIMITS),
    ]


def kwok(directory: Path) -> list[str]:
    """The kubelets of all nodes; its client has no rate limit to lift."""
    return [f"--kubeconfig={directory / 'kubeconfig'}", f"--config={STAGES}", "--v=WARN"]


def _listen(certificates: Path, port: int) -> list[str]:
    return [f"--cert-dir={certificates}", "--bind-address=127.0.0.1", f"--secure-port={port}"]
