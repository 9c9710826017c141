"""The name of a job's Workload: its kind and name, readable, and a piece of hash that tells it from all others."""

from __future__ import annotations

import hashlib
from typing import Final

_HASH_DIGITS: Final = 5
# What an object's name may have at most, less a dash and the hash.
_MOST_PREFIX: Final = 253 - 1 - _HASH_DIGITS


def workload_name(kind: str, group: str, name: str, uid: str, extra: str = "") -> str:
    """`job-train-3f0a1`. `extra` tells the Workloads of one job apart, where there are several."""
    parts = [kind, group, name, uid, *([extra] if extra else [])]
    digest = hashlib.sha1("\n".join(parts).encode(), usedforsecurity=False).hexdigest()
    return f"{f'{kind.lower()}-{name}'[:_MOST_PREFIX]}-{digest[:_HASH_DIGITS]}"
