"""What a story is made of. A story is data: steps with a title, a reason, the commands that are run, what is waited for
and what it means.

In a command `{examples}` is the folder of the story's manifests and `{cluster:JOB}` the cluster that a job was placed
on, by its name in the story's namespace.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argosy.sdk import Fleet


@dataclass(slots=True, frozen=True)
class Run:
    """A command for a shell. It has to end well, within `seconds`. Of a table only `columns` are shown, if they are
    given.
    """

    command: str
    seconds: float = 60
    columns: tuple[str, ...] = ()


@dataclass(slots=True, frozen=True)
class Until:
    """Wait: `lacks` tells what is missing yet, nothing when all is there. `what` completes "waiting until ..."."""

    what: str
    lacks: Callable[[Fleet], str]
    seconds: float = 60


@dataclass(slots=True, frozen=True)
class Say:
    """A paragraph."""

    text: str


@dataclass(slots=True, frozen=True)
class Act:
    """Something that is more than a command; it gets the stage and prints by itself."""

    play: Callable[[Stage], None]


@dataclass(slots=True, frozen=True)
class Step:
    """`why` is said before anything is done."""

    title: str
    why: str
    parts: tuple[Run | Until | Say | Act, ...]


@dataclass(slots=True, frozen=True)
class Story:
    """`up` are flags of the fleet it is told on. `next` are commands to try, each with its reason."""

    name: str
    title: str
    namespace: str
    steps: tuple[Step, ...]
    next: tuple[tuple[str, str], ...]
    up: tuple[str, ...] = ()


if TYPE_CHECKING:
    from argosy.cli.demos.stages import Stage
