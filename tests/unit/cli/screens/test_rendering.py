"""Pictures and the lines they become."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from argosy.cli.screens.pictures import Picture, picture_of
from argosy.cli.screens.rendering import Size, render, report, shared
from argosy.cli.screens.sections import Part
from argosy.cli.screens.texts import ASCII, UNICODE, Glyphs, Style, plain
from argosy.cli.screens.views import View
from argosy.sdk.clusters import ClusterState
from tests.unit.cli.screens.fleets import NOW, cluster, fleet, job, queue

SMALL = Size(80, 14)


@dataclass
class Case:
    picture: Picture
    want: list[str]
    size: Size = SMALL
    view: View | None = None
    glyphs: Glyphs = UNICODE


CASES = {
    "a fleet on a small terminal": Case(
        fleet(),
        [
            "argosy · 3 clusters · 4 jobs: 1 running, 1 waiting, 1 ended, 1 failed   14:03:22",
            "CLUSTER    STATE   REGION   NODES  CPU             PENDING  WAIT  $/COR…  2 of 3",
            "cluster-1  Joined  eu-west      2  ██░░░░ 4/16           0    0s         -",
            "cluster-2  Joined  eu-west      2  █████░ 15.9/16        0    0s         -",
            "QUEUE   CLUSTERS    PENDING  ADMITTED  CPU",
            "team-a  2 clusters        3         2  ███░░░ 8/16",
            "JOB    NAMESPACE  STATE     CLUSTERS   QUEUE  PODS  WAIT  RUN    COST  3 of 4",
            "runs   app        Running   cluster-1  main      1   78s  12s  0.0120",
            "waits  app        Queued               main      1   90s    -       -",
            "done   app        Complete  cluster-1  main      1   30s  30s       -",
            "LAST      WHERE      WHAT       HAPPENED",
            "14:02:52  cluster-1  app/done   Running -> Complete",
            "14:02:32  cluster-1  app/broke  Running -> Failed",
            "q quits · tab 1-5 parts, arrows scroll",
        ],
    ),
    "nothing yet": Case(
        picture_of([], [], []),
        [
            "argosy · 0 clusters · 0 jobs                                            14:03:22",
            "CLUSTER  STATE  REGION  NODES  CPU  PENDING  WAIT  $/CORE-H",
            "no cluster has joined yet",
            "QUEUE  CLUSTERS  COHORT  PENDING  ADMITTED",
            "no queues yet: create a ClusterQueue and place it",
            "JOB  NAMESPACE  STATE  CLUSTERS  QUEUE  PODS  WAIT  RUN  COST",
            "no jobs yet: argosy submit job.yaml",
            "LAST  WHERE  WHAT  HAPPENED",
            "nothing has happened yet",
            *[""] * 4,
            "q quits · tab 1-5 parts, arrows scroll",
        ],
    ),
    "clusters with trouble come first, and say it": Case(
        picture_of(
            [
                cluster("cluster-1"),
                cluster("cluster-2"),
                cluster("cluster-3", state=ClusterState.SILENT, message="no heartbeat for 6m"),
            ],
            [],
            [],
            problems={"cluster-2": "connection refused", "hub": "no answer within 5 s"},
        ),
        [
            "argosy · 3 clusters · 2 not well · 0 jobs                               14:03:22",
            "the hub does not answer: no answer within 5 s",
            "CLUSTER    STATE        REGION   CPU          PENDING  MESSAGE",
            "cluster-2  Unreachable  eu-west  ░░░░░░ 0/16        0  connection refused",
            "cluster-3  Silent       eu-west  ░░░░░░ 0/16        0  no heartbeat for 6m",
            "cluster-1  Joined       eu-west  ░░░░░░ 0/16        0",
            "q quits · tab 1-5 parts, arrows scroll",
        ],
        Size(80, 7),
        View(Part.CLUSTERS),
    ),
    "one part, scrolled, in ASCII": Case(
        picture_of([], [], [job(f"job-{n}", created=None) for n in range(1000)]),
        [
            "argosy | 0 clusters | 1,000 jobs: 1,00~",
            "JOB      STATE    CLUSTE~  8-9 of 1,000",
            "job-104  Running  cluster-1     -    -",
            "job-105  Running  cluster-1     -    -",
            "q quits | tab 1-5 parts, arrows scroll",
        ],
        Size(39, 5),
        View(Part.JOBS, 7),
        ASCII,
    ),
    "queues alone are told by cluster": Case(
        picture_of([], [queue("cluster-10"), queue("cluster-2", pending=1, used=9)], []),
        [
            "argosy · 0 clusters · 0 jobs                      14:03:22",
            "QUEUE   CLUSTERS    PENDING  ADMITTED  CPU",
            "team-a  cluster-2         1         1  ██████ 9/8",
            "team-a  cluster-10        0         1  ░░░░░░ 0/8",
            "q quits · tab 1-5 parts, arrows scroll",
        ],
        Size(58, 5),
        View(Part.QUEUES),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_render(name: str) -> None:
    case = CASES[name]
    lines = render(case.picture, case.size, NOW, case.view, foot="q quits", glyphs=case.glyphs)
    assert [plain(each).rstrip() for each in lines] == case.want


def test_gpus_have_a_column_where_there_are_some() -> None:
    lines = render(picture_of([cluster("a"), cluster("b", gpus=8)], [], []), Size(80, 20), NOW)
    assert "GPU" in plain(lines[1])
    assert "░░░░░░ 0/8" in plain(lines[3])


def test_trouble_is_red_and_only_that() -> None:
    lines = render(fleet(), Size(80, 24), NOW)
    red = [span.text for line in lines for span in line if span.style is Style.BAD]
    assert red == ["Failed", "app/broke", "Running -> Failed"]


def test_report_tells_everything() -> None:
    picture = replace(fleet(), jobs=[job(f"job-{n}") for n in range(300)])
    text = "\n".join(map(plain, report(picture, 1 << 16, NOW)))
    assert "job-299" in text
    assert "…" not in text
    alone = [plain(each) for each in report(fleet(), 1 << 16, NOW, Part.QUEUES)]
    assert [line.split()[0] for line in alone] == ["QUEUE", "team-a", "team-a"]


@pytest.mark.parametrize(
    ("wants", "room", "want"),
    [
        ([3, 1, 9, 9], 12, [3, 1, 4, 4]),
        ([1, 1, 1, 1], 40, [1, 1, 1, 1]),
        ([80, 1, 1, 1], 20, [17, 1, 1, 1]),
        ([5, 5, 5, 5], 2, [0, 0, 1, 1]),
        ([5, 5], -3, [0, 0]),
        ([], 5, []),
    ],
)
def test_rows_are_shared_evenly(wants: list[int], room: int, want: list[int]) -> None:
    assert shared(wants, room) == want
