"""The keeper: one small process per state directory that owns the containers' processes.

Argosy never forks containers itself. It asks the keeper, over a socket, and the keeper outlives it: when Argosy is
killed, containers go on, their output goes on being logged, and how they end is remembered, so the Argosy that starts
next takes over where the last one stood. When nobody comes back, the keeper ends everything and itself.

Modules here use the standard library only and are started without the rest of the project (see `launching`): the
keeper has to be small, because every container's helper process is a fork of it.

    kernel      the system calls that Python has no function for
    processes   who is there, by /proc
    logs        lines of output in the form kubelets keep
    orders      what Argosy asks for
    rooting     a container's own view of the file system
    spawning    forks: containers and commands beside them
    starting    whether a sandbox's command has begun
    tending     one container from its start to its end
    serving     the loop: requests, output, children, time
"""
