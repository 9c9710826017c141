"""Pods through their subresources, and paths that are no resources."""

from __future__ import annotations

from typing import Any

from argosy.apiserver.http.messages import Response
from tests.behaviour.apiserver.serving import MAPS, PODS, Served, serving

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


async def pod(served: Served, name: str = "p", **spec: Any) -> None:
    body = {
        "metadata": {"name": name},
        "spec": {"containers": [{"name": "a", "image": "b"}], **spec},
    }
    code, made = await served.ask("POST", PODS, body)
    assert code == 201, made


def bound_to(node: str, name: str = "p") -> dict[str, Any]:
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}


def test_a_pod_is_bound_once() -> None:
    async def story(served: Served) -> None:
        await pod(served)
        assert (await served.ask("POST", f"{PODS}/p/binding", bound_to("n1")))[0] == 201
        _, found = await served.ask("GET", f"{PODS}/p")
        assert found["spec"]["nodeName"] == "n1"
        assert [c["type"] for c in found["status"]["conditions"]] == ["PodScheduled"]
        assert await served.said("POST", f"{PODS}/p/binding", bound_to("n2")) == (
            409,
            'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
        )
        assert await served.said("POST", f"{PODS}/p/binding", bound_to("n2", "q")) == (
            400,
            "name in URL does not match name in Binding object",
        )

    serving(story)


def budget(allowed: int) -> dict[str, Any]:
    return {
        "status": {
            "disruptionsAllowed": allowed, "observedGeneration": 1, "currentHealthy": 1 + allowed,
            "desiredHealthy": 1, "expectedPods": 2,
        }
    }  # fmt: skip


def test_an_eviction_spends_its_budget_and_then_waits() -> None:
    async def story(served: Served) -> None:
        budgets = "/apis/policy/v1/namespaces/ns/poddisruptionbudgets"
        await served.ask(
            "POST",
            budgets,
            {"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {}}},
        )
        await served.ask("PATCH", f"{budgets}/b/status", budget(1), content_type=MERGE)
        for name in ("p", "q"):
            await pod(served, name, nodeName="n")
            ready = {"type": "Ready", "status": "True"}
            running = {"status": {"phase": "Running", "conditions": [ready]}}
            await served.ask("PATCH", f"{PODS}/{name}/status", running, content_type=MERGE)
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
        assert (await served.ask("POST", f"{PODS}/p/eviction", eviction))[0] == 201
        _, ending = await served.ask("GET", f"{PODS}/p")
        reasons = {c["type"]: c.get("reason") for c in ending["status"]["conditions"]}
        assert reasons["DisruptionTarget"] == "EvictionByEvictionAPI"
        _, spent = await served.ask("GET", f"{budgets}/b")
        assert spent["status"]["disruptionsAllowed"] == 0
        assert [c["reason"] for c in spent["status"]["conditions"]] == ["InsufficientPods"]
        eviction["metadata"] = {"name": "q"}
        code, refused = await served.ask("POST", f"{PODS}/q/eviction", eviction)
        assert (code, refused["message"]) == (
            429,
            "Cannot evict pod as it would violate the pod's disruption budget.",
        )
        assert refused["details"]["causes"][0]["message"] == (
            "The disruption budget b does not allow evicting pods currently"
        )

    serving(story)


def test_a_pod_that_does_not_serve_is_evicted_without_a_budget() -> None:
    async def story(served: Served) -> None:
        budgets = "/apis/policy/v1/namespaces/ns/poddisruptionbudgets"
        spec = {"minAvailable": 1, "selector": {}}
        await served.ask("POST", budgets, {"metadata": {"name": "b"}, "spec": spec})
        await served.ask("PATCH", f"{budgets}/b/status", budget(0), content_type=MERGE)
        await pod(served, nodeName="n")
        running = {"status": {"phase": "Running"}}
        await served.ask("PATCH", f"{PODS}/p/status", running, content_type=MERGE)
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
        assert (await served.ask("POST", f"{PODS}/p/eviction", eviction))[0] == 201

    serving(story)


def scale(replicas: Any, name: str = "d") -> dict[str, Any]:
    spec = {"replicas": replicas}
    return {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": name},
        "spec": spec,
    }


def test_a_scale_is_read_like_any_object() -> None:
    async def story(served: Served) -> None:
        sets = "/apis/apps/v1/namespaces/ns/replicasets"
        template = {
            "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "b"}]},
        }  # fmt: skip
        spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}
        code, _ = await served.ask("POST", sets, {"metadata": {"name": "d"}, "spec": spec})
        assert code == 201
        door = f"{sets}/d/scale"
        code, got = await served.ask("PUT", door, scale(3))
        assert (code, got["spec"]) == (200, {"replicas": 3})
        code, text = await served.said("PUT", door, scale(3, "other"))
        assert (code, text) == (
            400,
            "the name of the object (other) does not match the name on the URL (d)",
        )
        for change in (
            {"spec": {"replicas": 1 << 40}},
            {"spec": {"replicas": "x"}},
            {"metadata": "x"},
        ):
            code, text = await served.said("PATCH", door, change, content_type=MERGE)
            assert code == 422
            assert text.startswith(' "" is invalid: patch: Invalid value: ')
        code, got = await served.ask("PATCH", door, {"spec": None}, content_type=MERGE)
        assert (code, got["spec"]) == (200, {})

    serving(story)


