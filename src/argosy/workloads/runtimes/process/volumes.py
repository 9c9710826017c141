"""What is in a pod's volumes. Pure: names of what has to be read, then files with their contents and modes.

ConfigMaps, Secrets, the downward API and projected volumes (with tokens and the cluster's certificates) become files;
empty folders, folders of this machine and claims bound to such become folders; a generic ephemeral volume is a claim
of the pod's own. Other kinds need a driver that this runtime does not have: the pod waits and an event says so. Errors
are `NotMounted`, in the kubelet's words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from argosy.api.objects import Container, Pod
from argosy.base.types import Object
from argosy.workloads.runtimes.process.environments import Sources, Surroundings
from argosy.workloads.runtimes.process.fields import pod_field, resource_field

_FILES: Final = ("configMap", "secret", "downwardAPI", "projected")
_DEFAULT_MODE: Final = 0o644


class NotMounted(Exception):
    """A volume can not be made as its pod says."""

    def __init__(self, volume: str, why: str) -> None:
        super().__init__(f'MountVolume.SetUp failed for volume "{volume}" : {why}')


class File(NamedTuple):
    data: bytes
    mode: int = _DEFAULT_MODE


class TokenWanted(NamedTuple):
    """A service account's token that a volume holds."""

    audience: str
    expiration_seconds: int


def is_made_of_files(volume: Object) -> bool:
    """Whether the volume's content is written, and kept up to date, by the node."""
    return any(kind in volume for kind in _FILES)


def needed(pod: Pod) -> tuple[set[str], set[str]]:
    """Names of the ConfigMaps and of the Secrets that volumes are made from."""
    maps, secrets = set(), set()
    for volume in pod.spec.volumes:
        if "configMap" in volume:
            maps.add(volume["configMap"].get("name", ""))
        if "secret" in volume:
            secrets.add(volume["secret"].get("secretName", ""))
        for source in (volume.get("projected") or {}).get("sources") or ():
            if "configMap" in source:
                maps.add(source["configMap"].get("name", ""))
            if "secret" in source:
                secrets.add(source["secret"].get("name", ""))
    return maps, secrets


def tokens(pod: Pod) -> set[TokenWanted]:
    """Tokens that volumes hold."""
    return {
        _token(source["serviceAccountToken"])
        for volume in pod.spec.volumes
        for source in (volume.get("projected") or {}).get("sources") or ()
        if "serviceAccountToken" in source
    }


def contents(
    pod: Pod,
    volume: Object,
    sources: Sources,
    around: Surroundings,
    issued: Mapping[TokenWanted, str],
) -> dict[str, File]:
    """The files of a volume that is made of files, by path. NotMounted."""
    try:
        return dict(_files(pod, volume, sources, around, issued))
    except ValueError as error:
        raise NotMounted(volume["name"], str(error)) from error


def _files(
    pod: Pod,
    volume: Object,
    sources: Sources,
    around: Surroundings,
    issued: Mapping[TokenWanted, str],
) -> Iterator[tuple[str, File]]:
    if (given := volume.get("configMap")) is not None:
        yield from _config_map(given, given.get("name", ""), sources)
    elif (given := volume.get("secret")) is not None:
        yield from _secret(given, given.get("secretName", ""), sources)
    elif (given := volume.get("downwardAPI")) is not None:
        yield from _downward(pod, given, around)
    else:
        projected = volume["projected"]
        default = projected.get("defaultMode")
        for source in projected.get("sources") or ():
            if (given := source.get("configMap")) is not None:
                given = {"defaultMode": default, **given}
                yield from _config_map(given, given.get("name", ""), sources)
            elif (given := source.get("secret")) is not None:
                given = {"defaultMode": default, **given}
                yield from _secret(given, given.get("name", ""), sources)
            elif (given := source.get("downwardAPI")) is not None:
                yield from _downward(pod, {"defaultMode": default, **given}, around)
            elif (given := source.get("serviceAccountToken")) is not None:
                # For its owner only, as the kubelet does for pods without a group of their own.
                yield given["path"], File(issued[_token(given)].encode(), 0o600)
            else:
                raise ValueError(f"projected source {', '.join(source)} is not offered here")


def _token(given: Object) -> TokenWanted:
    return TokenWanted(given.get("audience", ""), given.get("expirationSeconds") or 3600)


def _config_map(given: Object, name: str, sources: Sources) -> Iterator[tuple[str, File]]:
    found = sources.config_maps.get(name)
    if found is None:
        if given.get("optional"):
            return iter(())
        raise ValueError(f'configmap "{name}" not found')
    data = {key: value.encode() for key, value in found.data.items()} | found.binary_data
    return _chosen(given, data, "configmap references non-existent config key: {}")


def _secret(given: Object, name: str, sources: Sources) -> Iterator[tuple[str, File]]:
    found = sources.secrets.get(name)
    if found is None:
        if given.get("optional"):
            return iter(())
        raise ValueError(f'secret "{name}" not found')
    return _chosen(given, found.data, "references non-existent secret key: {}")


def _chosen(given: Object, data: Mapping[str, bytes], missing: str) -> Iterator[tuple[str, File]]:
    """All keys, or the items that are named with their paths."""
    mode = given.get("defaultMode") or _DEFAULT_MODE
    items = given.get("items")
    if not items:
        for key, value in data.items():
            yield key, File(value, mode)
        return
    for item in items:
        if item["key"] in data:
            yield item["path"], File(data[item["key"]], item.get("mode") or mode)
        elif not given.get("optional"):
            raise ValueError(missing.format(item["key"]))


def _downward(pod: Pod, given: Object, around: Surroundings) -> Iterator[tuple[str, File]]:
    default = given.get("defaultMode") or _DEFAULT_MODE
    for item in given.get("items") or ():
        if (reference := item.get("fieldRef")) is not None:
            text = pod_field(
                pod, reference["fieldPath"], host_ips=around.host_ips, pod_ips=around.pod_ips
            )
        else:
            nobody = Container()
            text = resource_field(pod, nobody, item["resourceFieldRef"], around.allocatable)
        yield item["path"], File(text.encode(), item.get("mode") or default)


def folder(volume: Object, claim: str, behind: Object | None, own: str) -> str:
    """The folder of a volume that is one: `own` for those that live with the pod. NotMounted.

    `claim` is the claim it is made of, if any, and `behind` the PersistentVolume of that.
    """
    if "emptyDir" in volume:
        return own
    if (given := volume.get("hostPath")) is not None:
        return str(given["path"])
    if claim:
        spec = (behind or {}).get("spec") or {}
        for kind in ("hostPath", "local"):
            if kind in spec:
                return str(spec[kind]["path"])
        why = "not bound yet" if behind is None else "bound to a volume that is no local folder"
        raise NotMounted(volume["name"], f'persistentvolumeclaim "{claim}" is {why}')
    kinds = [kind for kind in volume if kind != "name"]
    raise NotMounted(
        volume["name"],
        f"{', '.join(kinds) or 'no source'} is not offered for pods that run as local processes; "
        "use emptyDir, hostPath, configMap, secret, downwardAPI, projected or a claim of a local volume",
    )
