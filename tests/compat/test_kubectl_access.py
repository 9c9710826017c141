"""Who asks and what they may: tokens, impersonation, RBAC, `kubectl auth`."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.compat.objects import config_map
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl

UNAUTHORIZED = "error: You must be logged in to the server (Unauthorized)\n"


@pytest.fixture
def jane(kubectl: Kubectl) -> Kubectl:
    """kubectl as the admin; the user jane may read pods in the namespace, the group devs config maps."""
    kubectl("create", "role", "pods", "--verb=get,list,watch", "--resource=pods,pods/log")
    kubectl("create", "rolebinding", "pods", "--role=pods", "--user=jane")
    kubectl("create", "role", "maps", "--verb=*", "--resource=configmaps")
    kubectl("create", "rolebinding", "maps", "--role=maps", "--group=devs")
    return kubectl


CAN = {
    "the admin everything": (["create", "deployments"], "yes"),
    "the admin every path": (["get", "/metrics"], "yes"),
    "jane what her role says": (["list", "pods", "--as=jane"], "yes"),
    "jane its subresources": (["get", "pods", "--subresource=log", "--as=jane"], "yes"),
    "jane no more": (["delete", "pods", "--as=jane"], "no"),
    "jane nowhere else": (["list", "pods", "--as=jane", "-n", "default"], "no"),
    "jane no other subresource": (["create", "pods", "--subresource=eviction", "--as=jane"], "no"),
    "a group": (["delete", "configmaps", "--as=joe", "--as-group=devs"], "yes"),
    "not without the group": (["delete", "configmaps", "--as=joe"], "no"),
    "anybody discovery": (["get", "/apis", "--as=joe"], "yes"),
    "nobody metrics": (["get", "/metrics", "--as=joe"], "no"),
}


@pytest.mark.parametrize("case", CAN)
def test_can_i(jane: Kubectl, case: str) -> None:
    arguments, want = CAN[case]
    got = jane.run("auth", "can-i", *arguments)
    assert (got.stdout.split("\n")[0], got.code) == (want, 0 if want == "yes" else 1)


def test_can_i_lists_all(jane: Kubectl) -> None:
    rows = jane("auth", "can-i", "--list", "--as=jane").rows
    assert rows[0] == ["Resources", "Non-Resource", "URLs", "Resource", "Names", "Verbs"]
    assert ["pods", "[]", "[]", "[get", "list", "watch]"] in rows
    assert ["[/version]", "[]", "[get]"] in rows
    mine = jane("auth", "can-i", "--list").rows
    assert ["*.*", "[]", "[]", "[*]"] in mine
    assert mine.count(["[*]", "[]", "[*]"]) == 1


def test_whoami(kubectl: Kubectl) -> None:
    got = kubectl("auth", "whoami", "-o", "json").json["status"]["userInfo"]
    assert got["groups"] == ["system:masters", "system:authenticated"]
    other = kubectl("auth", "whoami", "--as=jane", "--as-group=devs", "--as-uid=7", "-o", "json")
    assert other.json["status"]["userInfo"] == {
        "username": "jane",
        "uid": "7",
        "groups": ["devs", "system:authenticated"],
    }
    robot = f"system:serviceaccount:{kubectl.namespace}:default"
    account = kubectl("auth", "whoami", f"--as={robot}", "-o", "json").json
    assert account["status"]["userInfo"]["groups"] == [
        "system:serviceaccounts",
        f"system:serviceaccounts:{kubectl.namespace}",
        "system:authenticated",
    ]


def test_as_somebody_with_few_rights(jane: Kubectl) -> None:
    assert jane("get", "pods", "--as=jane").stderr.startswith("No resources found")
    assert jane.fails("get", "secrets", "--as=jane") == (
        'Error from server (Forbidden): secrets is forbidden: User "jane" cannot list resource "secrets" in API '
        f'group "" in the namespace "{jane.namespace}"\n'
    )
    assert jane.fails("delete", "pod", "p", "--as=jane") == (
        'Error from server (Forbidden): pods "p" is forbidden: User "jane" cannot delete resource "pods" in API '
        f'group "" in the namespace "{jane.namespace}"\n'
    )
    assert jane.fails("get", "nodes", "--as=jane") == (
        'Error from server (Forbidden): nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" '
        "at the cluster scope\n"
    )
    denied = jane.fails("create", "-f", "-", "--as=jane", stdin=config_map("x"))
    assert (
        'configmaps is forbidden: User "jane" cannot create resource "configmaps" in API group ""'
    ) in denied
    jane("create", "-f", "-", "--as=joe", "--as-group=devs", stdin=config_map("x"))


def test_only_those_who_may_impersonate(jane: Kubectl) -> None:
    jane("create", "serviceaccount", "robot")
    token = jane("create", "token", "robot").stdout.strip()
    assert jane.fails("get", "pods", "--token", token, "--as=jane") == (
        f'Error from server (Forbidden): users "jane" is forbidden: User "system:serviceaccount:{jane.namespace}:robot" '
        'cannot impersonate resource "users" in API group "" at the cluster scope\n'
    )


def test_a_service_account_has_the_rights_bound_to_it(kubectl: Kubectl) -> None:
    kubectl("create", "serviceaccount", "robot")
    token = kubectl("create", "token", "robot").stdout.strip()
    assert "(Forbidden)" in kubectl.fails("get", "configmaps", "--token", token)
    account = f"--serviceaccount={kubectl.namespace}:robot"
    kubectl("create", "rolebinding", "view", "--clusterrole=view", account)
    kubectl("get", "configmaps", "--token", token)
    assert "(Forbidden)" in kubectl.fails("get", "secrets", "--token", token)


def test_tokens_end_with_their_account(kubectl: Kubectl) -> None:
    """At once; kube-apiserver may believe a token it has seen for ten seconds more."""
    kubectl("create", "serviceaccount", "robot")
    token = kubectl("create", "token", "robot").stdout.strip()
    kubectl("auth", "whoami", "--token", token)
    kubectl("delete", "serviceaccount", "robot")
    assert kubectl.fails("get", "configmaps", "--token", token) == UNAUTHORIZED


def test_rights_cannot_be_given_by_those_who_lack_them(jane: Kubectl) -> None:
    jane("create", "role", "giver", "--verb=create,get", "--resource=roles,rolebindings")
    jane("create", "rolebinding", "giver", "--role=giver", "--user=jane")
    got = jane.fails("create", "role", "more", "--verb=get", "--resource=secrets", "--as=jane")
    assert "is attempting to grant RBAC permissions not currently held" in got
    assert '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}' in got
    jane("create", "role", "same", "--verb=get", "--resource=pods", "--as=jane")


def test_a_wrong_token(kubectl: Kubectl) -> None:
    assert kubectl.fails("get", "pods", "--token=wrong") == UNAUTHORIZED


def test_without_a_token_only_health_and_version(api: Connection) -> None:
    assert api.request("GET", "/readyz", token="").body == "ok"
    assert api.request("GET", "/version", token="").body["major"] == "1"
    for path in ("/api", "/apis", "/metrics", "/openapi/v2", "/api/v1/namespaces", "/nowhere"):
        got = api.request("GET", path, token="")
        assert (got.code, got.body["reason"]) == (401, "Unauthorized"), path


def test_a_server_with_another_certificate_is_not_trusted(kubectl: Kubectl, tmp_path: Path) -> None:
    config = yaml.safe_load(kubectl.kubeconfig.read_text())
    for entry in config["clusters"]:
        entry["cluster"].pop("certificate-authority-data", None)
        entry["cluster"].pop("certificate-authority", None)
    trusting = tmp_path / "kubeconfig"
    trusting.write_text(yaml.safe_dump(config))
    stranger = Kubectl(kubectl.program, trusting, tmp_path, "default")
    assert "certificate signed by unknown authority" in stranger.fails("get", "pods")
    assert stranger("get", "--raw", "/version", "--insecure-skip-tls-verify").json["major"] == "1"


def test_auth_reconcile_makes_roles_as_written(kubectl: Kubectl) -> None:
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "r", "namespace": kubectl.namespace},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    }
    said = kubectl("auth", "reconcile", "-f", "-", stdin=role).stdout
    assert said.startswith("role.rbac.authorization.k8s.io/r reconciled\n")
