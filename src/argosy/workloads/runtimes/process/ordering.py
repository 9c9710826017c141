"""From a container of a pod to the order its keeper gets: command, environment, folders, limits.

    STATE/pods/UID/volumes/NAME             volumes that live with the pod
    STATE/pods/UID/containers/NAME/RESTART  what belongs to one run: layer, home, tmp, termination-log
    STATE/pods/UID/runs/NAME.RESTART.json   how it ended

With a view of its own (see `keeper.rooting`) a container finds its volumes where its pod says. Without one nothing can
be shown at another path: the command runs in a private folder, and `ARGOSY_VOLUME_NAME` says where a volume is.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argosy.api.objects import Container, Pod
from argosy.base.types import Object
from argosy.workloads.runtimes.process import sandboxing
from argosy.workloads.runtimes.process.environments import expand
from argosy.workloads.runtimes.process.executing import podman_name
from argosy.workloads.runtimes.process.hosts import Host
from argosy.workloads.runtimes.process.keeper.orders import Bind, Order
from argosy.workloads.runtimes.process.keeper.processes import MARK
from argosy.workloads.runtimes.process.limits import memory_bytes
from argosy.workloads.runtimes.process.subpaths import place

PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(slots=True, frozen=True)
class Folders:
    """The places of one run."""

    pod: Path
    container: str
    restart: int

    @property
    def run(self) -> Path:
        return self.pod / "containers" / self.container / str(self.restart)

    @property
    def record(self) -> Path:
        return self.pod / "runs" / f"{self.container}.{self.restart}.json"

    @property
    def termination_log(self) -> Path:
        return self.run / "termination-log"

    @property
    def pid_file(self) -> Path:
        """Where podman writes the pid of a container's first process."""
        return self.run / "pid"

    def make(self) -> None:
        """Make them anew; those of the run before go."""
        for old in (self.run, self.run.with_name(str(self.restart - 1))):
            remove(old)
        for name in ("layer", "home", "tmp"):
            (self.run / name).mkdir(parents=True)
        (self.run / "tmp").chmod(0o1777)
        self.termination_log.touch()
        self.termination_log.chmod(0o666)


def remove(folder: Path) -> None:
    """Remove a folder with what containers have left in it, folders without permissions too."""

    def insist(function: object, path: str, _: object) -> None:
        if not Path(path).is_symlink():
            Path(path).parent.chmod(0o700)
            Path(path).chmod(0o700)
            shutil.rmtree(path, ignore_errors=True)

    if folder.exists():
        shutil.rmtree(folder, onerror=insist)


def hostname_of(pod: Pod) -> str:
    return (pod.spec.hostname or pod.metadata.name)[:63].rstrip("-.")


def base_environment(host: Host, pod: Pod, folders: Folders) -> dict[str, str]:
    """What every container has before its own variables."""
    home = {"namespaces": "/root", "bubblewrap": sandboxing.HOME}.get(host.isolation)
    home = home or str(folders.run / "home")
    env = {"PATH": PATH, "HOSTNAME": hostname_of(pod), "HOME": home}
    if host.api is not None:
        address, port = host.api[0], str(host.api[1])
        url = f"tcp://{address}:{port}"
        env |= {
            "KUBERNETES_SERVICE_HOST": address,
            "KUBERNETES_SERVICE_PORT": port,
            "KUBERNETES_SERVICE_PORT_HTTPS": port,
            "KUBERNETES_PORT": url,
            f"KUBERNETES_PORT_{port}_TCP": url,
            f"KUBERNETES_PORT_{port}_TCP_PROTO": "tcp",
            f"KUBERNETES_PORT_{port}_TCP_PORT": port,
            f"KUBERNETES_PORT_{port}_TCP_ADDR": address,
        }
    if host.isolation == "podman":
        # The image has its own.
        del env["PATH"], env["HOME"]
    return env


def binds_of(
    container: Container, env: Mapping[str, str], volumes: Mapping[str, str]
) -> list[Bind]:
    """The container's mounts, outer paths first."""
    binds = []
    for mount in container.volume_mounts:
        source = volumes[mount["name"]]
        below = mount.get("subPath") or expand(mount.get("subPathExpr") or "", env)
        if below:
            source = place(source, below, mount=mount["name"], container=container.name)
        binds.append(Bind(source, mount["mountPath"], bool(mount.get("readOnly"))))
    return sorted(binds, key=lambda bind: bind.target)


def order_for(
    host: Host,
    pod: Pod,
    container: Container,
    folders: Folders,
    env: dict[str, str],
    argv: list[str],
    volumes: Mapping[str, str],
    cpus: list[int],
) -> Order:
    """The order for one run."""
    run = f"{pod.metadata.uid}/{container.name}/{folders.restart}"
    user, group = _identity(pod, container)
    meta = pod.metadata
    log = host.logs / f"{meta.namespace}_{meta.name}_{meta.uid}" / container.name
    order = Order(
        run=run,
        argv=argv,
        env={**env, MARK: run},
        cwd=container.working_dir or "/",
        log=str(log / f"{folders.restart}.log"),
        record=str(folders.record),
        isolation=host.isolation,
        layer=str(folders.run / "layer"),
        binds=binds_of(container, env, volumes),
        hidden=[str(folder) for folder in host.hidden],
        hostname=hostname_of(pod),
        cpus=cpus,
        memory_bytes=memory_bytes(container),
        stdin=container.stdin,
        stdin_once=container.stdin_once,
        tty=container.tty,
        user=user if os.geteuid() == 0 else None,
        group=group if os.geteuid() == 0 else None,
    )
    home = str(folders.run / "home")
    order.binds.append(Bind(str(folders.termination_log), container.termination_message_path))
    match host.isolation:
        case "none":
            _without_view(order, container, folders, home)
        case "namespaces":
            order.binds.append(Bind(str(folders.pod / "hosts"), "/etc/hosts"))
        case "bubblewrap":
            _in_bubblewrap(order, container, folders)
        case "podman":
            name = podman_name(run)
            order.before = [sandboxing.podman_init(name)]
            order.argv = sandboxing.podman_start(name, stdin=container.stdin)
            if order.memory_bytes:
                order.verdict = sandboxing.podman_was_killed_for_memory(name)
            order.after = [sandboxing.podman_remove(name)]
            order.env = {**sandboxing.podman_environment(os.environ), MARK: run}
            order.env.setdefault("PATH", PATH)
            order.cwd, order.cpus, order.memory_bytes = home, [], 0
            order.user = order.group = None
    return order


