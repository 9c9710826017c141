"""Works and objects as the real KubeFleet left them: the same Works, sent here, come out the same.

What the hub would write of a Work (name, labels, annotations, spec) is taken from the golden file; its status and the
objects of member-1 are compared after upstream's own normalization.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from argosy.base.types import Object
from argosy.client.resources import (
    APPLIED_WORKS,
    CLUSTER_ROLES,
    CONFIG_MAPS,
    JOBS,
    NAMESPACES,
    WORKS,
    Resource,
)
from argosy.workloads.jobs import add_jobs
from tests.behaviour.member.pairs import SPACE, Pair, paired

Step = Callable[[Pair], Awaitable[None]]


@pytest.fixture(scope="module")
def normalize(shared: Path) -> ModuleType:
    path = shared / "fixtures" / "kubefleet" / "normalize.py"
    spec = importlib.util.spec_from_file_location("golden_normalize", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["golden_normalize"] = module
    spec.loader.exec_module(module)
    return module


async def _nothing(_: Pair) -> None:
    return


def _made(name: str, **data: str) -> Step:
    async def make(pair: Pair) -> None:
        body = {"metadata": {"name": name}, "data": data}
        await pair.member.create(CONFIG_MAPS, body, "golden")

    return make


def _edited(name: str, seconds: float = 30) -> Step:
    async def edit(pair: Pair) -> None:
        patch = {"data": {"a": "changed-in-member"}}
        await pair.member.client.patch(CONFIG_MAPS, name, patch, namespace="golden")
        await pair.pass_time(seconds)

    return edit


async def _rest(pair: Pair) -> None:
    await pair.pass_time(30)


CASES: dict[str, tuple[str, str, str, Step, Step, tuple[tuple[str, Resource, str, str], ...]]] = {
    "a Job drifts in degraded mode on its second pass": (
        "01-guide", "rp-job1-placement", "member-1", _nothing, _rest,
        (("m1-job", JOBS, "compute-jobs", "mock-workload"),),
    ),
    "an edit is drift, and stays": (
        "02-drift-partial", "rp-drift-rp", "member-1", _nothing, _edited("drift-cm"),
        (("m1-configmap", CONFIG_MAPS, "golden", "drift-cm"),),
    ),
    "a member nobody edits has no drift": (
        "02-drift-partial", "rp-drift-rp", "member-2", _nothing, _rest,
        (("m2-configmap", CONFIG_MAPS, "golden", "drift-cm"),),
    ),
    "an edit is put back": (
        "02-drift-always", "rp-drift-always-rp", "member-1", _nothing, _edited("drift-always-cm"),
        (("m1-configmap", CONFIG_MAPS, "golden", "drift-always-cm"),),
    ),
    "what is there is never taken over": (
        "03-takeover-never", "rp-to-never-rp", "member-1", _made("to-never-cm", a="preexisting"), _rest,
        (("m1-configmap", CONFIG_MAPS, "golden", "to-never-cm"),),
    ),
    "what is there is never taken over, be it the same": (
        "03-takeover-never", "rp-to-never-rp", "member-2", _made("to-never-cm", a="1"), _rest,
        (("m2-configmap", CONFIG_MAPS, "golden", "to-never-cm"),),
    ),
    "what is there is taken over": (
        "03-takeover-always", "rp-to-always-rp", "member-1", _made("to-always-cm", a="preexisting"), _rest,
        (("m1-configmap", CONFIG_MAPS, "golden", "to-always-cm"),),
    ),
    "a role with an override": (
        "04-override", "crp-cro-crp", "member-1", _nothing, _rest,
        (("m1-clusterrole", CLUSTER_ROLES, "", "cro-role"),),
    ),
    "a namespaced object with an override": (
        "04-override", "rp-ro-rp", "member-1", _nothing, _rest,
        (("m1-configmap", CONFIG_MAPS, "golden", "ro-cm"),),
    ),
    "a Work without a manifest": (
        "04-override", "crp-cro-crp", "member-2", _nothing, _rest, (),
    ),
    "a namespace that the member has not": (
        "06-applyfail", "rp-af-nons", "member-1", _nothing, _rest, (),
    ),
    "a diff of what is there": (
        "07-reportdiff", "rp-rd-rp", "member-1", _made("rd-cm", a="preexisting", extra="z"), _rest,
        (("m1-configmap", CONFIG_MAPS, "golden", "rd-cm"),),
    ),
    "a diff of what is not there": (
        "07-reportdiff", "rp-rd-rp", "member-2", _nothing, _rest, (),
    ),
    "a Work that is about to go": (
        "10-delete-a-before", "crp-del-crp", "member-1", _nothing, _rest,
        (("m1-appliedwork", APPLIED_WORKS, "", "del-crp-work"),),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_work_comes_out_as_upstream_left_it(case: str, shared: Path, normalize: Any) -> None:
    folder, placement, cluster, before, after, objects = CASES[case]
    golden = shared / "fixtures" / "kubefleet" / "cases" / folder
    (want,) = [
        each
        for each in normalize.load(golden / f"{placement}.works.yaml")
        if each["metadata"]["namespace"] == f"fleet-member-{cluster}"
    ]

    async def story(pair: Pair) -> None:
        await before(pair)
        await pair.hub.create(WORKS, _sent(want), SPACE)
        await pair.pass_time(1)
        await after(pair)
        got = _home(normalize.clean(await pair.work(want["metadata"]["name"])), cluster)
        assert normalize.show([got]) == normalize.show([want])
        for file, resource, namespace, name in objects:
            (wanted,) = normalize.load(golden / f"{file}.yaml")
            found = normalize.clean(await pair.there(resource, name, namespace))
            found["apiVersion"] = wanted["apiVersion"]
            assert normalize.show([_home(found, cluster)]) == normalize.show([wanted])

    paired(story, add_jobs, namespaces=("golden", "compute-jobs"))


def test_a_namespace_and_its_applied_work(shared: Path, normalize: Any) -> None:
    golden = shared / "fixtures" / "kubefleet" / "cases" / "00-ns"

    async def story(pair: Pair) -> None:
        manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "golden"}}
        await pair.send(manifest, name="golden-ns-work")
        for file, resource, name in (
            ("m1-ns", NAMESPACES, "golden"),
            ("m1-appliedwork", APPLIED_WORKS, "golden-ns-work"),
        ):
            (want,) = normalize.load(golden / f"{file}.yaml")
            got = normalize.clean(await pair.there(resource, name, ""))
            got["apiVersion"] = want["apiVersion"]
            assert normalize.show([got]) == normalize.show([want])

    paired(story)


def _sent(want: Object) -> Object:
    """The Work as the hub writes it."""
    meta = {key: want["metadata"][key] for key in ("name", "labels", "annotations")}
    # Names of bindings end with a hash, which the golden files leave out.
    labels = {key: value.replace("<hash>", "0a1b2c3d") for key, value in meta["labels"].items()}
    sha = "a" * 64
    annotations = {
        key: value.replace("<sha256>", sha) for key, value in meta["annotations"].items()
    }
    spec = _uids(want["spec"])
    for manifest in spec.get("workload", {}).get("manifests", ()):
        if manifest["kind"] == "Job":
            # The hub takes the labels out of a Job's selector, and the golden files what is empty.
            manifest["spec"]["selector"] = {"matchLabels": {}}
            manifest["spec"]["template"]["spec"]["securityContext"] = {}
    return {"metadata": {**meta, "labels": labels, "annotations": annotations}, "spec": spec}


def _uids(value: Any) -> Any:
    match value:
        case dict():
            return {key: _uids(each) for key, each in value.items()}
        case list():
            return [_uids(each) for each in value]
        case "<uuid>":
            return "6f1a7c52-0f0e-4a9e-9a55-3d6f5f2b8c11"
    return value


def _home(got: Object, cluster: str) -> Object:
    """Every member of these stories is called member-1."""
    if got["metadata"].get("namespace") == SPACE:
        got["metadata"]["namespace"] = f"fleet-member-{cluster}"
    return got