def test_a_scale_may_be_applied() -> None:
    async def story(served: Served) -> None:
        sets = "/apis/apps/v1/namespaces/ns/replicasets"
        template = {
            "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "b"}]},
        }  # fmt: skip
        spec = {"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template}
        await served.ask("POST", sets, {"metadata": {"name": "d"}, "spec": spec})
        door, media = f"{sets}/d/scale", "application/apply-patch+yaml"
        got = await served.said("PATCH", f"{door}?fieldManager=x", scale(3), content_type=media)
        assert got == (
            409,
            'Apply failed with 1 conflict: conflict with "test" using autoscaling/v1: .spec.replicas',
        )
        forced = f"{door}?fieldManager=x&force=true"
        code, made = await served.ask("PATCH", forced, scale(3), content_type=media)
        assert (code, made["spec"]) == (200, {"replicas": 3})
        _, found = await served.ask("GET", f"{sets}/d")
        entries = found["metadata"]["managedFields"]
        owners = [(e["operation"], e["subresource"]) for e in entries if e["manager"] == "x"]
        assert owners == [("Apply", "scale")]

    serving(story)


def test_containers_for_debugging_are_added_and_never_changed() -> None:
    async def story(served: Served) -> None:
        await pod(served)
        door = f"{PODS}/p/ephemeralcontainers"
        change = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "busybox"}]}}
        code, got = await served.ask("PATCH", door, change, content_type=STRATEGIC)
        assert (code, got["metadata"]["generation"]) == (200, 2)
        assert [c["name"] for c in got["spec"]["ephemeralContainers"]] == ["debug"]
        gone = {"spec": {"ephemeralContainers": None, "activeDeadlineSeconds": 9}}
        code, text = await served.said("PATCH", door, gone, content_type=MERGE)
        assert code == 422
        assert 'existing ephemeral containers "debug" may not be removed' in text

    serving(story)


