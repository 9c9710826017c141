"""Command lines that run a container's command in a sandbox: bubblewrap, or podman with the container's image. Pure.

bubblewrap shows the host's files read-only, with a /tmp of the container's own, its own process space, and volumes at
their paths. A volume's path may not exist on the host, and nothing can be made in a folder that is shown read-only:
such folders are built anew, entry by entry, as far down as the path goes (`listing` says what is in a folder), and are
made read-only when everything is in its place. Paths are followed through the host's symbolic links first: /var/run is
one on most machines, and every pod has its token there. /dev is a new one with the host's devices, so that mount points
in it are made nowhere else. What bubblewrap tells about its start goes to descriptor STATUS (see `keeper.starting`).

podman runs the image itself, in steps whose failures mean different things: the image is there (see `images`), the
container is created, its first process is made, and only then is it started and attended. Variables go by the
environment of `podman create`, so that values do not appear in the process list; only those that podman itself reads
are spelled out. Containers are labelled, so that those nobody knows of any more can be found.
"""

from __future__ import annotations

import json
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
# Of podman containers: the state directory they belong to.
LABEL: Final = "dev.argosy.state"
# What podman itself reads; names that end with an underscore are beginnings of names.
_PODMANS: Final = (
    *(
        "PATH",
        "HOME",
        "USER",
        "LANG",
        "TMPDIR",
        "XDG_",
        "DBUS_",
        "CONTAINERS_",
        "CONTAINER_HOST",
        "STORAGE_",
    ),
    *(
        "BUILDAH_",
        "REGISTRY_AUTH_FILE",
        "SSL_CERT_",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "ALL_PROXY",
    ),
    *("http_proxy", "https_proxy", "no_proxy", "all_proxy"),
)


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
    for one in hidden:
        argv += _hide(_real(one, listing), listing)
    for bind in shown:
        argv += ["--ro-bind" if bind.read_only else "--bind", bind.source, bind.target]
    for one in built:
        argv += ["--remount-ro", one]
    return [*argv, "--chdir", cwd, "--", *command]


def as_user(user: int, group: int, command: Sequence[str]) -> list[str]:
    """A command in the sandbox that becomes another user before it is begun."""
    return ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--", *command]


def _hide(path: str, listing: Listing) -> list[str]:
    """Put nothing in the place of a folder or file; what is in the host's /tmp can not be seen anyway."""
    if path.startswith("/tmp/"):  # noqa: S108
        return []
    if listing(path) is not None:
        return ["--tmpfs", path, "--remount-ro", path]
    folder, _, name = path.rpartition("/")
    is_there = any(entry.name == name for entry in listing(folder or "/") or ())
    return ["--ro-bind", "/dev/null", path] if is_there else []


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


class Limits(NamedTuple):
    """What a container may use and who it is."""

    cpus: Sequence[int] = ()
    memory_bytes: int = 0
    user: int | None = None
    group: int | None = None


def podman_environment(own: Mapping[str, str]) -> dict[str, str]:
    """What podman needs of Argosy's own environment: where its files are, how to reach registries."""
    return {name: value for name, value in own.items() if is_podmans(name)}


def is_podmans(name: str) -> bool:
    """Whether podman reads this variable for itself."""
    return any(name.startswith(one) if one.endswith("_") else name == one for one in _PODMANS)


def podman_create(
    name: str,
    image: str,
    container: Container,
    env: Mapping[str, str],
    command: Sequence[str],
    args: Sequence[str],
    binds: Sequence[Bind],
    *,
    hostname: str,
    state: str,
    pid_file: str,
    limits: Limits,
) -> list[str]:
    """`podman create`; `command` replaces the image's entry point if there is one. `image` is an id."""
    argv = ["podman", "create", "--replace", "--name", name, "--label", f"{LABEL}={state}"]
    argv += ["--log-driver", "none", "--network", "host", "--hostname", hostname]
    argv += ["--http-proxy=false", "--pull", "never", "--pidfile", pid_file]
    for variable in sorted(env):
        argv += ["--env", f"{variable}={env[variable]}" if is_podmans(variable) else variable]
    for bind in binds:
        argv += ["--volume", f"{bind.source}:{bind.target}" + ":ro" * bind.read_only]
    if container.working_dir:
        argv += ["--workdir", container.working_dir]
    if limits.cpus:
        argv += ["--cpuset-cpus", ",".join(map(str, limits.cpus))]
    if limits.memory_bytes:
        argv += ["--memory", f"{limits.memory_bytes}b"]
    if limits.user is not None:
        group = "" if limits.group is None else f":{limits.group}"
        argv += ["--user", f"{limits.user}{group}"]
    if container.stdin:
        argv.append("--interactive")
    if container.tty:
        argv.append("--tty")
    if command:
        # A list, because a plain string is taken for words only by some versions.
        argv += ["--entrypoint", json.dumps([command[0]])]
    return [*argv, image, *command[1:], *args]


def podman_init(name: str) -> list[str]:
    """Make the container's first process, which waits for its start."""
    return ["podman", "init", name]


def podman_start(name: str, *, stdin: bool) -> list[str]:
    """Start a container and be its streams; signals are handed on."""
    return ["podman", "start", "--attach", *["--interactive"] * stdin, name]


def podman_was_killed_for_memory(name: str) -> list[str]:
    """Prints `true` or `false`."""
    return ["podman", "container", "inspect", "--format", "{{.State.OOMKilled}}", name]


def podman_remove(*names: str) -> list[str]:
    """End and remove containers, whatever they do."""
    return ["podman", "rm", "--force", "--ignore", "--time", "0", *names]


def podman_leftovers(state: str) -> list[str]:
    """Prints the names of all containers of a state directory."""
    label = f"label={LABEL}={state}"
    return ["podman", "ps", "--all", "--filter", label, "--format", "{{.Names}}"]


def podman_exec(name: str, command: Sequence[str], *, stdin: bool, tty: bool) -> list[str]:
    """`podman exec` of a command."""
    flags = ["--interactive"] * stdin + ["--tty"] * tty
    return ["podman", "exec", *flags, name, *command]


def podman_words(output: str) -> str:
    """What went wrong, from what podman printed: its last line without the noise around the runtime's words."""
    lines = [line for line in output.splitlines() if line.strip()]
    text = lines[-1].strip() if lines else "podman failed without a word"
    text = text.removeprefix("Error: ")
    text = text.rpartition("unable to start container process: ")[2]
    for noise in (
        ": OCI runtime attempted to invoke a command that was not found",
        ": OCI permission denied",
    ):
        text = text.removesuffix(noise)
    return text
