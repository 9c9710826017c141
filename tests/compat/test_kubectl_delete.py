"""`kubectl delete`: cascades, finalizers, waiting, selections, grace."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from tests.compat.objects import config_map, pod
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl


def owned(name: str, owner: Any, *, blocks: bool = True) -> dict[str, Any]:
    raw = config_map(name)
    raw["metadata"]["ownerReferences"] = [
        {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": blocks,
        }
    ]
    return raw


@pytest.fixture
def family(kubectl: Kubectl) -> Kubectl:
    """`parent` owns `child`, which owns `grandchild`."""
    parent = kubectl("create", "-f", "-", "-o", "json", stdin=config_map("parent")).json
    child = kubectl("create", "-f", "-", "-o", "json", stdin=owned("child", parent)).json
    kubectl("create", "-f", "-", stdin=owned("grandchild", child))
    return kubectl


def maps(kubectl: Kubectl, api: Connection) -> list[str]:
    found = api.get(f"/api/v1/namespaces/{kubectl.namespace}/configmaps")["items"]
    names = [one["metadata"]["name"] for one in found]
    return [name for name in names if name != "kube-root-ca.crt"]


def until_maps(kubectl: Kubectl, api: Connection, want: list[str]) -> None:
    deadline = time.monotonic() + 20
    while maps(kubectl, api) != want:
        assert time.monotonic() < deadline, f"want {want}, got {maps(kubectl, api)}"
        time.sleep(0.02)


def until_deleting(api: Connection, path: str) -> None:
    deadline = time.monotonic() + 20
    while "deletionTimestamp" not in api.get(path)["metadata"]:
        assert time.monotonic() < deadline, f"{path} was not deleted"
        time.sleep(0.02)


def test_background_deletes_dependents_afterwards(family: Kubectl, api: Connection) -> None:
    got = family("delete", "cm", "parent").stdout
    assert re.match(r'configmap "parent" deleted( from \S+ namespace)?\n', got)
    until_maps(family, api, [])


def test_foreground_deletes_dependents_first(family: Kubectl, api: Connection) -> None:
    path = f"/api/v1/namespaces/{family.namespace}/configmaps/grandchild"
    api.merge(path, {"metadata": {"finalizers": ["example.com/hold"]}})
    family("delete", "cm", "parent", "--cascade=foreground", "--wait=false")
    parent = family("get", "cm", "parent", "-o", "json").json["metadata"]
    assert parent["finalizers"] == ["foregroundDeletion"]
    assert parent["deletionTimestamp"]
    until_deleting(api, path)
    assert maps(family, api) == ["child", "grandchild", "parent"]
    api.merge(path, {"metadata": {"finalizers": None}})
    until_maps(family, api, [])


def test_orphan_leaves_dependents_alone(family: Kubectl, api: Connection) -> None:
    family("delete", "cm", "parent", "--cascade=orphan")
    until_maps(family, api, ["child", "grandchild"])
    child = api.get(f"/api/v1/namespaces/{family.namespace}/configmaps/child")
    assert "ownerReferences" not in child["metadata"]


def test_a_dependent_whose_owner_was_never_there_goes(kubectl: Kubectl, api: Connection) -> None:
    ghost = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "ghost", "uid": "0a0a0a0a-0000-4000-8000-000000000000"},
    }
    kubectl("create", "-f", "-", stdin=[config_map("stays"), owned("goes", ghost)])
    until_maps(kubectl, api, ["stays"])


def test_a_finalizer_holds_the_object_and_wait_waits(kubectl: Kubectl, api: Connection) -> None:
    raw = config_map("held")
    raw["metadata"]["finalizers"] = ["example.com/hold"]
    kubectl("create", "-f", "-", stdin=raw)
    path = f"/api/v1/namespaces/{kubectl.namespace}/configmaps/held"
    with kubectl.start("delete", "cm", "held", "--wait", "--timeout=20s") as waiting:
        until_deleting(api, path)
        assert waiting.poll() is None
        api.merge(path, {"metadata": {"finalizers": None}})
        assert waiting.wait(20) == 0
    assert maps(kubectl, api) == []


def test_waiting_for_a_held_object_ends_with_the_timeout(kubectl: Kubectl) -> None:
    raw = config_map("held")
    raw["metadata"]["finalizers"] = ["example.com/hold"]
    kubectl("create", "-f", "-", stdin=raw)
    got = kubectl.fails("delete", "cm", "held", "--timeout=100ms")
    assert "timed out waiting for the condition on configmaps/held" in got
    kubectl("patch", "cm", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')


def test_a_deleted_object_takes_no_new_finalizers(kubectl: Kubectl) -> None:
    raw = config_map("held")
    raw["metadata"]["finalizers"] = ["example.com/hold"]
    kubectl("create", "-f", "-", stdin=raw)
    kubectl("delete", "cm", "held", "--wait=false")
    more = '{"metadata":{"finalizers":["example.com/hold","example.com/more"]}}'
    got = kubectl.fails("patch", "cm", "held", "--type=merge", "-p", more)
    assert got == (
        'The ConfigMap "held" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object '
        'is being deleted, found new finalizers []string{"example.com/more"}\n'
    )
    kubectl("patch", "cm", "held", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')


def test_delete_by_selector_by_all_and_by_file(kubectl: Kubectl, api: Connection) -> None:
    kubectl(
        "create",
        "-f",
        "-",
        stdin=[config_map(name, set=name[0]) for name in ("a1", "a2", "b1", "c1")],
    )
    kubectl("delete", "cm", "-l", "set=a")
    assert maps(kubectl, api) == ["b1", "c1"]
    kubectl("delete", "-f", "-", stdin=config_map("b1"))
    assert maps(kubectl, api) == ["c1"]
    kubectl("delete", "cm", "--all")
    assert maps(kubectl, api) == []


def test_delete_by_field_selector(kubectl: Kubectl, api: Connection) -> None:
    kubectl("create", "-f", "-", stdin=[config_map("one"), config_map("two")])
    kubectl("delete", "cm", "--field-selector", "metadata.name=one")
    assert maps(kubectl, api) == ["two"]


def test_delete_of_nothing(kubectl: Kubectl) -> None:
    assert kubectl.fails("delete", "cm", "nope") == (
        'Error from server (NotFound): configmaps "nope" not found\n'
    )
    assert kubectl("delete", "cm", "nope", "--ignore-not-found").stdout == ""
    got = kubectl("delete", "cm", "-l", "none=here")
    assert got.stdout.startswith("No resources found")


def scheduled(kubectl: Kubectl, api: Connection, name: str) -> str:
    """A pod that some node has taken, so that its end has to be awaited."""
    raw = pod(name)
    raw["spec"]["nodeName"] = "elsewhere"
    path = f"/api/v1/namespaces/{kubectl.namespace}/pods"
    api.create(path, raw)
    return f"{path}/{name}"


def test_a_pod_on_a_node_is_given_its_grace(kubectl: Kubectl, api: Connection) -> None:
    path = scheduled(kubectl, api, "p")
    kubectl("delete", "pod", "p", "--wait=false")
    assert api.get(path)["metadata"]["deletionGracePeriodSeconds"] == 30
    assert kubectl("get", "pod", "p", "--no-headers").rows[0][2] == "Terminating"
    kubectl("delete", "pod", "p", "--wait=false", "--grace-period=5")
    assert api.get(path)["metadata"]["deletionGracePeriodSeconds"] == 5
    got = kubectl("delete", "pod", "p", "--grace-period=0", "--force")
    assert "Immediate deletion does not wait for confirmation" in got.stderr
    assert api.request("GET", path).code == 404


def test_now_shortens_the_grace_to_a_second(kubectl: Kubectl, api: Connection) -> None:
    path = scheduled(kubectl, api, "p")
    kubectl("delete", "pod", "p", "--now", "--wait=false")
    assert api.get(path)["metadata"]["deletionGracePeriodSeconds"] == 1
    api.delete(f"{path}?gracePeriodSeconds=0")


def test_a_pod_on_no_node_goes_at_once(kubectl: Kubectl, api: Connection) -> None:
    kubectl("create", "-f", "-", stdin=pod("p"))
    kubectl("delete", "pod", "p")
    assert api.request("GET", f"/api/v1/namespaces/{kubectl.namespace}/pods/p").code == 404


def test_a_dry_run_deletes_nothing(kubectl: Kubectl, api: Connection) -> None:
    kubectl("create", "-f", "-", stdin=config_map("app"))
    got = kubectl("delete", "cm", "app", "--dry-run=server").stdout
    assert "deleted" in got
    assert "(server dry run)" in got
    assert maps(kubectl, api) == ["app"]


def test_a_namespace_takes_its_objects_with_it(kubectl: Kubectl, api: Connection) -> None:
    name = f"{kubectl.namespace}-x"
    inside = kubectl.into(name)
    kubectl("create", "namespace", name)
    held = config_map("held")
    held["metadata"]["finalizers"] = ["example.com/hold"]
    inside("create", "-f", "-", stdin=[config_map("app"), held])
    kubectl("delete", "namespace", name, "--wait=false")
    api.until(f"/api/v1/namespaces/{name}/configmaps/app", 404)
    assert kubectl("get", "ns", name, "--no-headers").rows[0][1] == "Terminating"
    refused = inside.fails("create", "-f", "-", stdin=config_map("late"))
    assert (
        f'configmaps "late" is forbidden: unable to create new content in namespace {name} because it is being '
        "terminated"
    ) in refused
    api.merge(f"/api/v1/namespaces/{name}/configmaps/held", {"metadata": {"finalizers": None}})
    api.until(f"/api/v1/namespaces/{name}", 404)
