"""Ask `kubectl describe` about the same story on a real cluster and on Argosy, and compare line by line.

Both run whole: scheduler, all controllers, and kubelets that only pretend (kwok there, the simulated runtime here).
What must differ is replaced (times, ages, uids, generated names, addresses) and columns are taken apart, because their
width depends on these. Events are compared as a set. What differs by design is in `permitted.yaml`, line by line, each
with its reason.
"""

from __future__ import annotations

import difflib
import itertools
import json
import re
import shlex
import subprocess
from collections.abc import Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from peer.running import control_plane
from peer.serving import argosy
from tests.differential.controllers.observing import normalized
from tests.differential.controllers.scenarios import HERE
from tests.differential.repeating import Differences, Outcome, insist

AGE = re.compile(r"<invalid>|<unknown>|\b\d+(?:\.\d+)?(?:ms|[smhd])(?:\d+[smhd])*\b")
DATE = re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}")
ADDRESS = re.compile(r"\b\d+\.\d+\.\d+\.\d+\b")
REPEATED = re.compile(r" \(x(\d+) over .*\)")


class CommandFailed(Exception):
    """kubectl refused; the text holds its arguments and what it said."""


@dataclass(frozen=True, slots=True)
class Story:
    name: str
    objects: tuple[dict[str, Any], ...]
    steps: tuple[str, ...]
    describe: tuple[str, ...]

    @property
    def namespace(self) -> str:
        return "h-" + re.sub(r"\W+", "-", self.name.lower())

    def title(self, what: str) -> str:
        return f"describe: {self.name}: {what}"

    @property
    def titles(self) -> list[str]:
        return [self.title(what) for what in self.describe]


@dataclass(frozen=True, slots=True)
class Permitted:
    """Lines that one side says and the other does not, by design."""

    line: re.Pattern[str]
    because: str


def stories() -> tuple[list[dict[str, Any]], list[Story]]:
    """The nodes, and what happens on them."""
    content = yaml.load((HERE / "stories.yaml").read_text(), yaml.CSafeLoader)
    found = [
        Story(each["story"], *(tuple(each[key]) for key in ("objects", "do", "describe")))
        for each in content["stories"]
    ]
    return content["nodes"], found


def permitted() -> list[Permitted]:
    content = yaml.load((HERE / "permitted.yaml").read_text(), yaml.CSafeLoader)
    return [Permitted(re.compile(each["line"]), each["because"]) for each in content]


def tell(
    kubeconfig: Path, nodes: list[dict[str, Any]], found: Iterable[Story]
) -> dict[str, list[str]]:
    """Let stories happen on a cluster; gives the lines of each description, by title."""
    kubectl = partial(_kubectl, kubeconfig)
    kubectl(
        "apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes})
    )
    kubectl("wait", "--for=condition=Ready", "node", "--all", "--timeout=60s")
    *most, last = found
    with ThreadPoolExecutor(4) as threads:
        told = list(threads.map(partial(_happen, kubeconfig), most))
    told.append(_happen(kubeconfig, last))
    return {title: lines for one in told for title, lines in one.items()}


def _happen(kubeconfig: Path, story: Story) -> dict[str, list[str]]:
    kubectl = partial(_kubectl, kubeconfig)
    kubectl("create", "namespace", story.namespace)
    inside = partial(kubectl, "--namespace", story.namespace)
    try:
        content = {"apiVersion": "v1", "kind": "List", "items": story.objects}
        inside("create", "-f", "-", given=json.dumps(content))
        for step in story.steps:
            inside(*shlex.split(step))
        told = {}
        for what in story.describe:
            text = inside("describe", *shlex.split(what))
            told[story.title(what)] = lines_of(text, story.namespace)
        return told
    except CommandFailed as error:
        # On one side only, or on both: either way it is to be seen.
        return {title: [f"on {kubeconfig.parent.name}: {error}"] for title in story.titles}
    finally:
        # The last story shows a node, on which nothing of the others may be left.
        kubectl("delete", "namespace", story.namespace, "--timeout=90s")


def _kubectl(kubeconfig: Path, *arguments: str, given: str = "") -> str:
    command = ["kubectl", "--kubeconfig", str(kubeconfig), *arguments]
    ran = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise CommandFailed(f"{shlex.join(arguments)}: {ran.stderr.strip()}")
    return ran.stdout


def lines_of(text: str, namespace: str) -> list[str]:
    """The comparable lines of a description; several objects follow each other."""
    lines: list[str] = []
    events: list[str] = []
    is_event = False
    for written in text.splitlines():
        if not written.startswith(" "):
            lines += sorted(events)
            events, is_event = [], written.startswith("Events:")
        line = _plain(written, namespace)
        if is_event and line.startswith(" "):
            events.append(_event(written, namespace))
        else:
            lines.append(line)
    return [line for line in lines + sorted(events) if line]


def _plain(line: str, namespace: str) -> str:
    indent = len(line) - len(line.lstrip())
    text = DATE.sub("<time>", re.sub(r"\s+", " ", line.strip()))
    text = ADDRESS.sub("<address>", AGE.sub("<age>", normalized(text, namespace)))
    return " " * indent + text


def _event(line: str, namespace: str) -> str:
    fields = re.split(r"\s{2,}", line.strip())
    if len(fields) < 5 or fields[0] not in {"Normal", "Warning"}:
        return ""
    type_, reason, age, source, *message = fields
    repeated = REPEATED.search(age)
    count = f"x{repeated[1]}" if repeated and type_ == "Normal" else ""
    return f"  {type_} {reason} {count} {source}: {_plain('  '.join(message), namespace)}"


def describe(directory: Path) -> Outcome:
    """Hold Argosy's descriptions to the real ones; what differs is told again on new clusters below the directory."""
    nodes, found = stories()
    number = itertools.count(1)

    def tell_some(titles: Collection[str]) -> Differences:
        some = [story for story in found if not set(titles).isdisjoint(story.titles)]
        below = directory / f"describe-{next(number)}"
        plane = control_plane(
            below / "plane-whole", controllers="*", scheduler=True, kwok=True, limits=False
        )
        with plane as there, argosy(below / "argosy") as here, ThreadPoolExecutor(2) as threads:
            clusters = (there.kubeconfig, here.kubeconfig)
            want, got = threads.map(partial(tell, nodes=nodes, found=some), clusters)
        differing = compare(want, got)
        return {title: differing[title] for title in titles if title in differing}

    return insist([title for story in found for title in story.titles], tell_some)


def compare(want: dict[str, list[str]], got: dict[str, list[str]]) -> Differences:
    """What differs by more than is permitted, of descriptions by title."""
    allowed = permitted()
    found = {}
    for title in want:
        there, here = (_without(side[title], allowed) for side in (want, got))
        if there != here:
            changes = difflib.unified_diff(there, here, "real", "argosy", n=1, lineterm="")
            found[title] = ["\n  ".join(changes)]
    return found


def _without(lines: list[str], allowed: list[Permitted]) -> list[str]:
    return [line for line in lines if not any(one.line.search(line) for one in allowed)]
