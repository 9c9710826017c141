"""From the description of a kind to its CustomResourceDefinition, in both versions.

v1beta2 is stored and preferred. v1beta1 is served for those who still write it, with upstream's warning, and converted
by the server itself (`argosy.queueing.conversion`): that is why the definition asks for no conversion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from argosy.base.types import Json, Object
from argosy.client.resources import Resource
from argosy.queueing.definitions.vocabulary import V1BETA1, V1BETA2, resolved, ruled, struct

_DEPRECATED: Final[Object] = {
    "deprecated": True,
    "deprecationWarning": "This version is deprecated. Use v1beta2 instead.",
}
STATUS: Final[Object] = {"status": {}}


class Column(NamedTuple):
    """One column of `kubectl get`; those of priority 1 show with -o wide."""

    name: str
    path: Json
    said: str = ""
    type: str = "string"
    priority: int = 0


AGE: Final = Column(
    "Age", ".metadata.creationTimestamp", "How long ago it was created.", type="date"
)


@dataclass(slots=True, frozen=True)
class Definition:
    """One kind. `fields` are those beside apiVersion, kind and metadata; `rules` judge whole objects."""

    resource: Resource
    short_names: tuple[str, ...]
    said: str
    fields: Mapping[str, Json]
    rules: tuple[Json, ...] = ()
    columns: tuple[Column, ...] = ()
    subresources: Mapping[str, Json] | None = None
    # Paths that `kubectl get --field-selector` takes, beside name and namespace. kube-apiserver refuses paths that all
    # versions have where their schemas differ, so only the new version says them.
    selectable: tuple[str, ...] = field(default=())

    def document(self) -> Object:
        """The CustomResourceDefinition, ready to be applied."""
        resource = self.resource
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": resource.qualified},
            "spec": {
                "group": resource.group,
                "names": {
                    "kind": resource.kind,
                    "listKind": f"{resource.kind}List",
                    "plural": resource.plural,
                    "singular": resource.kind.lower(),
                    "shortNames": list(self.short_names),
                },
                "scope": "Namespaced" if resource.namespaced else "Cluster",
                "versions": [self._version(V1BETA1), self._version(V1BETA2)],
            },
        }

    def _version(self, version: str) -> Object:
        is_old = version == V1BETA1
        document: Object = {"name": version, "served": True, "storage": not is_old}
        document |= _DEPRECATED if is_old else {}
        document["schema"] = {"openAPIV3Schema": resolved(self._schema(), version)}
        if self.subresources is not None:
            document["subresources"] = {name: {} for name in self.subresources}
        if self.columns:
            columns = (resolved(column._asdict(), version) for column in self.columns)
            document["additionalPrinterColumns"] = [_column(column) for column in columns]
        if self.selectable and not is_old:
            document["selectableFields"] = [{"jsonPath": path} for path in self.selectable]
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


def _column(column: Object) -> Object:
    document: Object = {
        "name": column["name"],
        "type": column["type"],
        "jsonPath": column["path"],
        "description": column["said"],
        "priority": column["priority"],
    }
    return {word: value for word, value in document.items() if value}
