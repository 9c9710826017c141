"""A cluster with Kueue's kinds and nobody who works on them, so that a test says what queues and workloads are doing;
and the `argosy` command, run in this process against it.
"""

from __future__ import annotations

import gc
import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from argosy.api.objects.kueue.workloads import Workload
from argosy.apiserver.access.identities import User
from argosy.cli.main import main
from argosy.queueing.definitions import KINDS as DEFINED
from argosy.queueing.definitions import definitions
from tests.support.connections import Connection
from tests.support.hosting import Host, hosting
from tests.support.kubectls import Output

KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
KINDS = {one.resource.plural: one.resource.kind for one in DEFINED}


@dataclass
class Line:
    """What waits, as a test says: names of workloads of the namespace `default`, in order, by ClusterQueue."""

    queues: dict[str, list[Workload]] = field(default_factory=dict)
    locals: dict[tuple[str, str], str] = field(default_factory=dict)

    def pending(self, cluster_queue: str) -> Sequence[Workload] | None:
        return self.queues.get(cluster_queue)

    def cluster_queue_of(self, namespace: str, local_queue: str) -> str | None:
        return self.locals.get((namespace, local_queue))


@dataclass(frozen=True)
class Argosy:
    """The command for one kubeconfig; calling it wants success."""

    kubeconfig: Path
    stdin: str = ""

    def __call__(self, *arguments: str) -> str:
        output = self.run(*arguments)
        assert output.code == 0, output
        assert output.stderr == "", output
        return output.stdout

    def run(self, *arguments: str) -> Output:
        out, err = io.StringIO(), io.StringIO()
        with (
            redirect_stdout(out),
            redirect_stderr(err),
            mock.patch("sys.stdin", io.StringIO(self.stdin)),
            # The sockets of a command that is interrupted by an answer end with its process; this one goes on.
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", ResourceWarning)
            code = main([*arguments, "--kubeconfig", str(self.kubeconfig)])
            gc.collect()
        return Output(code, out.getvalue(), err.getvalue())

    def fails(self, *arguments: str) -> str:
        output = self.run(*arguments)
        assert output.code == 1, output
        assert output.stdout == "", output
        return output.stderr

    def answering(self, text: str) -> Argosy:
        return replace(self, stdin=text)


@dataclass
class Queues:
    """The cluster, and how a test fills it."""

    host: Host
    line: Line

    @property
    def api(self) -> Connection:
        return self.host.api

    @property
    def argosy(self) -> Argosy:
        return Argosy(self.host.kubeconfig)

    def argosy_of(self, user: str) -> Argosy:
        """The command as one of the users."""
        own = self.host.kubeconfig.with_name(f"kubeconfig-{user}")
        own.write_text(self.host.kubeconfig.read_text().replace("token: admin", f"token: {user}"))
        return Argosy(own)

    def make(
        self, plural: str, name: str, spec: Any = None, status: Any = None, **meta: Any
    ) -> Any:
        """A cluster-scoped object, or with `namespace` one in a namespace."""
        namespace = meta.get("namespace")
        where = f"{KUEUE}/namespaces/{namespace}/{plural}" if namespace else f"{KUEUE}/{plural}"
        kind = {"kind": KINDS[plural], "apiVersion": "kueue.x-k8s.io/v1beta2"}
        body = {**kind, "metadata": {"name": name, **meta}, "spec": spec or {}}
        made = self.api.create(where, body)
        if status is None:
            return made
        return self.api.merge(f"{where}/{name}/status", {"status": status})

    def cluster_queue(
        self, name: str, cohort: str = "", nominal: str = "", status: Any = None, **spec: Any
    ) -> Any:
        """With `nominal` CPUs of the flavor `default`."""
        quota = {"name": "cpu", "nominalQuota": nominal}
        if nominal:
            flavors = [{"name": "default", "resources": [quota | spec.pop("limits", {})]}]
            spec["resourceGroups"] = [{"coveredResources": ["cpu"], "flavors": flavors}]
        if cohort:
            spec["cohortName"] = cohort
        return self.make("clusterqueues", name, {"namespaceSelector": {}, **spec}, status)

    def local_queue(
        self, name: str, queue: str, status: Any = None, namespace: str = "default", **spec: Any
    ) -> Any:
        return self.make(
            "localqueues", name, {"clusterQueue": queue, **spec}, status, namespace=namespace
        )

    def workload(
        self, name: str, queue: str, cpu: str = "1", *, admitted: str = "", conditions: Any = (),
        count: int = 1, namespace: str = "default", spec: Any = None, status: Any = None, **meta: Any,
    ) -> Any:  # fmt: skip
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
        template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
        pod_sets = [{"name": "main", "count": count, "template": template}]
        found = dict(status or {})
        held = list(conditions)
        if admitted:
            found["admission"] = {
                "clusterQueue": admitted,
                "podSetAssignments": [
                    {
                        "name": "main", "count": count, "flavors": {"cpu": "default"},
                        "resourceUsage": {"cpu": str(int(cpu) * count)},
                    }
                ],
            }  # fmt: skip
            if not held:
                held = [condition("QuotaReserved"), condition("Admitted")]
        if held:
            found["conditions"] = held
        body = {"queueName": queue, "podSets": pod_sets, **(spec or {})}
        return self.make("workloads", name, body, found or None, namespace=namespace, **meta)


def condition(
    kind: str, status: str = "True", ago: float = 60.0, reason: str = "", message: str = ""
) -> Any:
    when = datetime.now(UTC) - timedelta(seconds=ago)
    return {
        "type": kind, "status": status, "reason": reason or kind, "message": message,
        "lastTransitionTime": f"{when:%Y-%m-%dT%H:%M:%SZ}",
    }  # fmt: skip


@contextmanager
def queueing(directory: Path, **users: User) -> Iterator[Queues]:
    """`users` are known by their names as tokens."""
    line = Line()
    with hosting(directory, pending=line, **users) as host:
        for definition in definitions():
            host.api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
        yield Queues(host, line)


def aged(printed: str) -> list[str]:
    """Lines without the ages of things that are seconds old, which differ from run to run."""
    return [
        " ".join(word for word in line.split() if not _is_age(word))
        for line in printed.splitlines()
    ]


def _is_age(word: str) -> bool:
    return word.endswith("s") and word[:-1].isdigit()


Fill = Callable[[Queues], None]
