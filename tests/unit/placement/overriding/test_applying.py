"""Manifests as one cluster gets them."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
import pytest

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.overrides import (
    ClusterResourceOverrideSnapshot,
    ResourceOverrideSnapshot,
)
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.types import Json, Object
from argosy.placement.overriding.applying import OverrideFailed, Overrider
from argosy.placement.overriding.identities import identify
from argosy.placement.overriding.matching import Identified
from tests.unit.placement.overriding.builders import (
    MAP,
    NAMESPACE,
    ROLE,
    cluster_wide,
    namespaced,
)

MEMBER = MemberCluster(
    metadata=ObjectMeta(name="m1", labels={"env": "canary", "example.com/zone": "a", "odd": 'x"y'})
)
CONFIG: Object = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "cm", "namespace": "ns"},
    "data": {"a": "1"},
}
CANARY: Object = {"clusterSelectorTerms": [{"labelSelector": {"matchLabels": {"env": "canary"}}}]}
PROD: Object = {"clusterSelectorTerms": [{"labelSelector": {"matchLabels": {"env": "prod"}}}]}
DELETE: Object = {"clusterSelector": CANARY, "overrideType": "Delete"}


def change(
    value: Json, selector: Object = CANARY, path: str = "/data/a", op: str = "add"
) -> Object:
    patch: Object = {"op": op, "path": path}
    if value is not None:
        patch["value"] = value
    return {
        "clusterSelector": selector,
        "overrideType": "JSONPatch",
        "jsonPatchOverrides": [patch],
    }


@dataclass
class Case:
    want: Json
    cluster_wide: list[ClusterResourceOverrideSnapshot] = field(default_factory=list)
    namespaced: list[ResourceOverrideSnapshot] = field(default_factory=list)


def said(value: Json) -> Object:
    return {**CONFIG, "data": {"a": value}}


CASES = {
    "rules for other clusters change nothing": Case(
        said("1"), namespaced=[namespaced("ro", MAP, rules=[change("2", PROD)])]
    ),
    "a rule for this cluster changes": Case(
        said("2"), namespaced=[namespaced("ro", MAP, rules=[change("2")])]
    ),
    "all rules that hold apply, in order": Case(
        said("4"),
        namespaced=[
            namespaced("ro", MAP, rules=[change("2"), change("3", PROD), change("4")]),
        ],
    ),
    "overrides apply in the order the binding names them": Case(
        said("3"),
        namespaced=[
            namespaced("b", MAP, rules=[change("2")]),
            namespaced("a", MAP, rules=[change("3")]),
        ],
    ),
    "an override of the namespace comes last": Case(
        said("ro"),
        [cluster_wide("cro", NAMESPACE, rules=[change("cro")])],
        [namespaced("ro", MAP, rules=[change("ro")])],
    ),
    "an override of the Namespace concerns what lives there": Case(
        said("cro"), [cluster_wide("cro", NAMESPACE, rules=[change("cro")])]
    ),
    "an override of something else changes nothing": Case(
        said("1"),
        [cluster_wide("cro", ROLE, rules=[change("2")])],
        [namespaced("ro", MAP._replace(name="x"), rules=[change("2")])],
    ),
    "a selector given twice is applied once": Case(
        said(["x"]),
        namespaced=[
            namespaced("a", MAP, rules=[change([])]),
            namespaced("ro", MAP, MAP, rules=[change("x", path="/data/a/-")]),
        ],
    ),
    "a rule may delete": Case(None, namespaced=[namespaced("ro", MAP, rules=[DELETE])]),
    "what is deleted stays so": Case(
        None,
        [cluster_wide("cro", NAMESPACE, rules=[DELETE, change("2", path="/nope/n")])],
        [namespaced("ro", MAP, rules=[change("2", path="/nope/n")])],
    ),
    "a rule for other clusters does not delete": Case(
        said("1"),
        namespaced=[namespaced("ro", MAP, rules=[{**DELETE, "clusterSelector": PROD}])],
    ),
    "the name of the cluster": Case(
        said("in m1, m1"),
        namespaced=[
            namespaced(
                "ro", MAP, rules=[change("in ${MEMBER-CLUSTER-NAME}, ${MEMBER-CLUSTER-NAME}")]
            )
        ],
    ),
    "labels of the cluster, also deep within a value": Case(
        said({"env": ["canary-a"]}),
        namespaced=[
            namespaced(
                "ro",
                MAP,
                rules=[
                    change({
                        "env": [
                            ("${MEMBER-CLUSTER-LABEL-KEY-env}-"
                            "${MEMBER-CLUSTER-LABEL-KEY-example.com/zone}")
                        ]
                    })
                ],
            )
        ],
    ),
    "paths have no variables": Case(
        {**CONFIG, "data": {"a": "1", "${MEMBER-CLUSTER-NAME}": "x"}},
        namespaced=[namespaced("ro", MAP, rules=[change("x", path="/data/${MEMBER-CLUSTER-NAME}")])],
    ),
    "a value that is not given is null": Case(
        said(None), namespaced=[namespaced("ro", MAP, rules=[change(None)])]
    ),
    "an override without policy changes nothing": Case(
        said("1"), namespaced=[namespaced("ro", MAP, rules=[])]
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_manifest_for_a_cluster(case: Case) -> None:
    overrider = Overrider(MEMBER, case.cluster_wide, case.namespaced)
    got = overrider.applied(MAP, msgspec.Raw(msgspec.json.encode(CONFIG)))
    assert (None if got is None else msgspec.json.decode(got)) == case.want


def test_what_no_override_selects_keeps_its_bytes() -> None:
    overrider = Overrider(MEMBER, [cluster_wide("cro", ROLE)])
    raw = msgspec.Raw(b'{ "kind": "ConfigMap", "n": 1.0 }')
    assert overrider.applied(MAP, raw) is raw
    assert not overrider.is_idle
    assert Overrider(MEMBER).is_idle


IN_RO = 'ResourceOverrideSnapshot "ro" failed to apply on ConfigMap "cm" in namespace "ns": '
FAILURES: dict[str, tuple[Object, str]] = {
    "a patch that does not fit": (
        change("x", path="/data/nope/deeper", op="replace"),
        IN_RO
        + "replace operation does not apply: doc is missing path: /data/nope/deeper: missing value",
    ),
    "a label the cluster does not have": (
        change("${MEMBER-CLUSTER-LABEL-KEY-region}"),
        IN_RO + "label key region not found on cluster m1",
    ),
    "a variable without end": (
        change("x ${MEMBER-CLUSTER-LABEL-KEY-env"),
        IN_RO + 'input "x ${MEMBER-CLUSTER-LABEL-KEY-env" is missing the closing bracket `}`',
    ),
    "a label that breaks the JSON": (
        change("${MEMBER-CLUSTER-LABEL-KEY-odd}"),
        IN_RO + "the value of /data/a is no JSON once its variables are filled in: "
        "JSON is malformed: trailing characters (byte 4)",
    ),
    "a selector that makes no sense": (
        change(
            "x",
            {
                "clusterSelectorTerms": [
                    {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}}
                ]
            },
        ),
        IN_RO + '"Like" is not a valid label selector operator',
    ),
}


@pytest.mark.parametrize(("rule", "want"), FAILURES.values(), ids=FAILURES)
def test_an_override_that_cannot_be_applied(rule: Object, want: str) -> None:
    overrider = Overrider(MEMBER, [], [namespaced("ro", MAP, rules=[rule])])
    with pytest.raises(OverrideFailed) as caught:
        overrider.applied(MAP, msgspec.Raw(msgspec.json.encode(CONFIG)))
    assert str(caught.value) == want


def test_an_override_of_the_cluster_tells_no_namespace() -> None:
    role = b'{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"role"}}'
    rule = change(None, path="/rules", op="remove")
    overrider = Overrider(MEMBER, [cluster_wide("cro", ROLE, rules=[rule])])
    with pytest.raises(OverrideFailed) as caught:
        overrider.applied(ROLE, msgspec.Raw(role))
    assert str(caught.value) == (
        'ClusterResourceOverrideSnapshot "cro" failed to apply on ClusterRole "role": '
        "error in remove for path: '/rules': unable to remove nonexistent key: rules: missing value"
    )


WHO = {
    "of a group": (
        b'{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"ns"}}',
        Identified("apps", "v1", "Deployment", "ns", "web"),
    ),
    "of the core": (
        b'{"metadata":{"name":"ns"},"kind":"Namespace","apiVersion":"v1"}',
        Identified("", "v1", "Namespace", "", "ns"),
    ),
    "without a name": (b'{"apiVersion":"v1","kind":"Pod"}', Identified("", "v1", "Pod", "", "")),
}


@pytest.mark.parametrize(("raw", "want"), WHO.values(), ids=WHO)
def test_who_an_object_is(raw: bytes, want: Identified) -> None:
    assert identify(msgspec.Raw(raw)) == want
