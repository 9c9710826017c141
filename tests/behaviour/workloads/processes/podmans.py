"""podman for tests: a store of its own with one small image, so that nothing of the user's is touched or needed.

No registry is asked: the image is a static busybox, imported. Where podman is not installed, or this machine does not
let it run containers, tests that ask for `podman_image` are skipped and say why.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

IMAGE = "localhost/argosy-test:1"
_APPLETS = (
    *(
        "sh",
        "cat",
        "cut",
        "echo",
        "env",
        "head",
        "hostname",
        "id",
        "ls",
        "pwd",
        "sleep",
        "stat",
        "test",
    ),
    *("touch", "tr", "true", "wc"),
)


@pytest.fixture(scope="module")
def podman_image() -> Iterator[str]:
    """The name of an image that can be run."""
    busybox = shutil.which("busybox")
    for program, found in {"podman": shutil.which("podman"), "a static busybox": busybox}.items():
        if found is None:
            pytest.skip(f"{program} is not installed here")
    assert busybox is not None
    # A short path: sockets in the store have names of a hundred characters and more, and the kernel allows no more.
    with (
        tempfile.TemporaryDirectory(prefix="argosy-", dir="/var/tmp") as name,
        pytest.MonkeyPatch.context() as patch,
    ):
        folder = Path(name)
        _configure(folder, patch)
        try:
            _podman("import", "-", IMAGE, given=_rootfs(busybox))
            _run_something(folder)
            yield IMAGE
            assert _podman("ps", "--all", "--quiet") == "", "containers were left"
        finally:
            subprocess.run(["podman", "rmi", "--all", "--force"], check=False, capture_output=True)


def _configure(folder: Path, patch: pytest.MonkeyPatch) -> None:
    storage = folder / "storage.conf"
    storage.write_text(
        f'[storage]\ndriver = "vfs"\ngraphroot = "{folder}/graph"\nrunroot = "{folder}/run"\n'
    )
    patch.setenv("CONTAINERS_STORAGE_CONF", str(storage))
    (folder / "containers.conf").touch()
    patch.setenv("CONTAINERS_CONF", str(folder / "containers.conf"))


def _run_something(folder: Path) -> None:
    """Find settings with which this machine runs a container: its own, or modest ones."""
    limits = '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n'
    problem = ""
    for settings in ("", limits, limits + '[engine]\nruntime = "runc"\n'):
        (folder / "containers.conf").write_text(settings)
        try:
            _podman("run", "--rm", "--network", "host", IMAGE, "true")
        except subprocess.CalledProcessError as error:
            problem = error.stderr.decode().strip()
        else:
            return
    pytest.skip(f"podman can not run containers here: {problem}")


def _podman(*arguments: str, given: bytes = b"") -> str:
    done = subprocess.run(["podman", *arguments], input=given, capture_output=True, check=True)
    return done.stdout.decode().strip()


def _rootfs(busybox: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        tar.add(os.path.realpath(busybox), "bin/busybox")
        for applet in _APPLETS:
            link = tarfile.TarInfo(f"bin/{applet}")
            link.type, link.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(link)
        for name in ("tmp", "etc", "proc", "dev", "sys"):
            one = tarfile.TarInfo(name)
            one.type, one.mode = tarfile.DIRTYPE, 0o777
            tar.addfile(one)
        color = tarfile.TarInfo("etc/color")
        color.size = 5
        tar.addfile(color, io.BytesIO(b"blue\n"))
    return made.getvalue()
