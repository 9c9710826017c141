"""The unmodified Python client `kubernetes`: CRUD, watch, paging, custom kinds, server-side apply, errors."""

# The client's own types know neither dicts as bodies nor that what a server sends is filled in.
# mypy: disable-error-code="arg-type,union-attr,no-untyped-call,index,dict-item,attr-defined"

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException

from tests.compat.objects import config_map, definition, deployment, job, pod
from tests.support.connections import Connection


@pytest.fixture(scope="module")
def python(kubeconfig: Path) -> Iterator[client.ApiClient]:
    with config.new_client_from_config(str(kubeconfig)) as made:
        yield made


@pytest.fixture
def core(python: client.ApiClient) -> client.CoreV1Api:
    return client.CoreV1Api(python)


def body_of(problem: ApiException) -> Any:
    return json.loads(problem.body)


def test_an_object_lives_and_ends(core: client.CoreV1Api, namespace: str) -> None:
    made = core.create_namespaced_config_map(
        namespace,
        client.V1ConfigMap(metadata=client.V1ObjectMeta(name="app"), data={"a": "1"}),
    )
    assert made.metadata.uid
    made.data["b"] = "2"
    replaced = core.replace_namespaced_config_map("app", namespace, made)
    assert replaced.data == {"a": "1", "b": "2"}
    patched = core.patch_namespaced_config_map("app", namespace, {"data": {"a": None}})
    assert patched.data == {"b": "2"}
    assert core.read_namespaced_config_map("app", namespace).data == {"b": "2"}
    ended = core.delete_namespaced_config_map("app", namespace)
    assert ended["status"] == "Success" if isinstance(ended, dict) else ended.status == "Success"
    with pytest.raises(ApiException) as caught:
        core.read_namespaced_config_map("app", namespace)
    assert (caught.value.status, body_of(caught.value)["reason"]) == (404, "NotFound")


def test_models_of_pods_jobs_and_deployments(python: client.ApiClient, namespace: str) -> None:
    core, batch, apps = (
        client.CoreV1Api(python),
        client.BatchV1Api(python),
        client.AppsV1Api(python),
    )
    made = core.create_namespaced_pod(namespace, pod("p"))
    assert made.spec.restart_policy == "Always"
    assert made.status.phase == "Pending"
    assert made.spec.containers[0].image_pull_policy == "IfNotPresent"
    run = batch.create_namespaced_job(namespace, job("once"))
    assert run.spec.backoff_limit == 6
    assert run.spec.selector.match_labels == {
        "batch.kubernetes.io/controller-uid": run.metadata.uid
    }
    web = apps.create_namespaced_deployment(namespace, deployment("web", replicas=2))
    assert web.spec.strategy.rolling_update.max_surge == "25%"
    scale = apps.patch_namespaced_deployment_scale("web", namespace, {"spec": {"replicas": 5}})
    assert scale.spec.replicas == 5
    assert apps.read_namespaced_deployment("web", namespace).spec.replicas == 5
    status = apps.patch_namespaced_deployment_status("web", namespace, {"status": {"replicas": 3}})
    assert status.status.replicas == 3
    assert [one.metadata.name for one in apps.list_namespaced_deployment(namespace).items] == [
        "web"
    ]


def test_lists_are_paged(core: client.CoreV1Api, namespace: str) -> None:
    names = [f"m{number}" for number in range(7)]
    for name in names:
        core.create_namespaced_config_map(namespace, config_map(name, part="x"))
    got, token, pages = [], None, 0
    while True:
        page = core.list_namespaced_config_map(
            namespace, limit=3, label_selector="part=x", **({"_continue": token} if token else {})
        )
        got += [one.metadata.name for one in page.items]
        pages += 1
        token = page.metadata._continue
        if not token:
            break
    assert (got, pages) == (names, 3)


def test_a_page_stays_as_it_was_while_others_write(core: client.CoreV1Api, namespace: str) -> None:
    for name in ("a", "b", "c"):
        core.create_namespaced_config_map(namespace, config_map(name, part="x"))
    first = core.list_namespaced_config_map(namespace, limit=1, label_selector="part=x")
    core.delete_namespaced_config_map("c", namespace)
    core.create_namespaced_config_map(namespace, config_map("d", part="x"))
    rest = core.list_namespaced_config_map(
        namespace, limit=10, label_selector="part=x", _continue=first.metadata._continue
    )
    assert [one.metadata.name for one in rest.items] == ["b", "c"]
    assert rest.metadata.resource_version == first.metadata.resource_version


