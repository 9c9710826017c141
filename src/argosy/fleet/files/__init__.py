"""Fleet files: what `argosy up --fleet FILE` reads."""

from __future__ import annotations

from argosy.fleet.files.reading import FileError, read

__all__ = ["FileError", "read"]
