"""Fleet files: what `argosy up --fleet FILE` reads."""

from __future__ import annotations

from argosy.fleet.files.lines import Lines
from argosy.fleet.files.reading import FileError, problems, read, shapes

__all__ = ["FileError", "Lines", "problems", "read", "shapes"]
