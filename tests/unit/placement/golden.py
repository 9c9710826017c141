"""Objects of the golden runs, readable by typed views: what was made comparable gets a value of its kind again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import msgspec
import yaml

from argosy.base.types import Object

TIME = "2026-01-01T00:00:00Z"
V = TypeVar("V")


def cases(shared: Path) -> Path:
    return shared / "fixtures" / "kubefleet" / "cases"


def objects(path: Path) -> list[Object]:
    if not path.exists():
        return []
    text = path.read_text().replace(": <time>\n", f": '{TIME}'\n")
    return [each for each in yaml.load_all(text, yaml.CSafeLoader) if each]


def views(path: Path, kind: type[V]) -> list[V]:
    return [view(each, kind) for each in objects(path)]


def view(obj: Object, kind: type[V]) -> V:
    return msgspec.json.decode(msgspec.json.encode(obj), type=kind)


def placements(shared: Path) -> Iterator[tuple[str, Path]]:
    """Every placement of every case: its title, and the beginning of its files."""
    for path in sorted(cases(shared).glob("*/*.works.yaml")):
        yield (
            f"{path.parent.name} {path.name.removesuffix('.works.yaml')}",
            path.parent / path.name.removesuffix("works.yaml"),
        )


def beside(prefix: Path, what: str) -> Path:
    """The file of a placement that holds its bindings, works, resourcesnapshots."""
    return prefix.parent / f"{prefix.name}{what}.yaml"
