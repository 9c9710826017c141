"""The page on node pools says what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import yaml

from argosy.base.types import Object
from argosy.capacity.definitions.nodepools import node_pool_definition

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = (ROOT / "docs" / "nodepools.md").read_text()


def _schema(part: str) -> Object:
    (version,) = node_pool_definition()["spec"]["versions"]
    schema: Object = version["schema"]["openAPIV3Schema"]["properties"][part]["properties"]
    return schema


def _documented() -> dict[str, str]:
    """Fields of the tables with their defaults."""
    found: dict[str, str] = {}
    for line in PAGE.partition("## Every field")[2].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for name in re.findall(r"`([^`]+)`", cells[0]) if line.startswith("| `") else ():
            found[name] = cells[1]
    return found


def test_every_field_is_documented_with_its_default() -> None:
    documented = _documented()
    fields: dict[str, Object] = {}
    for name, schema in _schema("spec").items():
        if name in {"machine", "scaling"}:
            fields.update((f"{name}.{key}", one) for key, one in schema["properties"].items())
        else:
            fields[name] = schema
    for name, schema in fields.items():
        default = schema.get("default")
        want = f"`{str(default).lower() if isinstance(default, bool) else default}`"
        if default is not None:
            assert documented[name] == want, name
        else:
            assert name in documented, name
    assert set(_schema("status")) - {"observedGeneration"} <= set(documented)


def test_every_simulation_field_is_named() -> None:
    text = _documented()["simulation"] + PAGE
    assert [
        name for name in _schema("spec")["simulation"]["properties"] if f"`{name}`" not in text
    ] == []


def test_the_first_example_of_the_page_is_the_file_it_names() -> None:
    shown = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    file = ROOT / "examples" / "nodepools" / "basic.yaml"
    assert yaml.safe_load(shown[1]) == yaml.safe_load(file.read_text())


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((\.\./[^)]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target
