"""`kubectl apply --server-side`: ownership of fields, conflicts, force, giving up."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compat.objects import config_map, deployment
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl

CONFLICT = """\
error: Apply failed with 1 conflict: conflict with "alice": .data.shared
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
"""


def apply(kubectl: Kubectl, manager: str, raw: Any, *more: str) -> str:
    done = kubectl(
        "apply", "--server-side", f"--field-manager={manager}", "-f", "-", *more, stdin=raw
    )
    return done.stdout


def managers(kubectl: Kubectl, kind: str, name: str) -> dict[tuple[str, str], Any]:
    got = kubectl("get", kind, name, "-o", "json", "--show-managed-fields").json
    entries = got["metadata"]["managedFields"]
    return {(one["manager"], one["operation"]): one["fieldsV1"] for one in entries}


def test_apply_says_serverside_applied_and_owns_exactly_what_it_sent(kubectl: Kubectl) -> None:
    said = kubectl("apply", "--server-side", "-f", "-", stdin=config_map("app", {"a": "1"}))
    assert said.stdout == "configmap/app serverside-applied\n"
    assert managers(kubectl, "cm", "app") == {("kubectl", "Apply"): {"f:data": {"f:a": {}}}}


def test_a_conflict_names_the_manager_and_the_field(kubectl: Kubectl) -> None:
    apply(kubectl, "alice", config_map("app", {"shared": "1"}))
    wrong = config_map("app", {"shared": "2", "own": "1"})
    got = kubectl.fails("apply", "--server-side", "--field-manager=bob", "-f", "-", stdin=wrong)
    assert got.startswith(CONFLICT)
    assert kubectl("get", "cm", "app", "-o", "jsonpath={.data}").json == {"shared": "1"}


def test_several_conflicts_are_all_listed(kubectl: Kubectl) -> None:
    apply(kubectl, "alice", config_map("app", {"a": "1", "b": "1"}))
    kubectl("patch", "cm", "app", "--type=merge", "-p", '{"data":{"c":"1"}}')
    got = kubectl.fails(
        "apply",
        "--server-side",
        "--field-manager=bob",
        "-f",
        "-",
        stdin=config_map("app", {"a": "2", "b": "2", "c": "2"}),
    )
    assert got.startswith(
        'error: Apply failed with 3 conflicts: conflicts with "alice":\n'
        "- .data.a\n"
        "- .data.b\n"
        'conflicts with "kubectl-patch" using v1:\n'
        "- .data.c\n"
    )


def test_force_takes_the_field_over(kubectl: Kubectl) -> None:
    apply(kubectl, "alice", config_map("app", {"shared": "1", "a": "1"}))
    apply(kubectl, "bob", config_map("app", {"shared": "2"}), "--force-conflicts")
    assert managers(kubectl, "cm", "app") == {
        ("alice", "Apply"): {"f:data": {"f:a": {}}},
        ("bob", "Apply"): {"f:data": {"f:shared": {}}},
    }
    assert kubectl("get", "cm", "app", "-o", "jsonpath={.data.shared}").stdout == "2"


def test_a_field_given_up_by_its_only_owner_goes(kubectl: Kubectl) -> None:
    apply(kubectl, "alice", config_map("app", {"keep": "1", "drop": "1"}))
    apply(kubectl, "alice", config_map("app", {"keep": "1"}))
    assert kubectl("get", "cm", "app", "-o", "jsonpath={.data}").json == {"keep": "1"}


def test_a_field_given_up_by_one_of_two_owners_stays(kubectl: Kubectl) -> None:
    apply(kubectl, "alice", config_map("app", {"shared": "1", "a": "1"}))
    apply(kubectl, "bob", config_map("app", {"shared": "1"}))
    apply(kubectl, "alice", config_map("app", {"a": "1"}))
    assert kubectl("get", "cm", "app", "-o", "jsonpath={.data}").json == {"a": "1", "shared": "1"}
    assert managers(kubectl, "cm", "app")["bob", "Apply"] == {"f:data": {"f:shared": {}}}


def test_replicas_scaled_by_somebody_else_conflict(kubectl: Kubectl) -> None:
    apply(kubectl, "kubectl", deployment("web", replicas=2))
    kubectl("scale", "deployment", "web", "--replicas=5")
    got = kubectl.fails("apply", "--server-side", "-f", "-", stdin=deployment("web", replicas=2))
    assert got.startswith(
        'error: Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: '
        ".spec.replicas\n"
    )
    without = deployment("web")
    del without["spec"]["replicas"]
    apply(kubectl, "kubectl", without)
    assert kubectl("get", "deploy", "web", "-o", "jsonpath={.spec.replicas}").stdout == "5"


def test_lists_are_merged_by_their_keys(kubectl: Kubectl) -> None:
    raw = deployment("web")
    apply(kubectl, "alice", raw)
    sidecar = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {
            "selector": raw["spec"]["selector"],
            "template": {"spec": {"containers": [{"name": "side", "image": "side:v1"}]}},
        },
    }
    apply(kubectl, "bob", sidecar)
    got = kubectl("get", "deploy", "web", "-o", "jsonpath={..containers[*].name}").stdout
    assert got == "main side"
    sidecar["spec"]["template"]["spec"]["containers"] = []  # type: ignore[index]
    apply(kubectl, "bob", sidecar)
    got = kubectl("get", "deploy", "web", "-o", "jsonpath={..containers[*].name}").stdout
    assert got == "main"


def test_client_side_apply_moves_over_to_server_side(kubectl: Kubectl) -> None:
    kubectl("apply", "-f", "-", stdin=config_map("app", {"a": "1", "b": "1"}))
    apply(kubectl, "kubectl", config_map("app", {"a": "2"}))
    assert kubectl("get", "cm", "app", "-o", "jsonpath={.data}").json == {"a": "2"}


def test_a_dry_run_reports_conflicts_and_stores_nothing(kubectl: Kubectl) -> None:
    apply(kubectl, "alice", config_map("app", {"shared": "1"}))
    before = kubectl("get", "cm", "app", "-o", "jsonpath={.metadata.resourceVersion}").stdout
    got = apply(
        kubectl, "bob", config_map("app", {"shared": "2"}), "--force-conflicts", "--dry-run=server"
    )
    assert got == "configmap/app serverside-applied (server dry run)\n"
    after = kubectl("get", "cm", "app", "-o", "jsonpath={.metadata.resourceVersion}").stdout
    assert after == before


def test_the_same_apply_again_changes_nothing(kubectl: Kubectl) -> None:
    apply(kubectl, "alice", deployment("web"))
    first = kubectl("get", "deploy", "web", "-o", "json", "--show-managed-fields").json
    apply(kubectl, "alice", deployment("web"))
    again = kubectl("get", "deploy", "web", "-o", "json", "--show-managed-fields").json
    assert again == first


def test_an_unknown_field_is_refused(kubectl: Kubectl) -> None:
    wrong = config_map("app")
    wrong["wonder"] = 1
    got = kubectl.fails("apply", "--server-side", "--validate=ignore", "-f", "-", stdin=wrong)
    assert ".wonder: field not declared in schema" in got
