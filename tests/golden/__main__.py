"""Runs the cases of a directory on a fresh fleet and compares; see the package."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Final

from argosy.client import kubeconfig
from argosy.client.objects import decode
from argosy.client.remote import RemoteClient
from argosy.client.resources import MEMBER_CLUSTERS
from tests.golden.fleet import SHAPES
from tests.golden.pretending import pretending
from tests.support.processes import command

_ROOT: Final = Path(__file__).parents[2]
_SHARED: Final = _ROOT.parent / "shared" / "fixtures" / "kubefleet"
_ORDER: Final = re.compile(r"^#.*cases, in this order[^:]*:\s*([a-z0-9_ -]+)$", re.MULTILINE)
_CASE: Final = re.compile(r"^case_([a-z0-9_]+)\(\)", re.MULTILINE)
_READY_SECONDS: Final = 60.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden")
    parser.add_argument("--fixtures", type=Path, default=_SHARED, metavar="DIR")
    parser.add_argument("--case", action="append", metavar="NAME", help="only these")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where to leave what came out")
    parsed = parser.parse_args()
    fixtures = parsed.fixtures.resolve()
    if not (fixtures / "replay.sh").exists():
        print(f"{fixtures} has no replay.sh: say where the golden runs are, FIXTURES=DIR")
        return 2
    with tempfile.TemporaryDirectory(prefix="argosy-golden-") as scratch:
        directory = Path(scratch)
        out = (parsed.keep or directory / "out").resolve()
        out.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            stack.enter_context(_fleet(directory))
            agents = {
                shape.name: stack.enter_context(_agent(directory, shape.name)) for shape in SHAPES
            }
            frozen = agents[SHAPES[0].name].pid
            environment = {
                **os.environ,
                "KUBECONFIG": str(directory / "kubeconfig"),
                "OUT": str(out),
                "AGENT_STOP": f"kill -STOP {frozen}",
                "AGENT_CONT": f"kill -CONT {frozen}",
            }
            _joined(environment)
            asyncio.run(_play(fixtures, parsed.case, environment))
        compared = subprocess.run(
            [sys.executable, fixtures / "normalize.py", "--diff", fixtures / "cases", out],
            check=False,
        )
    return compared.returncode


async def _play(fixtures: Path, wanted: list[str] | None, environment: dict[str, str]) -> None:
    text = (fixtures / "replay.sh").read_text()
    for case in wanted or cases(text):
        if wants_fakes(text, case):
            await _taint(environment)
            around: AbstractAsyncContextManager[None] = pretending(Path(environment["KUBECONFIG"]))
        else:
            around = nullcontext()
        async with around:
            replay = await asyncio.create_subprocess_exec(
                "bash", fixtures / "replay.sh", case, env=environment
            )
            await replay.wait()


async def _taint(environment: dict[str, str]) -> None:
    """The golden runs tainted the first member and took the taint back before the others joined, in a step that not
    every copy of their script has: a member that was never changed tells.
    """
    connection = kubeconfig.load(environment["KUBECONFIG"], context="hub")
    async with RemoteClient(connection) as client:
        found = decode(await client.get(MEMBER_CLUSTERS, SHAPES[0].name))
    if found["metadata"]["generation"] > 1:
        return
    for taints in ('[{"key":"k","value":"v","effect":"NoSchedule"}]', "[]"):
        patch = f'{{"spec":{{"taints":{taints}}}}}'
        arguments = ["--context", "hub", "patch", "membercluster", SHAPES[0].name]
        run = await asyncio.create_subprocess_exec(
            "kubectl", *arguments, "--type=merge", "-p", patch, env=environment
        )
        await run.wait()


def cases(script: str) -> list[str]:
    """The cases of a replay script, in the order its head gives them; those it does not name, last."""
    found = _CASE.findall(script)
    ordered = _ORDER.search(script)
    named = [case for case in (ordered[1].split() if ordered else ()) if case in found]
    return [*named, *(case for case in found if case not in named)]


def wants_fakes(script: str, case: str) -> bool:
    """Whether a case speaks of the members without an agent."""
    begin = script.index(f"case_{case}()")
    end = _CASE.search(script, begin + 1)
    return "fake-" in script[begin : end.start() if end else None]


@contextmanager
def _fleet(directory: Path) -> Iterator[None]:
    with _process([sys.executable, "-m", "tests.golden.fleet", str(directory)], directory / "log"):
        yield


@contextmanager
def _agent(directory: Path, name: str) -> Iterator[subprocess.Popen[bytes]]:
    config = str(directory / "agents" / name)
    arguments = ["--hub-kubeconfig", config, "--hub-context", "hub"]
    # The recorded fleet puts no finalizers on jobs.
    arguments += ["--kubeconfig", config, "--context", name, "--no-hold-jobs"]
    log = directory / f"log-{name}"
    with _process(command("member", name, *arguments), log) as process:
        yield process


@contextmanager
def _process(arguments: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has said its first line; what it logs is shown if there is something wrong."""
    with log.open("wb") as told:
        process = subprocess.Popen(arguments, cwd=_ROOT, stdout=subprocess.PIPE, stderr=told)
    try:
        assert process.stdout is not None
        if not process.stdout.readline():
            print(log.read_text(), file=sys.stderr)
            raise SystemExit(f"{' '.join(arguments)} did not start")
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(30)
        troubles = [
            line
            for line in log.read_text(errors="replace").splitlines()
            if "ERROR" in line or "Traceback" in line
        ]
        for line in troubles[:20]:
            print(f"{log.name}: {line}")


def _joined(environment: dict[str, str]) -> None:
    """Wait until both members have told what they have."""
    path = "{range .items[*]}{.status.resourceUsage.available.cpu}{' '}{end}"
    asked = ["kubectl", "--context", "hub", "get", "memberclusters", "-o", f"jsonpath={path}"]
    until = time.monotonic() + _READY_SECONDS
    while time.monotonic() < until:
        done = subprocess.run(asked, env=environment, check=False, capture_output=True, text=True)
        if len([each for each in done.stdout.split() if each != "0"]) == len(SHAPES):
            return
        time.sleep(0.5)
    raise SystemExit("the members did not join")


if __name__ == "__main__":
    sys.exit(main())
