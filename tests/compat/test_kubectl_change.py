"""kubectl's ways to change what exists: patch, label, annotate, scale, set, replace, edit, diff."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.compat.objects import config_map, deployment, pod
from tests.support.kubectls import Kubectl, manifest

pytestmark = pytest.mark.kubectl


def data(kubectl: Kubectl, name: str = "app") -> dict[str, str]:
    shown: dict[str, str] = kubectl("get", "cm", name, "-o", "jsonpath={.data}").json
    return shown


def test_json_patch(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app", {"a": "1", "b": "2"}))
    operations = [
        {"op": "test", "path": "/data/a", "value": "1"},
        {"op": "remove", "path": "/data/a"},
        {"op": "add", "path": "/data/c", "value": "3"},
        {"op": "copy", "from": "/data/b", "path": "/data/d"},
        {"op": "move", "from": "/data/b", "path": "/data/e"},
        {"op": "replace", "path": "/data/c", "value": "three"},
    ]
    said = kubectl("patch", "cm", "app", "--type=json", "-p", json.dumps(operations)).stdout
    assert said == "configmap/app patched\n"
    assert data(kubectl) == {"c": "three", "d": "2", "e": "2"}


def test_a_json_patch_whose_test_fails_changes_nothing(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app", {"a": "1"}))
    operations = [
        {"op": "replace", "path": "/data/a", "value": "2"},
        {"op": "test", "path": "/data/a", "value": "1"},
    ]
    got = kubectl.fails("patch", "cm", "app", "--type=json", "-p", json.dumps(operations))
    assert (
        got
        == "The request is invalid: the server rejected our request due to an error in our request\n"
    )
    assert data(kubectl) == {"a": "1"}


def test_merge_patch(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app", {"a": "1", "b": "2"}))
    kubectl("patch", "cm", "app", "--type=merge", "-p", '{"data":{"a":null,"c":"3"}}')
    assert data(kubectl) == {"b": "2", "c": "3"}


def test_a_merge_patch_replaces_lists_and_a_strategic_one_merges_them(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=deployment("web"))
    images = ["get", "deploy", "web", "-o", "jsonpath={..containers[*].image}"]

    def patch(kind: str, name: str, image: str) -> str:
        containers = [{"name": name, "image": image}]
        body = {"spec": {"template": {"spec": {"containers": containers}}}}
        kubectl("patch", "deploy", "web", f"--type={kind}", "-p", json.dumps(body))
        return kubectl(*images).stdout

    assert patch("strategic", "side", "side:v1") == "side:v1 app:v1"
    assert patch("strategic", "main", "app:v2") == "side:v1 app:v2"
    assert patch("merge", "only", "only:v1") == "only:v1"


def test_strategic_directives(kubectl: Kubectl) -> None:
    raw = deployment("web")
    raw["spec"]["template"]["spec"]["containers"].append({"name": "side", "image": "side:v1"})
    kubectl("create", "-f", "-", stdin=raw)
    body = {
        "spec": {
            "strategy": {"$retainKeys": ["type"], "type": "Recreate"},
            "template": {"spec": {"containers": [{"name": "side", "$patch": "delete"}]}},
        }
    }
    kubectl("patch", "deploy", "web", "-p", json.dumps(body))
    got = kubectl("get", "deploy", "web", "-o", "json").json["spec"]
    assert got["strategy"] == {"type": "Recreate"}
    assert [one["name"] for one in got["template"]["spec"]["containers"]] == ["main"]


def test_a_patch_that_changes_nothing_says_so(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app", {"a": "1"}))
    got = kubectl("patch", "cm", "app", "--type=merge", "-p", '{"data":{"a":"1"}}').stdout
    assert got == "configmap/app patched (no change)\n"


def test_the_status_is_patched_through_its_subresource_only(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=pod("p"))
    body = json.dumps({"status": {"phase": "Running"}})
    kubectl("patch", "pod", "p", "-p", body)
    assert kubectl("get", "pod", "p", "-o", "jsonpath={.status.phase}").stdout == "Pending"
    kubectl("patch", "pod", "p", "--subresource=status", "-p", body)
    assert kubectl("get", "pod", "p", "-o", "jsonpath={.status.phase}").stdout == "Running"


def test_label_adds_changes_and_removes(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app", a="1"))
    assert kubectl("label", "cm", "app", "b=2").stdout == "configmap/app labeled\n"
    got = kubectl.fails("label", "cm", "app", "b=3")
    assert got == "error: 'b' already has a value (2), and --overwrite is false\n"
    kubectl("label", "cm", "app", "b=3", "--overwrite")
    assert kubectl("label", "cm", "app", "a-").stdout == "configmap/app unlabeled\n"
    labels = kubectl("get", "cm", "app", "-o", "jsonpath={.metadata.labels}").json
    assert labels == {"b": "3"}


def test_label_many_by_selector(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=[config_map(name, part="x") for name in ("one", "two")])
    got = kubectl("label", "cm", "-l", "part=x", "seen=yes").lines
    assert got == ["configmap/one labeled", "configmap/two labeled"]


def test_a_bad_label_value_is_refused(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app"))
    got = kubectl.fails("patch", "cm", "app", "-p", '{"metadata":{"labels":{"a":"b c"}}}')
    assert got.startswith(
        'The ConfigMap "app" is invalid: metadata.labels: Invalid value: "b c": a valid label must be an empty string '
        "or consist of alphanumeric characters, '-', '_' or '.'"
    )


def test_annotate_adds_and_removes(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app"))
    said = kubectl("annotate", "cm", "app", "note=a b", "why=because").stdout
    assert said == "configmap/app annotated\n"
    kubectl("annotate", "cm", "app", "why-")
    got = kubectl("get", "cm", "app", "-o", "jsonpath={.metadata.annotations}").json
    assert got == {"note": "a b"}
    listed = kubectl("annotate", "cm", "app", "--list").stdout
    assert listed == "note=a b\n"


def test_scale(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=deployment("web", replicas=2))
    assert kubectl("scale", "deploy/web", "--replicas=5").stdout == "deployment.apps/web scaled\n"
    got = kubectl("get", "deploy", "web", "-o", "json").json
    assert got["spec"]["replicas"] == 5
    assert got["metadata"]["generation"] == 2
    refused = kubectl.fails("scale", "deploy/web", "--current-replicas=2", "--replicas=1")
    assert refused == "error: Expected replicas to be 2, was 5\n"


@pytest.mark.parametrize(
    ("kind", "name"),
    [("replicaset", "replicaset.apps"), ("statefulset", "statefulset.apps")],
)
def test_scale_of_the_other_workloads(kubectl: Kubectl, kind: str, name: str) -> None:
    raw = deployment("web")
    raw["kind"] = {"replicaset": "ReplicaSet", "statefulset": "StatefulSet"}[kind]
    if kind == "statefulset":
        raw["spec"]["serviceName"] = "web"
    kubectl("create", "-f", "-", stdin=raw)
    assert kubectl("scale", kind, "web", "--replicas=0").stdout == f"{name}/web scaled\n"
    assert kubectl("get", kind, "web", "-o", "jsonpath={.spec.replicas}").stdout == "0"


def test_scale_below_zero_is_refused(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=deployment("web"))
    body = '{"spec":{"replicas":-1}}'
    got = kubectl.fails("patch", "deploy", "web", "--subresource=scale", "--type=merge", "-p", body)
    assert got == (
        'The Scale "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0\n'
    )


def test_set_image_env_resources_and_selector(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=deployment("web"))
    said = kubectl("set", "image", "deployment/web", "main=app:v2").stdout
    assert said == "deployment.apps/web image updated\n"
    kubectl("set", "env", "deployment/web", "A=1")
    kubectl("set", "resources", "deployment/web", "--limits=cpu=200m", "--requests=cpu=100m")
    container = kubectl("get", "deploy", "web", "-o", "jsonpath={..containers[0]}").json
    assert container["image"] == "app:v2"
    assert container["env"] == [{"name": "A", "value": "1"}]
    assert container["resources"] == {"limits": {"cpu": "200m"}, "requests": {"cpu": "100m"}}


def test_replace_puts_the_whole_object(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app", {"a": "1"}, team="x"))
    said = kubectl("replace", "-f", "-", stdin=config_map("app", {"b": "2"})).stdout
    assert said == "configmap/app replaced\n"
    got = kubectl("get", "cm", "app", "-o", "json").json
    assert got["data"] == {"b": "2"}
    assert "labels" not in got["metadata"]


def test_replace_with_an_old_revision_is_a_conflict(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app"))
    old = kubectl("get", "cm", "app", "-o", "json").json
    kubectl("label", "cm", "app", "newer=yes")
    got = kubectl.fails("replace", "-f", "-", stdin=old)
    assert got == (
        'Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on configmaps '
        '"app": the object has been modified; please apply your changes to the latest version and try again\n'
    )


def test_replace_of_nothing_is_not_found(kubectl: Kubectl) -> None:
    got = kubectl.fails("replace", "-f", "-", stdin=config_map("app"))
    assert got == (
        'Error from server (NotFound): error when replacing "STDIN": configmaps "app" not found\n'
    )


def test_replace_by_force_makes_a_new_object(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl("create", "-f", "-", stdin=pod("p"))
    uid = ["get", "pod", "p", "-o", "jsonpath={.metadata.uid}"]
    before = kubectl(*uid).stdout
    file = tmp_path / "pod.yaml"
    file.write_text(manifest(pod("p", "other:v1")))
    said = kubectl("replace", "--force", "--grace-period=0", "-f", str(file)).lines
    assert said[-1] == "pod/p replaced"
    assert kubectl(*uid).stdout != before


def editor(directory: Path, change: str) -> str:
    """A program that edits the file it is given with sed."""
    script = directory / "editor"
    script.write_text(f"#!/bin/sh\nsed -i '{change}' \"$1\"\n")
    script.chmod(0o755)
    return str(script)


def test_edit_writes_back_what_the_editor_left(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app", {"color": "red"}))
    changing = kubectl.having(KUBE_EDITOR=editor(tmp_path, "s/color: red/color: blue/"))
    assert changing("edit", "cm", "app").stdout == "configmap/app edited\n"
    assert data(kubectl) == {"color": "blue"}


def test_edit_without_a_change_is_cancelled(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app"))
    idle = kubectl.having(KUBE_EDITOR=editor(tmp_path, "s/nothing/at all/"))
    assert "Edit cancelled, no changes made." in idle("edit", "cm", "app").stderr


def test_an_invalid_edit_is_refused_and_kept_for_later(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl("create", "-f", "-", stdin=deployment("web"))
    wrong = kubectl.having(
        KUBE_EDITOR=editor(tmp_path, "s/replicas: 2/replicas: -2/"), TMPDIR=str(tmp_path)
    )
    got = wrong.run("edit", "deployment", "web")
    assert got.code == 1
    assert '"web" is invalid' in got.stderr + got.stdout
    assert kubectl("get", "deploy", "web", "-o", "jsonpath={.spec.replicas}").stdout == "2"


def test_diff_shows_what_apply_would_change(kubectl: Kubectl) -> None:
    raw = deployment("web", replicas=2)
    assert kubectl.run("diff", "-f", "-", stdin=raw).code == 1
    kubectl("apply", "-f", "-", stdin=raw)
    assert kubectl("diff", "-f", "-", stdin=raw).stdout == ""
    raw["spec"]["replicas"] = 3
    got = kubectl.run("diff", "-f", "-", stdin=raw)
    assert got.code == 1
    changed = [line for line in got.lines if line.startswith(("+ ", "- "))]
    assert changed == ["-  generation: 1", "+  generation: 2", "-  replicas: 2", "+  replicas: 3"]
    assert kubectl("get", "deploy", "web", "-o", "jsonpath={.spec.replicas}").stdout == "2"


def test_diff_on_the_server_side(kubectl: Kubectl) -> None:
    kubectl("apply", "--server-side", "-f", "-", stdin=config_map("app", {"a": "1", "b": "1"}))
    got = kubectl.run("diff", "--server-side", "-f", "-", stdin=config_map("app", {"a": "2"}))
    assert got.code == 1
    changed = [line for line in got.lines if line.startswith(("+ ", "- "))]
    assert changed == ['-  a: "1"', '-  b: "1"', '+  a: "2"']


def test_debug_adds_an_ephemeral_container(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=pod("p"))
    kubectl(
        "debug", "p", "--image=tools:v1", "--container=look", "--target=c0", "--profile=general"
    )
    added = kubectl("get", "pod", "p", "-o", "jsonpath={.spec.ephemeralContainers[0]}").json
    assert (added["name"], added["image"], added["targetContainerName"]) == (
        "look",
        "tools:v1",
        "c0",
    )
    change = '{"spec":{"ephemeralContainers":null}}'
    refused = kubectl.fails("patch", "pod", "p", "--type=merge", "-p", change)
    assert "spec: Forbidden: pod updates may not change fields other than" in refused


def test_resize_changes_the_resources_of_a_pod(kubectl: Kubectl) -> None:
    raw = pod("p")
    raw["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    kubectl("create", "-f", "-", stdin=raw)
    resources = {"requests": {"cpu": "2"}}
    body = json.dumps({"spec": {"containers": [{"name": "c0", "resources": resources}]}})
    refused = kubectl.fails("patch", "pod", "p", "-p", body)
    assert "spec: Forbidden: pod updates may not change fields other than" in refused
    kubectl("patch", "pod", "p", "--subresource=resize", "-p", body)
    got = kubectl("get", "pod", "p", "-o", "jsonpath={.spec.containers[0].resources}").json
    assert got == resources
