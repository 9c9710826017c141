"""Which pods belong to which services, whatever comes first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects import ObjectMeta, Pod
from argosy.client.objects import Key
from argosy.workloads.endpoints.selections import Selections

LABELS = st.dictionaries(st.sampled_from("abc"), st.sampled_from("xy"), max_size=3)
NAMES = st.sampled_from(["one", "two", "three"])
# A service's selector, or a pod's labels; None deletes.
CHANGES = st.lists(st.tuples(st.booleans(), NAMES, st.none() | LABELS), max_size=20)


def pod(name: str, labels: dict[str, str]) -> Pod:
    return Pod(ObjectMeta(name=name, namespace="ns", labels=labels))


@given(CHANGES, st.sets(st.integers(0, 20)))
def test_members_are_what_a_look_at_all_pods_would_find(
    changes: list[tuple[bool, str, dict[str, str] | None]], looks: set[int]
) -> None:
    selections = Selections()
    services: dict[str, dict[str, str]] = {}
    pods: dict[str, Pod] = {}
    for number, (is_service, name, labels) in enumerate(changes):
        if is_service:
            services[name] = labels or {}
            selections.put(Key("ns", name), labels or {})
        else:
            old, new = pods.pop(name, None), pod(name, labels) if labels is not None else None
            if new is not None:
                pods[name] = new
            selections.move(old, new)
        if number in looks:
            for service in services:
                selections.members(Key("ns", service), pods.values())
    for service, selector in services.items():
        want = sorted(
            one.metadata.name
            for one in pods.values()
            if selector and selector.items() <= one.metadata.labels.items()
        )
        assert selections.members(Key("ns", service), pods.values()) == want


def test_pods_of_other_namespaces_are_not_looked_at() -> None:
    selections = Selections()
    selections.put(Key("ns", "web"), {"app": "web"})
    stranger = Pod(ObjectMeta(name="p", namespace="other", labels={"app": "web"}))
    assert not selections.has_services("other")
    assert selections.matching(stranger) == set()
    selections.put(Key("ns", "web"), {})
    assert not selections.has_services("ns")
