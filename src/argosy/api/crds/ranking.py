"""The order of API versions: v2, v1, v1beta2, v1beta1, v1alpha1, then other names.

Discovery lists versions in this order, and a deprecated version points to the best one above it.
"""

from __future__ import annotations

import re
from typing import Final

_VERSION: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_MATURITY: Final = {None: 0, "beta": 1, "alpha": 2}


def version_rank(version: str) -> tuple[int, int, int, str]:
    """Sorts versions as Kubernetes does: stable before beta before alpha, higher numbers first, other names last."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return (3, 0, 0, version)
    major, level, minor = match.groups()
    return (_MATURITY[level], -int(major), -int(minor or 0), version)
