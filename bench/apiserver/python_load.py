"""The load generator where there is no Go: the same flags and the same requests, from asyncio.

It stands in for peer/load so that `make bench-apiserver` says something on any machine. One task
per connection; the answers are read and dropped.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import ssl
import time
from dataclasses import dataclass, field

import aiohttp
import uvloop

MARK = b'"message":"sent-'
DRAIN_SECONDS = 0.5


@dataclass(slots=True)
class Tally:
    """What was seen so far."""

    latencies: list[float] = field(default_factory=list)
    errors: int = 0
    first_error: str = ""

    def failed(self, text: str) -> None:
        self.errors += 1
        self.first_error = self.first_error or text

    def percentile(self, share: float) -> float:
        ordered = sorted(self.latencies) or [0.0]
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] * 1000


class Generator:
    """One run against one server."""

    def __init__(self, options: argparse.Namespace, session: aiohttp.ClientSession) -> None:
        self.options = options
        self.session = session
        self.tally = Tally()
        self.numbers = itertools.count()
        self.collection = f"{options.server}/api/v1/namespaces/{options.namespace}/{options.kind}"

    async def hammer(self) -> int:
        """Send from all connections until the time is over or everything exists."""
        await asyncio.gather(*(self._connection() for _ in range(self.options.connections)))
        return len(self.tally.latencies)

    async def _connection(self) -> None:
        options = self.options
        deadline = time.monotonic() + options.seconds
        for number in self.numbers:
            if options.work == "create" and options.count and number >= options.count:
                return
            if options.seconds and time.monotonic() > deadline:
                return
            began = time.monotonic()
            if await self._send(number):
                self.tally.latencies.append(time.monotonic() - began)

    async def _send(self, number: int) -> bool:
        options = self.options
        if options.work == "create":
            body = _object(options, f"{options.prefix}-{number}", number)
            return await self._request("POST", self.collection, body, "application/json")
        if options.work == "get":
            name = f"{options.prefix}-{number % options.count}"
            return await self._request("GET", f"{self.collection}/{name}")
        if options.work == "list":
            return await self._request("GET", self.collection)
        return await self._patch(number, str(number))

    async def _patch(self, number: int, message: str) -> bool:
        url = f"{self.collection}/{self.options.prefix}-{number % self.options.count}/status"
        body = json.dumps({"status": {"phase": "Running", "message": message}})
        return await self._request("PATCH", url, body, "application/merge-patch+json")

    async def _request(self, method: str, url: str, body: str = "", kind: str = "") -> bool:
        headers = {"Content-Type": kind} if kind else {}
        async with self.session.request(method, url, data=body or None, headers=headers) as answer:
            content = await answer.read()
            if answer.status < 300:
                return True
            self.tally.failed(f"{method} {url}: {answer.status} {content[:300]!r}")
            return False

    async def fan_out(self) -> int:
        """Write from one connection while the others watch; return the number of writes."""
        async with self.session.get(f"{self.collection}?limit=1") as answer:
            version = (await answer.json())["metadata"]["resourceVersion"]
        url = f"{self.collection}?watch=true&resourceVersion={version}"
        watchers = [
            asyncio.create_task(self._watch(await self.session.get(url)))
            for _ in range(self.options.watchers)
        ]
        writes, deadline = 0, time.monotonic() + self.options.seconds
        while time.monotonic() < deadline:
            writes += await self._patch(writes, f"sent-{time.time_ns()}")
        await asyncio.sleep(DRAIN_SECONDS)
        for watcher in watchers:
            watcher.cancel()
        await asyncio.wait(watchers)
        return writes

    async def _watch(self, answer: aiohttp.ClientResponse) -> None:
        async for line in answer.content:
            begin = line.find(MARK)
            if begin >= 0:
                sent = int(line[begin + len(MARK) : line.index(b'"', begin + len(MARK))])
                self.tally.latencies.append((time.time_ns() - sent) / 1e9)


def _object(options: argparse.Namespace, name: str, number: int) -> str:
    if options.kind == "configmaps":
        return _filled({"metadata": {"name": name}, "data": {"fill": ""}}, options.size, "fill")
    resources = {"cpu": "1", "memory": "1Gi"}
    container = {
        "name": "main",
        "image": "registry.example.com/team/trainer:1.2.3",
        "args": ["--steps", "1000"],
        "env": [{"name": "RANK", "value": "0"}, {"name": "WORLD_SIZE", "value": "8"}],
        "resources": {"requests": resources, "limits": resources},
    }
    pod = {
        "metadata": {
            "name": name,
            "labels": {"app": "load", "shard": str(number % 100)},
            "annotations": {"load.example.com/fill": ""},
        },
        "spec": {
            "automountServiceAccountToken": False,
            "restartPolicy": "Never",
            "containers": [container],
        },
    }
    return _filled(pod, options.size, "load.example.com/fill")


def _filled(value: dict[str, object], size: int, key: str) -> str:
    text = json.dumps(value)
    return text.replace(f'"{key}": ""', f'"{key}": "{"x" * max(0, size - len(text))}"')


async def run(options: argparse.Namespace) -> dict[str, float | str]:
    """Run the work and return what the Go generator prints."""
    connector = aiohttp.TCPConnector(limit=0, ssl=ssl.create_default_context(cafile=options.ca))
    headers = {"Authorization": f"Bearer {options.token}", "Accept-Encoding": "identity"}
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:
        generator = Generator(options, session)
        began = time.monotonic()
        is_watch = options.work == "watch"
        operations = await (generator.fan_out() if is_watch else generator.hammer())
        seconds = time.monotonic() - began
    tally = generator.tally
    return {
        "operations": operations,
        "errors": tally.errors,
        "first_error": tally.first_error,
        "seconds": seconds,
        "p50_ms": tally.percentile(0.50),
        "p99_ms": tally.percentile(0.99),
        "delivered": len(tally.latencies) if is_watch else 0,
    }


def main() -> None:
    """Take the flags of peer/load."""
    parser = argparse.ArgumentParser()
    for name in ("server", "ca", "token", "namespace"):
        parser.add_argument(f"-{name}", required=True)
    for name, text in {"work": "create", "kind": "pods", "prefix": "x"}.items():
        parser.add_argument(f"-{name}", default=text)
    for name, count in {"connections": 16, "watchers": 50, "size": 2048, "count": 0}.items():
        parser.add_argument(f"-{name}", type=int, default=count)
    parser.add_argument("-seconds", type=float, default=5.0)
    print(json.dumps(uvloop.run(run(parser.parse_args()))))


if __name__ == "__main__":
    main()
