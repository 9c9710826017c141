"""Turn upstream's OpenAPI schemas and Go types into `src/argosy/api/data/schemas.json`.

    python tools/import_schemas.py ../shared/contract/schemas/kubernetes-builtin.json "$(go env GOMODCACHE)"

The OpenAPI document gives types, required fields, formats, list types, keys, patch strategies and defaults. It does
not give what Go's decoder and encoder need: the Go type that an error message names, whether a field is a pointer, and
whether an empty value is left out (`omitempty`). Those three facts are read from the struct tags of `types.go` in the
module cache. Only facts are kept, no descriptions.

The file: `{type name: {"go", "required", "fields": {name: shape}, ...}}`. A shape is a type reference (`"ref"`) or an
inline shape; keys with an empty value are left out. `"pointer"`, `"always"` (printed even when empty) and `"via"` (the
inlined struct a field belongs to) stand on fields.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

OUT = Path(__file__).parent.parent / "src" / "argosy" / "api" / "data" / "schemas.json"

JSON_SCHEMA = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"

Facts = dict[str, Any]

# OpenAPI keyword -> our key, for what is copied as it is.
KEYWORDS = {
    "type": "type",
    "format": "format",
    "x-kubernetes-list-type": "listType",
    "x-kubernetes-list-map-keys": "mapKeys",
    "x-kubernetes-map-type": "mapType",
    "x-kubernetes-patch-merge-key": "mergeKey",
    "x-kubernetes-patch-strategy": "patchStrategy",
}

FIELD = re.compile(r'^\t(?:(\w+)\s+)?([\w.\[\]*]+)\s+`[^`]*?json:"([^"]*)"')
STRUCT = re.compile(r"^type (\w+) struct \{")
NAMED = re.compile(r"^(?:type |\t)(\w+) ([\w.\[\]*]+)$")
IMPORT = re.compile(r'^\t(?:(\w+) )?"([^"]+)"$')


class GoPackage:
    """The structs and named types of one Go package, types written as reflection prints them (`v1.Container`)."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.structs: dict[str, dict[str, tuple[str, list[str]]]] = {}
        self.inlined: dict[str, list[str]] = {}
        self.named: dict[str, str] = {}
        for path in sorted(folder.glob("*.go")):
            if not path.name.endswith("_test.go") and not path.name.startswith(
                ("zz_", "generated")
            ):
                self._read(path.read_text().splitlines())

    def _read(self, lines: list[str]) -> None:
        packages: dict[str, str] = {}
        struct = ""
        for line in lines:
            if found := IMPORT.match(line):
                packages[found[1] or found[2].rsplit("/", 1)[-1]] = found[2].rsplit("/", 1)[-1]
            elif found := STRUCT.match(line):
                struct = found[1]
                self.structs[struct], self.inlined[struct] = {}, []
            elif struct and line.startswith("}"):
                struct = ""
            elif struct and (found := FIELD.match(line)):
                go_type = self.printed(found[2], packages)
                name, *options = found[3].split(",")
                if "inline" in options or not name:
                    self.inlined[struct].append(go_type)
                elif name != "-":
                    self.structs[struct][name] = (go_type, options)
            elif not struct and (found := NAMED.match(line)):
                self.named[found[1]] = self.printed(found[2], packages)

    def printed(self, text: str, packages: dict[str, str]) -> str:
        """Qualify the names of a type expression with package names as reflection does."""

        def qualify(match: re.Match[str]) -> str:
            word = match[0]
            if "." in word:
                package, name = word.split(".")
                return f"{packages.get(package, package)}.{name}"
            if word == "byte":
                return "uint8"
            return word if word in BASIC or not word[0].isupper() else f"{self.name}.{word}"

        return re.sub(r"[A-Za-z_][\w.]*", qualify, text)


BASIC = {"string", "bool", "int", "int32", "int64", "float64", "byte", "map"}


