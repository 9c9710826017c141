"""The tour of one cluster, in a few seconds: start it, apply the examples, look at them, break a rule, clean up.

    python tools/demo.py

Every command is shown before it runs, with a line that says why. With kubectl on the PATH the commands are
kubectl's; without it the same is done by plain HTTPS requests, which is all that kubectl does. The cluster lives in
`.demo/` and ends with the tour, also when it is interrupted: no process and no file stays behind.
"""

from __future__ import annotations

import argparse
import base64
import http.client
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import yaml

ROOT = Path(__file__).parent.parent
EXAMPLES = Path("examples")
WAIT_SECONDS = 60


class Hands(Protocol):
    """Who does what the tour shows."""

    def apply(self, file: Path, *, good: bool = True) -> None: ...

    def table(self, kind: str, path: str) -> None: ...

    def wait(self, kind: str, name: str, condition: str) -> None: ...

    def resume(self, name: str) -> None: ...

    def logs(self, name: str) -> None: ...

    def explain(self, field: str) -> None: ...

    def scale(self, name: str, replicas: int) -> None: ...

    def delete_namespace(self, name: str) -> None: ...


class Kubectl:
    """Real kubectl."""

    def __init__(self, program: str, directory: Path) -> None:
        self._program = program
        directory = directory.resolve()
        own = {
            "KUBECONFIG": str(directory / "kubeconfig"),
            "KUBECACHEDIR": str(directory / "cache"),
        }
        self._environment = {**os.environ, **own}

    def apply(self, file: Path, *, good: bool = True) -> None:
        self._run("apply", "-f", str(file), good=good)

    def table(self, kind: str, path: str) -> None:
        self._run("get", kind, "-n", "team-a")

    def wait(self, kind: str, name: str, condition: str) -> None:
        what = f"--for=condition={condition}"
        self._run("wait", f"{kind}/{name}", "-n", "team-a", what, f"--timeout={WAIT_SECONDS}s")

    def resume(self, name: str) -> None:
        patch = '{"spec":{"suspend":false}}'
        self._run("patch", f"job/{name}", "-n", "team-a", "--type=merge", "-p", patch)

    def logs(self, name: str) -> None:
        self._run("logs", f"job/{name}", "-n", "team-a")

    def explain(self, field: str) -> None:
        self._run("explain", field)

    def scale(self, name: str, replicas: int) -> None:
        self._run("scale", f"deployment/{name}", "-n", "team-a", f"--replicas={replicas}")

    def delete_namespace(self, name: str) -> None:
        self._run("delete", "namespace", name)

    def _run(self, *arguments: str, good: bool = True) -> None:
        print(f"$ kubectl {' '.join(arguments)}", flush=True)
        done = subprocess.run(
            [self._program, *arguments],
            env=self._environment,
            cwd=ROOT,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if (done.returncode == 0) != good:
            raise SystemExit(
                f"demo: kubectl ended with code {done.returncode}, which it should not"
            )


class Plain:
    """The same by HTTPS requests, for machines without kubectl."""

    def __init__(self, directory: Path) -> None:
        config = yaml.safe_load((directory / "kubeconfig").read_text())
        cluster = config["clusters"][0]["cluster"]
        ca = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self._host = urllib.parse.urlsplit(cluster["server"]).netloc
        self._tls = ssl.create_default_context(cadata=ca)
        self._token = config["users"][0]["user"]["token"]

    def apply(self, file: Path, *, good: bool = True) -> None:
        for raw in yaml.safe_load_all((ROOT / file).read_text()):
            path = f"{_path(raw)}/{raw['metadata']['name']}?fieldManager=demo"
            answer = self._ask("PATCH", path, raw)
            if (answer.get("kind") != "Status") != good:
                raise SystemExit(f"demo: {answer}")
            print(
                answer["message"]
                if not good
                else f"  {raw['kind']} {raw['metadata']['name']} applied"
            )

    def table(self, kind: str, path: str) -> None:
        answer = self._ask("GET", path)
        columns = [column["name"].upper() for column in answer["columnDefinitions"]]
        shown = [n for n, one in enumerate(answer["columnDefinitions"]) if not one["priority"]]
        rows = [columns, *([str(cell) for cell in row["cells"]] for row in answer["rows"])]
        widths = [max(len(row[n]) for row in rows) for n in range(len(columns))]
        for row in rows:
            print("  " + "   ".join(row[n].ljust(widths[n]) for n in shown).rstrip())

    def wait(self, kind: str, name: str, condition: str) -> None:
        group = "apps/v1" if kind == "deployment" else "batch/v1"
        path = f"/apis/{group}/namespaces/team-a/{kind}s/{name}"
        print(f"$ GET {path} until its condition {condition} is true", flush=True)
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            status = self._ask("GET", path, table=False, quiet=True).get("status", {})
            found = {c["type"].lower(): c["status"] for c in status.get("conditions", ())}
            if found.get(condition) == "True":
                print(f"  {kind} {name}: condition met")
                return
            if time.monotonic() > deadline:
                raise SystemExit(f"demo: {kind} {name} is not {condition}: {status}")
            time.sleep(0.1)

    def resume(self, name: str) -> None:
        path = f"/apis/batch/v1/namespaces/team-a/jobs/{name}?fieldManager=demo"
        self._ask("PATCH", path, {"spec": {"suspend": False}}, "merge-patch+json")

    def logs(self, name: str) -> None:
        chosen = f"?labelSelector=job-name={name}"
        pods = self._ask("GET", f"/api/v1/namespaces/team-a/pods{chosen}", table=False, quiet=True)
        pod = pods["items"][0]["metadata"]["name"]
        print(self._read("GET", f"/api/v1/namespaces/team-a/pods/{pod}/log").decode(), end="")

    def explain(self, field: str) -> None:
        answer = self._ask("GET", "/openapi/v3/apis/demo.example.com/v1")
        schema = answer["components"]["schemas"]["com.example.demo.v1.Dataset"]
        for name, one in schema["properties"]["spec"]["properties"].items():
            print(f"  {name} <{one['type']}>  {one['description']}")

    def scale(self, name: str, replicas: int) -> None:
        path = f"/apis/apps/v1/namespaces/team-a/deployments/{name}/scale?fieldManager=demo"
        answer = self._ask("PATCH", path, {"spec": {"replicas": replicas}}, "merge-patch+json")
        print(f"  spec: {answer['spec']}")

    def delete_namespace(self, name: str) -> None:
        self._ask("DELETE", f"/api/v1/namespaces/{name}")
        while self._ask("GET", f"/api/v1/namespaces/{name}", quiet=True).get("code") != 404:
            time.sleep(0.05)
        print(f"  namespace {name} is gone")

    def _ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        patch: str = "apply-patch+yaml",
        *,
        table: bool = True,
        quiet: bool = False,
    ) -> Any:
        accept = "application/json"
        if table and method == "GET" and path.startswith("/api"):
            accept = "application/json;as=Table;g=meta.k8s.io;v=v1"
        return json.loads(self._read(method, path, body, patch, accept=accept, quiet=quiet))

    def _read(
        self,
        method: str,
        path: str,
        body: Any = None,
        patch: str = "",
        *,
        accept: str = "*/*",
        quiet: bool = False,
    ) -> bytes:
        if not quiet:
            print(f"$ {method} {path}", flush=True)
        connection = http.client.HTTPSConnection(self._host, context=self._tls, timeout=30)
        headers = {
            "Authorization": f"Bearer {self._token}",
            "Content-Type": f"application/{patch}",
            "Accept": accept,
        }
        connection.request(method, path, json.dumps(body) if body else None, headers)
        answer = connection.getresponse().read()
        connection.close()
        return answer


