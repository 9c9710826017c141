"""Forks: the first process of a container, and commands beside it.

Without isolation a container is one child in a session of its own. In namespaces there are three forks: one that
makes the namespaces and ends, one that becomes process 1 in them (it makes the file system, hands signals on and
waits), and the command itself. When process 1 ends the kernel ends everything in its pid space, so nothing that a
container started outlives it, daemons included; and process 1 ends when the keeper does.

A child tells what went wrong before its command began through a pipe that closes when the command starts.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import resource
import signal
import socket
import stat
import termios
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, NoReturn

from argosy.workloads.runtimes.process.keeper import kernel, rooting
from argosy.workloads.runtimes.process.keeper.orders import Command, Order

_SPACES: Final = (
    kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWUTS | kernel.CLONE_NEWIPC
)
_FORWARDED: Final = (
    *(signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT),
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH, signal.SIGCHLD),
)
# Room over the memory limit before allocations fail: what is used is watched, and too much of it is a kill that is
# told, as by a kernel; what is only reserved (threads' stacks, libraries' pools) is nobody's trouble. The wall stands
# so far away that no process gets there between two looks, and near enough to save the machine.
_ROOM_BYTES: Final = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // 4
_MAX_OUTPUT_BYTES: Final = 3000
# The descriptor through which a sandbox tells how it is.
_STATUS: Final = 3


class Spawned(NamedTuple):
    """A child, and the pipe that ends without a word when its command has started."""

    pid: int
    problems: int


class Stdio(NamedTuple):
    """Descriptors that become a command's own; a terminal is given three times."""

    stdin: int
    stdout: int
    stderr: int
    is_terminal: bool = False


def container(order: Order, stdio: Stdio, status: int = -1) -> Spawned:
    """Start a container's command; a sandbox gets `status` to tell how it is, as its descriptor 3."""
    work = lambda problems: _become(order, stdio, problems, status)  # noqa: E731
    if order.isolation != "namespaces":
        return _fork(work)
    go_read, go_write = os.pipe()
    told_read, told_write = os.pipe()

    def first(problems: int) -> NoReturn:
        _enter_spaces()
        child = os.fork()
        if child == 0:
            for descriptor in (go_write, told_read, told_write):
                os.close(descriptor)
            _lead(order, go_read, work, problems)
        os.write(told_write, str(child).encode())
        os._exit(0)

    middle = _fork(first)
    os.close(go_read)
    os.close(told_write)
    told = os.read(told_read, 32)
    os.close(told_read)
    os.waitpid(middle.pid, 0)
    # Only now the keeper is the parent of process 1, which ties its life to it.
    with contextlib.suppress(BrokenPipeError):
        os.write(go_write, b"!")
    os.close(go_write)
    return Spawned(int(told or b"0"), middle.problems)


def command(order: Command, stdio: Stdio, target: int) -> Spawned:
    """Start a command beside a container: in the namespaces of the process `target`, or outside (0)."""
    if not target:
        return _fork(lambda problems: _become(order, stdio, problems))

    def enter(problems: int) -> NoReturn:
        os.setpgid(0, 0)
        _join_spaces(target)
        child = os.fork()
        if child == 0:
            _become(order, stdio, problems)
        os.close(problems)
        _close_all(keep=())
        _wait_for(child)

    return _fork(enter)


def _fork(work: Callable[[int], NoReturn]) -> Spawned:
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return Spawned(pid, read)
    try:
        os.close(read)
        work(write)
    except OSError as error:
        _give_up(write, error)
    finally:
        os._exit(127)


def _give_up(problems: int, error: OSError) -> NoReturn:
    told = {"errno": error.errno, "text": error.strerror or str(error), "file": error.filename}
    os.write(problems, json.dumps(told).encode())
    os._exit(126 if error.errno == errno.EACCES else 127)


def _enter_spaces() -> None:
    if os.geteuid() == 0:
        kernel.unshare(_SPACES)
        return
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER | _SPACES)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def _join_spaces(target: int) -> None:
    kinds = ["user"] * (os.geteuid() != 0) + ["mnt", "pid", "uts", "ipc"]
    descriptors = [os.open(f"/proc/{target}/ns/{kind}", os.O_RDONLY) for kind in kinds]
    for descriptor in descriptors:
        kernel.setns(descriptor)
        os.close(descriptor)


