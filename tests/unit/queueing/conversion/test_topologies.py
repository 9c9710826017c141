"""Places of pods, listed and packed: what is packed can be unpacked again, and is as short as upstream's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.base.errors import BadRequest
from argosy.base.types import Object
from argosy.queueing.conversion.topologies import (
    Place,
    packed,
    packed_in_runs,
    to_domains,
    to_slices,
    unpacked,
)

HOST = "kubernetes.io/hostname"
ENCODING = Path(__file__).parents[5] / "shared" / "fixtures" / "kueue" / "tas-encoding.jsonl"
LINES = ENCODING.read_text().splitlines() if ENCODING.exists() else []
CASES = [json.loads(line) for line in LINES]

# Names that have much in common, dashes at all places among it.
names = st.text(alphabet="ab-", max_size=6)


@st.composite
def assignments(draw: st.DrawFn) -> tuple[list[str], list[Place]]:
    levels = draw(st.sampled_from((["rack", HOST], [HOST], ["block", "rack"])))
    values = st.tuples(*(names for _ in levels))
    places = draw(st.lists(st.builds(Place, values, st.integers(1, 3)), max_size=8))
    return levels, places


@given(assignments())
def test_what_is_packed_is_unpacked_in_the_same_order(given: tuple[list[str], list[Place]]) -> None:
    levels, places = given
    for encode in (packed, packed_in_runs):
        got = encode(levels, places)
        assert list(unpacked(got)) == places
        assert got["levels"] == levels
        for part in got["slices"]:
            for level in part["valuesPerLevel"]:
                assert ("universal" in level) != ("individual" in level)


@given(assignments())
def test_the_shorter_form_wins(given: tuple[list[str], list[Place]]) -> None:
    levels, places = given

    def size(form: Object) -> int:
        return len(json.dumps(form, separators=(",", ":")))

    assert size(packed(levels, places)) <= size(packed_in_runs(levels, places))


@given(assignments())
def test_a_listed_assignment_survives_the_way_there_and_back(
    given: tuple[list[str], list[Place]],
) -> None:
    levels, places = given
    domains = [{"values": list(place.values), "count": place.pods} for place in places]
    listed = {"levels": levels, "domains": domains}

    assert to_domains(to_slices(listed, "")) == listed


def test_hosts_of_many_pools_never_make_more_slices_than_the_api_allows() -> None:
    places = [Place((f"p{n // 2}-x{n % 3}-{n}",), 1 + n % 2) for n in range(4_000)]

    assert len(packed_in_runs([HOST], places)["slices"]) <= 1_000
    assert list(unpacked(packed([HOST], places))) == places


def test_a_place_without_a_name_on_some_level_is_refused_with_its_path() -> None:
    wrong = {"levels": ["a", "b"], "domains": [{"values": ["x"], "count": 1}]}
    with pytest.raises(BadRequest) as refused:
        to_slices(wrong, "status.admission.podSetAssignments[0].topologyAssignment")

    assert str(refused.value) == (
        "status.admission.podSetAssignments[0].topologyAssignment.domains[0].values: 1 values for 2 levels; "
        "give one value for each level"
    )


@pytest.mark.parametrize("domains", ["x", [1], [{"values": "a"}], [{"values": ["a"]}], None])
def test_what_is_no_list_of_places_is_left_to_validation(domains: object) -> None:
    wrong = {"levels": ["a"], "domains": domains}

    assert to_slices(wrong, "") == wrong


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"].split("/", 1)[1])
def test_encoding_is_upstreams(case: Object) -> None:
    given, expected = case["input"], case["expected"]
    if "apiTopologyAssignment" in given:
        got = list(unpacked(given["apiTopologyAssignment"]))
        assert got == _places(expected["topologyAssignment"])
        return
    listed = given.get("internal") or given["topologyAssignment"]
    encode = packed_in_runs if "internal" in given else packed
    want = expected.get("result") or expected["apiTopologyAssignment"]
    assert encode(listed["levels"], _places(listed)) == {"slices": [], **want}


def _places(listed: Object) -> list[Place]:
    return [Place(tuple(each["values"]), each["count"]) for each in listed.get("domains") or ()]
