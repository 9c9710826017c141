"""Files of one volume that would lie on top of each other."""

from __future__ import annotations

from argosy.base.fielderrors import quote
from argosy.base.types import Object

# A path and what puts a file there, "" inside one source.
Placed = tuple[str, str]


def warn_overlapping_paths(volumes: list[Object]) -> list[str]:
    warnings: list[str] = []
    for volume in volumes:
        for kind in ("configMap", "secret", "downwardAPI"):
            if (source := volume.get(kind)) and len(items := source.get("items") or ()) > 1:
                name = quote(volume.get("name", ""))
                placed = [(item.get("path", ""), "") for item in items]
                warnings += [
                    f"volume {name} ({_described(kind, source)}): overlapping paths: {text}"
                    for text in _overlaps(placed, [])
                ]
        if projected := volume.get("projected"):
            warnings += _warn_projected(projected, volume.get("name", ""))
    return warnings


def _described(kind: str, source: Object) -> str:
    match kind:
        case "configMap":
            return f"ConfigMap {quote(source.get('name', ''))}"
        case "secret":
            return f"Secret {quote(source.get('secretName', ''))}"
        case _:
            return "DownwardAPI"


def _warn_projected(projected: Object, name: str) -> list[str]:
    warnings: list[str] = []
    seen: list[Placed] = []
    for source in projected.get("sources") or ():
        if not source:
            warnings.append(f"volume {quote(name)} (Projected) has no sources provided")
        warnings += [
            f"volume {quote(name)} (Projected): overlapping paths: {text}"
            for text in _overlaps(_placed(source), seen)
        ]
    return warnings


def _placed(source: Object) -> list[Placed]:
    for kind, described in (("configMap", "ConfigMap"), ("secret", "Secret")):
        if (part := source.get(kind)) and (items := part.get("items")):
            by = f"{described} {quote(part.get('name', ''))}"
            return [(item.get("path", ""), by) for item in items]
    if part := source.get("downwardAPI"):
        return [(item.get("path", ""), "DownwardAPI") for item in part.get("items") or ()]
    if part := source.get("serviceAccountToken"):
        return [(part.get("path", ""), "ServiceAccountToken")]
    return []


def _overlaps(placed: list[Placed], seen: list[Placed]) -> list[str]:
    """Texts about each path that lies on, above or below one seen before; the new ones are added to `seen`."""
    texts: list[str] = []
    for path, by in placed:
        path = path.rstrip("/")
        if path:
            texts += [
                f"{_shown(path, by)} with {_shown(other, other_by)}"
                for other, other_by in seen
                if other
                and (f"{other}/".startswith(f"{path}/") or f"{path}/".startswith(f"{other}/"))
            ]
        seen.append((path, by))
    return texts


def _shown(path: str, by: str) -> str:
    return f"{quote(path)} ({by})" if by else quote(path)