def test_a_resize_changes_cpu_and_memory_and_nothing_else() -> None:
    async def story(served: Served) -> None:
        resources = {"requests": {"cpu": "100m", "memory": "64Mi"}}
        container = {"name": "a", "image": "b", "resources": resources}
        await pod(served, containers=[container])

        async def resize(**given: Any) -> tuple[int, Any]:
            change = {"spec": {"containers": [{"name": "a", **given}]}}
            return await served.ask("PATCH", f"{PODS}/p/resize", change, content_type=STRATEGIC)

        code, got = await resize(resources={"requests": {"cpu": "200m"}}, image="other")
        assert code == 200
        assert got["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "200m"
        assert got["spec"]["containers"][0]["image"] == "b"
        code, got = await resize(resources={"requests": {"ephemeral-storage": "1Gi"}})
        assert (code, got["message"]) == (
            422,
            'Pod "p" is invalid: spec: Forbidden: only cpu and memory resources are mutable',
        )
        code, got = await resize(resources={"limits": {"cpu": "200m", "memory": "64Mi"}})
        assert (code, got["message"]) == (
            422,
            'Pod "p" is invalid: spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
        )

    serving(story)


def test_methods_a_subresource_has_not() -> None:
    async def story(served: Served) -> None:
        await pod(served)
        for method, path in (
            ("POST", f"{PODS}/p/status"), ("DELETE", f"{PODS}/p/status"), ("GET", f"{PODS}/p/binding"),
            ("PUT", f"{PODS}/p/log"), ("HEAD", f"{PODS}/p"), ("DELETE", "/version"), ("POST", "/apis"),
        ):  # fmt: skip
            body = {} if method in {"POST", "PUT"} else None
            got = await served.said(method, path, body)
            want = "the server does not allow this method on the requested resource"
            assert got == (405, want), path

    serving(story)


def test_what_is_not_there_is_told_in_two_ways() -> None:
    async def story(served: Served) -> None:
        text = "the server could not find the requested resource"
        for path in ("/api/v2", "/apis/apps/v9", "/api/v1/wonders", "/apis/apps/v1/wonders"):
            assert await served.said("GET", path) == (404, text), path
        for path in ("/apis/example.com/v1/things", "/apis/example.com", "/wonders"):
            got = await served.ask("GET", path)
            assert got == (404, b"404 page not found\n"), path

    serving(story)


def test_documents_have_tags_and_are_sent_once() -> None:
    async def story(served: Served) -> None:
        form = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        _, index = await served.ask("GET", "/openapi/v3")
        hashed = index["paths"]["api/v1"]["serverRelativeURL"]
        for path, caching in (
            ("/apis", "public"), ("/openapi/v2", "no-cache, private"), (hashed, "public, immutable"),
        ):  # fmt: skip
            accept = form if path == "/apis" else "application/json"
            first = await served.answer("GET", path, accept=accept)
            assert isinstance(first, Response)
            headers = dict(first.headers)
            assert (headers["Cache-Control"], headers["Vary"]) == (caching, "Accept")
            assert headers["ETag"].startswith('"')
            again = await served.answer("GET", path, accept=accept, if_none_match=headers["ETag"])
            assert isinstance(again, Response)
            assert (again.status, again.body) == (304, b"")
        moved = await served.answer("GET", "/openapi/v3/api/v1?hash=OLD")
        assert isinstance(moved, Response)
        assert (moved.status, dict(moved.headers)["Location"]) == (301, hashed)

    serving(story)


def test_answers_in_yaml_and_for_people() -> None:
    async def story(served: Served) -> None:
        yaml = await served.answer("GET", f"{MAPS}/none", accept="application/yaml")
        assert isinstance(yaml, Response)
        assert yaml.body.decode() == (
            "apiVersion: v1\ncode: 404\ndetails:\n  kind: configmaps\n  name: none\nkind: Status\n"
            'message: configmaps "none" not found\nmetadata: {}\nreason: NotFound\nstatus: Failure\n'
        )
        pretty = await served.answer("GET", f"{MAPS}/none?pretty=true")
        assert isinstance(pretty, Response)
        assert pretty.body.startswith(b'{\n  "kind": "Status",\n  "apiVersion": "v1",\n')

    serving(story)


def test_component_statuses_show_the_store() -> None:
    async def story(served: Served) -> None:
        answer = await served.answer("GET", "/api/v1/componentstatuses")
        assert answer.warnings == ["v1 ComponentStatus is deprecated in v1.19+"]
        _, listed = await served.ask("GET", "/api/v1/componentstatuses")
        assert [item["metadata"]["name"] for item in listed["items"]] == ["etcd-0"]
        got = await served.said("GET", "/api/v1/componentstatuses/scheduler")
        assert got == (404, 'componentstatuses "scheduler" not found')

    serving(story)
