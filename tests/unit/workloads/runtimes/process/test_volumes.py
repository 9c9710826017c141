"""What is in volumes, and how it gets there."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.api.objects import ConfigMap, ObjectMeta, Secret
from argosy.base.types import Object
from argosy.workloads.runtimes.process.environments import Sources, Surroundings
from argosy.workloads.runtimes.process.filling import fill
from argosy.workloads.runtimes.process.volumes import (
    File,
    NotMounted,
    TokenWanted,
    contents,
    folder,
    needed,
    tokens,
)
from tests.unit.workloads.runtimes.making import pod

SOURCES = Sources(
    {"map": ConfigMap(ObjectMeta(name="map"), {"k": "v"}, {"bin": b"\0"}), "none": None},
    {"secret": Secret(ObjectMeta(name="secret"), data={"p": b"s"})},
)
NAME = {"fieldRef": {"fieldPath": "metadata.name"}}
TOKEN = TokenWanted("", 3607)

FILES: dict[str, tuple[Object, dict[str, File]]] = {
    "a whole map": ({"configMap": {"name": "map"}}, {"k": File(b"v"), "bin": File(b"\0")}),
    "some of a map": (
        {"configMap": {"name": "map", "items": [{"key": "k", "path": "a/b", "mode": 0o400}]}},
        {"a/b": File(b"v", 0o400)},
    ),
    "a map that may be missing": ({"configMap": {"name": "none", "optional": True}}, {}),
    "a secret with a mode": (
        {"secret": {"secretName": "secret", "defaultMode": 0o440}},
        {"p": File(b"s", 0o440)},
    ),
    "the downward API": ({"downwardAPI": {"items": [{"path": "n", **NAME}]}}, {"n": File(b"p")}),
    "everything projected": (
        {
            "projected": {
                "defaultMode": 0o600,
                "sources": [
                    {"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}},
                    {"configMap": {"name": "map", "items": [{"key": "k", "path": "ca"}]}},
                    {"secret": {"name": "secret"}},
                    {"downwardAPI": {"items": [{"path": "ns", **NAME}]}},
                ],
            }
        },
        {
            "token": File(b"jwt", 0o600),
            "ca": File(b"v", 0o600),
            "p": File(b"s", 0o600),
            "ns": File(b"p", 0o600),
        },
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_the_files_of(case: str) -> None:
    volume, want = FILES[case]
    given = {"name": "v", **volume}
    got = contents(pod(volumes=[given]), given, SOURCES, Surroundings(), {TOKEN: "jwt"})
    assert got == want


MISSING: dict[str, tuple[Object, str]] = {
    "a map": ({"configMap": {"name": "none"}}, 'configmap "none" not found'),
    "a key": (
        {"configMap": {"name": "map", "items": [{"key": "?", "path": "x"}]}},
        "configmap references non-existent config key: ?",
    ),
    "a secret's key": (
        {"secret": {"secretName": "secret", "items": [{"key": "?", "path": "x"}]}},
        "references non-existent secret key: ?",
    ),
}


@pytest.mark.parametrize("case", MISSING)
def test_a_volume_lacks(case: str) -> None:
    volume, why = MISSING[case]
    with pytest.raises(NotMounted) as got:
        contents(pod(), {"name": "v", **volume}, SOURCES, Surroundings(), {})
    assert str(got.value) == f'MountVolume.SetUp failed for volume "v" : {why}'


FOLDERS: dict[str, tuple[Object, Object | None, str]] = {
    "an empty one": ({"emptyDir": {}}, None, "/own"),
    "one of the host": ({"hostPath": {"path": "/data"}}, None, "/data"),
    "a claim of a local volume": ({"persistentVolumeClaim": {"claimName": "c"}}, {"spec": {"local": {"path": "/disk"}}}, "/disk"),
    "a claim of a host's folder": ({"persistentVolumeClaim": {"claimName": "c"}}, {"spec": {"hostPath": {"path": "/d"}}}, "/d"),
    "an ephemeral one": ({"ephemeral": {"volumeClaimTemplate": {}}}, {"spec": {"local": {"path": "/disk"}}}, "/disk"),
}  # fmt: skip


@pytest.mark.parametrize("case", FOLDERS)
def test_the_folder_of(case: str) -> None:
    volume, behind, want = FOLDERS[case]
    claim = "c" if behind is not None else ""
    assert folder({"name": "v", **volume}, claim, behind, "/own") == want


def test_a_claim_that_is_not_bound() -> None:
    with pytest.raises(NotMounted, match='persistentvolumeclaim "c" is not bound yet'):
        folder({"name": "v", "persistentVolumeClaim": {"claimName": "c"}}, "c", None, "/own")


def test_what_has_to_be_read() -> None:
    sources = [
        {"configMap": {"name": "m2"}},
        {"secret": {"name": "s2"}},
        {"serviceAccountToken": {"path": "t"}},
    ]
    volumes = [
        {"name": "a", "configMap": {"name": "m1"}},
        {"name": "b", "secret": {"secretName": "s1"}},
        {"name": "c", "projected": {"sources": sources}},
    ]
    assert needed(pod(volumes=volumes)) == ({"m1", "m2"}, {"s1", "s2"})
    assert tokens(pod(volumes=volumes)) == {TokenWanted("", 3600)}


def test_a_change_is_seen_all_at_once(tmp_path: Path) -> None:
    assert fill(tmp_path, {"a": File(b"1", 0o400), "b/c": File(b"2")}, "one")
    first = (tmp_path / "..data").resolve()
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b" / "c").read_bytes()) == (b"1", b"2")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o400
    assert not fill(tmp_path, {"a": File(b"1"), "b/c": File(b"2")}, "two")
    assert fill(tmp_path, {"a": File(b"3")}, "three")
    assert (tmp_path / "a").read_bytes() == b"3"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["..data", "..three", "a"]
    assert not first.exists()
