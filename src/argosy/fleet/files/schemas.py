"""What may stand in a fleet file, as a schema of the kind that custom resources have.

Members and `defaults` have the same fields. Taints and heartbeats are those of a MemberCluster, a pool is the spec of a
NodePool with a name: their schemas are taken from the definitions of these kinds, so that a file cannot say what a
cluster would refuse, nor be refused what a cluster takes. What one field says of another is checked in `judging`.
"""

from __future__ import annotations

import functools
from typing import Final

from argosy.api.definitions.vocabulary import (
    choice,
    int32,
    keyed,
    listed,
    mapped,
    must,
    resolved,
    struct,
    text,
)
from argosy.api.schema.parsing import parse_schema
from argosy.api.schema.structural import Schema
from argosy.base.types import Json, Object
from argosy.capacity.definitions.nodepools import node_pool_definition
from argosy.client.resources import MEMBER_CLUSTERS
from argosy.fleet.shapes import MOST_MEMBERS
from argosy.placement.definitions import definitions

API_VERSION: Final = "argosy.dev/v1alpha1"
KIND: Final = "Fleet"
_MOST_NODES: Final = 100_000


@functools.cache
def file_schema() -> Schema:
    """Of a whole file."""
    pool = _pool()
    entry = _entry(pool)
    document = struct(
        "A fleet.",
        apiVersion=must(choice("The version of the format.", API_VERSION)),
        kind=must(choice("What it is.", KIND)),
        defaults=struct("What members have that do not say otherwise.", **entry),
        members=must(
            listed(
                "The members, or kinds of them.",
                struct(
                    "One member, or several that are alike.",
                    name=must(text("Its name; {n} stands for a number where there are several.")),
                    count=int32("How many there are.", minimum=1, maximum=MOST_MEMBERS),
                    first=int32("The number of the first.", minimum=0),
                    **entry,
                ),
                minItems=1,
            )
        ),
    )
    return parse_schema(resolved(document, "v1alpha1"))


@functools.cache
def pool_schema() -> Schema:
    """Of one pool, with its rules."""
    return parse_schema(_pool())


def _entry(pool: Object) -> dict[str, Json]:
    member = _member_spec()
    place = pool["properties"]
    return {
        "region": place["region"],
        "zone": place["zone"],
        "labels": mapped("Labels of its MemberCluster.", text("The value.")),
        "taints": member["taints"],
        "heartbeatPeriodSeconds": {
            name: value
            for name, value in member["heartbeatPeriodSeconds"].items()
            if name != "default"
        },
        "pricePerHour": {
            name: value for name, value in place["pricePerHour"].items() if name != "default"
        },
        "nodePools": keyed("Its machines.", pool, "name", minItems=1),
        "queueing": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    }


def _pool() -> Object:
    """A NodePool's spec, its name, and how many nodes there always are."""
    version = node_pool_definition()["spec"]["versions"][0]
    spec: Object = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    more = {
        "name": text("Its name.", maxLength=57, minLength=1),
        "nodes": int32("There are always so many machines.", minimum=0, maximum=_MOST_NODES),
    }
    return {
        **spec,
        "required": ["name", *spec["required"]],
        "properties": {**more, **spec["properties"]},
    }


def _member_spec() -> Object:
    (definition,) = (
        each for each in definitions() if each["metadata"]["name"] == MEMBER_CLUSTERS.qualified
    )
    versions = definition["spec"]["versions"]
    (found,) = (each for each in versions if each["name"] == MEMBER_CLUSTERS.version)
    spec: Object = found["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
    return spec
