"""The fleet's entries among those of others in one kubeconfig."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from argosy.client import kubeconfig
from argosy.fleet import kubeconfigs
from argosy.fleet.kubeconfigs import Context, KubeconfigError

OWNER = "/srv/fleet"
OURS = [
    Context("hub", "https://127.0.0.1:1001", b"ca", "token"),
    Context("cluster-1", "https://127.0.0.1:1002", b"ca", "token"),
]
THEIRS: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Config",
    "preferences": {"colors": True},
    "clusters": [{"name": "prod", "cluster": {"server": "https://prod:6443"}}],
    "users": [{"name": "me", "user": {"token": "mine"}}],
    "contexts": [{"name": "prod", "context": {"cluster": "prod", "user": "me"}}],
    "current-context": "prod",
}


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def names(path: Path, section: str = "contexts") -> list[str]:
    return [entry["name"] for entry in read(path)[section]]


def test_a_file_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "new" / "config"
    kubeconfigs.merge(path, OURS, owner=OWNER)
    assert (names(path), read(path)["current-context"]) == (["hub", "cluster-1"], "hub")
    assert path.stat().st_mode & 0o777 == 0o600
    assert kubeconfig.load(path, context="cluster-1").server == "https://127.0.0.1:1002"
    assert [each.name for each in path.parent.iterdir()] == ["config"]


def test_what_others_have_there_stays_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(THEIRS))
    path.chmod(0o644)
    kubeconfigs.merge(path, OURS, owner=OWNER)
    merged = read(path)
    assert names(path) == ["prod", "hub", "cluster-1"]
    assert (merged["current-context"], merged["preferences"]) == ("prod", {"colors": True})
    assert path.stat().st_mode & 0o777 == 0o600
    moved = [Context("hub", "https://127.0.0.1:2001", b"ca", "token")]
    kubeconfigs.merge(path, moved, owner=OWNER)
    assert names(path) == ["prod", "hub"]
    assert kubeconfigs.forget(path, owner=OWNER)
    assert read(path) == THEIRS
    assert not kubeconfigs.forget(path, owner=OWNER)


def test_the_current_context_is_ours_where_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump(THEIRS))
    kubeconfigs.merge(path, OURS, owner=OWNER, current=True)
    assert read(path)["current-context"] == "hub"
    kubeconfigs.forget(path, owner=OWNER)
    assert read(path)["current-context"] == ""


def test_a_file_with_nothing_else_goes_whole(tmp_path: Path) -> None:
    path = tmp_path / "config"
    kubeconfigs.merge(path, OURS, owner=OWNER)
    assert kubeconfigs.forget(path, owner=OWNER)
    assert not path.exists()


TAKEN = {
    "a context": ("contexts", {"name": "hub", "context": {"cluster": "x"}}, "somebody else"),
    "a cluster": ("clusters", {"name": "cluster-1", "cluster": {}}, "somebody else"),
    "a user": ("users", {"name": "hub-admin", "user": {}}, "somebody else"),
    "a context of another fleet": (
        "contexts",
        {
            "name": "hub",
            "context": {
                "extensions": [{"name": kubeconfigs.MARK, "extension": {"state": "/other"}}]
            },
        },
        "the fleet in /other",
    ),
}


@pytest.mark.parametrize(("section", "entry", "whose"), TAKEN.values(), ids=TAKEN.keys())
def test_a_name_that_somebody_else_has_is_refused(
    section: str, entry: dict[str, Any], whose: str, tmp_path: Path
) -> None:
    path = tmp_path / "config"
    path.write_text(yaml.safe_dump({**THEIRS, section: [entry]}))
    before = path.read_bytes()
    want = f'{path} has a {section[:-1]} "{entry["name"]}" of {whose}'
    for act in (
        lambda: kubeconfigs.check_mergeable(path, ["hub", "cluster-1"], owner=OWNER),
        lambda: kubeconfigs.merge(path, OURS, owner=OWNER),
    ):
        with pytest.raises(KubeconfigError) as refused:
            act()
        assert str(refused.value).startswith(want)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["config"]


@pytest.mark.parametrize("text", ["- a\n- b\n", "contexts: 3\n", "a: [", "contexts: [x]\n"])
def test_a_file_that_is_no_kubeconfig_stays_as_it_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(KubeconfigError, match=str(path)):
        kubeconfigs.merge(path, OURS, owner=OWNER)
    assert path.read_text() == text


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text(yaml.safe_dump(THEIRS))
    (tmp_path / "config").symlink_to("real")
    kubeconfigs.merge(tmp_path / "config", OURS, owner=OWNER)
    assert (tmp_path / "config").is_symlink()
    assert names(tmp_path / "real") == ["prod", "hub", "cluster-1"]


def test_the_lock_of_a_program_that_was_killed_is_not_waited_for(tmp_path: Path) -> None:
    lock = tmp_path / "config.lock"
    lock.write_text("")
    os.utime(lock, (0, 0))
    kubeconfigs.merge(tmp_path / "config", OURS, owner=OWNER)
    assert not lock.exists()
