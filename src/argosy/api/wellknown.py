"""Names of labels, annotations, taints, finalizers and conditions that more than one package goes by.

Those of Kubernetes, and those by which Argosy's own parts meet: the node pools of `capacity` make Node objects, the
agents of `workloads` run what is bound to them, and neither imports the other.
"""

from __future__ import annotations

from typing import Final

HOSTNAME: Final = "kubernetes.io/hostname"
OS: Final = "kubernetes.io/os"
ARCH: Final = "kubernetes.io/arch"
INSTANCE_TYPE: Final = "node.kubernetes.io/instance-type"
REGION: Final = "topology.kubernetes.io/region"
ZONE: Final = "topology.kubernetes.io/zone"

TAINT_NOT_READY: Final = "node.kubernetes.io/not-ready"
TAINT_UNREACHABLE: Final = "node.kubernetes.io/unreachable"
TAINT_UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"
TAINT_OUT_OF_SERVICE: Final = "node.kubernetes.io/out-of-service"

# What the kubelets of Argosy say of themselves: their version, and the conditions of a healthy node (type, status,
# reason, message).
KUBELET_VERSION: Final = "v1.35.4"
KUBELET_CONDITIONS: Final = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)  # fmt: skip

JOB_TRACKING: Final = "batch.kubernetes.io/job-tracking"

# Which NodePool a node belongs to (a label of the node).
NODE_POOL: Final = "argosy.dev/nodepool"
# Which runtime runs its pods: "simulated" or "process" (a label). A node without it has a kubelet of its own.
RUNTIME: Final = "argosy.dev/runtime"
# "true" on nodes that the provider may reclaim (a label).
SPOT: Final = "argosy.dev/spot"
# Who bills the machine, and what an hour of it costs (a label and an annotation of the node).
PROVIDER: Final = "argosy.dev/provider"
PRICE_PER_HOUR: Final = "argosy.dev/price-per-hour"
# The lease in kube-node-lease that stands for this node's heartbeat while it has none of its own (an annotation). One
# agent serves thousands of nodes and renews one lease for all of them.
HEARTBEAT_LEASE: Final = "argosy.dev/heartbeat-lease"
NODE_LEASES: Final = "kube-node-lease"
AGENT_LEASE: Final = "argosy-agent"
# A fault to act out on a simulated node: "vanish" (heartbeats stop, nothing is reported any more) or "reclaim"
# (a spot node gets its notice and is taken away). An annotation of the node.
FAULT: Final = "argosy.dev/fault"
