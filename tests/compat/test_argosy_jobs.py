"""submit, jobs, logs, cancel, events, why, get, describe as they are typed, against a running fleet; and the docs."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.compat.fleets import Fleet, fleet
from tests.support.processes import command

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]

ROOT = Path(__file__).parents[2]
HELLO = str(ROOT / "examples" / "jobs" / "hello.yaml")


@dataclass(frozen=True)
class Typed:
    """The command as its own process."""

    config: Path

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "KUBECONFIG": str(self.config),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }

    def __call__(
        self, *arguments: str, code: int = 0, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command(*arguments),
            check=False, capture_output=True, text=True, timeout=90, cwd=ROOT, input=stdin,
            env=self.environment(),
        )  # fmt: skip
        assert done.returncode == code, done
        assert "Traceback" not in done.stderr
        return done


@pytest.fixture(scope="module")
def sailed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with fleet(tmp_path_factory.mktemp("jobs")) as made:
        yield made


@pytest.fixture(scope="module")
def argosy(sailed: Fleet) -> Typed:
    return Typed(sailed.process.kubeconfig)


def manifest(name: str, seconds: int = 300, outcome: str = "succeed", cpu: str = "1") -> str:
    return json.dumps(
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name},
            "spec": {
                "backoffLimit": 0,
                "template": {
                    "metadata": {
                        "annotations": {
                            "argosy.dev/duration": f"{seconds}s",
                            "argosy.dev/outcome": outcome,
                        }
                    },
                    "spec": {
                        "restartPolicy": "Never",
                        "containers": [
                            {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
                        ],
                    },
                },
            },
        }
    )


def test_a_dry_run_tells_the_clusters_and_submits_nothing(argosy: Typed) -> None:
    done = argosy("submit", HELLO, "--dry-run", "--prefer", "cheapest")
    head, first, *_ = done.stdout.splitlines()
    assert head.split()[:3] == ["CHOSEN", "CLUSTER", "REGION"]
    assert first.split()[:2] == ["*", "cluster-3"]
    assert "would go to cluster-3 (dry run: nothing was submitted)" in done.stdout
    assert "hello-" not in argosy("jobs", "-A").stdout


def test_a_job_is_followed_to_its_end(argosy: Typed) -> None:
    done = argosy("submit", HELLO, "--follow", "-o", "name")
    title, *lines = done.stdout.splitlines()
    assert title.startswith("job.batch/hello-")
    assert lines == ["hello", "bye"]
    name = title.removeprefix("job.batch/")
    assert f"{name}: Complete on cluster-" in done.stderr
    assert argosy("logs", name).stdout == "hello\nbye\n"
    assert argosy("logs", name, "--tail", "1", "--prefix").stdout.endswith("/hello] bye\n")
    [job] = json.loads(argosy("jobs", name, "-o", "json").stdout)["jobs"]
    assert (job["state"], job["name"], len(job["clusters"])) == ("Complete", name, 1)
    assert name in argosy("events", "--for", f"job/{name}").stdout
    assert argosy("describe", f"job/{name}").stdout.count("Name:  ") == 2


def test_exit_codes_of_followed_jobs(argosy: Typed) -> None:
    failed = argosy("submit", "-", "--follow", code=4, stdin=manifest("bad", 1, "fail:3"))
    assert "bad: Failed on cluster-" in failed.stderr
    late = argosy("submit", "-", "--follow", "--timeout", "3s", code=124, stdin=manifest("late"))
    assert "late goes on: argosy logs -f late -n default follows it" in late.stderr
    gone = argosy("cancel", "late", "nope", "--wait", code=1)
    assert gone.stdout.splitlines()[-1] == "job.batch/late deleted"
    assert gone.stderr.startswith('Error: no job "nope" in namespace "default"')


def test_an_interrupted_follower_leaves_the_job_and_says_so(argosy: Typed, tmp_path: Path) -> None:
    file = tmp_path / "job.json"
    file.write_text(manifest("kept"))
    process = subprocess.Popen(
        command("submit", str(file), "--follow"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=argosy.environment(),
    )  # fmt: skip
    end = time.monotonic() + 60
    while "Running" not in argosy("jobs").stdout and time.monotonic() < end:
        time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "argosy: kept goes on" in said
    assert "Running" in argosy("jobs", "kept").stdout
    assert argosy("why", "job/kept").stdout.startswith("Job default/kept is Running on cluster-")
    assert argosy("get", "jobs", "-o", "name").stdout.count("job.batch/kept\n") == 1
    argosy("cancel", "kept")


def test_several_jobs_of_one_file(argosy: Typed) -> None:
    several = f"{manifest('one')}\n---\n{manifest('two')}\n"
    assert argosy("submit", "-", "-o", "name", stdin=several).stdout.split() == [
        "job.batch/one",
        "job.batch/two",
    ]
    again = f"{manifest('three')}\n---\n{manifest('one')}\n"
    said = argosy("submit", "-", "-o", "name", code=1, stdin=again).stderr
    assert 'jobs.batch "one" already exists' in said
    assert "(submitted before it: job.batch/three)" in said
    argosy("cancel", "one", "two", "three")


WRONG: dict[str, tuple[tuple[str, ...], int, str]] = {
    "no manifest": (("submit",), 1, "say what to submit: argosy submit job.yaml"),
    "no file": (("submit", "nowhere.yaml"), 1, "nowhere.yaml cannot be read"),
    "no preference": (("submit", HELLO, "--prefer", "best"), 1, "is no preference: say cheapest, fastest"),
    "no namespace": (("submit", HELLO, "-n", "nowhere"), 1, 'namespace "nowhere" does not exist on the hub'),
    "no format": (("jobs", "-o", "xml"), 1, "allowed formats are: json,name,wide,yaml"),
    "no state": (("jobs", "--state", "Gone"), 1, '--state "Gone" is no state of a job: there are Unplaced'),
    "no job": (("logs", "nope"), 1, 'no job "nope" in namespace "default"'),
    "no duration": (("logs", "x", "--since", "soon"), 1, '--since "soon" is no duration such as 90s'),
    "no type": (("events", "--types", "Bad"), 1, "is no type of event: valid are Normal, Warning"),
    "no number": (("submit", HELLO, "--clusters", "0"), 2, "is no number of clusters: say 1 or more"),
    "no kubeconfig": (("jobs", "--kubeconfig", "/nowhere"), 3, "`argosy up` starts the fleet of this machine"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_in_a_line(
    argosy: Typed, case: tuple[tuple[str, ...], int, str]
) -> None:
    arguments, code, want = case
    said = argosy(*arguments, code=code).stderr
    assert want in said


def test_a_hub_that_is_not_there(argosy: Typed, tmp_path: Path) -> None:
    dead = tmp_path / "dead"
    dead.write_text(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:1", argosy.config.read_text()))
    for verb in (("jobs",), ("logs", "x"), ("cancel", "x"), ("events",), ("submit", HELLO)):
        said = argosy(*verb, "--kubeconfig", str(dead), code=3).stderr
        assert said.startswith("Error: the hub does not answer: https://127.0.0.1:1")
        assert said.count("\n") == 1


def test_a_queue_that_is_not_there_and_a_job_too_large(argosy: Typed) -> None:
    said = argosy("submit", HELLO, "-q", "nope", "--dry-run").stderr
    assert said.startswith('Warning: LocalQueue "nope" of namespace "default" is not on cluster-')
    huge = argosy("submit", "-", "--dry-run", stdin=manifest("huge", cpu="900"))
    assert "larger than the whole cluster: cpu 900 of 32" in huge.stdout
    assert "it asks for more than any cluster has in all" in huge.stderr


def test_a_reader_that_has_seen_enough(argosy: Typed) -> None:
    line = f"{' '.join(command('events', '-A'))} | head -1"
    done = subprocess.run(
        ["bash", "-c", line], check=True, capture_output=True, text=True, env=argosy.environment()
    )
    assert done.stdout.startswith("NAMESPACE")
    assert done.stderr == ""


def test_the_example_of_the_sdk_runs_as_it_is_written(argosy: Typed) -> None:
    [example, service] = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "sdk.md").read_text(), re.DOTALL
    )
    done = subprocess.run(
        [sys.executable, "-c", example],
        check=False, capture_output=True, text=True, timeout=90, env=argosy.environment(),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "cluster-1 Joined" in done.stdout
    assert "would go to cluster-3" in done.stdout
    assert "cluster-3 epoch 1" in done.stdout
    assert "Complete on cluster-3" in done.stdout
    compile(service, "service", "exec")
