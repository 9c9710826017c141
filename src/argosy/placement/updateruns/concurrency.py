"""How many clusters of a stage are updated at once: a number, or a percentage of the stage."""

from __future__ import annotations

import re
from typing import Final

from argosy.placement.updateruns.aborting import aborted

_percentage: Final = re.compile(r"([0-9]{1,4})%").fullmatch


def at_once(wanted: int | str | None, clusters: int) -> int:
    """Percentages are rounded down, but a stage always moves."""
    if wanted is None:
        return 1
    if isinstance(wanted, int):
        return max(1, wanted)
    found = _percentage(wanted)
    if found is None:
        raise aborted("invalid value for IntOrString: invalid type: string is not a percentage")
    return max(1, int(found[1]) * clusters // 100)
