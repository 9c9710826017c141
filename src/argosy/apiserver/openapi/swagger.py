"""OpenAPI v2 from v3: one document of everything, for clients that know nothing newer.

References move, request bodies become parameters, and the words v2 does not have (nullable, anyOf, oneOf, not, defaults
of custom kinds) are dropped: a v2 document says less, never something else.
"""

from __future__ import annotations

from typing import Final

from argosy.api.schema.builtin import INT_OR_STRING, QUANTITY
from argosy.apiserver.openapi.definitions import REF
from argosy.base.types import Json, Object

_V2_REF: Final = "#/definitions/"
_DROPPED: Final = frozenset({"nullable", "anyOf", "oneOf", "not", "default"})
_METHODS: Final = frozenset({"get", "put", "post", "delete", "patch"})
_TYPES: Final[dict[str, Object]] = {
    QUANTITY: {"type": "string"},
    INT_OR_STRING: {"type": "string", "format": "int-or-string"},
}


def definition(name: str, component: Object) -> Object:
    """A component as a definition."""
    special = _TYPES.get(name)
    if special is None:
        return _object_schema(component)
    text = component.get("description")
    return {"description": text, **special} if text else special


def path_item(item: Object) -> Object:
    """The operations at a path."""
    out: Object = {
        method: _operation(operation) for method, operation in item.items() if method in _METHODS
    }
    if "parameters" in item:
        out["parameters"] = [_parameter(parameter) for parameter in item["parameters"]]
    return out


def _schema(value: Json) -> Json:
    match value:
        case {"$ref": str(ref)}:
            return {"$ref": ref.replace(REF, _V2_REF)}
        case dict():
            return _object_schema(value)
        case _:
            return value


def _object_schema(schema: Object) -> Object:
    out: Object = {}
    for key, value in schema.items():
        match key:
            case "properties":
                out[key] = {name: _schema(inner) for name, inner in value.items()}
            case "items" | "additionalProperties":
                out[key] = _schema(value)
            case "allOf":
                # A described reference: v2 puts the description beside it.
                if len(value) == 1:
                    out |= _schema(value[0])
            case _ if key not in _DROPPED:
                out[key] = value
    loose = out.get("x-kubernetes-preserve-unknown-fields") or out.get("x-kubernetes-int-or-string")
    if loose:
        # kubectl would take a type for the whole truth.
        for key in ("type", "properties", "required", "format", "items"):
            out.pop(key, None)
    return out


def _parameter(parameter: Object) -> Object:
    out = {key: value for key, value in parameter.items() if key != "schema"}
    return {**parameter["schema"], **out}


def _operation(operation: Object) -> Object:
    out = {
        key: value
        for key, value in operation.items()
        if key not in {"parameters", "requestBody", "responses"}
    }
    parameters = [_parameter(parameter) for parameter in operation.get("parameters", ())]
    consumes = ["*/*"]
    body = operation.get("requestBody")
    if body is not None:
        schema = _schema(next(iter(body["content"].values()))["schema"])
        required = {"required": True} if body.get("required") else {}
        parameters.insert(0, {"name": "body", "in": "body", **required, "schema": schema})
        consumes = list(body["content"])
    out["consumes"] = consumes
    out["produces"] = ["application/json", "application/yaml"]
    out["schemes"] = ["https"]
    if parameters:
        out["parameters"] = parameters
    out["responses"] = {
        code: _response(response) for code, response in operation["responses"].items()
    }
    return out


def _response(response: Object) -> Object:
    out: Object = {"description": response["description"]}
    content = response.get("content")
    if content:
        out["schema"] = _schema(next(iter(content.values()))["schema"])
    return out
