"""A pod's volumes on this machine: made before its containers start, kept up to date while they run.

ConfigMaps, Secrets and the like are looked at every minute; tokens are renewed when four fifths of their time have
passed. Nothing is mounted here: a volume is a folder, and containers are shown it by their runtime.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from argosy.api.objects import Pod
from argosy.base.types import Object
from argosy.workloads.runtimes.process import volumes
from argosy.workloads.runtimes.process.environments import Surroundings
from argosy.workloads.runtimes.process.filling import fill
from argosy.workloads.runtimes.process.hosts import Host
from argosy.workloads.runtimes.process.ordering import hostname_of
from argosy.workloads.runtimes.process.sourcing import (
    NotTheOwner,
    issue_token,
    read_sources,
    volume_behind,
)
from argosy.workloads.runtimes.process.volumes import NotMounted, TokenWanted
from argosy.workloads.volumes.users import claim_name

REFRESH_SECONDS: Final = 60.0
_RENEW_AT: Final = 0.8


class Mounts:
    """The volumes of one pod."""

    def __init__(self, host: Host, uid: str) -> None:
        self._host = host
        self._folder = host.pod_folder(uid)
        self.folders: dict[str, str] = {}
        self._tokens: dict[TokenWanted, tuple[str, float]] = {}

    async def make(self, pod: Pod, around: Surroundings) -> None:
        """Make all volumes, or bring them up to date. NotMounted, StatusError."""
        await self._fill(pod, around)
        for volume in pod.spec.volumes:
            if volumes.is_made_of_files(volume):
                continue
            own = self._folder / "volumes" / volume["name"]
            claim = claim_name(pod, volume)
            behind = await self._behind(pod, volume, claim) if claim else None
            found = volumes.folder(volume, claim, behind, str(own))
            await asyncio.to_thread(_make_folder, volume, Path(found), own)
            self.folders[volume["name"]] = found
        await asyncio.to_thread(self._write_hosts, pod, around)

    async def _behind(self, pod: Pod, volume: Object, claim: str) -> Object | None:
        """The PersistentVolume of a claim; one for an ephemeral volume has to be the pod's own. NotMounted."""
        owner = pod.metadata.uid if "ephemeral" in volume else None
        meta = pod.metadata
        try:
            return await volume_behind(self._host.client, meta.namespace, claim, owner)
        except NotTheOwner:
            raise NotMounted(
                volume["name"],
                f"PVC {meta.namespace}/{claim} was not created for pod {meta.namespace}/{meta.name} (pod is not owner)",
            ) from None

    async def keep(self, pod: Pod, around: Surroundings) -> None:
        """Bring volumes made of files up to date, once."""
        await self._fill(pod, around)

    async def _fill(self, pod: Pod, around: Surroundings) -> None:
        written = [one for one in pod.spec.volumes if volumes.is_made_of_files(one)]
        if not written:
            return
        maps, secrets = volumes.needed(pod)
        sources = await read_sources(self._host.client, pod.metadata.namespace, maps, secrets)
        issued = {wanted: await self._token(pod, wanted) for wanted in volumes.tokens(pod)}
        stamp = self._host.clock.now().strftime("%Y_%m_%d_%H_%M_%S.%f")
        for volume in written:
            files = volumes.contents(pod, volume, sources, around, issued)
            folder = self._folder / "volumes" / volume["name"]
            try:
                await asyncio.to_thread(fill, folder, files, stamp)
            except OSError as error:
                raise NotMounted(volume["name"], str(error)) from error
            self.folders[volume["name"]] = str(folder)

    async def _token(self, pod: Pod, wanted: TokenWanted) -> str:
        kept = self._tokens.get(wanted)
        now = self._host.clock.monotonic()
        if kept is None or now > kept[1]:
            token = await issue_token(self._host.client, pod, wanted)
            kept = self._tokens[wanted] = (token, now + _RENEW_AT * wanted.expiration_seconds)
        return kept[0]

    def _write_hosts(self, pod: Pod, around: Surroundings) -> None:
        """The names a pod knows without asking anybody."""
        name = hostname_of(pod)
        full = f"{name}.{pod.spec.subdomain}.{pod.metadata.namespace}.svc.cluster.local\t"
        lines = [
            "# Kubernetes-managed hosts file.",
            "127.0.0.1\tlocalhost",
            "::1\tlocalhost ip6-localhost",
        ]
        lines += [f"{ip}\t{full * bool(pod.spec.subdomain)}{name}" for ip in around.pod_ips]
        self._folder.mkdir(parents=True, exist_ok=True)
        (self._folder / "hosts").write_text("\n".join(lines) + "\n")


def _make_folder(volume: Object, folder: Path, own: Path) -> None:
    """Make a folder of the pod's own, or what a hostPath asks for. NotMounted."""
    try:
        if folder == own:
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o777)
            return
        kind = (volume.get("hostPath") or {}).get("type") or ""
        if kind == "DirectoryOrCreate":
            folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        elif kind == "FileOrCreate":
            folder.touch()
        if kind == "Directory" and not folder.is_dir():
            raise NotMounted(
                volume["name"], f"hostPath type check failed: {folder} is not a directory"
            )
        if kind == "File" and not folder.is_file():
            raise NotMounted(volume["name"], f"hostPath type check failed: {folder} is not a file")
        if not folder.exists():
            folder.mkdir(parents=True)
    except OSError as error:
        raise NotMounted(volume["name"], str(error)) from error
