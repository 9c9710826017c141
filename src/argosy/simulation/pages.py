"""The report: one HTML file that needs nothing else, light or dark as its reader's screen is. Pure.

From the top: what it was, the numbers that matter, the fleet at a glance (clusters by region, each with its machines
and its load), clusters side by side over time, use by team with what went wrong shaded, who waited, and the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final

from argosy.base.types import Object
from argosy.simulation import charts
from argosy.simulation.ledgers import Ledger
from argosy.simulation.plans import Scenario
from argosy.simulation.summaries import span

_DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAY: Final = 86_400.0
_HOUR: Final = 3600.0
_CELLS: Final = 112
_STYLE: Final = Path(__file__).parent / "report.css"


def page(scenario: Scenario, ledger: Ledger, summary: Object) -> str:
    """The whole file."""
    axis = _axis(scenario, ledger.horizon)
    body = "".join(
        [
            _head(scenario, summary),
            _kpis(summary),
            _fleet(summary, ledger),
            _side_by_side(scenario, ledger, axis),
            _use(scenario, ledger, axis),
            _waiting(ledger, axis),
            _waits(summary),
            _tables(summary),
            _foot(summary),
        ]
    )
    title = escape(scenario.name)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{title} · Argosy simulation</title><style>{_STYLE.read_text()}</style></head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def _foot(summary: Object) -> str:
    return (
        f"<footer>Seed {summary['seed']}. The events are in events.jsonl, each job is a line of jobs.csv, every number "
        "here is in summary.json. The same seed gives the same files.</footer>"
    )


def _axis(scenario: Scenario, seconds: float) -> charts.Axis:
    first = scenario.start.weekday()
    begin = scenario.start.hour * _HOUR + scenario.start.minute * 60.0

    def label(at: float) -> str:
        moment = begin + at
        if seconds > 2 * _DAY:
            return _DAYS[(first + int(moment // _DAY)) % 7]
        return f"{int(moment % _DAY // _HOUR):02d}:{int(moment % _HOUR // 60):02d}"

    return charts.Axis(
        seconds,
        label,
        [charts.Span(each.since, each.until, f"{each.what} dark") for each in scenario.outages],
        [charts.Mark(each.at, each.what) for each in scenario.changes if each.at <= seconds],
    )


def _head(scenario: Scenario, summary: Object) -> str:
    told = escape(" ".join(scenario.description.split()))
    how = f"{span(summary['simulatedSeconds'])} of fleet life in virtual time"
    return f"<h1>{escape(scenario.name)}</h1><p>{told}</p><p>{how}</p>"


def _kpis(summary: Object) -> str:
    jobs, wait, hours = summary["jobs"], summary["waitSeconds"], summary["unitHours"]
    broken = sum(summary["integrity"].values())
    cells = [
        (
            f"{jobs['submitted']:,}",
            f"jobs; {jobs['complete']:,} complete, {jobs['failed']:,} failed",
            "",
        ),
        (
            f"{summary['utilization']:.0%}",
            f"of {hours['capacity']:,.0f} {_unit(summary)}-hours in use",
            "",
        ),
        (span(wait["p50"]), f"wait of half; p90 {span(wait['p90'])}, p99 {span(wait['p99'])}", ""),
        (f"{summary['fairness']:.3f}", "fairness over teams (Jain)", ""),
        (
            f"{summary['preemptions']:,}",
            f"preemptions; {hours['wastedShare']:.1%} of work wasted",
            "",
        ),
        (
            f"{summary['money']['machines']:,.0f}",
            f"for machines; jobs held {summary['money']['jobs']:,.0f}",
            "",
        ),
        (f"{broken:,}", "jobs lost or run twice", " bad" if broken else ""),
    ]
    tiles = "".join(
        f'<div class="kpi{style}"><b>{value}</b><span>{text}</span></div>'
        for value, text, style in cells
    )
    return f'<div class="kpis">{tiles}</div>'


def _unit(summary: Object) -> str:
    return {"cpu": "core", "nvidia.com/gpu": "GPU"}.get(summary["unit"], str(summary["unit"]))


def _fleet(summary: Object, ledger: Ledger) -> str:
    clusters: dict[str, Object] = summary["clusters"]
    regions: dict[str, list[str]] = {}
    for name, each in clusters.items():
        regions.setdefault(each["region"] or "no region", []).append(name)
    nodes = sum(each["nodes"] for each in clusters.values())
    cores = sum(each["cores"] for each in clusters.values())
    blocks = "".join(_region(region, names, summary, ledger) for region, names in regions.items())
    return _section(
        "The fleet",
        f"{_counted(len(clusters), 'cluster')} in {_counted(len(regions), 'region')}, {nodes:,} nodes, "
        f"{cores:,.0f} cores",
        f'<div class="regions">{blocks}</div>',
    )


def _region(region: str, names: Sequence[str], summary: Object, ledger: Ledger) -> str:
    clusters, unit = summary["clusters"], _unit(summary)
    nodes = sum(clusters[name]["nodes"] for name in names)
    tiles = []
    for name in names:
        each = clusters[name]
        load = each["utilization"]
        small = ""
        if len(clusters) <= 12:
            used, there = (_means(ledger, what, name, 56) for what in ("used", "capacity"))
            small = charts.spark(used, there)
        dark = " dark" if each["darkSeconds"] else ""
        note = f"<br>dark for {span(each['darkSeconds'])}" if dark else ""
        tiles.append(
            f'<div class="tile{dark}"><b>{escape(name)}<span>{load:.0%}</span></b><div class="load">'
            f'<i style="width:{min(load, 1):.1%}"></i></div>'
            f"{each['nodes']:,} nodes, {each['capacity']:,.0f} {unit}s<br>"
            f"{each['jobs']:,} jobs{note}{small}</div>"
        )
    return (
        f'<div class="region"><h3>{escape(region)} · {_counted(len(names), "cluster")} · {nodes:,} nodes</h3>'
        f'<div class="tiles">{"".join(tiles)}</div></div>'
    )


def _side_by_side(scenario: Scenario, ledger: Ledger, axis: charts.Axis) -> str:
    rows = {}
    for member in scenario.members:
        used, there = (_means(ledger, what, member.name, _CELLS) for what in ("used", "capacity"))
        rows[member.name] = [u / t if t else 0.0 for u, t in zip(used, there, strict=True)]
    return _section(
        "Clusters side by side",
        "How full each was: the darker, the fuller.",
        charts.heat(rows, axis),
    )


def _use(scenario: Scenario, ledger: Ledger, axis: charts.Axis) -> str:
    teams = _series(ledger, "held")
    there = [
        sum(each) for each in zip(*(m.means() for m in ledger.of("capacity").values()), strict=True)
    ]
    notes = [
        f"{each.what} dark for {span(each.until - each.since)} (shaded)"
        for each in scenario.outages
    ]
    notes += [f"{each.what} (dotted line)" for each in scenario.changes]
    what = "In use by team; the dashed line is what there is. " + "; ".join(notes)
    drawn = charts.areas(teams, axis, ceiling=there, height=280)
    return _section("Use over time", what, _key(teams) + drawn)


def _waiting(ledger: Ledger, axis: charts.Axis) -> str:
    teams = _series(ledger, "waiting")
    drawn = charts.areas(teams, axis, height=190, unit="jobs")
    return _section(
        "Jobs waiting", "Submitted, and no pod of theirs has run yet.", _key(teams) + drawn
    )


def _waits(summary: Object) -> str:
    parts = []
    for key, title in (("teams", "by team"), ("classes", "by class")):
        rows = {
            name: tuple(each["waitSeconds"][share] for share in ("p50", "p90", "p99"))
            for name, each in summary[key].items()
        }
        parts.append(
            _section(
                f"Waits {title}",
                "The notch is the median, the bar ends at p90, the line at p99. The scale is by decades.",
                charts.ranges(rows, span),
            )
        )
    return "".join(parts)


def _tables(summary: Object) -> str:
    return "".join(
        _table(title, summary[key]) for key, title in (("teams", "Teams"), ("classes", "Classes"))
    )


def _table(title: str, groups: Mapping[str, Object]) -> str:
    heads = (
        "",
        "Jobs",
        "Complete",
        "Failed",
        "Waiting",
        "Wait p50",
        "p90",
        "p99",
        "Unit-hours",
        "Wasted",
        "Preempted",
        "Cost",
    )
    rows = []
    for name, each in groups.items():
        wait = each["waitSeconds"]
        cells = (
            escape(name), f"{each['submitted']:,}", f"{each['complete']:,}", f"{each['failed']:,}",
            f"{each['waiting']:,}",
            span(wait["p50"]), span(wait["p90"]), span(wait["p99"]), f"{each['usedUnitHours']:,.0f}",
            f"{each['wastedUnitHours']:,.0f}", f"{each['preemptions']:,}", f"{each['cost']:,.0f}",
        )  # fmt: skip
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = "".join(f"<th>{each}</th>" for each in heads)
    return _section(title, "", f"<table><tr>{head}</tr>{''.join(rows)}</table>")


def _section(title: str, text: str, content: str) -> str:
    told = f"<p>{escape(text)}</p>" if text else ""
    return f"<section><h2>{escape(title)}</h2>{told}{content}</section>"


def _key(series: Mapping[str, object]) -> str:
    items = "".join(
        f'<span><i class="c{number % 8}"></i>{escape(name)}</span>'
        for number, name in enumerate(series)
    )
    return f'<div class="key">{items}</div>'


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _series(ledger: Ledger, what: str) -> dict[str, list[float]]:
    found = ledger.of(what)
    return {name: found[name].means() for name in sorted(found)}


def _means(ledger: Ledger, what: str, name: str, cells: int) -> list[float]:
    """A meter in fewer slots."""
    meter = ledger.of(what).get(name)
    if meter is None:
        return [0.0] * cells
    return list(_gathered(meter.means(), cells))


def _gathered(values: Sequence[float], cells: int) -> Iterator[float]:
    each = len(values) / cells
    for number in range(cells):
        part = values[int(number * each) : max(int((number + 1) * each), int(number * each) + 1)]
        yield sum(part) / len(part)
