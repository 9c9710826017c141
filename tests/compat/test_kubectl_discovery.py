"""What a cluster says about itself: resources, versions, documentation of fields, health."""

from __future__ import annotations

import re

import pytest

from tests.compat.objects import definition
from tests.support.kubectls import Kubectl

pytestmark = pytest.mark.kubectl

KINDS = [
    "bindings",
    "configmaps",
    "endpoints",
    "events",
    "limitranges",
    "namespaces",
    "nodes",
    "persistentvolumeclaims",
    "persistentvolumes",
    "pods",
    "podtemplates",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "serviceaccounts",
    "services",
    "customresourcedefinitions.apiextensions.k8s.io",
    "controllerrevisions.apps",
    "daemonsets.apps",
    "deployments.apps",
    "replicasets.apps",
    "statefulsets.apps",
    "selfsubjectreviews.authentication.k8s.io",
    "tokenreviews.authentication.k8s.io",
    "localsubjectaccessreviews.authorization.k8s.io",
    "selfsubjectaccessreviews.authorization.k8s.io",
    "selfsubjectrulesreviews.authorization.k8s.io",
    "subjectaccessreviews.authorization.k8s.io",
    "horizontalpodautoscalers.autoscaling",
    "cronjobs.batch",
    "jobs.batch",
    "leases.coordination.k8s.io",
    "endpointslices.discovery.k8s.io",
    "events.events.k8s.io",
    "ingressclasses.networking.k8s.io",
    "ingresses.networking.k8s.io",
    "networkpolicies.networking.k8s.io",
    "runtimeclasses.node.k8s.io",
    "poddisruptionbudgets.policy",
    "clusterrolebindings.rbac.authorization.k8s.io",
    "clusterroles.rbac.authorization.k8s.io",
    "rolebindings.rbac.authorization.k8s.io",
    "roles.rbac.authorization.k8s.io",
    "priorityclasses.scheduling.k8s.io",
    "csidrivers.storage.k8s.io",
    "csinodes.storage.k8s.io",
    "csistoragecapacities.storage.k8s.io",
    "storageclasses.storage.k8s.io",
    "volumeattachments.storage.k8s.io",
]

VERSIONS = [
    "apiextensions.k8s.io/v1",
    "apps/v1",
    "authentication.k8s.io/v1",
    "authorization.k8s.io/v1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "events.k8s.io/v1",
    "networking.k8s.io/v1",
    "node.k8s.io/v1",
    "policy/v1",
    "rbac.authorization.k8s.io/v1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1",
    "v1",
]


def test_api_resources_names_every_kind(kubectl: Kubectl) -> None:
    assert set(kubectl("api-resources", "-o", "name").lines) >= set(KINDS)


def test_api_resources_shows_short_names_scope_verbs_and_categories(kubectl: Kubectl) -> None:
    rows = kubectl("api-resources", "-o", "wide", "--no-headers").rows
    verbs = "create,delete,deletecollection,get,list,patch,update,watch"
    assert ["pods", "po", "v1", "true", "Pod", verbs, "all"] in rows
    assert ["nodes", "no", "v1", "false", "Node", verbs] in rows
    assert ["cronjobs", "cj", "batch/v1", "true", "CronJob", verbs, "all"] in rows


def test_api_resources_by_group_and_scope(kubectl: Kubectl) -> None:
    got = kubectl("api-resources", "--api-group=batch", "-o", "name").lines
    assert got == ["cronjobs.batch", "jobs.batch"]
    whole = kubectl("api-resources", "--namespaced=false", "-o", "name").lines
    assert {"nodes", "namespaces", "clusterroles.rbac.authorization.k8s.io"} <= set(whole)
    assert "pods" not in whole


def test_api_versions(kubectl: Kubectl) -> None:
    assert set(kubectl("api-versions").lines) >= set(VERSIONS)


