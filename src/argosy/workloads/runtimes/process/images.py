"""Images, where podman runs them: found or pulled before a container is created, in a kubelet's steps and words.

A name without a registry means Docker Hub, as for every kubelet; podman alone would look it up in a list of its own.
Images that are here already are found by podman's rules, so one that was built on this machine is found by its short
name. A pull that fails is told (ErrImagePull), waited out (ImagePullBackOff) and tried again, with pauses that double
from ten seconds to five minutes.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from argosy.base.durations import format_duration
from argosy.workloads.runtimes.process.sandboxing import podman_environment, podman_words

Tell: TypeAlias = Callable[[Literal["Normal", "Warning"], str, str], None]


class Printed(NamedTuple):
    """How a command of podman ended, and all it printed."""

    code: int
    out: str
    error: str


class Image(NamedTuple):
    """An image of this machine; `reference` is what a container's status tells."""

    id: str
    reference: str
    size_bytes: int


class NoImage(Exception):
    """The image is not there; reason and message are those of a waiting container."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason: Final = reason


async def podman(argv: Sequence[str], env: Mapping[str, str] | None = None) -> Printed:
    """Run a command of podman that does not last; `env` adds variables for containers."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        env={**(env or {}), **podman_environment(os.environ)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, error = await process.communicate()
    except asyncio.CancelledError:
        if process.returncode is None:
            process.kill()
        await process.wait()
        raise
    assert process.returncode is not None
    return Printed(process.returncode, out.decode(errors="replace"), error.decode(errors="replace"))


async def find(name: str) -> Image | None:
    """An image of this machine."""
    told = await podman(["podman", "image", "inspect", name])
    if told.code != 0:
        if "invalid reference format" in told.error:
            raise NoImage(
                "InvalidImageName",
                f"""Failed to apply default image tag "{name}": couldn't parse image name "{name}": """
                "invalid reference format",
            )
        return None
    one = json.loads(told.out)[0]
    digests = one.get("RepoDigests") or [f"sha256:{one['Id']}"]
    return Image(one["Id"], digests[0], one["Size"])


async def ensure(name: str, policy: str, tell: Tell, monotonic: Callable[[], float]) -> Image:
    """The image, pulled if its policy says so. NoImage."""
    try:
        found = await find(name)
    except NoImage as problem:
        tell("Warning", "InspectFailed", str(problem))
        raise
    if found is not None and policy != "Always":
        tell(
            "Normal",
            "Pulled",
            f'Container image "{name}" already present on machine and can be accessed by the pod',
        )
        return found
    if policy == "Never":
        text = f'Container image "{name}" is not present with pull policy of Never'
        tell("Warning", "ErrImageNeverPull", text)
        raise NoImage("ErrImageNeverPull", text)
    tell("Normal", "Pulling", f'Pulling image "{name}"')
    begun = monotonic()
    told = await podman(["podman", "pull", "--quiet", full_name(name)])
    found = await find(told.out.strip() or name) if told.code == 0 else None
    if found is None:
        text = podman_words(told.error)
        tell("Warning", "Failed", f'Failed to pull image "{name}": {text}')
        raise NoImage("ErrImagePull", text)
    # Cut to milliseconds, as upstream does.
    took = format_duration(int((monotonic() - begun) * 1000) / 1000)
    tell(
        "Normal",
        "Pulled",
        f'Successfully pulled image "{name}" in {took} ({took} including waiting). '
        f"Image size: {found.size_bytes} bytes.",
    )
    return found


def full_name(name: str) -> str:
    """A name with its registry: Docker Hub where none is given."""
    first, slash, _ = name.partition("/")
    if not slash:
        return f"docker.io/library/{name}"
    if "." in first or ":" in first or first == "localhost":
        return name
    return f"docker.io/{name}"
