"""The words that JSON Schemas of answers are written in: kinds of values, lists, choices, objects,
and a record's form on the wire.
"""

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
    """The schema of a record's form on the wire (`records.wire_record`). more: properties that it
    cannot tell.
    """
    hints = get_type_hints(record)
    return object_of(
        **{
            camel_case(each.name): _schema_of_type(hints[each.name])
            for each in fields(record)
            if each.name not in without
        }
        | more
    )


def _schema_of_type(hint: Any) -> Json:
    if get_origin(hint) is types.UnionType:
        told = [each for each in get_args(hint) if each is not type(None)]
        return _SIMPLE[float] if float in told else _schema_of_type(told[0])
    if get_origin(hint) is tuple:
        return list_of(_schema_of_type(get_args(hint)[0]))
    if get_origin(hint) is dict:
        return OBJECT
    return _SIMPLE.get(hint, {})