def podman_creation(
    host: Host,
    pod: Pod,
    container: Container,
    folders: Folders,
    env: Mapping[str, str],
    argv: list[str],
    volumes: Mapping[str, str],
    cpus: list[int],
    image: str,
) -> tuple[list[str], dict[str, str]]:
    """The command that creates a container of an image, and the variables it needs for it."""
    run = f"{pod.metadata.uid}/{container.name}/{folders.restart}"
    variables = {**env, MARK: run}
    binds = binds_of(container, env, volumes)
    binds.append(Bind(str(folders.termination_log), container.termination_message_path))
    entry = len(container.command)
    command = sandboxing.podman_create(
        podman_name(run),
        image,
        container,
        variables,
        argv[:entry],
        argv[entry:],
        binds,
        hostname=hostname_of(pod),
        state=str(host.state),
        pid_file=str(folders.pid_file),
        limits=sandboxing.Limits(cpus, memory_bytes(container), *_identity(pod, container)),
    )
    return command, variables


def _in_bubblewrap(order: Order, container: Container, folders: Folders) -> None:
    """Run the command by way of bubblewrap. A working directory that is nowhere is made, for this run alone."""
    order.binds.append(Bind(str(folders.pod / "hosts"), "/etc/hosts"))
    cwd = container.working_dir or sandboxing.HOME
    if not sandboxing.is_shown(cwd, order.binds, list_folder):
        (folders.run / "cwd").mkdir()
        order.binds.insert(0, Bind(str(folders.run / "cwd"), cwd))
    order.program = order.argv[0]
    command = order.argv
    if order.user is not None and order.group is not None:
        # The sandbox is made by who may see the folders; its command is somebody else.
        command = sandboxing.as_user(order.user, order.group, command)
        for name in ("home", "cwd"):
            if (folders.run / name).is_dir():
                os.chown(folders.run / name, order.user, order.group)
        order.is_dropping = True
    order.argv = sandboxing.bubblewrap(
        command,
        order.binds,
        listing=list_folder,
        devices=list_devices(),
        hidden=order.hidden,
        tmp=str(folders.run / "tmp"),
        home=str(folders.run / "home"),
        cwd=cwd,
        hostname=order.hostname,
    )
    order.cwd = "/"
    order.inner_cwd = cwd


def _without_view(order: Order, container: Container, folders: Folders, home: str) -> None:
    """Say where things are that can not be shown at their paths."""
    for bind, mount in zip(order.binds, _by_target(container), strict=False):
        order.env["ARGOSY_VOLUME_" + mount["name"].upper().replace("-", "_")] = bind.source
    order.env["ARGOSY_TERMINATION_LOG"] = str(folders.termination_log)
    wanted = container.working_dir
    for bind in order.binds:
        if wanted == bind.target or wanted.startswith(f"{bind.target}/"):
            wanted = bind.source + wanted[len(bind.target) :]
            break
    order.cwd = wanted if wanted and Path(wanted).is_dir() else home


def _by_target(container: Container) -> list[Object]:
    return sorted(container.volume_mounts, key=lambda mount: str(mount["mountPath"]))


def _identity(pod: Pod, container: Container) -> tuple[int | None, int | None]:
    """User and group that the pod asks for, the container's word first."""
    chosen: Object = {**(pod.spec.security_context or {}), **(container.security_context or {})}
    user, group = chosen.get("runAsUser"), chosen.get("runAsGroup")
    return user, group if group is not None else (0 if user is not None else None)


def is_runnable(container: Container) -> bool:
    """Whether there is something to run without the image: a command, or arguments that begin with a program.

    Images such as ubuntu or busybox have no entry point, and whoever uses them gives the whole command as arguments.
    """
    args = container.args
    return bool(container.command) or (bool(args) and shutil.which(args[0]) is not None)


def list_devices() -> list[str]:
    """This machine's devices that a new /dev has not got by itself: GPUs and the like; no terminals, no disks."""
    usual = {
        "null",
        "zero",
        "full",
        "random",
        "urandom",
        "console",
        "ptmx",
        "pts",
        "shm",
        "mqueue",
        "hugepages",
    }
    found = []
    for one in sorted(Path("/dev").iterdir()):
        if one.is_symlink() or one.name in usual or one.name.startswith(("tty", "vcs")):
            continue
        mode = one.stat().st_mode
        if stat.S_ISDIR(mode) or stat.S_ISCHR(mode):
            found.append(str(one))
    return found


def list_folder(path: str) -> list[sandboxing.Entry] | None:
    """What is in a folder of this machine, for `sandboxing`."""
    try:
        with os.scandir(path) as entries:
            return [
                sandboxing.Entry(
                    one.name, str(Path(one.path).readlink()) if one.is_symlink() else ""
                )
                for one in sorted(entries, key=lambda one: one.name)
            ]
    except (NotADirectoryError, FileNotFoundError, PermissionError):
        return None
