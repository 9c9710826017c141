"""What a container sees of the host's other file systems."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.workloads.runtimes.process.keeper import kernel, rooting


def test_a_file_system_that_was_unmounted_meanwhile_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = [str(tmp_path / name) for name in ("first", "gone", "last")]
    shown: list[str] = []

    def mount(source: str, target: str, **_: object) -> None:
        if target.endswith("gone"):
            raise OSError(2, f"mount {source} at {target}: No such file or directory")
        shown.append(target)

    monkeypatch.setattr(kernel, "mount", mount)
    monkeypatch.setattr(rooting, "_OLD", str(tmp_path / "host"))
    rooting._show_mounts(points)
    assert shown == [points[0], points[0], points[2], points[2]]
