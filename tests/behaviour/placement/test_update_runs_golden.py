"""The staged case of a real KubeFleet, played step by step: runs, approvals and bindings come out equal."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from argosy.api.objects.fleet import names
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.resources import (
    CLUSTER_APPROVAL_REQUESTS,
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_RESOURCE_PLACEMENTS,
    CLUSTER_SCHEDULING_POLICY_SNAPSHOTS,
    CLUSTER_STAGED_UPDATE_RUNS,
    CLUSTER_STAGED_UPDATE_STRATEGIES,
    Resource,
)
from tests.behaviour.placement.runworlds import Hub, on_hub
from tests.behaviour.placement.test_update_runs import CANARY, PROD

# As kubectl shows them: in the version a server prefers.
V1 = {
    CLUSTER_STAGED_UPDATE_RUNS: "updaterun",
    CLUSTER_APPROVAL_REQUESTS: "approvals",
    CLUSTER_STAGED_UPDATE_STRATEGIES: "strategy",
}
ARRIVED = ("Overridden", "WorkSynchronized", "Applied", "Available")


def test_the_staged_case_comes_out_as_upstream_has_it(shared: Path) -> None:
    golden = Golden(shared / "fixtures" / "kubefleet")

    async def story(hub: Hub) -> None:
        hub.placement = "st-crp"
        await hub.member("member-1", env="canary")
        await hub.member("member-2", env="prod")
        await hub.strategy("st-strategy", CANARY, PROD)
        await golden.place(hub)
        await golden.compare(hub, "08-staged-a-before-run")

        await hub.run("st-run", state="Initialize", stagedRolloutStrategyName="st-strategy")
        await golden.compare(hub, "08-staged-b-initialized")

        await hub.turn("Run", "st-run")
        await golden.arrive(hub, "member-1")
        await hub.pass_time(12)
        await golden.compare(hub, "08-staged-c-waiting")

        await golden.approve(hub, "st-run-after-canary")
        assert await hub.approvals() == ["st-run-after-canary", "st-run-before-prod"]
        await golden.approve(hub, "st-run-before-prod")
        await golden.arrive(hub, "member-2")
        await hub.pass_time(20)
        await golden.compare(hub, "08-staged-e-succeeded")

    on_hub(story, shared)
    assert golden.compared == {
        "crp-st-crp.bindings": 3,
        "updaterun": 3,
        "approvals": 2,
        "strategy": 1,
    }


class Golden:
    """The files of the cases, and how they are compared."""

    def __init__(self, folder: Path) -> None:
        self._cases = folder / "cases"
        self._normal = _module(folder / "normalize.py")
        self.compared: dict[str, int] = {}

    async def place(self, hub: Hub) -> None:
        """What placement controller and scheduler had made before the run."""
        for what, resource in (
            ("crp-st-crp", CLUSTER_RESOURCE_PLACEMENTS),
            ("crp-st-crp.policysnapshots", CLUSTER_SCHEDULING_POLICY_SNAPSHOTS),
            ("crp-st-crp.bindings", CLUSTER_RESOURCE_BINDINGS),
        ):
            for document in self._documents("08-staged-a-before-run", what):
                obj = _real(document, hub)
                obj["metadata"].pop("ownerReferences", None)
                await hub.create(resource, obj)
                if "status" in obj:
                    await hub.report_on(resource, obj["metadata"]["name"], obj["status"])

    async def arrive(self, hub: Hub, cluster: str) -> None:
        """What the work generator writes once a member has applied everything."""
        name = hub.binding_name(cluster)
        binding = await hub.binding(cluster)
        finalizers = [names.BINDING_CLEANUP, names.WORK_CLEANUP]
        patch: Object = {"metadata": {"finalizers": finalizers}}
        await hub.client.patch(CLUSTER_RESOURCE_BINDINGS, name, patch)
        [wanted] = [
            document
            for document in self._documents("08-staged-e-succeeded", "crp-st-crp.bindings")
            if document["spec"]["targetCluster"] == cluster
        ]
        arrived = [
            {**each, "lastTransitionTime": "2026-01-01T00:00:00Z"}
            for each in wanted["status"]["conditions"]
            if each["type"] in ARRIVED
        ]
        conditions = [*binding["status"]["conditions"], *arrived]
        await hub.report_on(CLUSTER_RESOURCE_BINDINGS, name, {"conditions": conditions})

    async def approve(self, hub: Hub, name: str) -> None:
        condition = hub.condition("Approved", "True", "lgtm", generation=1)
        condition["message"] = "approved by hand"
        await hub.report_on(CLUSTER_APPROVAL_REQUESTS, name, {"conditions": [condition]})

    async def compare(self, hub: Hub, case: str) -> None:
        for resource, what in {**V1, CLUSTER_RESOURCE_BINDINGS: "crp-st-crp.bindings"}.items():
            if not (self._cases / case / f"{what}.yaml").exists():
                continue
            shown = resource if what not in V1.values() else _preferred(resource)
            found = [decode(raw) for raw in (await hub.client.list(shown)).items]
            self.equal(found, case, what)
            self.compared[what] = self.compared.get(what, 0) + 1

    def equal(self, found: list[Object], case: str, what: str) -> None:
        got = sorted((self._normal.clean(each) for each in found), key=self._normal.name)
        want = self._documents(case, what)
        assert self._normal.show(got) == self._normal.show(want), f"{case}/{what}"

    def _documents(self, case: str, what: str) -> list[Object]:
        documents: list[Object] = self._normal.load(self._cases / case / f"{what}.yaml")
        return documents


def _real(document: Object, hub: Hub) -> Object:
    """A normalized object with times and names that a server takes."""

    def real(value: object) -> object:
        if isinstance(value, dict):
            return {key: real(each) for key, each in value.items()}
        if isinstance(value, list):
            return [real(each) for each in value]
        if isinstance(value, str):
            return value.replace("<time>", "2026-01-01T00:00:00Z").replace("<hash>", "01234567")
        return value

    made: Object = real(document)
    made["metadata"].pop("generation", None)
    return made


def _preferred(resource: Resource) -> Resource:
    return Resource(
        resource.group, "v1", resource.plural, resource.kind, namespaced=resource.namespaced
    )


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("kubefleet_normalize", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
