"""The names by which a Configuration lists kinds of jobs, and the kinds they stand for.

All of upstream's names are known here, so that a file that is right there is read here; `jobs` says which of them
are managed.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Kind(NamedTuple):
    """Prints as `group/version, Kind=Kind`."""

    group: str
    version: str
    kind: str

    def __str__(self) -> str:
        return f"{self.group}/{self.version}, Kind={self.kind}"


POD: Final = "pod"

FRAMEWORKS: Final = {
    "batch/job": Kind("batch", "v1", "Job"),
    "deployment": Kind("apps", "v1", "Deployment"),
    "jobset.x-k8s.io/jobset": Kind("jobset.x-k8s.io", "v1alpha2", "JobSet"),
    "kubeflow.org/jaxjob": Kind("kubeflow.org", "v1", "JAXJob"),
    "kubeflow.org/mpijob": Kind("kubeflow.org", "v2beta1", "MPIJob"),
    "kubeflow.org/paddlejob": Kind("kubeflow.org", "v1", "PaddleJob"),
    "kubeflow.org/pytorchjob": Kind("kubeflow.org", "v1", "PyTorchJob"),
    "kubeflow.org/tfjob": Kind("kubeflow.org", "v1", "TFJob"),
    "kubeflow.org/xgboostjob": Kind("kubeflow.org", "v1", "XGBoostJob"),
    "leaderworkerset.x-k8s.io/leaderworkerset": Kind(
        "leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet"
    ),
    POD: Kind("", "v1", "Pod"),
    "ray.io/raycluster": Kind("ray.io", "v1", "RayCluster"),
    "ray.io/rayjob": Kind("ray.io", "v1", "RayJob"),
    "ray.io/rayservice": Kind("ray.io", "v1", "RayService"),
    "sparkoperator.k8s.io/sparkapplication": Kind(
        "sparkoperator.k8s.io", "v1beta2", "SparkApplication"
    ),
    "statefulset": Kind("apps", "v1", "StatefulSet"),
    "trainer.kubeflow.org/trainjob": Kind("trainer.kubeflow.org", "v1alpha1", "TrainJob"),
    "workload.codeflare.dev/appwrapper": Kind("workload.codeflare.dev", "v1beta2", "AppWrapper"),
}


def parse_external(text: str) -> Kind | None:
    """The kind that `Kind.version.group.com` stands for; None where it has another form."""
    kind, _, rest = text.partition(".")
    version, _, group = rest.partition(".")
    return Kind(group, version, kind) if kind and version and group else None
