"""Probes: is a container started, alive, ready.

`Judge` is pure: results in, verdicts out, by the thresholds. `Prober` runs the three probes of one run of a container
as kubelets do: the startup probe alone until it has succeeded, then liveness and readiness side by side, each from its
own delay on and once per period. A probe that fails is an event; a container that fails its startup or liveness probe
for good is ended, and started again by its restart policy. gRPC probes are not offered: they count as failed, and the
event says so.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple
from urllib.parse import urlsplit

from argosy.api.objects import Container
from argosy.base.types import Object
from argosy.workloads.runtimes.process.environments import expand
from argosy.workloads.runtimes.process.executing import capture
from argosy.workloads.runtimes.process.hosts import Host

Kind = Literal["Startup", "Liveness", "Readiness"]
_LOCAL: Final = "127.0.0.1"


class Outcome(NamedTuple):
    """What one probe found."""

    succeeded: bool
    text: str = ""


@dataclass(slots=True)
class Judge:
    """Counts results in a row."""

    success_threshold: int = 1
    failure_threshold: int = 3
    _last: bool | None = None
    _row: int = 0

    @staticmethod
    def of(probe: Object) -> Judge:
        return Judge(probe.get("successThreshold") or 1, probe.get("failureThreshold") or 3)

    def judge(self, succeeded: bool) -> bool | None:
        """The verdict after one more result; None leaves things as they are."""
        self._row = self._row + 1 if self._last is succeeded else 1
        self._last = succeeded
        threshold = self.success_threshold if succeeded else self.failure_threshold
        return succeeded if self._row >= threshold else None


@dataclass(slots=True)
class Prober:
    """The probes of one run."""

    host: Host
    container: Container
    run: str
    started_at: float
    address: str
    # Tells what changed: started, ready.
    changed: Callable[[bool | None, bool | None], None]
    unhealthy: Callable[[Kind, str], None]
    # Ends the container: which probe, and the grace it names.
    failed: Callable[[Kind, int | None], Awaitable[None]]

    async def watch(self, *, has_started: bool = False) -> None:
        """Probe until cancelled, or until a probe has failed for good."""
        startup = self.container.startup_probe
        if startup is not None and not has_started:
            verdict = await self._until_verdict("Startup", startup, wanted=None)
            if not verdict:
                await self.failed("Startup", startup.get("terminationGracePeriodSeconds"))
                return
            self.changed(True, None)
        async with asyncio.TaskGroup() as group:
            if self.container.readiness_probe is not None:
                group.create_task(self._readiness(self.container.readiness_probe))
            if self.container.liveness_probe is not None:
                group.create_task(self._liveness(self.container.liveness_probe))

    async def _readiness(self, probe: Object) -> None:
        judge = Judge.of(probe)
        await self._delay(probe)
        while True:
            verdict = await self._once("Readiness", probe, judge)
            if verdict is not None:
                self.changed(None, verdict)
            await self._period(probe)

    async def _liveness(self, probe: Object) -> None:
        await self._until_verdict("Liveness", probe, wanted=False)
        await self.failed("Liveness", probe.get("terminationGracePeriodSeconds"))

    async def _until_verdict(self, kind: Kind, probe: Object, *, wanted: bool | None) -> bool:
        """Probe until there is a verdict, or (wanted) until there is this one."""
        judge = Judge.of(probe)
        await self._delay(probe)
        while True:
            verdict = await self._once(kind, probe, judge)
            if verdict is not None and wanted in {None, verdict}:
                return verdict
            await self._period(probe)

    async def _once(self, kind: Kind, probe: Object, judge: Judge) -> bool | None:
        outcome = await self.probe(probe)
        if not outcome.succeeded:
            self.unhealthy(kind, f"{kind} probe failed: {outcome.text}")
        return judge.judge(outcome.succeeded)

    async def _delay(self, probe: Object) -> None:
        delay = self.started_at + (probe.get("initialDelaySeconds") or 0) - self.host.clock.time()
        await self.host.clock.sleep(max(0.0, delay))

    async def _period(self, probe: Object) -> None:
        await self.host.clock.sleep(probe.get("periodSeconds") or 10)

    async def probe(self, probe: Object) -> Outcome:
        """Probe once, within the probe's time."""
        seconds = probe.get("timeoutSeconds") or 1
        if (given := probe.get("exec")) is not None:
            env = {one.name: one.value for one in self.container.env if one.value_from is None}
            command = [expand(part, env) for part in given.get("command") or ()]
            done = await capture(self.host, self.run, command, seconds)
            return Outcome(done.code == 0, done.output)
        if (given := probe.get("httpGet")) is not None:
            return await http_get(given, self.container, self.address, seconds)
        if (given := probe.get("tcpSocket")) is not None:
            port = port_of(given["port"], self.container)
            hosts = [given["host"]] if given.get("host") else [_LOCAL, self.address]
            return await tcp_socket(hosts, port, seconds)
        return Outcome(
            succeeded=False, text="grpc probes are not offered for pods that run as local processes"
        )


