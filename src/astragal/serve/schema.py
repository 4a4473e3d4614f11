"""The interface for programs, told in OpenAPI, made of the same list as the routes."""

from __future__ import annotations

from typing import Any

import msgspec

import astragal
from astragal.serve.endpoints import ENDPOINTS, Endpoint, File
from astragal.serve.messages import Fault

_FAULTS = {
    "400": "Something given was wrong",
    "404": "What was named is not there",
    "409": "The game has gone on since",
    "413": "The request is too large",
    "429": "Too much at once",
}


def schema() -> dict[str, Any]:
    """An OpenAPI 3.1 document."""
    kinds = [Fault, *(each.takes for each in ENDPOINTS)]
    kinds += [each.gives for each in ENDPOINTS if each.gives is not File]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_REF)
    takes = schemas[1 : 1 + len(ENDPOINTS)]
    gives = iter(schemas[1 + len(ENDPOINTS) :])
    paths: dict[str, dict[str, Any]] = {}
    for endpoint, taken in zip(ENDPOINTS, takes, strict=True):
        given = None if endpoint.gives is File else next(gives)
        told = _operation(endpoint, taken, given, components)
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = told
    return {
        "openapi": "3.1.0",
        "info": {"title": "Astragal", "version": astragal.__version__},
        "paths": paths,
        "components": {"schemas": components},
    }


_REF = "#/components/schemas/{name}"


def _operation(
    endpoint: Endpoint, taken: dict[str, Any], given: Any, components: dict[str, Any]
) -> dict[str, Any]:
    kind = "text/event-stream" if endpoint.is_stream else "application/json"
    answer: dict[str, Any] = {"description": "The answer"}
    if given is not None:
        answer["content"] = {kind: {"schema": given}}
    fault = {"application/json": {"schema": {"$ref": _REF.format(name="Fault")}}}
    told: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": f"{endpoint.run.__module__.rsplit('.', 1)[-1]}.{endpoint.run.__name__}",
        "parameters": _parameters(endpoint, taken, components),
        "responses": {"200": answer}
        | {code: {"description": text, "content": fault} for code, text in _FAULTS.items()},
    }
    if endpoint.method == "POST":
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": taken}}}
    return told


def _parameters(
    endpoint: Endpoint, taken: dict[str, Any], components: dict[str, Any]
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if "{name}" in endpoint.path:
        found.append({"name": "name", "in": "path", "required": True, "schema": {"type": "string"}})
    if endpoint.method != "POST":
        fields = components[taken["$ref"].rsplit("/", 1)[-1]].get("properties", {})
        found += [{"name": name, "in": "query", "schema": kind} for name, kind in fields.items()]
    return found
