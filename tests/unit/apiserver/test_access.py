"""Rules of roles: what they allow, what they cover, and how a lack of rights is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.apiserver.access.attributes import Attributes, refusal
from argosy.apiserver.access.coverage import describe, missing
from argosy.apiserver.access.identities import User
from argosy.apiserver.access.rbac import PolicyRule

PODS = PolicyRule(verbs=("get", "list"), api_groups=("",), resources=("pods",))
LOGS = PolicyRule(verbs=("get",), api_groups=("",), resources=("*/log",))
NAMED = PolicyRule(("get",), ("",), ("secrets",), ("one",))
URLS = PolicyRule(verbs=("get",), non_resource_urls=("/healthz", "/apis/*"))
ALL = PolicyRule(("*",), ("*",), ("*",))

MATCHES: dict[str, tuple[PolicyRule, Attributes, bool]] = {
    "a verb it names": (PODS, Attributes("get", resource="pods"), True),
    "a verb it does not name": (PODS, Attributes("delete", resource="pods"), False),
    "another group": (PODS, Attributes("get", group="apps", resource="pods"), False),
    "a resource is not its subresources": (
        PODS, Attributes("get", resource="pods", subresource="log"), False,
    ),
    "a subresource of any resource": (
        LOGS, Attributes("get", resource="pods", subresource="log"), True,
    ),
    "a name it names": (NAMED, Attributes("get", resource="secrets", name="one"), True),
    "another name": (NAMED, Attributes("get", resource="secrets", name="two"), False),
    "no name where names are named": (NAMED, Attributes("get", resource="secrets"), False),
    "everything": (
        ALL, Attributes("x", group="g", resource="r", subresource="s", name="n"), True,
    ),
    "everything is no path": (ALL, Attributes("get", is_resource=False, path="/"), False),
    "a path": (URLS, Attributes("get", is_resource=False, path="/healthz"), True),
    "a path below": (URLS, Attributes("get", is_resource=False, path="/apis/apps"), True),
    "another path": (URLS, Attributes("get", is_resource=False, path="/metrics"), False),
}  # fmt: skip


@pytest.mark.parametrize("case", MATCHES)
def test_what_a_rule_allows(case: str) -> None:
    rule, asked, want = MATCHES[case]
    assert rule.matches(asked) is want


LACKS: dict[str, tuple[list[PolicyRule], list[PolicyRule], list[str]]] = {
    "nothing is asked for": ([], [], []),
    "what is held": ([PODS], [PODS], []),
    "two holders cover together": (
        [PODS, PolicyRule(("delete",), ("",), ("pods",))],
        [PolicyRule(("get", "delete"), ("",), ("pods",))],
        [],
    ),
    "one verb is lacking": (
        [PODS],
        [PolicyRule(("get", "delete", "watch"), ("",), ("pods",))],
        ['{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}'],
    ),
    "a name does not give the rest": (
        [NAMED],
        [PolicyRule(("get",), ("",), ("secrets",))],
        ['{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'],
    ),
    "the rest gives each name": ([PolicyRule(("get",), ("",), ("secrets",))], [NAMED], []),
    "all resources are no path": (
        [ALL],
        [URLS],
        [
            '{NonResourceURLs:["/healthz"], Verbs:["get"]}',
            '{NonResourceURLs:["/apis/*"], Verbs:["get"]}',
        ],
    ),
    "a subresource of any resource covers one": (
        [LOGS], [PolicyRule(("get",), ("",), ("pods/log",))], [],
    ),
    "names are told": (
        [],
        [NAMED],
        ['{APIGroups:[""], Resources:["secrets"], ResourceNames:["one"], Verbs:["get"]}'],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", LACKS)
def test_what_is_missing(case: str) -> None:
    held, wanted, want = LACKS[case]
    assert [describe(rule) for rule in missing(held, wanted)] == want


words = st.lists(st.sampled_from(["a", "b", "*"]), min_size=1, max_size=2).map(tuple)
rules = st.builds(PolicyRule, verbs=words, api_groups=words, resources=words)


@given(st.lists(rules, max_size=4))
def test_who_holds_rules_lacks_none_of_them(held: list[PolicyRule]) -> None:
    assert missing(held, held) == []


@given(st.lists(rules, max_size=3), st.lists(rules, max_size=3))
def test_with_what_is_missing_nothing_is_missing(
    held: list[PolicyRule], wanted: list[PolicyRule]
) -> None:
    assert missing([*held, *missing(held, wanted)], wanted) == []


REFUSALS = {
    'pods "p" is forbidden: User "u" cannot get resource "pods" in API group "" in the namespace "n"': (
        Attributes("get", resource="pods", namespace="n", name="p")
    ),
    'jobs.batch is forbidden: User "u" cannot list resource "jobs/status" in API group "batch" at the cluster scope': (
        Attributes("list", group="batch", resource="jobs", subresource="status")
    ),
    'forbidden: User "u" cannot get path "/metrics"': Attributes(
        "get", is_resource=False, path="/metrics"
    ),
}


@pytest.mark.parametrize("want", REFUSALS)
def test_refusals_are_kubernetes_words(want: str) -> None:
    got = refusal(User("u"), REFUSALS[want], "")
    assert (got.code, got.message) == (403, want)
