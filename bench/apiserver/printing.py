"""The benchmark's table: one line per row, both servers side by side, and the ratio."""

from __future__ import annotations

from bench.apiserver.rows import Measurement, Row

HEADS = ("", "p50 ms", "p99 ms", "CPU s", "RSS MiB")


def table(rows: list[Row], results: dict[str, list[Measurement]]) -> str:
    """Lay out the measurements; the ratio is ours to the peer's throughput."""
    servers = list(results)
    head = ["row"]
    for server in servers:
        head += [f"{server} {HEADS[0]}".strip(), *HEADS[1:]]
    if len(servers) == 2:
        head.append("ratio")
    lines = [head]
    for index, row in enumerate(rows):
        measured = [results[server][index] for server in servers]
        line = [row.name]
        for each in measured:
            line += _cells(row, each)
        if len(measured) == 2:
            line.append(f"{measured[0].load.per_second / measured[1].load.per_second:.2f}")
        lines.append(line)
    return _aligned(lines)


def _cells(row: Row, measured: Measurement) -> list[str]:
    load = measured.load
    return [
        f"{load.per_second:,.0f} {row.unit}",
        f"{load.p50_ms:.1f}",
        f"{load.p99_ms:.1f}",
        f"{measured.cpu_seconds:.1f}",
        f"{measured.rss_bytes / 2**20:,.0f}",
    ]


def _aligned(lines: list[list[str]]) -> str:
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
