"""Which placements a change of an object concerns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.fleet.placements import ResourceIdentifier, ResourceSelectorTerm
from argosy.api.objects.metadata import LabelSelector, LabelSelectorRequirement
from argosy.client.objects import Key
from argosy.client.resources import CONFIG_MAPS, NAMESPACES
from argosy.placement.selecting.exclusions import DEFAULT_EXCLUSIONS
from argosy.placement.selecting.interests import Interests
from argosy.placement.selecting.picking import pick
from argosy.placement.selecting.terms import InvalidSelectors, read_term
from tests.unit.placement.selecting.shelves import Shelf

MAP = ("", "ConfigMap")
NAMESPACE = ("", "Namespace")
ROLE = ("rbac.authorization.k8s.io", "ClusterRole")


def interests(**placements: list[ResourceSelectorTerm]) -> Interests:
    """Names with an underscore are of the namespace before it."""
    found = Interests()
    for name, selectors in placements.items():
        found.put(Key(*name.rpartition("_")[::2]), [read_term(each) for each in selectors])
    return found


def a_map(name: str = "", **labels: str) -> ResourceSelectorTerm:
    return ResourceSelectorTerm(
        *("", "v1", "ConfigMap"), name, LabelSelector(labels) if labels else None
    )


def a_namespace(name: str = "", scope: str = "", **labels: str) -> ResourceSelectorTerm:
    selector = LabelSelector(labels) if labels else None
    return ResourceSelectorTerm("", "v1", "Namespace", name, selector, scope)


def test_by_name_in_its_own_namespace() -> None:
    found = interests(ns_a=[a_map("x")], ns_b=[a_map("y")], other_c=[a_map("x")])
    assert found.concerned(MAP, Key("ns", "x"), {}) == {Key("ns", "a")}
    assert found.concerned(ROLE, Key("ns", "x"), {}) == set()


def test_by_labels_and_by_nothing() -> None:
    near = LabelSelectorRequirement("tier", "Exists")
    loose = ResourceSelectorTerm("", "v1", "ConfigMap", label_selector=LabelSelector({}, (near,)))
    found = interests(
        ns_two=[a_map(tier="web", zone="a")], ns_one=[a_map(tier="web")], ns_any=[a_map()], ns_has=[loose]
    )  # fmt: skip
    both = {"tier": "web", "zone": "a"}
    assert {each.name for each in found.concerned(MAP, Key("ns", "x"), both)} == {
        "two", "one", "any", "has",
    }  # fmt: skip
    web = found.concerned(MAP, Key("ns", "x"), {"tier": "web"})
    assert {each.name for each in web} == {"one", "any", "has"}
    assert {each.name for each in found.concerned(MAP, Key("ns", "x"), {})} == {"any"}


def test_what_was_selected_last_counts_until_it_is_selected_no_more() -> None:
    found = interests(ns_a=[a_map(tier="web")])
    key = Key("ns", "a")
    found.select(key, [ResourceIdentifier("", "v1", "ConfigMap", "x", "ns")])
    assert found.concerned(MAP, Key("ns", "x"), {}) == {key}
    found.select(key, [])
    assert found.concerned(MAP, Key("ns", "x"), {}) == set()


def test_the_contents_of_namespaces_are_found_through_them() -> None:
    found = interests(
        whole=[a_namespace("ns")], team=[a_namespace(team="a")], alone=[a_namespace("ns", "NamespaceOnly")]
    )  # fmt: skip
    assert found.holding("ns", {"team": "a"}) == {Key("", "whole"), Key("", "team")}
    assert found.holding("other", {}) == set()
    itself = found.concerned(NAMESPACE, Key("", "ns"), {})
    assert itself == {Key("", "whole"), Key("", "alone")}
    assert found.takes_contents() == {Key("", "whole"), Key("", "team")}


def test_selectors_within_a_namespace_look_there() -> None:
    found = interests(crp=[a_namespace("ns", "NamespaceWithResourceSelectors"), a_map("x")])
    assert found.concerned(MAP, Key("ns", "x"), {}) == {Key("", "crp")}
    assert found.concerned(MAP, Key("other", "x"), {}) == set()
    assert found.holding("ns", {}) == set()


def test_who_is_dropped_or_looks_elsewhere_is_not_concerned() -> None:
    found = interests(ns_a=[a_map("x"), a_map(tier="web"), a_map()])
    found.put(Key("ns", "a"), [read_term(a_map("y"))])
    assert found.concerned(MAP, Key("ns", "x"), {"tier": "web"}) == set()
    assert found.concerned(MAP, Key("ns", "y"), {}) == {Key("ns", "a")}
    assert found.naming(MAP) == {Key("ns", "a")}
    found.drop(Key("ns", "a"))
    assert found.concerned(MAP, Key("ns", "y"), {}) == set()
    assert found.naming(MAP) == set()


LABELS = st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy"), max_size=2)
NAMES = st.sampled_from(["", "one", "two"])


@st.composite
def terms(draw: st.DrawFn) -> ResourceSelectorTerm:
    name = draw(NAMES)
    labels = LabelSelector(draw(LABELS)) if not name and draw(st.booleans()) else None
    kind = draw(st.sampled_from(["ConfigMap", "Namespace"]))
    scope = draw(st.sampled_from(["", "NamespaceOnly", "NamespaceWithResourceSelectors"]))
    return ResourceSelectorTerm("", "v1", kind, name, labels, scope)


@given(
    st.sampled_from(["", "one"]),
    st.lists(terms(), max_size=3),
    st.dictionaries(st.sampled_from(["one", "two"]), LABELS),
    LABELS,
    st.sampled_from(["one", "two"]),
)
def test_whoever_selects_an_object_is_concerned_by_it(
    home: str,
    selectors: list[ResourceSelectorTerm],
    namespaces: dict[str, dict[str, str]],
    labels: dict[str, str],
    namespace: str,
) -> None:
    key = Key(home, "p")
    found = Interests()
    found.put(key, [read_term(each) for each in selectors])
    shelf = Shelf().put(CONFIG_MAPS, "one", namespace, meta={"labels": labels})
    for name, its in namespaces.items():
        shelf.put(NAMESPACES, name, meta={"labels": its})
    try:
        picked = pick(key, selectors, shelf, DEFAULT_EXCLUSIONS)
    except InvalidSelectors:
        return
    for resource, each in picked:
        kind = (resource.group, resource.kind)
        concerned = found.concerned(kind, Key(each.namespace, each.name), each.labels)
        if each.namespace:
            concerned |= found.holding(each.namespace, namespaces.get(each.namespace, {}))
        assert key in concerned
