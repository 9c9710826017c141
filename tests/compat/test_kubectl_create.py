"""`kubectl create` with each of its generators, `run`, `expose` and `autoscale`."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.compat.objects import config_map, deployment
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl


@dataclass(frozen=True)
class Case:
    """A generator, what it says, and what must be found at some paths afterwards."""

    arguments: list[str]
    said: str
    found: dict[str, Any] = field(default_factory=dict)


NAMESPACED = {
    "deployment": Case(
        ["deployment", "x", "--image=app:v1", "--replicas=3", "--port=80"],
        "deployment.apps/x created",
        {
            "spec.replicas": 3,
            "spec.strategy.type": "RollingUpdate",
            "spec.template.spec.containers.0.ports": [{"containerPort": 80, "protocol": "TCP"}],
        },
    ),
    "job": Case(
        ["job", "x", "--image=app:v1", "--", "echo", "hi"],
        "job.batch/x created",
        {
            "spec.template.spec.containers.0.command": ["echo", "hi"],
            "spec.backoffLimit": 6,
            "spec.completionMode": "NonIndexed",
            "spec.suspend": False,
        },
    ),
    "cronjob": Case(
        ["cronjob", "x", "--image=app:v1", "--schedule=*/5 * * * *", "--", "date"],
        "cronjob.batch/x created",
        {
            "spec.concurrencyPolicy": "Allow",
            "spec.suspend": False,
            "spec.failedJobsHistoryLimit": 1,
        },
    ),
    "configmap": Case(
        ["configmap", "x", "--from-literal=a=1", "--from-literal=b=2"],
        "configmap/x created",
        {"data": {"a": "1", "b": "2"}},
    ),
    "secret generic": Case(
        ["secret", "generic", "x", "--from-literal=p=word"],
        "secret/x created",
        {"type": "Opaque", "data": {"p": base64.b64encode(b"word").decode()}},
    ),
    "secret docker-registry": Case(
        [
            *["secret", "docker-registry", "x", "--docker-server=registry.example"],
            *["--docker-username=u", "--docker-password=p"],
        ],
        "secret/x created",
        {"type": "kubernetes.io/dockerconfigjson"},
    ),
    "service clusterip": Case(
        ["service", "clusterip", "x", "--tcp=80:8080"],
        "service/x created",
        {
            "spec.type": "ClusterIP",
            "spec.ports": [{"name": "80-8080", "port": 80, "protocol": "TCP", "targetPort": 8080}],
            "spec.sessionAffinity": "None",
        },
    ),
    "service nodeport": Case(
        ["service", "nodeport", "x", "--tcp=80"],
        "service/x created",
        {"spec.type": "NodePort", "spec.externalTrafficPolicy": "Cluster"},
    ),
    "service loadbalancer": Case(
        ["service", "loadbalancer", "x", "--tcp=80"],
        "service/x created",
        {"spec.allocateLoadBalancerNodePorts": True, "status": {"loadBalancer": {}}},
    ),
    "service externalname": Case(
        ["service", "externalname", "x", "--external-name=example.com"],
        "service/x created",
        {"spec.externalName": "example.com"},
    ),
    "quota": Case(
        ["quota", "x", "--hard=pods=5,cpu=2"],
        "resourcequota/x created",
        {"spec.hard": {"cpu": "2", "pods": "5"}},
    ),
    "role": Case(
        ["role", "x", "--verb=get,list", "--resource=pods,deployments.apps"],
        "role.rbac.authorization.k8s.io/x created",
        {
            "rules": [
                {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]},
                {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list"]},
            ]
        },
    ),
    "rolebinding": Case(
        ["rolebinding", "x", "--clusterrole=view", "--user=jane", "--group=devs"],
        "rolebinding.rbac.authorization.k8s.io/x created",
        {
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "view",
            },
            "subjects.1.name": "devs",
        },
    ),
    "serviceaccount": Case(["serviceaccount", "x"], "serviceaccount/x created"),
    "pdb": Case(
        ["pdb", "x", "--selector=app=web", "--min-available=50%"],
        "poddisruptionbudget.policy/x created",
        {"spec.minAvailable": "50%"},
    ),
    "ingress": Case(
        ["ingress", "x", "--rule=foo.example/bar*=svc:80"],
        "ingress.networking.k8s.io/x created",
        {"spec.rules.0.http.paths.0.pathType": "Prefix", "status": {"loadBalancer": {}}},
    ),
}

CLUSTER = {
    "namespace": Case(
        ["namespace", "NAME"],
        "namespace/NAME created",
        {
            "metadata.labels": {"kubernetes.io/metadata.name": "NAME"},
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"},
        },
    ),
    "clusterrole": Case(
        ["clusterrole", "NAME", "--verb=get", "--resource=nodes"],
        "clusterrole.rbac.authorization.k8s.io/NAME created",
        {"rules": [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]}]},
    ),
    "clusterrolebinding": Case(
        ["clusterrolebinding", "NAME", "--clusterrole=view", "--serviceaccount=default:robot"],
        "clusterrolebinding.rbac.authorization.k8s.io/NAME created",
        {"subjects": [{"kind": "ServiceAccount", "name": "robot", "namespace": "default"}]},
    ),
    "priorityclass": Case(
        ["priorityclass", "NAME", "--value=1000", "--description=much"],
        "priorityclass.scheduling.k8s.io/NAME created",
        {"value": 1000, "preemptionPolicy": "PreemptLowerPriority", "description": "much"},
    ),
}


def pick(value: Any, path: str) -> Any:
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


@pytest.mark.parametrize("generator", NAMESPACED)
def test_create(kubectl: Kubectl, generator: str) -> None:
    case = NAMESPACED[generator]
    assert kubectl("create", *case.arguments).stdout == case.said + "\n"
    got = kubectl("get", case.arguments[0], "x", "-o", "json").json
    assert {path: pick(got, path) for path in case.found} == case.found
    again = kubectl.fails("create", *case.arguments)
    assert again.startswith("error: failed to create ") or "(AlreadyExists)" in again
    assert again.endswith(' "x" already exists\n')


@pytest.mark.parametrize("generator", CLUSTER)
def test_create_for_the_whole_cluster(kubectl: Kubectl, generator: str) -> None:
    name = f"{kubectl.namespace}-own"
    case = CLUSTER[generator]
    arguments = [word.replace("NAME", name) for word in case.arguments]
    assert kubectl("create", *arguments).stdout == case.said.replace("NAME", name) + "\n"
    got = kubectl("get", arguments[0], name, "-o", "json").json
    want = json.loads(json.dumps(case.found).replace("NAME", name))
    assert {path: pick(got, path) for path in want} == want
    said = kubectl("delete", arguments[0], name).stdout
    assert said.endswith(f'"{name}" deleted\n')


def test_a_job_from_a_cronjob_is_owned_by_it(kubectl: Kubectl) -> None:
    kubectl("create", "cronjob", "tick", "--image=app:v1", "--schedule=@daily", "--", "date")
    assert (
        kubectl("create", "job", "now", "--from=cronjob/tick").stdout == "job.batch/now created\n"
    )
    owner = kubectl("get", "job", "now", "-o", "jsonpath={.metadata.ownerReferences[0]}").json
    assert (owner["kind"], owner["name"], owner["controller"]) == ("CronJob", "tick", True)


def test_a_token_of_a_service_account_works(kubectl: Kubectl) -> None:
    kubectl("create", "serviceaccount", "robot")
    token = kubectl("create", "token", "robot", "--duration=10m", "--audience=me").stdout.strip()
    middle = token.split(".")[1]
    claims = json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    assert claims["sub"] == f"system:serviceaccount:{kubectl.namespace}:robot"
    assert claims["aud"] == ["me"]
    assert claims["exp"] - claims["iat"] == 600
    plain = kubectl("create", "token", "robot").stdout.strip()
    got = kubectl("auth", "whoami", "--token", plain, "-o", "json").json
    assert got["status"]["userInfo"]["username"] == claims["sub"]


def test_create_from_generate_name(kubectl: Kubectl) -> None:
    raw = config_map("")
    raw["metadata"] = {"generateName": "made-"}
    said = [kubectl("create", "-f", "-", stdin=raw).stdout for _ in range(2)]
    assert all(one.startswith("configmap/made-") and one.endswith(" created\n") for one in said)
    assert len({*said}) == 2


def test_create_of_a_list(kubectl: Kubectl) -> None:
    items = [config_map("one"), config_map("two")]
    raw = {"apiVersion": "v1", "kind": "List", "items": items}
    assert kubectl("create", "-f", "-", stdin=raw).lines == [
        "configmap/one created",
        "configmap/two created",
    ]


def test_what_a_create_prints_is_what_is_stored(kubectl: Kubectl) -> None:
    shown = kubectl("create", "-f", "-", "-o", "json", stdin=deployment("web")).json
    assert kubectl("get", "deployment", "web", "-o", "json").json == shown


def test_run_makes_a_pod(kubectl: Kubectl) -> None:
    said = kubectl(
        *["run", "p", "--image=app:v1", "--restart=Never", "--labels=a=b", "--env=K=v"],
        *["--port=80", "--", "sleep", "10"],
    )
    assert said.stdout == "pod/p created\n"
    got = kubectl("get", "pod", "p", "-o", "json").json
    assert got["metadata"]["labels"] == {"a": "b"}
    container = got["spec"]["containers"][0]
    assert container["args"] == ["sleep", "10"]
    assert container["env"] == [{"name": "K", "value": "v"}]
    assert container["imagePullPolicy"] == "IfNotPresent"
    assert got["spec"]["restartPolicy"] == "Never"
    assert got["status"] == {"phase": "Pending", "qosClass": "BestEffort"}


def test_run_with_expose_makes_a_service_too(kubectl: Kubectl) -> None:
    got = kubectl("run", "p", "--image=app:v1", "--port=80", "--expose").lines
    assert got == ["service/p created", "pod/p created"]


def test_expose_takes_the_selector_of_a_deployment(kubectl: Kubectl, api: Connection) -> None:
    kubectl("create", "-f", "-", stdin=deployment("web"))
    said = kubectl("expose", "deployment", "web", "--port=80", "--target-port=http", "--name=front")
    assert said.stdout == "service/front exposed\n"
    got = kubectl("get", "service", "front", "-o", "json").json["spec"]
    assert got["selector"] == {"app": "web"}
    assert got["ports"] == [{"port": 80, "protocol": "TCP", "targetPort": "http"}]
    assert got["clusterIPs"] == [got["clusterIP"]]


def test_autoscale_makes_an_autoscaler(kubectl: Kubectl) -> None:
    kubectl("create", "-f", "-", stdin=deployment("web"))
    said = kubectl("autoscale", "deployment", "web", "--min=1", "--max=5", "--cpu-percent=80")
    assert said.stdout == "horizontalpodautoscaler.autoscaling/web autoscaled\n"
    row = kubectl("get", "hpa", "web", "--no-headers").rows[0]
    assert row[:7] == ["web", "Deployment/web", "cpu:", "<unknown>/80%", "1", "5", "0"]
    old = kubectl("get", "horizontalpodautoscalers.v1.autoscaling", "web", "-o", "json").json
    assert old["spec"]["targetCPUUtilizationPercentage"] == 80
