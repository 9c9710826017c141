"""`python -m bench.workloads.writes`: what the life of a Job's pod costs, write by write.

Pods of one Job are created, bound, reported running and done, let go of and deleted through the local client, as a
Job controller, a scheduler and ten kubelets would write them; then come the events about them and the Job's own
status. Informers in the same process follow every write, decoded. A row says what one write costs in CPU, of all
threads, informers included, and how many such writes a second makes; the last line is the memory of a running pod
in the store.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import resource
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.asymmetric import ec

from argosy.api.builtin import builtin_kinds
from argosy.api.objects import Job, Pod
from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.access.tokens import Signer
from argosy.apiserver.clusters import describing
from argosy.apiserver.servers import build
from argosy.base.clock import RealClock
from argosy.base.ids import RandomIds
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import EVENTS, JOBS, NAMESPACES, PODS, SERVICE_ACCOUNTS
from argosy.control.informers import Informer
from argosy.store import MemoryStore, Store, open_store

NAMESPACE: Final = "bench"
JOB: Final = "train"
FINALIZER: Final = "batch.kubernetes.io/job-tracking"
NODES: Final = 500
_EVENTS: Final = (
    ("Scheduled", "Successfully assigned bench/{} to node-{}", "default-scheduler"),
    ("Pulled", 'Container image "registry.example.com/train:1.2.3" already present on machine', "kubelet"),
    ("Created", "Container created", "kubelet"),
    ("Started", "Container started", "kubelet"),
)  # fmt: skip


class Clients(NamedTuple):
    """Who writes in the life of a pod."""

    admin: LocalClient
    jobs: LocalClient
    scheduler: LocalClient
    kubelet: LocalClient


def template(index: int, *, indexed: bool) -> Object:
    env: list[Object] = [
        {"name": f"SETTING_{number}", "value": f"value of setting {number}"} for number in range(6)
    ]
    if indexed:
        path = "metadata.labels['batch.kubernetes.io/job-completion-index']"
        source = {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}
        env.append({"name": "JOB_COMPLETION_INDEX", "valueFrom": source})
    spec: Object = {
        "containers": [{
            "name": "main", "image": "registry.example.com/train:1.2.3", "command": ["python", "-m", "train"],
            "env": env, "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "imagePullPolicy": "IfNotPresent",
        }],
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "securityContext": {}, "schedulerName": "default-scheduler",
        "tolerations": [{"key": "example.com/accelerator", "operator": "Exists", "effect": "NoSchedule"}],
    }  # fmt: skip
    if indexed:
        spec["hostname"] = f"{JOB}-{index}"
    return spec


def pod(index: int, uid: str, *, indexed: bool) -> Object:
    labels = {
        "batch.kubernetes.io/controller-uid": uid, "batch.kubernetes.io/job-name": JOB,
        "controller-uid": uid, "job-name": JOB, "app": "train",
    }  # fmt: skip
    meta: Object = {
        "name": f"{JOB}-{index}-x7k2p", "namespace": NAMESPACE, "labels": labels,
        "generateName": f"{JOB}-{index}-" if indexed else f"{JOB}-",
        "finalizers": [FINALIZER],
        "ownerReferences": [{
            "apiVersion": "batch/v1", "kind": "Job", "name": JOB, "uid": uid, "controller": True,
            "blockOwnerDeletion": True,
        }],
    }  # fmt: skip
    if indexed:
        labels["batch.kubernetes.io/job-completion-index"] = str(index)
        meta["annotations"] = {"batch.kubernetes.io/job-completion-index": str(index)}
    return {"metadata": meta, "spec": template(index, indexed=indexed)}


def _condition(kind: str, status: str, now: str, reason: str = "") -> Object:
    found: Object = {
        "type": kind, "status": status, "lastProbeTime": None, "lastTransitionTime": now, "observedGeneration": 1,
    }  # fmt: skip
    if reason:
        found["reason"] = reason
    return found


def running(index: int) -> Object:
    now = format_time(time.time())
    ip, host = f"10.{index >> 16 & 255}.{index >> 8 & 255}.{index & 255}", f"172.16.0.{index % 250}"
    return {
        "observedGeneration": 1, "phase": "Running", "startTime": now,
        "hostIP": host, "hostIPs": [{"ip": host}], "podIP": ip, "podIPs": [{"ip": ip}],
        "conditions": [
            _condition(kind, "True", now)
            for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
        ],
        "containerStatuses": [{
            "name": "main", "image": "registry.example.com/train:1.2.3", "ready": True, "started": True,
            "imageID": "registry.example.com/train@sha256:" + "ab" * 32, "restartCount": 0, "lastState": {},
            "containerID": f"containerd://{index:064x}", "state": {"running": {"startedAt": now}},
            "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
        }],
    }  # fmt: skip


def succeeded(index: int) -> Object:
    status, now = running(index), format_time(time.time())
    status["phase"] = "Succeeded"
    status["conditions"] = [
        _condition("PodReadyToStartContainers", "False", now),
        _condition("Initialized", "True", now, "PodCompleted"),
        _condition("Ready", "False", now, "PodCompleted"),
        _condition("ContainersReady", "False", now, "PodCompleted"),
        _condition("PodScheduled", "True", now),
    ]
    status["containerStatuses"][0] |= {
        "ready": False, "started": False,
        "state": {"terminated": {
            "exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now,
            "containerID": f"containerd://{index:064x}",
        }},
    }  # fmt: skip
    return status


def event(index: int, number: int) -> Object:
    reason, message, component = _EVENTS[number]
    now = format_time(time.time())
    return {
        "metadata": {"name": f"{JOB}-{index}-x7k2p.{time.time_ns():x}{number}", "namespace": NAMESPACE},
        "involvedObject": {
            "kind": "Pod", "namespace": NAMESPACE, "name": f"{JOB}-{index}-x7k2p", "apiVersion": "v1",
            "uid": f"00000000-0000-4000-8000-{index:012d}", "resourceVersion": str(1000 + index),
        },
        "reason": reason, "message": message.format(index, index % NODES), "type": "Normal", "count": 1,
        "firstTimestamp": now, "lastTimestamp": now, "source": {"component": component},
        "reportingComponent": component, "reportingInstance": "",
    }  # fmt: skip


class Bench:
    """One store, its clients and informers."""

    def __init__(self, clients: Clients, store: Store, pods: int, flight: int) -> None:
        self._clients = clients
        self._store = store
        self._pods = pods
        self._flight = flight
        self._informers: list[Informer[Pod] | Informer[Job]] = []

    @asynccontextmanager
    async def following(self, count: int) -> AsyncIterator[None]:
        clock, client = RealClock(), self._clients.admin
        self._informers = [Informer(client, JOBS, Job, clock=clock)]
        self._informers += [Informer(client, PODS, Pod, clock=clock) for _ in range(count)]
        tasks = [asyncio.create_task(informer.run()) for informer in self._informers]
        await asyncio.gather(*(informer.synced() for informer in self._informers))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def row(
        self, title: str, write: Callable[[int], Awaitable[object]], indices: Iterable[int] | None = None
    ) -> None:  # fmt: skip
        """Do one write per index, several in flight, and print what one costs."""
        todo = list(range(self._pods) if indices is None else indices)
        turns: Iterator[int] = iter(todo)

        async def worker() -> None:
            for index in turns:
                await write(index)

        gc.collect()
        cpu, wall = time.process_time(), time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(self._flight)))
        await self._drained()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        print(
            f"| {title:<28} | {cpu / len(todo) * 1e6:7.1f} | {len(todo) / wall:8,.0f} |", flush=True
        )

    async def _drained(self) -> None:
        """Let the informers see everything; all that is visible is in their buffers already."""
        for _ in range(50):
            await asyncio.sleep(0)
        assert len(self._informers[-1]) == self._store.count("pods"), "an informer has not kept up"

    async def life(self, uid: str, *, indexed: bool, events: int) -> None:
        _, jobs, scheduler, kubelet = self._clients

        def create(index: int) -> Awaitable[object]:
            body = bodies[index]
            return jobs.create(PODS, body, namespace=NAMESPACE)

        def bind(index: int) -> Awaitable[object]:
            name = f"{JOB}-{index}-x7k2p"
            target = {"apiVersion": "v1", "kind": "Node", "name": f"node-{index % NODES}"}
            binding = {"metadata": {"name": name, "namespace": NAMESPACE}, "target": target}
            return scheduler.create(
                PODS, {**binding, "kind": "Binding", "apiVersion": "v1"}, namespace=NAMESPACE, name=name,
                subresource="binding",
            )  # fmt: skip

        def report(make: Callable[[int], Object]) -> Callable[[int], Awaitable[object]]:
            def write(index: int) -> Awaitable[object]:
                patch = {"status": make(index)}
                name = f"{JOB}-{index}-x7k2p"
                return kubelet.patch(PODS, name, patch, namespace=NAMESPACE, subresource="status")

            return write

        def let_go(index: int) -> Awaitable[object]:
            name = f"{JOB}-{index}-x7k2p"
            if index % 2:
                patch = {"metadata": {"finalizers": None}}
                return jobs.patch(PODS, name, patch, namespace=NAMESPACE)
            return jobs.patch(
                PODS, name, [{"op": "remove", "path": "/metadata/finalizers"}],
                kind=PatchType.JSON, namespace=NAMESPACE,
            )  # fmt: skip

        def delete(index: int) -> Awaitable[object]:
            return jobs.delete(PODS, f"{JOB}-{index}-x7k2p", namespace=NAMESPACE)

        def tell(number: int) -> Awaitable[object]:
            return kubelet.create(EVENTS, event(number // 4, number % 4), namespace=NAMESPACE)

        def count(number: int) -> Awaitable[object]:
            status = {
                "active": number,
                "ready": number // 2,
                "terminating": 0,
                "succeeded": number // 3,
            }
            uncounted = {"succeeded": [f"uid-{number}-{each}" for each in range(20)]}
            patch = {"status": {**status, "uncountedTerminatedPods": uncounted}}
            return jobs.patch(JOBS, JOB, patch, namespace=NAMESPACE, subresource="status")

        bodies = [pod(index, uid, indexed=indexed) for index in range(self._pods)]
        before = rss_bytes()
        await self.row("create pod", create)
        bodies.clear()
        await self.row("bind", bind)
        await self.row("status: Running", report(running))
        gc.collect()
        held = rss_bytes() - before
        await self.row("status: Succeeded", report(succeeded))
        await self.row("finalizer", let_go)
        await self.row("delete pod", delete)
        if events:
            await self.row("create event", tell, range(min(events, self._pods * 4)))
            await self.row("Job status", count, range(self._pods // 10))
        print(
            f"| resident bytes per running pod, informers and history included: {held / self._pods:,.0f}"
        )


def rss_bytes() -> int:
    """What the process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


