"""From the description of a kind to its CustomResourceDefinition, in all its versions.

No definition asks for a conversion: versions share what is stored, and whoever brings a kind along whose versions
differ in more than what they know teaches the server to convert (`argosy.apiserver.customs.teach`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from argosy.api.definitions.vocabulary import Versioned, resolved, ruled, struct
from argosy.base.types import Json, Object

STATUS: Final[Object] = {"status": {}}


class Named(Protocol):
    """How a kind is called; `argosy.client.resources.Resource` is one."""

    @property
    def group(self) -> str: ...
    @property
    def plural(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def namespaced(self) -> bool: ...


@dataclass(slots=True, frozen=True)
class Version:
    """One version in which a kind is served; whoever uses one that has a warning is told."""

    name: str
    is_stored: bool = False
    warning: str = ""


def column(
    name: str, path: Json, said: str = "", type_: str = "string", priority: int = 0
) -> Object:
    """One column of `kubectl get`; those of priority 1 show with -o wide."""
    shown = {"description": said, "priority": priority}
    return {"name": name, "type": type_, "jsonPath": path} | {
        word: value for word, value in shown.items() if value
    }


AGE: Final = column("Age", ".metadata.creationTimestamp", "How long ago it was created.", "date")


@dataclass(slots=True, frozen=True)
class Definition:
    """One kind. `fields` are those beside apiVersion, kind and metadata; `rules` judge whole objects."""

    resource: Named
    said: str
    versions: tuple[Version, ...]
    fields: Mapping[str, Json]
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    rules: tuple[Json, ...] = ()
    columns: tuple[Json, ...] = ()
    subresources: Mapping[str, Json] | None = None
    # Paths that `kubectl get --field-selector` takes, beside name and namespace. kube-apiserver refuses paths that all
    # versions have where their schemas differ, so that one version alone says them.
    selectable: Versioned | None = None

    def document(self) -> Object:
        """The CustomResourceDefinition, ready to be applied."""
        resource = self.resource
        names: Object = {
            "kind": resource.kind,
            "listKind": f"{resource.kind}List",
            "plural": resource.plural,
            "singular": resource.kind.lower(),
        }
        lists = {"shortNames": self.short_names, "categories": self.categories}
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{resource.plural}.{resource.group}"},
            "spec": {
                "group": resource.group,
                "names": names | {word: list(given) for word, given in lists.items() if given},
                "scope": "Namespaced" if resource.namespaced else "Cluster",
                "versions": [self._version(version) for version in self.versions],
            },
        }

    def _version(self, version: Version) -> Object:
        document: Object = {"name": version.name, "served": True, "storage": version.is_stored}
        if version.warning:
            document |= {"deprecated": True, "deprecationWarning": version.warning}
        document["schema"] = {"openAPIV3Schema": resolved(self._schema(), version.name)}
        if self.subresources is not None:
            document["subresources"] = {name: {} for name in self.subresources}
        if columns := resolved(self.columns, version.name):
            document["additionalPrinterColumns"] = columns
        if self.selectable is not None and version.name in self.selectable.values:
            paths = self.selectable.values[version.name]
            document["selectableFields"] = [{"jsonPath": path} for path in paths]
        return document

    def _schema(self) -> Object:
        schema = struct(
            self.said,
            apiVersion={"type": "string"},
            kind={"type": "string"},
            metadata={"type": "object"},
            **self.fields,
        )
        return ruled(schema, *self.rules) if self.rules else schema
