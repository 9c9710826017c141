"""The few files that every container has, for those who look around in a simulated one."""

from __future__ import annotations

from argosy.api.objects import Pod
from argosy.workloads.runtimes.simulated.environments import hostname


def files_of(pod: Pod) -> dict[str, str]:
    """Paths and what is in them."""
    meta, name, address = pod.metadata, hostname(pod), pod.status.pod_ip
    domain = f"{meta.namespace}.svc.cluster.local"
    return {
        "/etc/hostname": f"{name}\n",
        "/etc/hosts": f"127.0.0.1\tlocalhost\n::1\tlocalhost\n{address}\t{name}\n",
        "/etc/os-release": 'NAME="Argosy simulated container"\nID=argosy\n',
        "/etc/resolv.conf": f"search {domain} svc.cluster.local cluster.local\noptions ndots:5\n",
        "/var/run/secrets/kubernetes.io/serviceaccount/namespace": meta.namespace,
    }
