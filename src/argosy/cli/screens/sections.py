"""The four parts of the screen: clusters, queues, jobs, and what happened last. Pure.

Each is a table whose rows are made only as far as they are seen: ten thousand jobs cost what fits on the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeVar

from argosy.base.durations import human_duration
from argosy.cli.screens.pictures import Happening, Picture, by_resource, natural, over_clusters
from argosy.cli.screens.tables import Column, table
from argosy.cli.screens.texts import Glyphs, Line, Span, Style, cell, fit_line, line_width
from argosy.sdk.clusters import GPU, Amount, Cluster, ClusterState
from argosy.sdk.jobs import FleetJob, JobState
from argosy.sdk.queues import Queue, QueueUse

R = TypeVar("R")

_GIB: Final = 1 << 30
_NARROW_BAR: Final = 6
_WIDE_BAR: Final = 16
# From this width on there is room for wide bars.
_WIDE_SCREEN: Final = 120
_JOB_STYLES: Final = {
    JobState.RUNNING: Style.BUSY,
    JobState.COMPLETE: Style.GOOD,
    JobState.FAILED: Style.BAD,
    JobState.CANCELLED: Style.DIM,
}
# States that speak for themselves.
_PLAIN_STATES: Final = frozenset({JobState.RUNNING, JobState.COMPLETE})


class Part(StrEnum):
    """Parts of the screen, by what `argosy top` calls them."""

    CLUSTERS = "clusters"
    QUEUES = "queues"
    JOBS = "jobs"
    EVENTS = "events"


@dataclass(slots=True, frozen=True)
class Section:
    """One part: how many rows there are, and the lines of some of them, head included."""

    part: Part
    count: int
    lines: Callable[[int, int, int], list[Line]]


@dataclass(slots=True, frozen=True)
class Setting:
    """What all sections go by. `is_whole`: a part has the screen for itself."""

    now: datetime
    glyphs: Glyphs
    is_whole: bool = False


def sections(picture: Picture, setting: Setting) -> dict[Part, Section]:
    queues = picture.queues
    per_cluster = sorted(queues, key=lambda each: (natural(each.name), natural(each.cluster)))
    shown = [(each, 1) for each in per_cluster] if setting.is_whole else over_clusters(queues)
    clusters = sorted(picture.clusters, key=lambda each: is_well(each, picture))
    return {
        Part.CLUSTERS: _section(
            Part.CLUSTERS,
            clusters,
            lambda rows, width: _clusters(rows, width, picture, setting),
            setting,
        ),
        Part.QUEUES: _section(
            Part.QUEUES, shown, lambda rows, width: _queues(rows, width, setting), setting
        ),
        Part.JOBS: _section(
            Part.JOBS, picture.jobs, lambda rows, width: _jobs(rows, width, setting), setting
        ),
        Part.EVENTS: _section(
            Part.EVENTS,
            picture.happenings,
            lambda rows, width: _happenings(rows, width, setting),
            setting,
        ),
    }


def is_well(cluster: Cluster, picture: Picture) -> bool:
    return cluster.state is ClusterState.JOINED and cluster.name not in picture.problems


def _section(
    part: Part,
    rows: Sequence[R],
    columns: Callable[[Sequence[R], int], list[Column]],
    setting: Setting,
) -> Section:
    def lines(offset: int, limit: int, width: int) -> list[Line]:
        seen = rows[offset : offset + limit]
        head, *rest = table(columns(seen, width), width, setting.glyphs.more)
        if len(seen) < len(rows):
            # The head tells what is not seen.
            told = cell(f"  {_range(offset, len(seen))} of {len(rows):,}", Style.DIM)
            head = (*fit_line(head, width - line_width(told), setting.glyphs.more), *told)
        return [head, *rest]

    return Section(part, len(rows), lines)


def _range(offset: int, count: int) -> str:
    return f"{offset + 1}-{offset + count}" if offset else str(count)


# Clusters.


def _clusters(
    rows: Sequence[Cluster], width: int, picture: Picture, setting: Setting
) -> list[Column]:
    bar = _bar_width(width)
    has_gpus = any(each.gpus.total for each in picture.clusters)
    columns = [
        Column("CLUSTER", [cell(each.name, Style.BOLD) for each in rows], least=16),
        Column("STATE", [_cluster_state(each, picture) for each in rows]),
        Column("REGION", [cell(each.region) for each in rows], rank=4, least=10),
        Column("NODES", [_maybe(each.nodes) for each in rows], rank=5, right=True),
        Column("CPU", [_amount(each.cpu, bar, setting) for each in rows]),
    ]
    if has_gpus:
        cells = [_amount(each.gpus, bar, setting) for each in rows]
        columns.append(Column("GPU", cells, rank=1))
    if width >= _WIDE_SCREEN:
        cells = [_amount(each.memory, bar, setting, _GIB) for each in rows]
        columns.append(Column("MEMORY GiB", cells, rank=7))
    columns += [
        Column("PENDING", [_maybe(each.pending_workloads) for each in rows], rank=2, right=True),
        Column("WAIT", [_seconds(each.queue_wait_seconds) for each in rows], rank=6, right=True),
        Column("$/CORE-H", [_money(each.price_per_core_hour) for each in rows], rank=8, right=True),
    ]
    messages = [picture.problems.get(each.name) or each.message for each in rows]
    if any(messages):
        cells = [cell(each, Style.BAD) for each in messages]
        columns.append(Column("MESSAGE", cells, rank=3, least=24))
    return columns


def _cluster_state(cluster: Cluster, picture: Picture) -> Line:
    if cluster.state is not ClusterState.JOINED:
        is_bad = cluster.state in {ClusterState.SILENT, ClusterState.UNHEALTHY}
        return cell(cluster.state, Style.BAD if is_bad else Style.WAITING)
    # The hub hears of it, and we do not.
    if cluster.name in picture.problems:
        return cell("Unreachable", Style.BAD)
    return cell(cluster.state, Style.GOOD)


# Queues.


def _queues(rows: Sequence[tuple[Queue, int]], width: int, setting: Setting) -> list[Column]:
    bar = _bar_width(width)
    uses = [by_resource(queue.uses) for queue, _ in rows]
    where = [queue.cluster or f"{count} clusters" for queue, count in rows]
    columns = [
        Column("QUEUE", [cell(queue.name, Style.BOLD) for queue, _ in rows], least=16),
        Column("CLUSTERS", [cell(each) for each in where], rank=1, least=8),
        Column("COHORT", [cell(queue.cohort) for queue, _ in rows], rank=12, least=10),
        Column("PENDING", [_count(queue.pending, Style.WAITING) for queue, _ in rows], right=True),
        Column("ADMITTED", [_count(queue.admitted, Style.BUSY) for queue, _ in rows], right=True),
    ]
    named = sorted({resource for each in uses for resource in each}, key=_resource_order)
    for number, resource in enumerate(named):
        cells = [_use(each.get(resource), bar, setting) for each in uses]
        columns.append(Column(_resource_title(resource), cells, rank=number and 10 + number))
    messages = [queue.message for queue, _ in rows]
    if any(messages):
        cells = [cell(each, Style.BAD) for each in messages]
        columns.append(Column("MESSAGE", cells, rank=2, least=16))
    return columns


def _resource_order(resource: str) -> tuple[int, str]:
    known = {"cpu": 0, GPU: 1, "memory": 2}
    return known.get(resource, 3), resource


def _resource_title(resource: str) -> str:
    known = {"cpu": "CPU", GPU: "GPU", "memory": "MEMORY GiB"}
    return known.get(resource, resource.rpartition("/")[2].upper())


def _use(use: QueueUse | None, bar: int, setting: Setting) -> Line:
    if use is None:
        return ()
    scale = _GIB if use.resource == "memory" else 1
    return _gauge(use.used / scale, use.nominal / scale, bar, setting)


# Jobs.


def _jobs(rows: Sequence[FleetJob], width: int, setting: Setting) -> list[Column]:
    now = setting.now
    columns = [
        Column("JOB", [cell(each.name, Style.BOLD) for each in rows], least=20),
        Column("NAMESPACE", [cell(each.namespace) for each in rows], rank=4, least=12),
        Column("STATE", [_job_state(each) for each in rows]),
        Column("CLUSTERS", [cell(",".join(each.clusters)) for each in rows], rank=1, least=9),
        Column("QUEUE", [cell(each.queue) for each in rows], rank=5, least=11),
        Column("PODS", [cell(each.pods) for each in rows], rank=6, right=True),
        Column("WAIT", [_seconds(each.wait_seconds(now)) for each in rows], rank=2, right=True),
        Column("RUN", [_seconds(each.run_seconds(now)) for each in rows], rank=3, right=True),
        Column("COST", [_money(each.price(now)) for each in rows], rank=7, right=True),
    ]
    if any(each.kind != "Job" for each in rows):
        columns.insert(2, Column("KIND", [cell(each.kind) for each in rows], rank=9))
    if width >= _WIDE_SCREEN:
        cells = [cell(each.message if each.state not in _PLAIN_STATES else "") for each in rows]
        columns.append(Column("MESSAGE", cells, rank=8, least=20))
    return columns


def _job_state(job: FleetJob) -> Line:
    return cell(job.state, _JOB_STYLES.get(job.state, Style.WAITING))


# What happened last.


def _happenings(rows: Sequence[Happening], width: int, setting: Setting) -> list[Column]:
    zone = setting.now.tzinfo
    styles = [Style.BAD if each.is_trouble else Style.PLAIN for each in rows]
    pairs = list(zip(rows, styles, strict=True))
    return [
        Column(
            "LAST", [cell(f"{each.time.astimezone(zone):%H:%M:%S}", Style.DIM) for each in rows]
        ),
        Column("WHERE", [cell(each.where) for each in rows], rank=2, least=6),
        Column("WHAT", [cell(each.what, style) for each, style in pairs], rank=1, least=12),
        Column("HAPPENED", [cell(each.text, style) for each, style in pairs], least=8),
    ]


# Cells.


def _bar_width(width: int) -> int:
    return _WIDE_BAR if width >= _WIDE_SCREEN else _NARROW_BAR


def _amount(amount: Amount, bar: int, setting: Setting, scale: int = 1) -> Line:
    """What is taken of what can be had."""
    if not amount.allocatable:
        return ()
    used = max(0.0, amount.allocatable - amount.available)
    return _gauge(used / scale, amount.allocatable / scale, bar, setting)


def _gauge(used: float, total: float, bar: int, setting: Setting) -> Line:
    """A bar and its numbers. Something is never shown as nothing, and nearly all never as all."""
    # More than twice is as much as a bar can tell.
    share = min(2.0, used / total) if total > 0 else float(used > 0)
    full = min(bar, max(0, round(share * bar)))
    if 0 < share < 1:
        full = min(max(full, 1), bar - 1)
    style = Style.WAITING if share > 1 else Style.BUSY
    glyphs = setting.glyphs
    return (
        Span(glyphs.full * full, style),
        Span(glyphs.empty * (bar - full), Style.DIM),
        Span(f" {_number(used)}/{_number(total)}"),
    )


def _number(value: float) -> str:
    for size, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            return f"{value / (1e3 if unit == 'k' else size):.3g}{unit}" if value < 1e15 else "lots"
    return f"{value:.4g}" if value >= 0.01 or value == 0 else "<0.01"


def _maybe(value: int | None) -> Line:
    return cell("-" if value is None else value)


def _count(value: int, style: Style) -> Line:
    return cell(value, style if value else Style.PLAIN)


def _seconds(value: float | None) -> Line:
    return cell("-" if value is None else human_duration(value))


def _money(value: float | None) -> Line:
    if value is None:
        return cell("-")
    return cell(f"{value:.2f}" if value >= 1 or value == 0 else f"{value:.4f}")
