"""`kubectl apply`, the client's own three-way merge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.compat.objects import config_map, deployment, pod
from tests.support.kubectls import Kubectl, manifest

pytestmark = pytest.mark.kubectl

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def test_apply_creates_then_finds_nothing_to_do_then_changes(kubectl: Kubectl) -> None:
    said = [
        kubectl("apply", "-f", "-", stdin=config_map("app", data)).stdout
        for data in ({"a": "1"}, {"a": "1"}, {"a": "2"})
    ]
    assert said == [
        "configmap/app created\n",
        "configmap/app unchanged\n",
        "configmap/app configured\n",
    ]
    got = kubectl("get", "configmap", "app", "-o", "json").json
    assert got["data"] == {"a": "2"}
    applied = json.loads(got["metadata"]["annotations"][LAST_APPLIED])
    assert applied["data"] == {"a": "2"}


def test_apply_removes_what_the_manifest_no_longer_has_and_keeps_what_others_wrote(
    kubectl: Kubectl,
) -> None:
    kubectl("apply", "-f", "-", stdin=config_map("app", {"mine": "1", "gone": "1"}, team="a"))
    kubectl("patch", "configmap", "app", "--type=merge", "-p", '{"data":{"theirs":"1"}}')
    kubectl("apply", "-f", "-", stdin=config_map("app", {"mine": "2"}))
    got = kubectl("get", "configmap", "app", "-o", "json").json
    assert got["data"] == {"mine": "2", "theirs": "1"}
    assert "labels" not in got["metadata"]


def test_apply_merges_containers_and_environment_by_name(kubectl: Kubectl) -> None:
    first = deployment("web")
    container = first["spec"]["template"]["spec"]["containers"][0]
    container["env"] = [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    kubectl("apply", "-f", "-", stdin=first)
    kubectl("set", "env", "deployment/web", "C=3")
    container["env"] = [{"name": "B", "value": "two"}]
    assert kubectl("apply", "-f", "-", stdin=first).stdout == "deployment.apps/web configured\n"
    shown = kubectl("get", "deploy", "web", "-o", "jsonpath={..env}").json
    assert sorted(shown, key=lambda one: one["name"]) == [
        {"name": "B", "value": "two"},
        {"name": "C", "value": "3"},
    ]


def test_apply_takes_directories_and_several_documents(kubectl: Kubectl, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "one.yaml").write_text(manifest([config_map("one"), config_map("two")]))
    (tmp_path / "inner" / "three.json").write_text(json.dumps(config_map("three")))
    got = kubectl("apply", "-R", "-f", str(tmp_path)).lines
    assert sorted(got) == [
        "configmap/one created",
        "configmap/three created",
        "configmap/two created",
    ]


def test_apply_takes_a_kustomization(kubectl: Kubectl, tmp_path: Path) -> None:
    (tmp_path / "map.yaml").write_text(manifest(config_map("app")))
    (tmp_path / "kustomization.yaml").write_text(
        "namePrefix: dev-\nlabels: [{pairs: {env: dev}}]\nresources: [map.yaml]\n"
    )
    assert kubectl("apply", "-k", str(tmp_path)).stdout == "configmap/dev-app created\n"
    assert kubectl("get", "cm", "-l", "env=dev", "-o", "name").stdout == "configmap/dev-app\n"


def test_dry_run_on_the_server_defaults_but_stores_nothing(kubectl: Kubectl) -> None:
    got = kubectl("apply", "--dry-run=server", "-f", "-", "-o", "json", stdin=pod("p")).json
    assert got["spec"]["restartPolicy"] == "Always"
    assert got["metadata"]["uid"]
    assert 'pods "p" not found' in kubectl.fails("get", "pod", "p")


def test_prune_deletes_what_the_set_no_longer_holds(kubectl: Kubectl) -> None:
    both = [config_map("keep", part="x"), config_map("drop", part="x")]
    kubectl("apply", "-f", "-", stdin=both)
    allowed = "--prune-allowlist=core/v1/ConfigMap"
    got = kubectl("apply", "--prune", "-l", "part=x", allowed, "-f", "-", stdin=both[0])
    assert got.lines == ["configmap/keep unchanged", "configmap/drop pruned"]


def test_last_applied_can_be_viewed_and_set(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl("apply", "-f", "-", stdin=config_map("app", {"a": "1"}))
    shown = kubectl("apply", "view-last-applied", "configmap/app", "-o", "json").json
    assert shown["data"] == {"a": "1"}
    newer = tmp_path / "newer.yaml"
    newer.write_text(manifest(config_map("app", {"a": "9"})))
    kubectl("apply", "set-last-applied", "-f", str(newer))
    shown = kubectl("apply", "view-last-applied", "configmap/app", "-o", "json").json
    assert shown["data"] == {"a": "9"}


def test_unknown_fields_are_refused_before_anything_is_written(kubectl: Kubectl) -> None:
    wrong = pod("p")
    wrong["spec"]["containers"][0]["imagePolicy"] = "Never"
    got = kubectl.fails("apply", "-f", "-", stdin=wrong)
    assert 'unknown field "spec.containers[0].imagePolicy"' in got
    assert "not found" in kubectl.fails("get", "pod", "p")


def test_unknown_fields_only_warn_when_asked(kubectl: Kubectl) -> None:
    wrong = pod("p")
    wrong["spec"]["wonder"] = True
    got = kubectl("apply", "--validate=warn", "-f", "-", stdin=wrong)
    assert got.stdout == "pod/p created\n"
    assert got.stderr == 'Warning: unknown field "spec.wonder"\n'


def test_apply_of_an_immutable_field_says_so(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=deployment("web"))
    other = deployment("web")
    other["spec"]["selector"]["matchLabels"]["app"] = "api"
    other["spec"]["template"]["metadata"]["labels"]["app"] = "api"
    got = kubectl.fails("apply", "-f", "-", stdin=other)
    assert got.startswith('The Deployment "web" is invalid: spec.selector: Invalid value: ')
    assert got.endswith("field is immutable\n")
