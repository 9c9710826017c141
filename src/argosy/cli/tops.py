"""The command line of `argosy top`: the fleet as it is now, and as it changes."""

from __future__ import annotations

from argosy.cli.flags import Commands
from argosy.cli.jobverbs import add_fleet_command

# As `screens.sections.Part` has them, which is not loaded for a help text.
PARTS = ("clusters", "queues", "jobs", "events")


def add_top(commands: Commands) -> None:
    parser = add_fleet_command(
        commands,
        "top",
        "Watch the fleet: its clusters with what is used of them, queues, jobs, and what happened last. "
        "Without a terminal, or with --once, one picture is printed.",
        "screens.topping",
        "top",
    )
    parser.add_argument(
        "part", nargs="?", choices=PARTS, metavar="PART", help=f"only one of {', '.join(PARTS)}"
    )
    parser.add_argument("--once", action="store_true", help="print one picture, and end")
    parser.add_argument(
        "--interval",
        default="1s",
        metavar="DURATION",
        help="how often the screen is drawn (default: 1s); clusters tell what changes, and are not asked for it",
    )
    parser.add_argument("-o", "--output", default="", metavar="FORM", help="json or yaml, once")
