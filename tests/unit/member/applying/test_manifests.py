"""What manifests are, and what is wrong with those that cannot be applied."""

from __future__ import annotations

import msgspec

from argosy.api.objects.fleet.works import WorkResourceIdentifier
from argosy.client.resources import CONFIG_MAPS, Resource
from argosy.member.applying.manifests import Manifest, identity, read
from argosy.member.applying.reasons import ResultType


def find(group: str, version: str, kind: str) -> Resource | None:
    return CONFIG_MAPS if (group, version, kind) == ("", "v1", "ConfigMap") else None


def reads(*bodies: str) -> list[Manifest]:
    return read([msgspec.Raw(body.encode()) for body in bodies], find)


def test_a_manifest_is_known_by_kind_and_name() -> None:
    (got,) = reads('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"n"}}')
    assert got.identifier == WorkResourceIdentifier(
        0, "", "v1", "ConfigMap", "configmaps", "n", "c"
    )
    assert got.identity == ("", "v1", "ConfigMap", "n", "c")
    assert (got.resource, got.failure) == (CONFIG_MAPS, None)


def test_what_cannot_be_read_is_known_by_its_place() -> None:
    got = reads("[]", '{"kind":1}', '{"metadata":{}}', "{")
    assert [each.failure for each in got] == [ResultType.DECODING_ERRED] * 4
    assert got[2].error == (
        "failed to decode manifest: failed to unmarshal JSON: "
        "Object 'Kind' is missing in '{\"metadata\":{}}'"
    )
    assert [each.identifier for each in got] == [WorkResourceIdentifier(n) for n in range(4)]
    assert identity(got[0].identifier) is None


def test_an_unknown_kind_names_itself() -> None:
    core, grouped = reads(
        '{"apiVersion":"v1","kind":"Gadget","metadata":{"name":"g"}}',
        '{"apiVersion":"a.b/v2","kind":"Gadget"}',
    )
    assert core.error.endswith('no matches for kind "Gadget" in version "v1"')
    assert grouped.error.endswith('no matches for kind "Gadget" in version "a.b/v2"')
    assert core.identifier == WorkResourceIdentifier(0, "", "v1", "Gadget", "", "", "g")


def test_duplicates_are_those_after_the_first() -> None:
    body = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}'
    other = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"c"}}'
    got = reads(body, body, other, other, body)
    assert [each.failure for each in got] == [
        None,
        ResultType.DUPLICATED,
        ResultType.FOUND_GENERATE_NAME,
        ResultType.FOUND_GENERATE_NAME,
        ResultType.DUPLICATED,
    ]
