"""Files that cannot be opened: what the user is told."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from argosy.store import DamagedStore, NewerStore, StoreInUse, StoreUnavailable, open_store
from tests.unit.store.writing import key, put, run


def fill(path: Path, objects: int = 50) -> None:
    async def scenario() -> None:
        store = open_store(path)
        for i in range(objects):
            await put(store, key(f"p{i}"), body="x" * 2000)
        await store.close()

    run(scenario())


def sql(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


def test_a_file_in_use_names_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_store(path)
    code = "import sys, argosy.store as s, pathlib; s.open_store(pathlib.Path(sys.argv[1]))"
    other = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    want = (
        f"StoreInUse: {path} is in use by process {os.getpid()}: "
        "stop it, or give this one another state directory"
    )
    assert other.stderr.splitlines()[-1].endswith(want)
    with pytest.raises(StoreInUse) as here:
        open_store(path)
    assert here.value.pid == os.getpid()
    run(store.close())
    run(open_store(path).close())


def test_a_newer_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    fill(path, 1)
    sql(path, "PRAGMA user_version = 7")
    want = path.read_bytes()
    with pytest.raises(
        NewerStore, match=r"has format 7, this Argosy knows formats up to 1: run the newer"
    ):
        open_store(path)
    assert path.read_bytes() == want


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    sql(path, "CREATE TABLE customers(name)")
    want = path.read_bytes()
    with pytest.raises(DamagedStore, match="not one of Argosy's"):
        open_store(path)
    assert path.read_bytes() == want


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_text("apiVersion: v1\n" * 100)
    with pytest.raises(DamagedStore) as damaged:
        open_store(path)
    assert str(damaged.value) == (
        f"{path} is damaged (file is not a database): "
        "restore it from a backup, or move it away to start with an empty cluster"
    )


def test_a_corrupt_page_is_found_at_start(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    fill(path)
    overwrite(path, 8192 * 6, b"\xff" * 8192)
    with pytest.raises(DamagedStore, match="database disk image is malformed"):
        open_store(path)


def test_a_truncated_file_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    fill(path)
    os.truncate(path, 8192 * 6)
    with pytest.raises(DamagedStore):
        open_store(path)


def test_an_object_that_is_no_json_names_its_revision(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    fill(path, 3)
    sql(path, "UPDATE log SET value = x'7b22' WHERE revision = 3")
    with pytest.raises(
        DamagedStore, match=r"revision 3 of pods cannot be read: Input data was truncated"
    ):
        open_store(path)


def test_a_history_with_a_hole_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    fill(path, 3)
    sql(path, "UPDATE log SET deleted = 1 WHERE revision = 3")
    with pytest.raises(DamagedStore, match="revision 3 deletes what is not there"):
        open_store(path)


def test_a_failed_opening_leaves_no_lock_behind(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_text("no database")
    for _ in range(2):
        with pytest.raises(DamagedStore):
            open_store(path)
    path.unlink()
    run(open_store(path).close())


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "s.db"
    with pytest.raises(
        StoreUnavailable, match=r"nowhere/s.db.lock: No such file or directory: check"
    ):
        open_store(path)


def test_an_opening_that_was_killed_before_the_tables_were_made_starts_over(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.touch()
    store = open_store(path)
    assert store.revision == 1
    run(store.close())
