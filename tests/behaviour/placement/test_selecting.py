"""What placements select while the hub changes under them, in virtual time."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
import yaml

from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import (
    CLUSTER_ROLES,
    CONFIG_MAPS,
    CUSTOM_RESOURCE_DEFINITIONS,
    JOBS,
    NAMESPACES,
    RESOURCE_ENVELOPES,
    Resource,
)
from argosy.placement.scopes import scope_of
from tests.behaviour.placement.hubs import Hub, on_hub

RP = Key("ns", "web")
CRP = Key("", "web")
BOATS = Resource("example.com", "v1", "boats", "Boat")
OLD_BOATS = Resource("example.com", "v1beta1", "boats", "Boat")


def selector(resource: Resource, name: str = "", **more: object) -> Object:
    named = {"name": name} if name else {}
    return {
        "group": resource.group,
        "version": resource.version,
        "kind": resource.kind,
        **named,
        **more,
    }


def labeled(resource: Resource, **labels: str) -> Object:
    return selector(resource, labelSelector={"matchLabels": labels})


def boats(*versions: str, scope: str = "Namespaced") -> Object:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "metadata": {"name": "boats.example.com"},
        "spec": {
            "group": "example.com",
            "scope": scope,
            "names": {"plural": "boats", "kind": "Boat"},
            "versions": [
                {"name": each, "served": True, "storage": each == versions[0], "schema": schema}
                for each in versions
            ],
        },
    }


def test_objects_come_and_go_with_their_labels(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("a", labels={"tier": "web"})
        await hub.place(RP, labeled(CONFIG_MAPS, tier="web"))
        await hub.settle()
        assert await hub.selected(RP) == ["a"]
        await hub.config_map("b", labels={"tier": "web"})
        await hub.config_map("c", labels={"tier": "db"})
        await hub.settle()
        assert await hub.selected(RP) == ["a", "b"]
        await hub.client.patch(
            CONFIG_MAPS, "a", {"metadata": {"labels": {"tier": "db"}}}, namespace="ns"
        )
        await hub.settle()
        assert await hub.selected(RP) == ["b"]
        await hub.client.delete(CONFIG_MAPS, "b", namespace="ns")
        await hub.settle()
        assert await hub.selected(RP) == []

    on_hub(shared, story)


def test_an_object_that_is_deleted_slowly_is_selected_no_more(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        body: Object = {"metadata": {"name": "a", "finalizers": ["example.com/slow"]}}
        await hub.client.create(CONFIG_MAPS, body, namespace="ns")
        await hub.place(RP, selector(CONFIG_MAPS, "a"))
        await hub.settle()
        assert await hub.selected(RP) == ["a"]
        await hub.client.delete(CONFIG_MAPS, "a", namespace="ns")
        await hub.settle()
        assert await hub.selected(RP) == []

    on_hub(shared, story)


def test_a_whole_namespace_is_followed(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("a")
        await hub.place(CRP, selector(NAMESPACES, "ns"))
        await hub.settle()
        assert await hub.selected(CRP) == ["ns", "a"]
        await hub.job("train", suspend=True)
        await hub.config_map("elsewhere", "other")
        await hub.settle()
        assert await hub.selected(CRP) == ["ns", "a", "train"]
        # A kind that comes along later counts, too.
        await hub.client.create(CUSTOM_RESOURCE_DEFINITIONS, boats("v1"))
        await hub.client.create(BOATS, {"metadata": {"name": "anna"}}, namespace="ns")
        await hub.settle()
        assert await hub.selected(CRP) == ["ns", "a", "train", "anna"]
        (version,) = boats("v1")["spec"]["versions"]
        unserved = {"spec": {"versions": [{**version, "served": False}]}}
        await hub.client.patch(CUSTOM_RESOURCE_DEFINITIONS, "boats.example.com", unserved)
        await hub.settle()
        assert await hub.selected(CRP) == ["ns", "a", "train"]

    on_hub(shared, story)


def test_namespaces_join_by_their_labels_with_all_they_hold(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("a")
        await hub.config_map("b", "other")
        await hub.place(CRP, labeled(NAMESPACES, team="red"))
        await hub.settle()
        assert await hub.selected(CRP) == []
        for name in ("ns", "other"):
            await hub.client.patch(NAMESPACES, name, {"metadata": {"labels": {"team": "red"}}})
        await hub.settle()
        assert await hub.selected(CRP) == ["ns", "other", "a", "b"]
        await hub.config_map("c", "other")
        await hub.settle()
        assert await hub.selected(CRP) == ["ns", "other", "a", "b", "c"]
        await hub.client.patch(NAMESPACES, "ns", {"metadata": {"labels": {"team": None}}})
        await hub.settle()
        assert await hub.selected(CRP) == ["other", "b", "c"]

    on_hub(shared, story)


def test_selectors_within_a_namespace(shared: Path) -> None:
    scope = "NamespaceWithResourceSelectors"

    async def story(hub: Hub) -> None:
        await hub.config_map("a", labels={"tier": "web"})
        await hub.config_map("b")
        await hub.place(
            CRP, selector(NAMESPACES, "ns", selectionScope=scope), labeled(CONFIG_MAPS, tier="web")
        )
        await hub.settle()
        assert await hub.selected(CRP) == ["ns", "a"]
        await hub.client.patch(
            CONFIG_MAPS, "b", {"metadata": {"labels": {"tier": "web"}}}, namespace="ns"
        )
        await hub.settle()
        assert await hub.selected(CRP) == ["ns", "a", "b"]

    on_hub(shared, story)


def test_objects_are_passed_on_in_the_version_that_was_named(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.client.create(CUSTOM_RESOURCE_DEFINITIONS, boats("v1", "v1beta1"))
        await hub.client.create(BOATS, {"metadata": {"name": "anna"}}, namespace="ns")
        await hub.place(RP, selector(OLD_BOATS, "anna"))
        await hub.settle()
        (boat,) = (await hub.latest(RP))["spec"]["selectedResources"]
        assert boat["apiVersion"] == "example.com/v1beta1"
        placement = await hub.placement(RP)
        assert placement is not None
        assert placement["status"]["selectedResources"] == [
            {
                "group": "example.com",
                "version": "v1beta1",
                "kind": "Boat",
                "name": "anna",
                "namespace": "ns",
            }
        ]

    on_hub(shared, story)


def test_a_kind_that_nobody_serves_is_said_and_forgiven_once_it_is_there(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.place(RP, selector(BOATS, "anna"))
        await hub.settle()
        placement = await hub.placement(RP)
        assert placement is not None
        (condition,) = placement["status"]["conditions"]
        assert (condition["status"], condition["reason"]) == ("False", "InvalidResourceSelectors")
        assert condition["message"] == (
            "The resource selectors are invalid: failed to process the request due to a client error: invalid"
            " placement ns/web, failed to get GVR of the selector: no matches for kind"
            ' "Boat" in version "example.com/v1"'
        )
        assert await hub.policies(RP) == []
        hub.writes()
        await hub.settle(3600 * 3)
        assert hub.writes() == []
        await hub.client.create(CUSTOM_RESOURCE_DEFINITIONS, boats("v1"))
        await hub.settle()
        assert await hub.conditions(RP) == {
            "ResourcePlacementScheduled": ("Unknown", "SchedulePending")
        }
        assert await hub.selected(RP) == []

    on_hub(shared, story)


def test_selectors_that_become_invalid_are_said_and_the_rest_stays(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.config_map("a")
        await hub.place(RP, selector(CONFIG_MAPS, "a"))
        await hub.settle()
        await hub.finish(RP, "east")
        await hub.settle()
        await hub.respecify(
            RP, resourceSelectors=[selector(CONFIG_MAPS, "a"), selector(CONFIG_MAPS)]
        )
        await hub.settle()
        conditions = await hub.conditions(RP)
        assert conditions["ResourcePlacementScheduled"] == ("False", "InvalidResourceSelectors")
        assert conditions["ResourcePlacementAvailable"] == ("True", "ResourceAvailable")
        # News of a cluster do not hide it.
        await hub.report(RP, "east", RolloutStarted="False")
        await hub.settle()
        assert (await hub.conditions(RP))["ResourcePlacementScheduled"][0] == "False"
        await hub.respecify(RP, resourceSelectors=[selector(CONFIG_MAPS)])
        await hub.settle()
        assert (await hub.conditions(RP))["ResourcePlacementScheduled"][1] == "SchedulePending"

    on_hub(shared, story)


def test_envelopes_are_selected_and_counted(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        inside = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "in", "namespace": "ns"},
        }
        body: Object = {"metadata": {"name": "letter"}, "data": {"a.yaml": inside}}
        await hub.client.create(RESOURCE_ENVELOPES, body, namespace="ns")
        await hub.place(RP, selector(RESOURCE_ENVELOPES, "letter"))
        await hub.settle()
        latest = await hub.latest(RP)
        assert (
            latest["metadata"]["annotations"]["kubernetes-fleet.io/number-of-enveloped-object"]
            == "1"
        )
        (envelope,) = latest["spec"]["selectedResources"]
        assert envelope["data"] == {"a.yaml": inside}

    on_hub(shared, story)


def test_kinds_are_followed_while_somebody_wants_them(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        def watched() -> list[str]:
            found = [plural for verb, plural in hub.network.calls if verb == "watch"]
            hub.network.calls.clear()
            return found

        watched()
        await hub.config_map("a")
        await hub.settle()
        assert watched() == []
        await hub.place(RP, selector(CONFIG_MAPS, "a"))
        await hub.place(Key("other", "web"), selector(CONFIG_MAPS, "a"))
        await hub.settle()
        assert watched() == ["configmaps"]
        for namespace in ("ns", "other"):
            await hub.client.delete(scope_of("ns").placements, "web", namespace=namespace)
        await hub.settle(30)
        await hub.place(RP, selector(CONFIG_MAPS, "a"))
        await hub.settle(100)
        assert watched() == []
        await hub.client.delete(scope_of("ns").placements, "web", namespace="ns")
        await hub.settle(100)
        await hub.place(RP, selector(CONFIG_MAPS, "a"))
        await hub.settle()
        assert watched() == ["configmaps"]
        assert await hub.selected(RP) == ["a"]

    on_hub(shared, story)


def test_one_object_concerns_its_own_placement_only(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from argosy.placement.selecting import sources

    selections: list[Key] = []
    pick = sources.pick

    def counted(key: Key, *more: object) -> object:
        selections.append(key)
        return pick(key, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(sources, "pick", counted)

    async def story(hub: Hub) -> None:
        for number in range(30):
            await hub.config_map(f"m{number}")
            await hub.place(Key("ns", f"p{number}"), selector(CONFIG_MAPS, f"m{number}"))
        await hub.settle()
        selections.clear()
        await hub.client.patch(CONFIG_MAPS, "m7", {"data": {"a": "1"}}, namespace="ns")
        await hub.settle()
        assert set(selections) == {Key("ns", "p7")}

    on_hub(shared, story)


UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def test_the_guides_jobs_are_selected_as_upstream_selects_them(shared: Path) -> None:
    fixtures = shared / "fixtures/kubefleet"
    manifests = yaml.safe_load_all((fixtures / "guide-2-jobs.yaml").read_text())
    (job,) = (
        each
        for each in manifests
        if each["kind"] == "Job" and each["metadata"]["name"] == "mock-workload"
    )
    (golden,) = yaml.safe_load_all(
        (fixtures / "cases/01-guide/rp-job1-placement.resourcesnapshots.yaml").read_text()
    )

    async def story(hub: Hub) -> None:
        await hub.client.create(JOBS, job)
        key = Key("compute-jobs", "job1-placement")
        await hub.place(key, selector(JOBS, "mock-workload"))
        await hub.settle()
        latest = await hub.latest(key)
        (selected,) = latest["spec"]["selectedResources"]
        assert selected["spec"].pop("selector") == {"matchLabels": {}}
        text = UUID.sub("<uuid>", msgspec.json.encode(_without_empty(selected)).decode())
        assert [msgspec.json.decode(text)] == golden["spec"]["selectedResources"]
        assert latest["metadata"]["labels"] == golden["metadata"]["labels"]
        assert latest["metadata"]["annotations"].keys() == golden["metadata"]["annotations"].keys()

    on_hub(shared, story, namespaces=("compute-jobs",))


def _without_empty(value: object) -> object:
    """Fixtures leave out what is empty."""
    if isinstance(value, dict):
        found = {name: _without_empty(each) for name, each in value.items()}
        return {name: each for name, each in found.items() if each not in ({}, None)}
    return [_without_empty(each) for each in value] if isinstance(value, list) else value


def test_cluster_roles_go_as_they_are(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]
        await hub.client.create(CLUSTER_ROLES, {"metadata": {"name": "reader"}, "rules": rules})
        await hub.place(CRP, selector(CLUSTER_ROLES, "reader"))
        await hub.settle()
        assert (await hub.latest(CRP))["spec"]["selectedResources"] == [
            {
                "apiVersion": "rbac.authorization.k8s.io/v1",
                "kind": "ClusterRole",
                "metadata": {"name": "reader"},
                "rules": rules,
            }
        ]

    on_hub(shared, story)