def port_of(given: int | str, container: Container) -> int:
    """A port by number, or by the name of one of the container's ports; 0 if there is none."""
    if isinstance(given, int):
        return given
    named = (one.container_port for one in container.ports if one.name == given)
    return next(named, int(given) if given.isdigit() else 0)


async def tcp_socket(hosts: list[str], port: int, seconds: float) -> Outcome:
    """Whether a connection can be opened, to the first host that takes one."""
    problem = ""
    for host in hosts:
        try:
            async with asyncio.timeout(seconds):
                _, writer = await asyncio.open_connection(host, port)
        except TimeoutError:
            problem = problem or f"dial tcp {host}:{port}: i/o timeout"
        except OSError:
            problem = problem or f"dial tcp {host}:{port}: connect: connection refused"
        else:
            writer.close()
            return Outcome(succeeded=True)
    return Outcome(succeeded=False, text=problem)


async def http_get(given: Object, container: Container, address: str, seconds: float) -> Outcome:
    """Whether a GET is answered with 200 to 399."""
    port = port_of(given["port"], container)
    scheme = (given.get("scheme") or "HTTP").lower()
    path = urlsplit(given.get("path") or "/")
    target = (path.path or "/") + (f"?{path.query}" if path.query else "")
    if not target.startswith("/"):
        target = f"/{target}"
    hosts = [given["host"]] if given.get("host") else [_LOCAL, address]
    problem = ""
    for host in hosts:
        url = f"{scheme}://{host}:{port}{target}"
        try:
            async with asyncio.timeout(seconds):
                status = await _status(scheme, host, port, target, given.get("httpHeaders") or [])
        except TimeoutError:
            text = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
            return Outcome(succeeded=False, text=f'Get "{url}": {text}')
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            refused = isinstance(error, ConnectionRefusedError)
            why = f"dial tcp {host}:{port}: connect: connection refused" if refused else str(error)
            problem = problem or f'Get "{url}": {why}'
        else:
            text = f"HTTP probe failed with statuscode: {status}"
            return Outcome(200 <= status < 400, text)
    return Outcome(succeeded=False, text=problem)


async def _status(scheme: str, host: str, port: int, target: str, headers: list[Object]) -> int:
    context: ssl.SSLContext | None = None
    if scheme == "https":
        # As kubelets: a probe asks whether somebody answers, not who.
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    reader, writer = await asyncio.open_connection(host, port, ssl=context)
    try:
        given = {"User-Agent": "kube-probe/1.35", "Accept": "*/*", "Host": f"{host}:{port}"}
        given.update({one["name"]: one.get("value", "") for one in headers})
        lines = [f"GET {target} HTTP/1.1", *(f"{k}: {v}" for k, v in given.items())]
        lines += ["Connection: close", "", ""]
        writer.write("\r\n".join(lines).encode())
        first = (await reader.readline()).split()
        if len(first) < 2 or not first[1].isdigit():
            raise ValueError("EOF" if not first else "malformed HTTP response")
        return int(first[1])
    finally:
        writer.close()
