"""`kubectl get` in all its forms of output and selection."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.compat.objects import config_map, deployment, job, pod
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl

AGE = re.compile(r"^\d+s$|^\d+m\d*s?$")


@pytest.fixture
def filled(kubectl: Kubectl) -> Kubectl:
    """Three pods: one and two of the app `web`, three of `db`."""
    pods = [
        pod("one", app="web", tier="a"),
        pod("two", "app:v1", "side:v1", app="web"),
        pod("three", app="db"),
    ]
    kubectl("create", "-f", "-", stdin=pods)
    return kubectl


def test_the_table_of_pods(filled: Kubectl) -> None:
    head, *rows = filled("get", "pods").rows
    assert head == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
    assert [row[:4] for row in rows] == [
        ["one", "0/1", "Pending", "0"],
        ["three", "0/1", "Pending", "0"],
        ["two", "0/2", "Pending", "0"],
    ]
    assert all(AGE.match(row[4]) for row in rows)


def test_wide_shows_the_columns_of_lower_priority(filled: Kubectl, api: Connection) -> None:
    path = f"/api/v1/namespaces/{filled.namespace}/pods/one"
    api.merge(
        f"{path}/status",
        {
            "status": {
                "phase": "Running",
                "podIP": "10.0.0.7",
                "podIPs": [{"ip": "10.0.0.7"}],
                "containerStatuses": [
                    {
                        "name": "c0",
                        "ready": True,
                        "restartCount": 3,
                        "image": "app:v1",
                        "imageID": "",
                        "state": {"running": {"startedAt": "2026-01-02T03:04:05Z"}},
                    }
                ],
            }
        },
    )
    head, row = filled("get", "pod", "one", "-o", "wide").rows
    assert head == [
        *["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE"],
        *["NOMINATED", "NODE", "READINESS", "GATES"],
    ]
    assert [*row[:4], *row[5:]] == [
        *["one", "1/1", "Running", "3"],
        *["10.0.0.7", "<none>", "<none>", "<none>"],
    ]


def test_the_table_of_deployments_and_jobs(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=[deployment("web", replicas=3), job("once")])
    head, row = kubectl("get", "deployments", "-o", "wide").rows
    assert head == [
        *["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"]
    ]
    assert [*row[:4], *row[5:]] == ["web", "0/3", "0", "0", "main", "app:v1", "app=web"]
    lines = kubectl("get", "jobs").lines
    assert lines[0].split() == ["NAME", "STATUS", "COMPLETIONS", "DURATION", "AGE"]
    assert lines[1].split()[:3] == ["once", "Running", "0/1"]


def test_yaml_and_json_are_the_same_object(filled: Kubectl) -> None:
    want = filled("get", "pod", "one", "-o", "json").json
    assert yaml.safe_load(filled("get", "pod", "one", "-o", "yaml").stdout) == want
    assert want["apiVersion"] == "v1"
    assert want["kind"] == "Pod"
    assert want["metadata"]["namespace"] == filled.namespace
    assert "managedFields" not in want["metadata"]


def test_a_list_in_json_is_a_list_of_whole_objects(filled: Kubectl) -> None:
    got = filled("get", "pods", "-o", "json").json
    assert (got["apiVersion"], got["kind"]) == ("v1", "List")
    assert [(one["kind"], one["metadata"]["name"]) for one in got["items"]] == [
        ("Pod", "one"),
        ("Pod", "three"),
        ("Pod", "two"),
    ]


FORMATS = {
    "names": ("name", "pod/one\npod/three\npod/two\n"),
    "jsonpath of all": ("jsonpath={.items[*].metadata.name}", "one three two"),
    "jsonpath with a filter": (
        "jsonpath={.items[?(@.metadata.labels.app=='db')].metadata.name}",
        "three",
    ),
    "jsonpath with a range": (
        'jsonpath={range .items[*]}{.metadata.name}={.spec.containers[*].image}{"\\n"}{end}',
        "one=app:v1\nthree=app:v1\ntwo=app:v1 side:v1\n",
    ),
    "custom columns": (
        "custom-columns=POD:.metadata.name,IMAGES:.spec.containers[*].image,NO:.spec.nodeName",
        "POD IMAGES NO\none app:v1 <none>\nthree app:v1 <none>\ntwo app:v1,side:v1 <none>\n",
    ),
    "go template": (
        "go-template={{range .items}}{{.metadata.name}}:{{len .spec.containers}} {{end}}",
        "one:1 three:1 two:2 ",
    ),
}


@pytest.mark.parametrize("form", FORMATS)
def test_output(filled: Kubectl, form: str) -> None:
    output, want = FORMATS[form]
    got = filled("get", "pods", "-o", output).stdout
    assert re.sub(r" +", " ", got) == want


SELECTIONS = {
    "equality": (["-l", "app=web"], ["one", "two"]),
    "inequality": (["-l", "app!=web"], ["three"]),
    "sets": (["-l", "app in (db,cache)"], ["three"]),
    "not in a set": (["-l", "app notin (db)"], ["one", "two"]),
    "a label that exists": (["-l", "tier"], ["one"]),
    "a label that does not": (["-l", "!tier"], ["three", "two"]),
    "several terms": (["-l", "app=web,!tier"], ["two"]),
    "a field": (["--field-selector", "metadata.name=two"], ["two"]),
    "a field that differs": (["--field-selector", "metadata.name!=two"], ["one", "three"]),
    "the phase": (["--field-selector", "status.phase=Running"], []),
    "fields and labels": (
        ["--field-selector", "status.phase=Pending,spec.nodeName=", "-l", "app=db"],
        ["three"],
    ),
}


@pytest.mark.parametrize("case", SELECTIONS)
def test_selection_by(filled: Kubectl, case: str) -> None:
    arguments, want = SELECTIONS[case]
    got = filled("get", "pods", "-o", "jsonpath={.items[*].metadata.name}", *arguments).stdout
    assert got.split() == want


def test_a_field_nobody_indexes_is_refused(kubectl: Kubectl) -> None:
    got = kubectl.fails("get", "pods", "--field-selector", "spec.color=red")
    assert got.strip() == (
        'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", '
        'field selector "spec.color=red": field label not supported: spec.color'
    )


def test_a_bad_label_selector_is_refused(kubectl: Kubectl) -> None:
    got = kubectl.fails("get", "pods", "-l", "a=b=c")
    assert got == (
        'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "a=b=c", '
        "field selector \"\": found '=', expected: ',' or 'end of string'\n"
    )


def test_labels_can_be_shown_all_or_as_columns(filled: Kubectl) -> None:
    rows = filled("get", "pods", "--show-labels", "--no-headers").rows
    assert [row[-1] for row in rows] == ["app=web,tier=a", "app=db", "app=web"]
    head, *rows = filled("get", "pods", "-L", "app").rows
    assert head[-1] == "APP"
    assert [row[-1] for row in rows] == ["web", "db", "web"]


def test_sorting(filled: Kubectl) -> None:
    by = ["-o", "jsonpath={.items[*].metadata.name}", "--sort-by"]
    assert filled("get", "pods", *by, ".metadata.labels.app").stdout.split()[0] == "three"
    rows = filled("get", "pods", "--sort-by=.metadata.name", "--no-headers").rows
    assert [row[0] for row in rows] == ["one", "three", "two"]
    rows = filled("get", "pods", "--sort-by=.metadata.uid", "--no-headers").rows
    uids = filled(
        "get", "pods", "-o", "jsonpath={range .items[*]}{.metadata.uid} {.metadata.name} {end}"
    )
    words = uids.stdout.split()
    assert [row[0] for row in rows] == [
        name for _, name in sorted(zip(words[::2], words[1::2], strict=True))
    ]


def test_chunks_give_the_whole_list(kubectl: Kubectl) -> None:
    names = [f"m{number}" for number in range(7)]
    kubectl("create", "-f", "-", stdin=[config_map(name, part="x") for name in names])
    got = kubectl("get", "cm", "-l", "part=x", "--chunk-size=2", "-o", "name", "-v=6")
    assert got.lines == [f"configmap/{name}" for name in names]
    assert got.stderr.count("limit=2") >= 4


def test_several_kinds_at_once(filled: Kubectl) -> None:
    filled("create", "-f", "-", stdin=[config_map("cfg"), deployment("web")])
    got = filled("get", "pod/one", "deployment/web", "configmap/cfg", "-o", "name").lines
    assert got == ["pod/one", "deployment.apps/web", "configmap/cfg"]
    tables = filled("get", "deploy,po", "--no-headers").rows
    assert [row[0] for row in tables if row] == [
        "deployment.apps/web",
        "pod/one",
        "pod/three",
        "pod/two",
    ]


def test_all_is_the_category_of_workloads(filled: Kubectl) -> None:
    filled("create", "-f", "-", stdin=[deployment("web"), job("once"), config_map("cfg")])
    rows = filled("get", "all", "--no-headers").rows
    got = [row[0] for row in rows if row]
    assert got == ["pod/one", "pod/three", "pod/two", "deployment.apps/web", "job.batch/once"]


def test_all_namespaces(filled: Kubectl) -> None:
    rows = filled("get", "pods", "-A", "-l", "tier=a").rows
    assert rows[0][:2] == ["NAMESPACE", "NAME"]
    assert [filled.namespace, "one"] in [row[:2] for row in rows]


def test_a_file_names_what_to_get(filled: Kubectl) -> None:
    got = filled("get", "-f", "-", "-o", "name", stdin=[pod("one"), pod("two")])
    assert got.lines == ["pod/one", "pod/two"]


def test_nothing_there(kubectl: Kubectl) -> None:
    got = kubectl("get", "pods")
    assert got.stdout == ""
    assert got.stderr == f"No resources found in {kubectl.namespace} namespace.\n"
    assert kubectl("get", "pod", "nope", "--ignore-not-found").stdout == ""


def test_subresources(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=deployment("web", replicas=4))
    scale = kubectl("get", "deployment", "web", "--subresource=scale", "-o", "json").json
    assert (scale["kind"], scale["spec"]) == ("Scale", {"replicas": 4})
    assert scale["status"] == {"replicas": 0, "selector": "app=web"}
    rows = kubectl("get", "deployment", "web", "--subresource=status").rows
    assert rows[1][:2] == ["web", "0/4"]


def test_raw_paths(kubectl: Kubectl) -> None:
    assert kubectl("get", "--raw", "/readyz").stdout == "ok"
    got = kubectl("get", "--raw", f"/api/v1/namespaces/{kubectl.namespace}").json
    assert got["status"] == {"phase": "Active"}
    assert "apiserver_request_total" in kubectl("get", "--raw", "/metrics").stdout