async def run(kind: str, args: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(dir=args.directory) as folder:
        store: Store = (
            MemoryStore() if kind == "memory"
            else open_store(Path(folder) / "state.db", describe=describing(builtin_kinds()))
        )  # fmt: skip
        clock = RealClock()
        signer = Signer(ec.generate_private_key(ec.SECP256R1()), clock)
        server = build(store, clock=clock, ids=RandomIds(), signer=signer, tokens={})
        clients = Clients(*(
            LocalClient(server, ADMIN, agent=agent)
            for agent in ("bench", "job-controller", "kube-scheduler", "kubelet")
        ))  # fmt: skip
        await clients.admin.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})
        await clients.admin.create(
            SERVICE_ACCOUNTS, {"metadata": {"name": "default"}}, namespace=NAMESPACE
        )
        job = await clients.admin.create(JOBS, {
            "metadata": {"name": JOB, "namespace": NAMESPACE},
            "spec": {"completions": args.pods, "parallelism": args.pods, "template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "main", "image": "train"}],
            }}},
        })  # fmt: skip
        uid = str(decode(job)["metadata"]["uid"])
        bench = Bench(clients, store, args.pods, args.flight)
        for indexed in (False, True):
            print(f"\n{kind} store, {'indexed' if indexed else 'plain'} Job of {args.pods:,} pods")
            print(f"| {'write':<28} | CPU µs  | writes/s |\n|{'-' * 30}|{'-' * 9}|{'-' * 10}|")
            async with bench.following(args.informers):
                await bench.life(uid, indexed=indexed, events=0 if indexed else args.events)
        await store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pods", type=int, default=3000)
    parser.add_argument("--events", type=int, default=6000)
    parser.add_argument("--flight", type=int, default=200, help="writes in flight")
    parser.add_argument("--informers", type=int, default=1, help="informers that follow the pods")
    parser.add_argument("--store", choices=("memory", "sqlite", "both"), default="both")
    parser.add_argument("--directory", help="where the SQLite file goes")
    args = parser.parse_args()
    for kind in ("memory", "sqlite") if args.store == "both" else (args.store,):
        asyncio.run(run(kind, args))


if __name__ == "__main__":
    main()
