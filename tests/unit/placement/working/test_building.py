"""The Works a binding wants, and what is in envelopes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.overrides import (
    ClusterResourceOverrideSnapshot,
    ResourceOverrideSnapshot,
)
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.types import Json, Object
from argosy.placement.overriding.applying import OverrideFailed, Overrider
from argosy.placement.overriding.identities import identify
from argosy.placement.working.building import Draft, build, shards_of
from argosy.placement.working.envelopes import DuplicateWorks, EnvelopeRefused, unpacked
from tests.unit.placement.golden import beside, cases, objects, placements, view, views
from tests.unit.placement.overriding.builders import MAP, NAMESPACE, cluster_wide, namespaced
from tests.unit.placement.working.builders import (
    STRATEGY,
    binding,
    config_map,
    envelope,
    snapshot,
    work,
)

MEMBER = MemberCluster(metadata=ObjectMeta(name="m1"))
PLAIN = Overrider(MEMBER)
BOX = "envelope-f692435a8a2f20d5"
EVERYWHERE: Object = {"clusterSelectorTerms": []}


def names_of(drafts: list[Draft]) -> dict[str, list[str]]:
    """The names of manifests by the name of their Work."""
    return {
        draft.name: [msgspec.json.decode(raw)["metadata"]["name"] for raw in draft.manifests]
        for draft in drafts
    }


def test_every_shard_has_a_work() -> None:
    shards = [
        snapshot(config_map("a"), config_map("b"), namespace="ns"),
        snapshot(config_map("c"), namespace="ns", subindex=0),
    ]
    got = build(binding("ns"), shards, PLAIN)
    assert names_of(got) == {"ns.p-work": ["a", "b"], "ns.p-0": ["c"]}
    for draft in got:
        assert draft.namespace == "fleet-member-m1"
        assert draft.labels == {
            names.PARENT: "p",
            names.PARENT_BINDING: "b",
            names.PARENT_NAMESPACE: "ns",
            names.PARENT_SNAPSHOT_INDEX: "0",
        }


def test_manifests_without_overrides_and_envelopes_are_not_even_read() -> None:
    shard = snapshot(config_map("a"))
    broken = msgspec.structs.replace(
        shard, spec=msgspec.structs.replace(shard.spec, selected_resources=(msgspec.Raw(b"?"),))
    )
    (draft,) = build(binding(), [broken], PLAIN)
    assert draft.manifests == (msgspec.Raw(b"?"),)


def test_an_empty_work_is_made_all_the_same() -> None:
    (draft,) = build(binding(), [snapshot()], PLAIN)
    assert draft.document()["spec"]["workload"] == {}
    assert draft.patch()["spec"]["workload"] == {"manifests": None}


def test_a_patch_takes_away_what_the_strategy_does_not_say() -> None:
    (draft,) = build(binding(), [snapshot()], PLAIN)
    got = draft.patch()["spec"]["applyStrategy"]
    assert got == {**STRATEGY, "allowCoOwnership": None, "serverSideApplyConfig": None}
    (draft,) = build(binding(applyStrategy=None), [snapshot()], PLAIN)
    assert draft.patch()["spec"]["applyStrategy"] is None
    assert "applyStrategy" not in draft.document()["spec"]


HASHES: dict[str, tuple[Object, str, str]] = {
    "none": (
        {},
        "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b",
        "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b",
    ),
    "some": (
        {
            "resourceOverrideSnapshots": [{"name": "ro-0", "namespace": "ns"}],
            "clusterResourceOverrideSnapshots": ["a-0", "b-1"],
        },
        "ba853cd25ea91fcf839313a52575dfcda77a781388c3a827b0f8cbb6f4f5c1c3",
        "bf8e49774366f328309df136f94f8f6339a057643c0f4326454d0a38205a44cb",
    ),
}


@pytest.mark.parametrize(("spec", "overrides", "cluster_wide_ones"), HASHES.values(), ids=HASHES)
def test_the_hashes_of_overrides(spec: Object, overrides: str, cluster_wide_ones: str) -> None:
    (draft,) = build(binding(**spec), [snapshot()], PLAIN)
    assert draft.annotations == {
        names.PARENT_SNAPSHOT_NAME: "p-0-snapshot",
        names.OVERRIDE_HASH: overrides,
        names.CLUSTER_OVERRIDE_HASH: cluster_wide_ones,
    }


# Envelopes.


def test_an_envelope_has_a_work_of_its_own() -> None:
    box = envelope("box", {"one": config_map("a"), "two": config_map("b")})
    got = build(binding("ns"), [snapshot(box, config_map("c"), namespace="ns", envelopes=1)], PLAIN)
    assert names_of(got) == {f"ns.p-work-{BOX}": ["b", "a"], "ns.p-work": ["c"]}
    labels = got[0].labels
    assert labels[names.ENVELOPE_TYPE] == "ResourceEnvelope"
    assert (labels[names.ENVELOPE_NAME], labels[names.ENVELOPE_NAMESPACE]) == ("box", "ns")
    assert names.ENVELOPE_TYPE not in got[1].labels


def test_an_envelope_of_the_cluster_tells_no_namespace() -> None:
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "r"},
    }
    box = envelope("box", {"one": role}, namespace="")
    got = build(binding(), [snapshot(box, envelopes=None)], PLAIN)
    assert got[0].labels[names.ENVELOPE_TYPE] == "ClusterResourceEnvelope"
    assert names.ENVELOPE_NAMESPACE not in got[0].labels
    assert names_of(got)["p-work"] == []


def test_a_work_that_stands_for_the_envelope_keeps_its_name() -> None:
    labels = {
        names.PARENT_BINDING: "b",
        names.ENVELOPE_TYPE: "ResourceEnvelope",
        names.ENVELOPE_NAME: "box",
        names.ENVELOPE_NAMESPACE: "ns",
    }
    box = envelope("box", {"one": config_map("a")})
    shards = [snapshot(box, namespace="ns", envelopes=1)]
    old, other = (
        work("old-uuid", labels=labels),
        work("x", labels={**labels, names.ENVELOPE_NAME: "y"}),
    )
    assert "old-uuid" in names_of(build(binding("ns"), shards, PLAIN, [other, old]))
    with pytest.raises(DuplicateWorks) as caught:
        build(binding("ns"), shards, PLAIN, [old, work("twin", labels=labels)])
    assert (
        str(caught.value) == "2 work objects found for the same envelope ns/box, only one expected"
    )
    assert caught.value.event == (
        "Multiple Work objects ([old-uuid twin]) found for envelope ns/box in namespace "
        "fleet-member-m1; delete all but the oldest to recover"
    )


REFUSED: dict[str, tuple[Object, str]] = {
    "a namespaced object in an envelope of the cluster": (
        envelope("box", {"k": config_map("a")}, namespace=""),
        "a namespaced object k (ns/a) has been wrapped in a cluster resource envelope box",
    ),
    "an object of the cluster in an envelope of a namespace": (
        envelope("box", {"k": config_map("a", namespace="")}),
        "a cluster scope object k (a) has been wrapped in a resource envelope ns/box",
    ),
    "an object of another namespace": (
        envelope("box", {"k": config_map("a", namespace="other")}),
        (
            "a namespaced object k (other/a) in has been wrapped in a resource envelope from another "
            "namespace (ns/box)"
        ),
    ),
    "the first of several, by key": (
        envelope("box", {"z": config_map("a", namespace=""), "b": config_map("b", namespace="")}),
        "a cluster scope object b (b) has been wrapped in a resource envelope ns/box",
    ),
    "no object": (
        envelope("box", {"k": {"metadata": {"name": 5}}}),
        (
            "failed to parse the wrapped manifest data to a Kubernetes runtime object "
            "(manifestKey=k,envelopeObjRef=ns/box): Expected `str`, got `int` - at `$.metadata.name`"
        ),
    ),
}


@pytest.mark.parametrize(("box", "want"), REFUSED.values(), ids=REFUSED)
def test_an_envelope_that_holds_what_it_must_not(box: Object, want: str) -> None:
    raw = msgspec.Raw(msgspec.json.encode(box))
    with pytest.raises(EnvelopeRefused) as caught:
        unpacked(identify(raw), raw)
    assert str(caught.value) == want


def test_the_content_of_an_envelope_does_not_depend_on_the_order_of_keys() -> None:
    one, two = {**config_map("a"), "data": {"x": "1"}}, {**config_map("b"), "data": {"x": "0"}}
    turned = dict(reversed(one.items()))
    for data in ({"a": one, "b": two}, {"b": two, "a": turned}):
        raw = msgspec.Raw(msgspec.json.encode(envelope("box", data)))
        assert [each.who.name for each in unpacked(identify(raw), raw)] == ["a", "b"]


def _rule(path: str) -> Object:
    patch: Object = {"op": "add", "path": path, "value": {"x": "y"}}
    return {"clusterSelector": EVERYWHERE, "jsonPatchOverrides": [patch]}


def test_overrides_reach_into_envelopes_but_do_not_touch_them() -> None:
    box = envelope("cm", {"k": config_map("cm"), "l": config_map("other")})
    delete: Object = {"clusterSelector": EVERYWHERE, "overrideType": "Delete"}
    overrider = Overrider(
        MEMBER,
        [cluster_wide("cro", NAMESPACE, rules=[_rule("/metadata/labels")])],
        [namespaced("ro", MAP, MAP._replace(kind="ResourceEnvelope"), rules=[delete])],
    )
    got = build(binding("ns"), [snapshot(box, namespace="ns", envelopes=1)], overrider)
    assert list(names_of(got).values()) == [["other"], []]
    assert msgspec.json.decode(got[0].manifests[0])["metadata"]["labels"] == {"x": "y"}


def test_an_override_that_fails_in_an_envelope_tells_which() -> None:
    box = envelope("box", {"k": config_map("cm")})
    overrider = Overrider(MEMBER, [], [namespaced("ro", MAP, rules=[_rule("/nope/n")])])
    with pytest.raises(OverrideFailed) as caught:
        build(binding("ns"), [snapshot(box, namespace="ns", envelopes=1)], overrider)
    assert str(caught.value) == (
        'envelope ns/box: ResourceOverrideSnapshot "ro" failed to apply on ConfigMap "cm" in '
        'namespace "ns": add operation does not apply: doc is missing path: "/nope/n": missing value'
    )


# Shards.

MASTER = snapshot(shards=3)
ZERO, ONE, TEN = (snapshot(subindex=number) for number in (0, 1, 10))
OLD = snapshot(index=1, subindex=0)
SHARDS: dict[str, tuple[list[ResourceSnapshot], Json]] = {
    "all are there, in order of their numbers": ([ONE, OLD, MASTER, ZERO], [MASTER, ZERO, ONE]),
    "one is missing": ([MASTER, ZERO, OLD], None),
    "one too many is taken along": ([TEN, MASTER, ONE, ZERO], [MASTER, ZERO, ONE, TEN]),
}


@pytest.mark.parametrize(("present", "want"), SHARDS.values(), ids=SHARDS)
def test_the_shards_of_a_snapshot(present: list[ResourceSnapshot], want: Json) -> None:
    assert shards_of(MASTER, present) == want


# Golden.


def test_works_are_those_of_a_real_kubefleet(shared: Path) -> None:
    """Names, labels, annotations, manifests and strategies, from bindings and snapshots; hashes are not in the files."""
    checked = set()
    members = _members(shared)
    cluster_overrides, overrides = _overrides(shared)
    for title, prefix in placements(shared):
        snapshots = views(beside(prefix, "resourcesnapshots"), ResourceSnapshot)
        golden = {
            (each["metadata"]["namespace"], each["metadata"]["name"]): each
            for each in objects(beside(prefix, "works"))
        }
        for bound in views(beside(prefix, "bindings"), Binding):
            spec = bound.spec
            key = (names.member_namespace(spec.target_cluster), "")
            if not snapshots or not any(namespace == key[0] for namespace, _ in golden):
                continue
            overrider = Overrider(
                members[spec.target_cluster],
                [cluster_overrides[each] for each in spec.cluster_resource_override_snapshots],
                [overrides[each.name] for each in spec.resource_override_snapshots],
            )
            for draft in build(bound, snapshots, overrider):
                want = golden[draft.namespace, draft.name]
                got = msgspec.json.decode(msgspec.json.encode(draft.document()))
                for hash_ in (names.OVERRIDE_HASH, names.CLUSTER_OVERRIDE_HASH):
                    got["metadata"]["annotations"][hash_] = "<sha256>"
                assert got["metadata"]["labels"] == want["metadata"]["labels"], title
                assert got["metadata"]["annotations"] == want["metadata"]["annotations"], title
                assert _clean(got["spec"]) == want["spec"], title
                checked.add(title)
    assert len(checked) >= 15


def _clean(obj: Json) -> Json:
    """Without what the golden files leave out: empty objects and nulls."""
    if isinstance(obj, dict):
        found = {key: _clean(value) for key, value in obj.items()}
        return {key: value for key, value in found.items() if value not in ({}, None)}
    return [_clean(each) for each in obj] if isinstance(obj, list) else obj


def _members(shared: Path) -> dict[str, MemberCluster]:
    labels = {"member-1": "canary", "member-2": "prod"}
    found = {}
    for name in ("member-1", "member-2", "fake-000", "fake-001"):
        meta: Object = {"name": name, "labels": {"env": labels.get(name, "")}}
        found[name] = view({"metadata": meta}, MemberCluster)
    return found


def _overrides(
    shared: Path,
) -> tuple[dict[str, ClusterResourceOverrideSnapshot], dict[str, ResourceOverrideSnapshot]]:
    folder = cases(shared) / "04-override"
    cluster_overrides = views(
        folder / "clusterresourceoverridesnapshots.yaml", ClusterResourceOverrideSnapshot
    )
    overrides = views(folder / "resourceoverridesnapshots.yaml", ResourceOverrideSnapshot)
    return (
        {each.metadata.name: each for each in cluster_overrides},
        {each.metadata.name: each for each in overrides},
    )
