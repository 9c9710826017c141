"""The fleet of a scenario, in the format of fleet files: `defaults` and `members`, each with its node pools.

    fleet:
      defaults: {heartbeatPeriodSeconds: 300}
      members:
      - name: east-{n}
        count: 2
        region: us-east
        nodePools:
        - {name: general, nodes: 8, machine: {cpu: "64", memory: 256Gi}, pricePerHour: 2.5}

`nodes` says both minimum and maximum; everything else of a pool is the spec of a NodePool, and judged by the cluster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from argosy.base.names import is_dns1123_label
from argosy.base.types import Json, Object
from argosy.simulation.documents import Field
from argosy.simulation.plans import Member, Pool

HEARTBEAT_SECONDS: Final = 60
_MOST_MEMBERS: Final = 200
_MOST_NODES: Final = 100_000
_NUMBER: Final = re.compile(r"\{n(?::0?(\d))?\}")
_FOR_POOLS: Final = ("region", "zone", "pricePerHour")


def read_fleet(field: Field) -> tuple[Member, ...]:
    """The members; whatever is wrong is noted in the field's mistakes."""
    if not field.is_there:
        field.wrong("is required: what clusters there are")
        return ()
    defaults, entries = field.at("defaults").mapping(), field.at("members")
    field.at("apiVersion"), field.at("kind")
    if not entries.items():
        entries.wrong("name at least one member")
    common = _Entry(defaults)
    defaults.done()
    members: list[Member] = []
    for entry in entries.items():
        members += _members(entry.mapping(), common, {each.name for each in members})
    field.done()
    if len(members) > _MOST_MEMBERS:
        entries.wrong(f"{len(members)} members: a fleet has at most {_MOST_MEMBERS}")
    return tuple(members)


class _Entry:
    """What a member and the defaults may both say."""

    def __init__(self, field: Field) -> None:
        self.region = field.at("region").text("")
        self.zone = field.at("zone").text("")
        heartbeat = field.at("heartbeatPeriodSeconds")
        self.heartbeat = heartbeat.whole(0, least=1, most=600) if heartbeat.is_there else 0
        self.price = field.at("pricePerHour").value()
        self.labels = field.at("labels").mapping().labels()
        self.taints = tuple(each.value() for each in field.at("taints").items())
        self.pools = [_pool(each.mapping()) for each in field.at("nodePools").items()]


def _members(field: Field, common: _Entry, taken: set[str]) -> Iterator[Member]:
    own = _Entry(field)
    region, zone = own.region or common.region, own.zone or common.zone
    price = own.price if own.price is not None else common.price
    said: dict[str, Json] = {"region": region, "zone": zone, "pricePerHour": price}
    given: Object = {name: value for name, value in said.items() if value not in {"", None}}
    pools = tuple(
        Pool(each.name, {"runtime": "simulated", "bootTime": "0s", **given, **each.spec})
        for each in own.pools or common.pools
    )
    if not pools:
        field.at("nodePools").wrong("a member needs machines: name at least one pool")
    names = _names(field)
    field.done()
    for name in names:
        if name in taken:
            field.at("name").wrong(f'"{name}" is the name of another member')
        for problem in is_dns1123_label(name) if name else ():
            field.at("name").wrong(f'"{name}": {problem}')
        taken.add(name)
        yield Member(
            name,
            region,
            zone,
            own.heartbeat or common.heartbeat or HEARTBEAT_SECONDS,
            {**common.labels, **own.labels},
            own.taints or common.taints,
            pools,
        )


def _names(field: Field) -> list[str]:
    pattern, first = field.at("name").text(), field.at("first").whole(1)
    counted = field.at("count")
    count = counted.whole(1, least=1, most=_MOST_MEMBERS)
    if not counted.is_there:
        if _NUMBER.search(pattern):
            counted.wrong(f"is required: how many members {pattern} stands for")
        return [pattern]
    if not _NUMBER.search(pattern):
        field.at("name").wrong(f'"{pattern}" must contain {{n}}, the number, where count is given')
        return [pattern]
    return [
        _NUMBER.sub(lambda found, n=first + n: str(n).zfill(int(found[1] or 0)), pattern)  # type: ignore[misc]
        for n in range(count)
    ]


def _pool(field: Field) -> Pool:
    name = field.at("name").text()
    machine = field.at("machine").mapping()
    if not machine.is_there:
        machine.wrong("is required: the cpu and memory of a machine")
    else:
        machine.at("cpu").quantity()
        machine.at("memory").quantity()
        machine.at("gpus").whole(0)
    spec: Object = {}
    if isinstance(given := field.value(), dict):
        spec = {key: each for key, each in given.items() if key not in {"name", "nodes"}}
        for key in ("cpu", "memory"):
            if isinstance(spec.get("machine"), dict) and key in spec["machine"]:
                # A number of cores is a quantity, too.
                spec["machine"][key] = str(spec["machine"][key])
    if field.at("nodes").is_there:
        nodes = field.at("nodes").whole(0, most=_MOST_NODES)
        spec |= {"minimum": nodes, "maximum": nodes}
    return Pool(name, spec)
