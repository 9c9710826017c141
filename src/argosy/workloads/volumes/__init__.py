"""Persistent volumes: binding claims, local folders as volumes, claims of ephemeral volumes."""

from __future__ import annotations

from pathlib import Path

from argosy.control.assemblies import Assembly
from argosy.workloads.volumes.binding import Binder, Storage
from argosy.workloads.volumes.classes import standard_class
from argosy.workloads.volumes.ephemeral import EphemeralVolumes
from argosy.workloads.volumes.provisioning import LocalProvisioner

__all__ = ["add_volumes", "standard_class"]


def add_volumes(assembly: Assembly, directory: Path | None) -> None:
    """Add the controllers of claims and volumes; volumes are folders below `directory`, or nowhere."""
    storage = Storage(assembly)
    Binder(assembly, storage)
    LocalProvisioner(assembly, storage, directory)
    EphemeralVolumes(assembly)
