"""Spreading endpoints over slices: laws that hold for any change, and the cases that keep writes few."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects import ObjectMeta, OwnerReference
from argosy.api.objects.services import EndpointPort, EndpointSlice, Service, ServiceSpec
from argosy.base.types import Object
from argosy.workloads.endpoints.endpoints import Identity, Ports, identity
from argosy.workloads.endpoints.slicing import Draft, Plan, labels, plan

SERVICE = Service(
    ObjectMeta(name="web", namespace="ns", uid="u", labels={"tier": "front"}),
    ServiceSpec(cluster_ip="10.96.0.1"),
)
HTTP: Ports = (EndpointPort("http", "TCP", 8080),)
OTHER: Ports = (EndpointPort("http", "TCP", 8081),)


def entry(number: int, *, ready: bool = True) -> Object:
    return {
        "addresses": [f"10.0.{number // 250}.{number % 250}"],
        "conditions": {"ready": ready, "serving": ready, "terminating": False},
        "targetRef": {"kind": "Pod", "namespace": "ns", "name": f"p{number}", "uid": str(number)},
    }


def wanted(*numbers: int, unready: frozenset[int] = frozenset()) -> dict[Identity, Object]:
    entries = (entry(number, ready=number not in unready) for number in numbers)
    return {identity(one): one for one in entries}


def written(name: str, entries: list[Object], ports: Ports = HTTP, uid: str = "u") -> EndpointSlice:
    meta = ObjectMeta(
        name=name,
        namespace="ns",
        resource_version="1",
        labels=labels(SERVICE),
        owner_references=(OwnerReference(kind="Service", uid=uid),),
    )
    return EndpointSlice(meta, "IPv4", tuple(entries), ports)


def slices(numbers: list[int], size: int = 100) -> list[EndpointSlice]:
    parts = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    return [
        written(f"s{index}", [entry(number) for number in part]) for index, part in enumerate(parts)
    ]


def carried_out(result: Plan, existing: list[EndpointSlice]) -> list[EndpointSlice]:
    """What there is when the plan has been written."""
    found = {one.metadata.name: one for one in existing}
    for one in result.delete:
        del found[one.metadata.name]
    for number, draft in enumerate([*result.update, *result.create]):
        name = draft.name or f"new{number}"
        found[name] = written(name, draft.endpoints, draft.ports)
    return list(found.values())


@given(
    before=st.sets(st.integers(0, 400)),
    after=st.sets(st.integers(0, 400)),
    unready=st.frozensets(st.integers(0, 400)),
)
def test_whatever_changes_every_endpoint_is_in_one_slice_and_a_second_look_writes_nothing(
    before: set[int], after: set[int], unready: frozenset[int]
) -> None:
    existing = slices(sorted(before))
    want = wanted(*sorted(after), unready=unready)
    result = plan(SERVICE, "IPv4", {HTTP: want} if want else {}, existing)
    now = carried_out(result, existing)
    got = [identity(one) for found in now for one in found.endpoints or ()]
    assert sorted(got) == sorted(want)
    assert all(len(one.endpoints or ()) <= 100 for one in now)
    assert plan(SERVICE, "IPv4", {HTTP: want} if want else {}, now) == Plan()


def test_one_change_writes_one_slice() -> None:
    existing = slices(list(range(300)))
    result = plan(SERVICE, "IPv4", {HTTP: wanted(*range(300), unready=frozenset({150}))}, existing)
    assert [draft.name for draft in result.update] == ["s1"]
    assert (result.create, result.delete) == ([], [])


def test_new_endpoints_go_into_a_slice_that_changes_anyway() -> None:
    existing = slices(list(range(160)))
    result = plan(SERVICE, "IPv4", {HTTP: wanted(*range(1, 160), 200)}, existing)
    assert [(draft.name, len(draft.endpoints)) for draft in result.update] == [("s0", 100)]
    assert (result.create, result.delete) == ([], [])


def test_new_endpoints_go_into_the_fullest_slice_that_has_room_for_all() -> None:
    full = [
        written("a", [entry(n) for n in range(40)]),
        written("b", [entry(n) for n in range(40, 130)]),
    ]
    result = plan(SERVICE, "IPv4", {HTTP: wanted(*range(130), 200, 201)}, full)
    assert [(draft.name, len(draft.endpoints)) for draft in result.update] == [("b", 92)]
    result = plan(SERVICE, "IPv4", {HTTP: wanted(*range(130), *range(200, 220))}, full)
    assert [(draft.name, len(draft.endpoints)) for draft in result.update] == [("a", 60)]


def test_a_slice_that_goes_is_used_for_one_that_comes() -> None:
    existing = slices([1, 2])
    result = plan(SERVICE, "IPv4", {OTHER: wanted(3)}, existing)
    assert result == Plan(update=[Draft(OTHER, "IPv4", [entry(3)], "s0", "1")])


def test_pods_with_other_ports_are_in_slices_of_their_own() -> None:
    result = plan(SERVICE, "IPv4", {HTTP: wanted(1), OTHER: wanted(2)}, [])
    assert result == Plan(
        create=[Draft(HTTP, "IPv4", [entry(1)]), Draft(OTHER, "IPv4", [entry(2)])]
    )


def test_slices_of_an_older_service_of_the_same_name_go() -> None:
    old = written("old", [entry(1)], uid="other")
    result = plan(SERVICE, "IPv4", {HTTP: wanted(1)}, [old])
    assert result == Plan(create=[Draft(HTTP, "IPv4", [entry(1)])], delete=[old])


def test_labels_of_the_service_are_kept_up_to_date() -> None:
    existing = slices([1])
    renamed = Service(
        ObjectMeta(name="web", namespace="ns", uid="u", labels={"tier": "back"}), SERVICE.spec
    )
    result = plan(renamed, "IPv4", {HTTP: wanted(1)}, existing)
    assert [draft.name for draft in result.update] == ["s0"]


def test_nobody_is_one_empty_slice() -> None:
    assert plan(SERVICE, "IPv4", {}, []) == Plan(create=[Draft((), "IPv4")])
    empty = written("e", [], ())
    assert plan(SERVICE, "IPv4", {}, [empty]) == Plan()
