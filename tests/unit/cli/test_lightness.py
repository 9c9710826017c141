"""The command answers at once: what a command needs is imported when it runs."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Modules that alone take a good part of what `--help` may take.
HEAVY = ("aiohttp", "asyncio", "cryptography", "msgspec", "numpy", "uvloop", "yaml")
ASK = """
import sys
from argosy.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*sorted(name for name in sys.modules if "." not in name), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["up", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    command = [sys.executable, "-c", ASK, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert [name for name in HEAVY if name in done.stderr.split()] == []
