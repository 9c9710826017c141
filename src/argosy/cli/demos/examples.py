"""Where the stories' manifests are: `examples/fleet` of the repository, which a wheel carries beside this file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

# pyproject.toml puts them there (`force-include`).
PACKED: Final = Path(__file__).parent / "examples"
_SOURCE: Final = Path(__file__).parents[4] / "examples" / "fleet"


def folder(story: str) -> Path:
    return (PACKED if PACKED.exists() else _SOURCE) / story


def shown(path: Path) -> str:
    """As one would type it here."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
