"""Rules of this group's kinds."""

from typing import Final

from argosy.api.kinds import Rules

RULES: Final[dict[str, Rules]] = {}