def _path(raw: dict[str, Any]) -> str:
    version, kind = raw["apiVersion"], raw["kind"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    space = raw["metadata"].get("namespace")
    return f"{root}{f'/namespaces/{space}' if space else ''}/{kind.lower()}s"


def tour(hands: Hands) -> None:
    """What is shown, in order."""
    say("Nodes come from pools: general machines at once, GPU machines when somebody needs them.")
    hands.apply(EXAMPLES / "quickstart" / "nodes.yaml")
    say("A team gets a namespace with a quota, a web service and a training job that is on hold.")
    for name in ("namespace", "web", "train"):
        hands.apply(EXAMPLES / "quickstart" / f"{name}.yaml")
    say("The service's pods are scheduled and run; kubectl shows what it always shows.")
    hands.wait("deployment", "web", "available")
    hands.table("pods", "/api/v1/namespaces/team-a/pods")
    hands.table("nodepools", "/apis/argosy.dev/v1alpha1/nodepools")
    say(
        "The training starts: four GPUs are wanted, so the autoscaler gets one machine that has four."
    )
    hands.resume("train")
    hands.wait("job", "train", "complete")
    hands.table("nodepools", "/apis/argosy.dev/v1alpha1/nodepools")
    hands.table("jobs", "/apis/batch/v1/namespaces/team-a/jobs")
    hands.logs("train")
    say("A deployment has a scale subresource, as on any cluster.")
    hands.scale("web", 5)
    hands.table("deployments", "/apis/apps/v1/namespaces/team-a/deployments")
    say("A kind of your own: once its definition is applied, it is served like any other.")
    hands.apply(EXAMPLES / "datasets" / "crd.yaml")
    hands.apply(EXAMPLES / "datasets" / "datasets.yaml")
    hands.table("datasets", "/apis/demo.example.com/v1/namespaces/team-a/datasets")
    hands.explain("dataset.spec")
    say(
        "Its rules hold: this one is pinned to two clusters, but has one replica. The error is meant to be here."
    )
    hands.apply(EXAMPLES / "datasets" / "wrong.yaml", good=False)
    say("Deleting the namespace takes everything in it along.")
    hands.delete_namespace("team-a")


def say(text: str) -> None:
    print(f"\n# {text}", flush=True)


@contextmanager
def cluster(directory: Path) -> Iterator[None]:
    """A cluster for the length of a block, which begins when it is ready."""
    program = Path(sys.executable).with_name("argosy")
    state, kubeconfig = str(directory / "state"), str(directory / "kubeconfig")
    arguments = ["serve", "--state", state, "--kubeconfig", kubeconfig]
    say(
        "One cluster in one Python process: API server, store, controllers, scheduler, simulated nodes."
    )
    print(f"$ argosy {' '.join(arguments)}", flush=True)
    # In a group of its own, so that Ctrl-C reaches the tour first and the tour ends the cluster.
    process = subprocess.Popen([str(program), *arguments], stdout=subprocess.PIPE, process_group=0)
    try:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        if not line:
            raise SystemExit(f"demo: the cluster did not start, its code is {process.wait()}")
        print(line, end="", flush=True)
        yield
    finally:
        stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description="A tour of one cluster.")
    parser.add_argument(
        "--directory", type=Path, default=Path(".demo"), help="where the cluster lives meanwhile"
    )
    directory: Path = parser.parse_args().directory
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    begun = time.monotonic()
    try:
        with cluster(directory):
            program = shutil.which("kubectl")
            if program is None:
                print("\nkubectl is not on the PATH; the tour shows the requests it would send.")
            tour(Kubectl(program, directory) if program else Plain(directory))
    except KeyboardInterrupt:
        print("\ndemo: interrupted", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    say(
        f"Done in {time.monotonic() - begun:.0f} s; the cluster is stopped and nothing is left. To try it yourself:"
    )
    print("  .venv/bin/argosy serve --state ./state --kubeconfig ./kubeconfig &")
    print("  export KUBECONFIG=$PWD/kubeconfig")
    print("  kubectl apply -f examples/quickstart/ && kubectl get all -n team-a")
    print("  kubectl get pods -A -w                    # watch, in another terminal")
    print("  kubectl auth can-i --list --as=somebody   # who may what")
    return 0


if __name__ == "__main__":
    sys.exit(main())