class Modules:
    """Go packages by OpenAPI name prefix (`io.k8s.api.core.v1`)."""

    def __init__(self, cache: Path, version: str) -> None:
        self.cache, self.version = cache, version
        self._packages: dict[str, GoPackage] = {}

    def package(self, prefix: str) -> GoPackage:
        found = self._packages.get(prefix)
        if found is None:
            module, _, rest = prefix.removeprefix("io.k8s.").partition(".")
            folder = self.cache / "k8s.io" / f"{module}@{self.version}" / rest.replace(".", "/")
            found = self._packages[prefix] = GoPackage(folder)
        return found

    def fields(self, prefix: str, struct: str) -> dict[str, tuple[str, list[str]]]:
        """Fields of a struct, those of inlined structs first, by JSON name."""
        package = self.package(prefix)
        fields: dict[str, tuple[str, list[str]]] = {}
        for inlined in package.inlined.get(struct, ()):
            package_name, _, name = inlined.lstrip("*").rpartition(".")
            home = prefix
            if name in ("TypeMeta", "ListMeta", "ObjectMeta") and name not in package.structs:
                home = "io.k8s.apimachinery.pkg.apis.meta.v1"
            elif package_name != package.name:
                msg = f"{prefix}.{struct} inlines {inlined}, whose package is not known here"
                raise LookupError(msg)
            for field, (go_type, options) in self.fields(home, name).items():
                fields[field] = (go_type, [*options, f"via={name}"])
        return fields | package.structs.get(struct, {})

    def element(self, prefix: str, go_type: str) -> str:
        """The element type of a slice or map type, named types looked through."""
        if go_type.startswith("[]"):
            return go_type[2:]
        if go_type.startswith("map["):
            return go_type.partition("]")[2]
        name = go_type.rpartition(".")[2]
        homes = (prefix, "io.k8s.api.core.v1", "io.k8s.apimachinery.pkg.apis.meta.v1")
        for home in homes:
            underlying = self.package(home).named.get(name)
            if underlying is not None:
                return self.element(home, underlying)
        msg = f"{go_type} of {prefix}: no underlying type found"
        raise LookupError(msg)


def shape(modules: Modules, prefix: str, schema: Facts, go_type: str) -> Facts:
    """One inline OpenAPI schema as our facts."""
    go_type = go_type.lstrip("*")
    facts: Facts = {ours: schema[theirs] for theirs, ours in KEYWORDS.items() if theirs in schema}
    if "$ref" in schema:
        facts["ref"] = schema["$ref"]
    else:
        facts["go"] = go_type
        if schema.get("default") is not None:
            facts["default"] = schema["default"]
    for theirs, ours in (("items", "items"), ("additionalProperties", "values")):
        inner = schema.get(theirs)
        if isinstance(inner, dict):
            inner = {key: value for key, value in inner.items() if key != "default"}
            facts[ours] = shape(modules, prefix, inner, modules.element(prefix, go_type))
    return facts


def definition(modules: Modules, name: str, schema: Facts) -> Facts:
    prefix, _, struct = name.rpartition(".")
    facts = {ours: schema[theirs] for theirs, ours in KEYWORDS.items() if theirs in schema}
    facts["go"] = f"{prefix.rpartition('.')[2]}.{struct}"
    if schema.get("required"):
        facts["required"] = schema["required"]
    gvks = schema.get("x-kubernetes-group-version-kind")
    if gvks and len(gvks) == 1:
        facts["gvk"] = [gvks[0]["group"], gvks[0]["version"], gvks[0]["kind"]]
    if "properties" not in schema:
        return facts
    known = modules.fields(prefix, struct)
    fields: Facts = {}
    # Go's order of fields, so that documents made from this read like upstream's.
    for field in [*known, *sorted(schema["properties"].keys() - known.keys())]:
        if field not in schema["properties"]:
            continue
        go_type, options = known[field]
        fields[field] = shape(modules, prefix, schema["properties"][field], go_type)
        if go_type.startswith("*"):
            fields[field]["pointer"] = True
        # Decoding errors name the inlined structs on the way to a field, outermost first.
        via = [option[4:] for option in reversed(options) if option.startswith("via=")]
        if via:
            fields[field]["via"] = ".".join(via)
        # omitempty never leaves a struct out; omitzero does.
        struct_value = "$ref" in schema["properties"][field] and not go_type.startswith("*")
        if "omitzero" not in options and (struct_value or "omitempty" not in options):
            fields[field]["always"] = True
    facts["fields"] = fields
    return facts


def main(openapi: Path, cache: Path) -> None:
    document = json.loads(openapi.read_text())
    modules = Modules(cache, "v0" + document["kubernetes"].removeprefix("v1"))
    types = {
        name: definition(modules, name, schema)
        for name, schema in sorted(document["schemas"].items())
    }
    # The project's own keyword: a CRD's schema may name a built-in type where generators write it out.
    types[JSON_SCHEMA]["fields"]["x-embedded"] = {"type": "string", "go": "string"}
    data = {"kubernetes": document["kubernetes"], "types": types}
    OUT.write_text(json.dumps(data, separators=(",", ":"), ensure_ascii=False) + "\n")
    print(f"{OUT}: {len(types)} types of Kubernetes {document['kubernetes']}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