def test_version_and_cluster_info(kubectl: Kubectl) -> None:
    assert kubectl("version", "-o", "json").json["serverVersion"]["major"] == "1"
    shown = re.sub(r"\x1b\[[0-9;]*m", "", kubectl("cluster-info").stdout)
    assert re.search(
        r"^Kubernetes control plane is running at https://127\.0\.0\.1:\d+$", shown, re.MULTILINE
    )


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz"])
def test_health(kubectl: Kubectl, path: str) -> None:
    assert kubectl("get", "--raw", path).stdout == "ok"
    assert kubectl("get", "--raw", f"{path}?verbose").stdout.endswith(" check passed\n")


def test_explain_of_a_field_names_its_type_and_its_fields(kubectl: Kubectl) -> None:
    text = kubectl("explain", "pod.spec.containers").stdout
    assert re.search(r"^KIND: +Pod$", text, re.MULTILINE)
    assert re.search(r"^VERSION: +v1$", text, re.MULTILINE)
    assert re.search(r"^FIELD: containers <\[\]Container>$", text, re.MULTILINE)
    fields = re.findall(r"^  (\w+)\t<(\S+)>", text, re.MULTILINE)
    assert ("image", "string") in fields
    assert ("env", "[]EnvVar") in fields
    assert ("resources", "ResourceRequirements") in fields
    assert re.search(r"^  name\t<string> -required-$", text, re.MULTILINE)


def test_explain_recursively(kubectl: Kubectl) -> None:
    text = kubectl("explain", "deployment.spec", "--recursive").stdout
    assert re.search(r"^GROUP: +apps$", text, re.MULTILINE)
    assert re.search(r"^ +maxSurge\t<IntOrString>$", text, re.MULTILINE)
    assert re.search(r"^ +tolerationSeconds\t<integer>$", text, re.MULTILINE)


def test_explain_of_another_version(kubectl: Kubectl) -> None:
    text = kubectl("explain", "hpa.spec", "--api-version=autoscaling/v1").stdout
    assert "targetCPUUtilizationPercentage\t<integer>" in text


def test_explain_of_nothing(kubectl: Kubectl) -> None:
    assert kubectl.fails("explain", "pod.spec.wonder") == 'error: field "wonder" does not exist\n'
    got = kubectl.fails("explain", "wonders")
    assert got.endswith('the server doesn\'t have a resource type "wonders"\n')


def test_explain_of_a_custom_kind_shows_its_own_words(kubectl: Kubectl) -> None:
    group = f"{kubectl.namespace}.example.com"
    schema = {
        "type": "object",
        "description": "A widget turns things.",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["size"],
                "properties": {
                    "size": {"type": "integer", "description": "How big it is."},
                    "parts": {"type": "array", "items": {"type": "string"}},
                },
            }
        },
    }
    kubectl("create", "-f", "-", stdin=definition(group, "Widget", schema))
    kubectl("wait", "--for=condition=Established", f"crd/widgets.{group}", "--timeout=20s")
    text = kubectl("explain", "widgets", f"--api-version={group}/v1").stdout
    assert "A widget turns things." in text
    text = kubectl("explain", "widgets.spec", f"--api-version={group}/v1").stdout
    assert re.search(r"^  size\t<integer> -required-\n    How big it is\.$", text, re.MULTILINE)
    assert re.search(r"^  parts\t<\[\]string>$", text, re.MULTILINE)
    kubectl("delete", "crd", f"widgets.{group}")


def test_a_kind_nobody_knows(kubectl: Kubectl) -> None:
    assert kubectl.fails("get", "wonders") == (
        'error: the server doesn\'t have a resource type "wonders"\n'
    )
    raw = {"apiVersion": "example.com/v1", "kind": "Wonder", "metadata": {"name": "w"}}
    got = kubectl.fails("create", "-f", "-", stdin=raw)
    assert 'no matches for kind "Wonder" in version "example.com/v1"' in got
    assert "ensure CRDs are installed first" in got
