"""Command lines that run a container's command in a sandbox: bubblewrap, or podman with the container's image. Pure.

bubblewrap shows the host's files read-only, with a /tmp of the container's own, its own process space, and volumes at
their paths. A volume's path may not exist on the host, and nothing can be made in a folder that is shown read-only:
such folders are built anew, entry by entry, as far down as the path goes (`listing` says what is in a folder), and are
made read-only when everything is in its place. Paths are followed through the host's symbolic links first: /var/run is
one on most machines, and every pod has its token there. /dev is a new one with the host's devices, so that mount points
in it are made nowhere else. What bubblewrap tells about its start goes to the descriptor STATUS (see `keeper.starting`).

podman runs the image itself. Variables go by its own environment, so that values do not appear in the process list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from argosy.api.objects import Container
from argosy.workloads.runtimes.process.keeper.orders import Bind


class Entry(NamedTuple):
    """Something in a folder of the host; `link` is where a symbolic link points."""

    name: str
    link: str = ""


# What is in a folder, or None for what is no folder or does not exist.
Listing = Callable[[str], Sequence[Entry] | None]

# Where a sandbox's command may write whatever its pod mounts, and its home; no machine has such a folder.
HOME: Final = "/container"
STATUS: Final = 3
_OWN: Final = {"proc", "dev", "sys", "tmp", HOME[1:]}
_LINKS_FOLLOWED: Final = 40
_PULLS: Final = {"Always": "always", "IfNotPresent": "missing", "Never": "never"}


def bubblewrap(
    command: Sequence[str],
    binds: Sequence[Bind],
    *,
    listing: Listing,
    devices: Iterable[str],
    hidden: Iterable[str],
    tmp: str,
    home: str,
    cwd: str,
    hostname: str,
) -> list[str]:
    """`bwrap ... -- COMMAND`."""
    argv = ["bwrap", "--json-status-fd", f"{STATUS}", "--die-with-parent"]
    argv += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", hostname]
    shown = [bind._replace(target=_real(bind.target, listing)) for bind in binds]
    targets = [bind.target for bind in shown]
    built = ["/"]
    argv += _folder("", targets, listing, built)
    argv += ["--dev", "/dev", "--dev-bind", "/dev/pts", "/dev/pts"]
    for device in devices:
        argv += ["--dev-bind", device, device]
    argv += ["--proc", "/proc", "--ro-bind", "/sys", "/sys"]
    argv += ["--bind", tmp, "/tmp", "--bind", home, HOME]  # noqa: S108  (the container's own)
    for one in (_real(folder, listing) for folder in hidden):
        # What is in the host's /tmp can not be seen anyway.
        if not one.startswith("/tmp/"):  # noqa: S108
            argv += ["--tmpfs", one, "--remount-ro", one]
    for bind in shown:
        argv += ["--ro-bind" if bind.read_only else "--bind", bind.source, bind.target]
    for one in built:
        argv += ["--remount-ro", one]
    return [*argv, "--chdir", cwd, "--", *command]


def is_shown(path: str, binds: Sequence[Bind], listing: Listing) -> bool:
    """Whether a folder is there in the sandbox: one of the host's, one of the sandbox's own, or in a volume."""
    real = _real(path, listing)
    if real == "/" or real.split("/")[1] in _OWN or listing(real) is not None:
        return True
    return any(f"{real}/".startswith(f"{_real(bind.target, listing)}/") for bind in binds)


def _real(path: str, listing: Listing) -> str:
    """A path without the host's symbolic links in it, as far as it exists there."""
    done, left = "", [part for part in path.split("/") if part not in {"", "."}]
    follows = _LINKS_FOLLOWED
    while left:
        name = left.pop(0)
        if name == "..":
            done = done.rpartition("/")[0]
            continue
        entries = listing(done or "/") or ()
        link = next((entry.link for entry in entries if entry.name == name), "")
        if link and follows:
            follows -= 1
            done = "" if link.startswith("/") else done
            left = [part for part in link.split("/") if part not in {"", "."}] + left
        else:
            done = f"{done}/{name}"
    return done or "/"


def _folder(path: str, targets: Sequence[str], listing: Listing, built: list[str]) -> Iterator[str]:
    """Show a folder with room for mount points in it; the folders that had to be made anew go to `built`."""
    for entry in listing(path or "/") or ():
        full = f"{path}/{entry.name}"
        if (not path and entry.name in _OWN) or full in targets:
            continue
        if entry.link:
            yield from ("--symlink", entry.link, full)
        elif any(_is_missing_below(full, target, listing) for target in targets):
            built.append(full)
            yield from ("--tmpfs", full)
            yield from _folder(full, targets, listing, built)
        else:
            yield from ("--ro-bind", full, full)


def _is_missing_below(folder: str, target: str, listing: Listing) -> bool:
    """Whether a mount point would have to be made somewhere in this folder."""
    if not target.startswith(f"{folder}/"):
        return False
    here, entries = folder, listing(folder)
    for name in target[len(folder) + 1 :].split("/"):
        if entries is None or name not in {entry.name for entry in entries}:
            return True
        here = f"{here}/{name}"
        entries = listing(here)
    return False


def podman_run(
    name: str,
    container: Container,
    env: Mapping[str, str],
    command: Sequence[str],
    args: Sequence[str],
    binds: Sequence[Bind],
    *,
    hostname: str,
    cpus: Sequence[int] = (),
    memory_bytes: int = 0,
    user: int | None = None,
    group: int | None = None,
) -> list[str]:
    """`podman run` in the foreground; `command` replaces the image's entry point if there is one."""
    argv = ["podman", "run", "--rm", "--replace", "--name", name, "--log-driver", "none"]
    argv += ["--network", "host", "--hostname", hostname]
    argv += ["--pull", _PULLS.get(container.image_pull_policy, "missing")]
    for variable in sorted(env):
        argv += ["--env", variable]
    for bind in binds:
        argv += ["--volume", f"{bind.source}:{bind.target}" + ":ro" * bind.read_only]
    if container.working_dir:
        argv += ["--workdir", container.working_dir]
    if cpus:
        argv += ["--cpuset-cpus", ",".join(map(str, cpus))]
    if memory_bytes:
        argv += ["--memory", f"{memory_bytes}b"]
    if user is not None:
        argv += ["--user", f"{user}" if group is None else f"{user}:{group}"]
    if container.stdin:
        argv.append("--interactive")
    if container.tty:
        argv.append("--tty")
    if command:
        argv += ["--entrypoint", command[0]]
    return [*argv, container.image, *command[1:], *args]


def podman_exec(name: str, command: Sequence[str], *, stdin: bool, tty: bool) -> list[str]:
    """`podman exec` of a command."""
    flags = ["--interactive"] * stdin + ["--tty"] * tty
    return ["podman", "exec", *flags, name, *command]
