"""Rules of storage.k8s.io: classes, CSI drivers and where they run, attachments, and capacities.

None of these kinds counts generations except CSIDriver, which starts at none.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.storage.attachments import VOLUME_ATTACHMENT
from argosy.api.rules.storage.capacities import CSI_STORAGE_CAPACITY
from argosy.api.rules.storage.classes import STORAGE_CLASS, VOLUME_ATTRIBUTES_CLASS
from argosy.api.rules.storage.csidrivers import CSI_DRIVER
from argosy.api.rules.storage.csinodes import CSI_NODE

RULES: Final[dict[str, Rules]] = {
    "CSIDriver": CSI_DRIVER,
    "CSINode": CSI_NODE,
    "CSIStorageCapacity": CSI_STORAGE_CAPACITY,
    "StorageClass": STORAGE_CLASS,
    "VolumeAttachment": VOLUME_ATTACHMENT,
    "VolumeAttributesClass": VOLUME_ATTRIBUTES_CLASS,
}
