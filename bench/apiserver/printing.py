"""The benchmark's table: one line per row, both servers side by side, and the ratio.

A cell is the median of the rounds. The ratio is ours to the peer's throughput, with the smallest
and the largest of the rounds behind it: a ratio whose range is wide, or spans 1, is not a result.
"""

from __future__ import annotations

from statistics import median

from bench.apiserver.rows import ROWS, Measurement, Row

# Above this share of the cores in other hands, throughput is not comparable.
QUIET = 0.05

Results = dict[str, list[list[Measurement]]]


def table(results: Results) -> list[list[str]]:
    """The measurements (`results[server][round][row]`) as lines of cells."""
    servers = list(results)
    head = ["row"]
    for server in servers:
        head += [server, "p50 ms", "p99 ms", "CPU s", "CPU µs/op", "RSS MiB"]
    lines = [head + ["ratio (range)"] * (len(servers) == 2)]
    for index, row in enumerate(ROWS):
        rounds = [[each[index] for each in results[server]] for server in servers]
        line = [row.name]
        for measured in rounds:
            line += _cells(row, measured)
        if len(rounds) == 2:
            line.append(_ratio(*rounds))
        lines.append(line)
    return lines


def verdict(results: Results) -> str:
    """Say whether the machine was quiet enough for the throughput to mean anything."""
    others = [each.others for rounds in results.values() for rows in rounds for each in rows]
    disturbed = sum(share > QUIET for share in others)
    if not disturbed:
        return f"quiet: other processes used at most {max(others):.0%} of the cores in any row"
    return (
        f"NOT QUIET: other processes used more than {QUIET:.0%} of the cores in {disturbed} of "
        f"{len(others)} measurements (at most {max(others):.0%}); throughput, latency and ratio "
        "are not comparable, CPU µs/op and RSS still are"
    )


def _cells(row: Row, measured: list[Measurement]) -> list[str]:
    return [
        f"{median(each.load.per_second for each in measured):,.0f} {row.unit}",
        f"{median(each.load.p50_ms for each in measured):.1f}",
        f"{median(each.load.p99_ms for each in measured):.1f}",
        f"{median(each.cpu_seconds for each in measured):.1f}",
        f"{median(each.cpu_micros for each in measured):,.0f}",
        f"{median(each.rss_bytes for each in measured) / 2**20:,.0f}",
    ]


def _ratio(ours: list[Measurement], peers: list[Measurement]) -> str:
    ratios = [a.load.per_second / b.load.per_second for a, b in zip(ours, peers, strict=True)]
    return f"{median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"


def aligned(lines: list[list[str]]) -> str:
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
