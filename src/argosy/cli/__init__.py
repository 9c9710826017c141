"""The argosy command. Importing it is cheap: every command imports what it needs when it runs."""

from __future__ import annotations

from argosy.cli.main import main

__all__ = ["main"]
