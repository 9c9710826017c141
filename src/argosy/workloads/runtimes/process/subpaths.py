"""The part of a volume that a container mounts with subPath: made where it is missing, and never outside of the volume.

A container may have put a symbolic link into its volume that leads out of it; whoever mounts that would be shown this
machine's files. Words and outcome are a kubelet's.
"""

from __future__ import annotations

from pathlib import Path

from argosy.workloads.runtimes.process.environments import Misconfigured


def place(volume: str, below: str, *, mount: str, container: str) -> str:
    """The path of `below` in a volume's folder. Misconfigured."""
    if below.startswith("/"):
        raise Misconfigured(f"error SubPath `{below}` must not be an absolute path")
    if ".." in below.split("/"):
        raise Misconfigured(f"unable to provision SubPath `{below}`: must not contain '..'")
    about = f'subPath for volumeMount "{mount}" of container "{container}"'
    root, wanted = Path(volume).resolve(), Path(volume) / below
    real = wanted.resolve()
    if real != root and root not in real.parents:
        raise Misconfigured(f"failed to prepare {about}")
    if not real.exists():
        try:
            _make(root, real)
        except OSError as error:
            raise Misconfigured(
                f"failed to create {about.replace('subPath', 'subPath directory', 1)}"
            ) from error
    return str(wanted)


def _make(root: Path, folder: Path) -> None:
    """Make folders with the permissions of the volume."""
    mode = root.stat().st_mode & 0o7777
    for one in (*reversed(folder.relative_to(root).parents), folder.relative_to(root)):
        if not (root / one).exists():
            (root / one).mkdir()
            (root / one).chmod(mode)
