"""How amounts, prices and durations read."""

from __future__ import annotations

import pytest

from argosy.cli import columns


@pytest.mark.parametrize(
    ("value", "want"), [(None, "-"), (0, "0"), (1.5, "1.5"), (0.125, "0.12"), (1234567, "1234567")]
)
def test_numbers(value: float | None, want: str) -> None:
    assert columns.number(value) == want


@pytest.mark.parametrize(
    ("value", "want"),
    [(None, "-"), (0, "0"), (1 << 30, "1Gi"), (1.5 * (1 << 30), "1.5Gi"), (127.9 * (1 << 30), "127Gi"), (5 << 40, "5Ti")],
)  # fmt: skip
def test_sizes(value: float | None, want: str) -> None:
    assert columns.size(value) == want


@pytest.mark.parametrize(
    ("value", "want"),
    [(None, "-"), (0, "0.00"), (12.345, "12.35"), (0.039, "0.0390"), (0.00001, "<0.0001")],
)
def test_prices(value: float | None, want: str) -> None:
    assert columns.price(value) == want


def test_colors_are_for_terminals_and_for_those_who_want_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not columns.is_colorful()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert columns.is_colorful()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not columns.is_colorful()
