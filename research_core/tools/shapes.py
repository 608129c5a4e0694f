"""Build the JSON Schemas of answers: kinds of values, lists, choices, objects and records."""

from __future__ import annotations

import types
from dataclasses import fields
from typing import Any, get_args, get_origin, get_type_hints

from research_core.model_messages import Json
from research_core.search.records import camel_case

TEXT, WHOLE, NUMBER, SWITCH, OBJECT = (
    {"type": name} for name in ("string", "integer", "number", "boolean", "object")
)
_SIMPLE: dict[Any, Json] = {str: TEXT, int: WHOLE, float: NUMBER, bool: SWITCH}


def list_of(items: Json) -> Json:
    return {"type": "array", "items": items}


def choice_of(*names: str) -> Json:
    return {"type": "string", "enum": list(names)}


def object_of(**properties: Json) -> Json:
    return {"type": "object", "properties": properties}


def schema_of_record(record: type[Any], without: tuple[str, ...] = (), **more: Json) -> Json:
    """Return the schema of a record as `records.wire_record` writes it.

    without: fields to leave out; more: properties to add or replace.
    """
    hints = get_type_hints(record)
    properties: dict[str, Json] = {}
    for field in fields(record):
        if field.name not in without:
            properties[camel_case(field.name)] = _schema_of_type(hints[field.name])
    return object_of(**properties | more)


def _schema_of_type(hint: Any) -> Json:
    """Return the schema of a type hint, {} for an unknown one; of a union's first type."""
    origin = get_origin(hint)
    if origin is types.UnionType:
        options = [option for option in get_args(hint) if option is not type(None)]
        return _SIMPLE[float] if float in options else _schema_of_type(options[0])
    if origin is tuple:
        return list_of(_schema_of_type(get_args(hint)[0]))
    if origin is dict:
        return OBJECT
    return _SIMPLE.get(hint, {})
