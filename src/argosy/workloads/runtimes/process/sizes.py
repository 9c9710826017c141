"""Whether a pod's emptyDir volumes keep to their sizeLimit: looked at every ten seconds, as kubelets do.

The size is what the files take on the disk, each counted once however many names it has.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from argosy.api.objects import Pod
from argosy.base.quantities import parse

SIZES_SECONDS: Final = 10.0
_BLOCK_BYTES: Final = 512


def size_limits(pod: Pod) -> dict[str, str]:
    """The limits of a pod's volumes that have one, by volume."""
    found = {}
    for volume in pod.spec.volumes:
        limit = (volume.get("emptyDir") or {}).get("sizeLimit")
        if limit is not None and parse(limit).value() > 0:
            found[volume["name"]] = str(limit)
    return found


def find_too_large(limits: Mapping[str, str], folders: Mapping[str, str]) -> str | None:
    """What a kubelet says of the first volume that has grown beyond its limit."""
    for name, limit in limits.items():
        if name in folders and used_bytes(folders[name]) > parse(limit).value():
            return f'Usage of EmptyDir volume "{name}" exceeds the limit "{limit}". '
    return None


def used_bytes(folder: str) -> int:
    """What a folder takes; entries that come and go meanwhile count or not."""
    seen, total = set(), 0
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            try:
                told = os.lstat(f"{place}/{name}")
            except OSError:
                continue
            if (told.st_dev, told.st_ino) not in seen:
                seen.add((told.st_dev, told.st_ino))
                total += told.st_blocks * _BLOCK_BYTES
    return total