def _lead(order: Order, go: int, work: Callable[[int], NoReturn], problems: int) -> NoReturn:
    """Be process 1 of a container."""
    try:
        if not os.read(go, 1):
            os._exit(127)
        os.close(go)
        kernel.die_with_parent(signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
        is_mapped = os.geteuid() != 0
        rooting.enter(
            order.layer, order.binds, order.hidden, order.cwd, in_user_namespace=is_mapped
        )
        if order.hostname:
            socket.sethostname(order.hostname[:63])
        child = os.fork()
        if child == 0:
            work(problems)
        os.close(problems)
        _close_all(keep=())
        _wait_for(child)
    except OSError as error:
        _give_up(problems, error)
    finally:
        os._exit(127)


def _wait_for(child: int) -> NoReturn:
    """Hand signals on to a child's group, wait for all orphans, and end as the child ends."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    while True:
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == child:
                    code = os.waitstatus_to_exitcode(ended[1])
                    os._exit(code if code >= 0 else 128 - code)
        number = signal.sigwait(_FORWARDED)
        if number != signal.SIGCHLD:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, number)


def _become(order: Order | Command, stdio: Stdio, problems: int, status: int = -1) -> NoReturn:
    """Turn into the command. Raises only inside; outside there is an exit code."""
    try:
        os.setsid()
        if stdio.is_terminal:
            fcntl.ioctl(stdio.stdin, termios.TIOCSCTTY, 0)
        kept = [fcntl.fcntl(problems, fcntl.F_DUPFD_CLOEXEC, 10)]
        sources = [fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 10) for one in stdio[:3]]
        for number, source in enumerate(sources):
            os.dup2(source, number)
        problems = kept[0]
        if status >= 0:
            # By way of another: a descriptor that is 3 already would be closed with the others.
            os.dup2(fcntl.fcntl(status, fcntl.F_DUPFD_CLOEXEC, 10), _STATUS)
            kept.append(_STATUS)
        _close_all(keep=kept)
        if order.cpus:
            os.sched_setaffinity(0, order.cpus)
        if isinstance(order, Order) and order.memory_bytes:
            most = order.memory_bytes + _ROOM_BYTES
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        if not (isinstance(order, Order) and order.is_dropping):
            _drop(order)
        # After the change of the user, which unties.
        kernel.die_with_parent(signal.SIGKILL)
        os.chdir(order.cwd)
        os.umask(0o022)
        for number in range(1, signal.NSIG):
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for one in order.before if isinstance(order, Order) else ():
            code, output = _run(one, order.env)
            if code:
                raise OSError(errno.EIO, output)
        os.execve(_program(order.argv[0], order.env), order.argv, order.env)  # noqa: S606
    except OSError as error:
        _give_up(problems, error)


def _drop(order: Order | Command) -> None:
    """Become the user and group that were asked for."""
    if order.group is not None:
        os.setgroups([])
        os.setgid(order.group)
    if order.user is not None:
        os.setuid(order.user)


def afterwards(order: Order) -> int:
    """Clear away behind a container; the pid of who does it, who ends with 1 if the container had too little memory."""
    pid = os.fork()
    if pid:
        return pid
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nothing, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        code, output = _run(order.verdict, order.env)
        for one in order.after:
            _run(one, order.env)
        os._exit(1 if not code and output.strip() == "true" else 0)
    finally:
        os._exit(0)


def _run(argv: Sequence[str], env: dict[str, str]) -> tuple[int, str]:
    """Run a command to its end; its exit code and all it printed. What it leaves behind is not waited for."""
    if not argv:
        return 0, ""
    paper = os.memfd_create("output")
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(paper, 1)
            os.dup2(paper, 2)
            os.execve(_program(argv[0], env), list(argv), env)  # noqa: S606
        finally:
            os._exit(127)
    _, status = os.waitpid(pid, 0)
    os.lseek(paper, 0, os.SEEK_SET)
    output = os.read(paper, _MAX_OUTPUT_BYTES).decode(errors="replace")
    os.close(paper)
    return os.waitstatus_to_exitcode(status), output


def _program(name: str, env: dict[str, str]) -> str:
    """The file of a command; raises with the words of container runtimes."""
    if "/" in name:
        if not os.path.exists(name):  # noqa: PTH110  (between fork and exec)
            raise OSError(errno.ENOENT, f'exec: "{name}": stat {name}: no such file or directory')
        if os.path.isdir(name) or not os.access(name, os.X_OK):  # noqa: PTH112
            raise OSError(errno.EACCES, f'exec: "{name}": permission denied')
        return name
    for folder in env.get("PATH", os.defpath).split(":"):
        path = f"{folder or '.'}/{name}"
        with contextlib.suppress(OSError):
            if stat.S_ISREG(os.stat(path).st_mode) and os.access(path, os.X_OK):  # noqa: PTH116
                return path
    raise OSError(errno.ENOENT, f'exec: "{name}": executable file not found in $PATH')


def _close_all(keep: Sequence[int]) -> None:
    """Close every descriptor but the standard ones and these; a process that only waits closes those too."""
    start = 3 if keep else 0
    for one in sorted(keep):
        os.closerange(start, one)
        start = one + 1
    os.closerange(start, os.sysconf("SC_OPEN_MAX"))


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    os.write(descriptor, text.encode())
    os.close(descriptor)