def test_a_watch_shows_what_happens(
    core: client.CoreV1Api, namespace: str, api: Connection
) -> None:
    since = core.list_namespaced_config_map(namespace).metadata.resource_version
    path = f"/api/v1/namespaces/{namespace}/configmaps"

    def write() -> None:
        other = Connection(api.address)
        other.create(path, config_map("app", {"key": "1"}, watched="yes"))
        other.merge(f"{path}/app", {"data": {"key": "2"}})
        other.delete(f"{path}/app")
        other.close()

    writer = threading.Thread(target=write)
    writer.start()
    got = []
    stream = watch.Watch()
    for event in stream.stream(
        core.list_namespaced_config_map,
        namespace,
        resource_version=since,
        label_selector="watched=yes",
        timeout_seconds=20,
    ):
        got.append((event["type"], event["object"].data["key"]))
        if event["type"] == "DELETED":
            stream.stop()
    writer.join()
    assert got == [("ADDED", "1"), ("MODIFIED", "2"), ("DELETED", "2")]


def test_a_watch_from_the_future_is_refused(core: client.CoreV1Api, namespace: str) -> None:
    """kube-apiserver waits for such a revision some seconds, then says the same."""
    with pytest.raises(ApiException) as caught:
        core.list_namespaced_config_map(
            namespace, resource_version="999999999", resource_version_match="NotOlderThan"
        )
    assert caught.value.status == 504
    causes = body_of(caught.value)["details"]["causes"]
    assert causes == [
        {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    ]


def test_custom_kinds(python: client.ApiClient, namespace: str) -> None:
    group = f"{namespace}.example.com"
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {"size": {"type": "integer", "maximum": 9, "default": 1}},
            },
            "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
        },
    }
    extensions = client.ApiextensionsV1Api(python)
    crd = definition(group, "Widget", schema, subresources={"status": {}})
    made = extensions.create_custom_resource_definition(crd)
    assert made.spec.group == group
    customs = client.CustomObjectsApi(python)
    where = (group, "v1", namespace, "widgets")
    body = {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {}}
    _until_served(customs, where)
    assert customs.create_namespaced_custom_object(*where, body)["spec"] == {"size": 1}
    change = {"spec": {"size": 5}}
    assert customs.patch_namespaced_custom_object(*where, "w", change)["spec"]["size"] == 5
    customs.patch_namespaced_custom_object_status(*where, "w", {"status": {"phase": "On"}})
    listed = customs.list_namespaced_custom_object(*where)
    assert [one["status"] for one in listed["items"]] == [{"phase": "On"}]
    with pytest.raises(ApiException) as caught:
        customs.patch_namespaced_custom_object(*where, "w", {"spec": {"size": 10}})
    assert caught.value.status == 422
    assert body_of(caught.value)["details"]["causes"] == [
        {
            "reason": "FieldValueInvalid",
            "message": "Invalid value: 10: spec.size in body should be less than or equal to 9",
            "field": "spec.size",
        }
    ]
    customs.delete_namespaced_custom_object(*where, "w")
    extensions.delete_custom_resource_definition(f"widgets.{group}")


def _until_served(customs: client.CustomObjectsApi, where: tuple[str, str, str, str]) -> None:
    for _ in range(200):
        try:
            customs.list_namespaced_custom_object(*where)
        except ApiException as problem:
            if problem.status != 404:
                raise
            threading.Event().wait(0.05)
        else:
            return
    pytest.fail("the custom kind was never served")


def test_server_side_apply(python: client.ApiClient, namespace: str) -> None:
    kinds = dynamic.DynamicClient(python)
    maps = kinds.resources.get(api_version="v1", kind="ConfigMap")

    def apply(manager: str, data: dict[str, str], **more: Any) -> Any:
        body = config_map("app", data)
        return maps.server_side_apply(body=body, namespace=namespace, field_manager=manager, **more)

    assert apply("a", {"mine": "1", "shared": "1"}).data.shared == "1"
    with pytest.raises(ApiException) as caught:
        apply("b", {"shared": "2"})
    assert caught.value.status == 409
    assert body_of(caught.value)["details"]["causes"] == [
        {
            "reason": "FieldManagerConflict",
            "message": 'conflict with "a"',
            "field": ".data.shared",
        }
    ]
    assert apply("b", {"shared": "2"}, force_conflicts=True).data.shared == "2"
    assert apply("a", {}).data.to_dict() == {"shared": "2"}


