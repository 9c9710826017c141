"""Places of pods, packed as v1beta2 has them and unpacked."""

from __future__ import annotations

from typing import Any

from argosy.queueing.conversion.topologies import Place, packed, packed_in_runs, unpacked
from tests.conformance.areas import runs
from tests.conformance.cases import Case
from tests.conformance.comparing import differences


@runs("tas-encoding", "TestCompactTopologyAssignmentEncodingWithHostnamePrefixRuns")
def packing_in_runs(case: Case) -> list[str]:
    return differences(case.expected, {"result": packed_in_runs(*_flat(case.input["internal"]))})


@runs("tas-encoding", "TestV1Beta2FromInternal")
def packing(case: Case) -> list[str]:
    given = case.input.get("topologyAssignment")
    got = packed(*_flat(given)) if given else None
    return differences(case.expected, {"apiTopologyAssignment": got})


@runs("tas-encoding", "TestInternalFromV1Beta2")
def unpacking(case: Case) -> list[str]:
    given = case.input.get("apiTopologyAssignment")
    got = given and {
        "levels": given.get("levels"),
        "domains": [{"values": list(values), "count": count} for values, count in unpacked(given)],
    }
    return differences(case.expected, {"topologyAssignment": got})


def _flat(given: dict[str, Any]) -> tuple[list[str], list[Place]]:
    places = [
        Place(tuple(one.get("values") or ()), one.get("count") or 0)
        for one in given.get("domains") or ()
    ]
    return given.get("levels") or [], places
