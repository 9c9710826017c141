"""`argosy simulate`: the command line, and what people see while it runs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from argosy.base.collecting import look_rarely
from argosy.cli.flags import Commands, add_parser

if TYPE_CHECKING:
    from argosy.simulation.plans import Scenario
    from argosy.simulation.running import Progress

_BAR = 24


def add_simulate(commands: Commands) -> None:
    parser = add_parser(
        commands,
        ("simulate",),
        "Play a scenario on a whole fleet in virtual time, and report what came of it.",
    )
    parser.add_argument(
        "scenario",
        nargs="?",
        metavar="SCENARIO",
        help="a scenario file, or the name of one that is shipped",
    )
    parser.add_argument("--list", action="store_true", help="show the scenarios that are shipped")
    parser.add_argument(
        "--seed", type=int, metavar="N", help="whose history it is (default: the scenario's)"
    )
    parser.add_argument(
        "--until", metavar="DURATION", help="how much of it, such as 36h or 7d (default: all of it)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where events.jsonl, jobs.csv, summary.json and report.html go (default: simulation-NAME)",
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="in real time, on a fleet that kubectl can look at, instead of virtual time",
    )
    parser.add_argument(
        "--processes",
        type=_processes,
        default=3,
        metavar="N",
        help="with --live: how many processes the fleet has (default: 3, one for the hub and two for the members)",
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="go on although this machine seems to have too little memory or disk for it",
    )
    parser.set_defaults(run=_simulate)


def _processes(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is no number of processes: say 1 or more")
    return number


def _simulate(parsed: argparse.Namespace) -> int:
    look_rarely()
    from argosy.simulation.documents import ScenarioError, parse_span
    from argosy.simulation.reading import find, read

    if parsed.list or parsed.scenario is None:
        return _list(is_asked=parsed.list)
    try:
        scenario = read(find(parsed.scenario))
        until = scenario.horizon if parsed.until is None else parse_span(parsed.until)
    except ScenarioError as error:
        print("argosy simulate: the scenario cannot be played:", file=sys.stderr)
        for problem in error.problems:
            print(f"  {problem}", file=sys.stderr)
        return 1
    except ValueError as error:
        return _fail(f"--until {parsed.until}: no duration such as 36h or 7d: {error}")
    if not 0 < until <= scenario.horizon:
        return _fail(f"--until {parsed.until}: the scenario is {scenario.horizon:g}s long")
    seed = scenario.seed if parsed.seed is None else parsed.seed
    directory = parsed.out or Path(f"simulation-{scenario.name}")
    if not _fits(scenario, directory, until, parsed):
        return 1
    if parsed.live:
        from argosy.cli.living import play_live

        return play_live(scenario, directory.absolute(), seed, until, parsed.processes)
    return _play(scenario, directory, seed, until)


def _fits(scenario: Scenario, directory: Path, until: float, parsed: argparse.Namespace) -> bool:
    """Say how large it will be; whether it may begin."""
    from dataclasses import replace

    from argosy.simulation import estimating

    found = estimating.estimate(
        replace(scenario, horizon=until), processes=parsed.processes if parsed.live else 0
    )
    print(f"argosy: {scenario.name}: {estimating.told(found)}", file=sys.stderr)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        warning = estimating.check(found, directory).warning
    except OSError as error:
        _fail(f"{scenario.name}: {error}")
        return False
    except estimating.TooLarge as error:
        if not parsed.force:
            _fail(f"{scenario.name}: {error}; --force tries it all the same")
            return False
        warning = str(error)
    if warning:
        print(f"argosy: warning: {warning}", file=sys.stderr)
    return True


def _play(scenario: Scenario, directory: Path, seed: int, until: float) -> int:
    from argosy.base.errors import StatusError
    from argosy.queueing.configuration import ConfigurationError
    from argosy.simulation.driving import Refused
    from argosy.simulation.outputs import REPORT
    from argosy.simulation.running import simulate
    from argosy.simulation.summaries import lines

    line = Line()
    try:
        outcome = simulate(scenario, directory, seed=seed, until=until, tell=line.tell)
    except (Refused, StatusError, ConfigurationError, OSError) as error:
        line.clear()
        return _fail(f"{scenario.name}: {error}")
    line.clear()
    for text in lines(outcome.summary):
        print(text)
    print(
        f"{outcome.elapsed:.1f} s of real time, {outcome.writes:,} writes on {len(scenario.members) + 1} clusters; "
        f"look at {directory / REPORT}"
    )
    return 0


class Line:
    """The progress: a bar that is written over on a terminal, a line for each tenth elsewhere."""

    def __init__(self) -> None:
        self._rewrites = sys.stderr.isatty()
        self._tenth = 0

    def tell(self, progress: Progress) -> None:
        from argosy.simulation.summaries import span

        share = progress.at / progress.until
        text = (
            f"{span(progress.at)} of {span(progress.until)}, {progress.jobs:,} jobs, "
            f"{progress.writes / progress.elapsed:,.0f} events/s, {span(progress.remaining)} to go"
        )
        if self._rewrites:
            done = round(share * _BAR)
            sys.stderr.write(f"\r\x1b[K{'█' * done}{'░' * (_BAR - done)} {share:4.0%}  {text}")
            sys.stderr.flush()
        elif int(share * 10) > self._tenth:
            self._tenth = int(share * 10)
            print(f"argosy: {share:.0%}: {text}", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._rewrites:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _list(*, is_asked: bool) -> int:
    from argosy.simulation.reading import SHIPPED, read

    for path in sorted(SHIPPED.glob("*.yaml")):
        print(f"{path.stem:<20} {read(path).description}")
    if not is_asked:
        print("argosy simulate: name one of these, or a file", file=sys.stderr)
        return 2
    return 0


def _fail(text: str) -> int:
    print(f"argosy simulate: {text}", file=sys.stderr)
    return 1