def test_logs_and_tokens(core: client.CoreV1Api, namespace: str) -> None:
    core.create_namespaced_pod(namespace, pod("p"))
    assert not core.read_namespaced_pod_log("p", namespace)
    request = client.AuthenticationV1TokenRequest(
        spec=client.V1TokenRequestSpec(audiences=["me"], expiration_seconds=600)
    )
    got = core.create_namespaced_service_account_token("default", namespace, request)
    assert got.status.token.count(".") == 2
    assert got.status.expiration_timestamp is not None
    evicted = core.create_namespaced_pod_eviction(
        "p", namespace, client.V1Eviction(metadata=client.V1ObjectMeta(name="p"))
    )
    assert evicted is not None


def test_reviews(python: client.ApiClient, namespace: str) -> None:
    authorization = client.AuthorizationV1Api(python)
    spec = client.V1SelfSubjectAccessReviewSpec(
        resource_attributes=client.V1ResourceAttributes(
            namespace=namespace, verb="delete", resource="pods"
        )
    )
    review = authorization.create_self_subject_access_review(
        client.V1SelfSubjectAccessReview(spec=spec)
    )
    assert review.status.allowed is True
    other = authorization.create_subject_access_review(
        client.V1SubjectAccessReview(
            spec=client.V1SubjectAccessReviewSpec(
                user="nobody", resource_attributes=spec.resource_attributes
            )
        )
    )
    assert not other.status.allowed


def test_utils_create_from_a_file(python: client.ApiClient, namespace: str, tmp_path: Path) -> None:
    file = tmp_path / "app.json"
    file.write_text(json.dumps(deployment("web")))
    utils.create_from_yaml(python, str(file), namespace=namespace)
    assert client.AppsV1Api(python).read_namespaced_deployment("web", namespace).spec.replicas == 2


def test_discovery(python: client.ApiClient) -> None:
    groups = {one.name for one in client.ApisApi(python).get_api_versions().groups}
    assert {"apps", "batch", "apiextensions.k8s.io", "coordination.k8s.io"} <= groups
    assert client.VersionApi(python).get_code().major == "1"
    resources = {one.name for one in client.CoreV1Api(python).get_api_resources().resources}
    assert {"pods", "pods/log", "pods/binding", "nodes/status"} <= resources


Call = Callable[[client.CoreV1Api, str, Any], object]
WRONG: dict[str, tuple[Call, int, str]] = {
    "a stale revision": (
        lambda core, namespace, made: core.replace_namespaced_config_map("app", namespace, made),
        409,
        "Conflict",
    ),
    "a bad name": (
        lambda core, namespace, _: core.create_namespaced_config_map(namespace, config_map("A_B")),
        422,
        "Invalid",
    ),
    "a taken name": (
        lambda core, namespace, _: core.create_namespaced_config_map(namespace, config_map("app")),
        409,
        "AlreadyExists",
    ),
    "a missing namespace": (
        lambda core, *_: core.create_namespaced_config_map("nowhere-at-all", config_map("app")),
        404,
        "NotFound",
    ),
    "a bad selector": (
        lambda core, namespace, _: core.list_namespaced_config_map(
            namespace, label_selector="a=b=c"
        ),
        400,
        "BadRequest",
    ),
    "a bad continue token": (
        lambda core, namespace, _: core.list_namespaced_config_map(namespace, _continue="nonsense"),
        400,
        "BadRequest",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors(core: client.CoreV1Api, namespace: str, case: str) -> None:
    call, code, reason = WRONG[case]
    made = core.create_namespaced_config_map(namespace, config_map("app"))
    core.patch_namespaced_config_map("app", namespace, {"data": {"new": "1"}})
    with pytest.raises(ApiException) as caught:
        call(core, namespace, made)
    status = body_of(caught.value)
    assert (caught.value.status, status["code"], status["reason"]) == (code, code, reason)
    assert status["status"] == "Failure"
