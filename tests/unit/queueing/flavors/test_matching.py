"""Which flavors suit which pods."""

from __future__ import annotations

from typing import Any

import pytest

from argosy.api.objects.kueue.workloads import PodSet
from argosy.queueing.flavors.matching import Matcher, Matchers
from tests.unit.queueing.flavors.building import flavor, pod_set, view

SPOT = {"key": "instance", "value": "spot", "effect": "NoSchedule"}
AFFINITY = "flavor f doesn't match node affinity"


def _affinity(*terms: dict[str, Any]) -> dict[str, Any]:
    required = {"nodeSelectorTerms": list(terms)}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def _in(key: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": "In", "values": list(values)}


CASES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a pod that asks for nothing suits a flavor without taints": ({}, {}, ""),
    "a selector of the flavor's label matches": (
        {"nodeLabels": {"x": "a"}},
        {"nodeSelector": {"x": "a"}},
        "",
    ),
    "a selector of another value does not": (
        {"nodeLabels": {"x": "a"}},
        {"nodeSelector": {"x": "b"}},
        AFFINITY,
    ),
    "a selector of a key the flavor does not label is not looked at": (
        {"nodeLabels": {"x": "a"}},
        {"nodeSelector": {"y": "b"}},
        "",
    ),
    "terms are alternatives": (
        {"nodeLabels": {"x": "a"}},
        {
            "affinity": _affinity(
                {"matchExpressions": [_in("x", "b")]}, {"matchExpressions": [_in("x", "a")]}
            )
        },
        "",
    ),
    "expressions of a term all have to hold": (
        {"nodeLabels": {"x": "a", "y": "b"}},
        {"affinity": _affinity({"matchExpressions": [_in("x", "a"), _in("y", "c")]})},
        AFFINITY,
    ),
    "expressions of other keys are dropped from a term": (
        {"nodeLabels": {"x": "a"}},
        {"affinity": _affinity({"matchExpressions": [_in("x", "b"), _in("y", "c")]})},
        AFFINITY,
    ),
    "a term without known keys makes the whole affinity hold": (
        {"nodeLabels": {"x": "a"}},
        {
            "affinity": _affinity(
                {"matchExpressions": [_in("x", "b")]}, {"matchExpressions": [_in("y", "c")]}
            )
        },
        "",
    ),
    "a term of fields alone makes the whole affinity hold": (
        {"nodeLabels": {"x": "a"}},
        {
            "affinity": _affinity(
                {"matchExpressions": [_in("x", "b")]},
                {"matchFields": [_in("metadata.name", "node-1")]},
            )
        },
        "",
    ),
    "a selector counts even where the affinity holds": (
        {"nodeLabels": {"x": "a"}},
        {
            "nodeSelector": {"x": "b"},
            "affinity": _affinity({"matchExpressions": [_in("y", "c")]}),
        },
        AFFINITY,
    ),
    "preferred affinity is not looked at": (
        {"nodeLabels": {"x": "a"}},
        {
            "affinity": {
                "nodeAffinity": {
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": 1, "preference": {"matchExpressions": [_in("x", "b")]}}
                    ]
                }
            }
        },
        "",
    ),
    "a taint that the pod does not tolerate": (
        {"nodeTaints": [SPOT]},
        {},
        "untolerated taint {instance spot NoSchedule <nil>} in flavor f",
    ),
    "a taint that the pod tolerates": (
        {"nodeTaints": [SPOT]},
        {"tolerations": [{"key": "instance", "operator": "Exists"}]},
        "",
    ),
    "a taint that the flavor's tolerations cover": (
        {"nodeTaints": [SPOT], "tolerations": [{"key": "instance", "value": "spot"}]},
        {},
        "",
    ),
    "a taint that only advises against": (
        {"nodeTaints": [{**SPOT, "effect": "PreferNoSchedule"}]},
        {},
        "",
    ),
    "the first of several taints is named, with its time": (
        {
            "nodeTaints": [
                {"key": "k", "effect": "NoExecute", "timeAdded": "2026-01-02T03:04:05Z"},
                SPOT,
            ]
        },
        {},
        "untolerated taint {k  NoExecute 2026-01-02 03:04:05 +0000 UTC} in flavor f",
    ),
    "taints come before labels": (
        {"nodeTaints": [SPOT], "nodeLabels": {"x": "a"}},
        {"nodeSelector": {"x": "b"}},
        "untolerated taint {instance spot NoSchedule <nil>} in flavor f",
    ),
}


@pytest.mark.parametrize(("given", "spec", "want"), CASES.values(), ids=CASES)
def test_flavor_suits_pods(given: dict[str, Any], spec: dict[str, Any], want: str) -> None:
    matcher = Matcher(flavor("f", **given))
    pods = view(PodSet, pod_set(spec=spec))
    # Asked twice, the second answer is the remembered one.
    assert [matcher.mismatch(pods), matcher.mismatch(pods)] == [want, want]


def test_a_changed_flavor_is_judged_anew() -> None:
    matchers = Matchers()
    pods = view(PodSet, pod_set(spec={"nodeSelector": {"x": "b"}}))
    before, after = flavor("f", nodeLabels={"x": "a"}), flavor("f", nodeLabels={"x": "b"})
    assert matchers.of("f", before).mismatch(pods) == AFFINITY
    assert matchers.of("f", before) is matchers.of("f", before)
    assert matchers.of("f", after).mismatch(pods) == ""


def test_more_shapes_than_are_kept_are_judged_right() -> None:
    matcher = Matcher(flavor("f", nodeLabels={"x": "7"}))
    shapes = [
        view(PodSet, pod_set(spec={"nodeSelector": {"x": str(value)}})) for value in range(1100)
    ]
    suited = [index for index, pods in enumerate(shapes) if not matcher.mismatch(pods)]
    assert suited == [7]
