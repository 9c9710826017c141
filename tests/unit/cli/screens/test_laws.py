"""Whatever clusters say and however small the window is: nothing is wider or longer than it, and nothing steers it."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.cli.screens.drawing import changes
from argosy.cli.screens.pictures import Happening, Picture, picture_of
from argosy.cli.screens.rendering import Size, render, report, shared
from argosy.cli.screens.sections import Part
from argosy.cli.screens.texts import (
    ASCII,
    UNICODE,
    Span,
    Style,
    clean,
    fit,
    fit_line,
    line_width,
    painted,
    plain,
    width,
)
from argosy.cli.screens.views import View
from argosy.sdk.clusters import GPU, Amount, Cluster, ClusterState
from argosy.sdk.jobs import FleetJob, JobState
from argosy.sdk.queues import Queue, QueueUse
from tests.unit.cli.screens.fleets import NOW

TEXTS = st.text(max_size=30) | st.text("ab\x1b[2J\r\n\t漢字é\u0301\u200d👩😀\u202e", max_size=30)
AMOUNTS = st.floats(0, 1e20) | st.sampled_from([0.0, 0.001, 3.0, 16.0])
TIMES = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
CLUSTERS = st.builds(
    Cluster,
    TEXTS,
    st.sampled_from(ClusterState),
    TEXTS,
    st.none() | st.integers(0, 10**9),
    st.dictionaries(
        st.sampled_from(["cpu", "memory", GPU]), st.builds(Amount, AMOUNTS, AMOUNTS, AMOUNTS)
    ),
    message=TEXTS,
)
USES = st.builds(QueueUse, TEXTS, st.sampled_from(["cpu", GPU]) | TEXTS, AMOUNTS, AMOUNTS)
QUEUES = st.builds(
    Queue, TEXTS, TEXTS, TEXTS, st.integers(0, 10**9), uses=st.lists(USES, max_size=3).map(tuple)
)
JOBS = st.builds(
    FleetJob,
    TEXTS,
    TEXTS,
    st.sampled_from(["Job", "RayJob"]) | TEXTS,
    st.sampled_from(JobState),
    TEXTS,
    st.lists(TEXTS, max_size=3).map(tuple),
    TEXTS,
    created=st.none() | TIMES,
    started=st.none() | TIMES,
    ended=st.none() | TIMES,
)
HAPPENINGS = st.builds(Happening, TIMES, TEXTS, TEXTS, TEXTS, st.booleans())
PICTURES = st.builds(
    picture_of,
    st.lists(CLUSTERS, max_size=3),
    st.lists(QUEUES, max_size=3),
    st.lists(JOBS, max_size=5),
    st.lists(HAPPENINGS, max_size=3),
    st.dictionaries(TEXTS | st.just("hub"), TEXTS, max_size=2),
)
SIZES = st.builds(Size, st.integers(1, 220), st.integers(1, 70))
VIEWS = st.builds(View, st.none() | st.sampled_from(Part), st.integers(0, 30))


@settings(max_examples=30, deadline=None)
@given(PICTURES, SIZES, VIEWS, st.sampled_from([UNICODE, ASCII]))
def test_a_screen_fits_its_terminal(
    picture: Picture, size: Size, view: View, glyphs: object
) -> None:
    lines = render(picture, size, NOW, view, foot="q quits", glyphs=glyphs)  # type: ignore[arg-type]
    assert len(lines) == size.rows or (size.rows < 3 and len(lines) <= size.rows)
    for line in lines:
        assert line_width(line) <= size.columns
        assert not any(unicodedata.category(char) in {"Cc", "Cf"} for char in plain(line))


@settings(max_examples=30, deadline=None)
@given(PICTURES, st.integers(1, 300), st.none() | st.sampled_from(Part))
def test_a_report_fits_its_width(picture: Picture, columns: int, part: Part | None) -> None:
    assert all(line_width(each) <= columns for each in report(picture, columns, NOW, part))


@given(TEXTS, st.integers(0, 80))
def test_text_is_fitted(text: str, columns: int) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    fitted = fit(cleaned, columns)
    assert width(fitted) <= columns
    assert (fitted == cleaned) == (width(cleaned) <= columns)


@given(st.lists(TEXTS.map(clean), max_size=5), st.integers(0, 60))
def test_a_line_of_spans_is_cut_as_one_text_is(texts: list[str], columns: int) -> None:
    line = tuple(Span(each, Style.BOLD) for each in texts)
    assert plain(fit_line(line, columns)) == fit("".join(texts), columns)


@given(st.lists(st.integers(0, 100), max_size=6), st.integers(-5, 300))
def test_shares(wants: list[int], room: int) -> None:
    got = shared(wants, room)
    assert all(0 <= each <= want for each, want in zip(got, wants, strict=True))
    assert sum(got) == min(max(0, room), sum(wants))
    hungry = [each for each, want in zip(got, wants, strict=True) if each < want]
    assert not hungry or max(got) - min(hungry) <= 1


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_what_differs_is_sent_and_nothing_else(old: list[str], new: list[str]) -> None:
    sent = changes(old, new)
    rows = {
        int(part.split(";")[0]) for part in sent.split("\x1b[")[1:] if ";" in part and "H" in part
    }
    differing = {row for row, line in enumerate(new, 1) if row > len(old) or old[row - 1] != line}
    beyond = {len(new) + 1} if len(new) < len(old) else set()
    assert rows == differing | beyond
    assert (sent == "") == (old == new)


def test_colors_only_where_wanted() -> None:
    line = (Span("a"), Span("b", Style.BAD))
    assert painted(line, colors=False) == "ab"
    assert painted(line, colors=True) == "a\x1b[31mb\x1b[0m"
