"""Check a category and a field schema against Exa's limits before a call is paid for."""

from __future__ import annotations

import json
from typing import Any

from research_core.errors import UsageError
from research_core.model_messages import Json

CATEGORIES = (
    "company",
    "people",
    "research paper",
    "news",
    "pdf",
    "github",
    "financial report",
    "personal site",
)
MAX_FIELDS = 10
PRIMITIVES = ("string", "number", "integer", "boolean")
_SIMPLE = ", ".join(PRIMITIVES)
RULES = (
    f"Give an object with 1 to {MAX_FIELDS} properties, each of the type {_SIMPLE}, or an array"
    " whose items are of one of these."
)


def exa_category(name: str) -> str:
    """Return Exa's name of the category, "" for none. Raises UsageError for an unknown one."""
    known = " ".join(name.split()).lower()
    if known and known not in CATEGORIES:
        raise UsageError(
            f"Exa has no category {name!r}.", next_step=f"Choose among: {', '.join(CATEGORIES)}."
        )
    return known


def check_schema(schema: Json) -> Json:
    """Return the schema, flat as Exa needs it. Raises UsageError with what is allowed."""
    try:
        json.dumps(schema, allow_nan=False)
    except (ValueError, RecursionError) as error:
        raise _schema_error("it is no JSON, or too deep") from error
    fields = schema.get("properties")
    if schema.get("type") != "object" or not isinstance(fields, dict) or not fields:
        raise _schema_error("its root is no object with properties")
    if len(fields) > MAX_FIELDS:
        raise _schema_error(f"it has {len(fields)} properties")
    for name, field in fields.items():
        if not _is_simple(field) and not (
            _field_types(field) == ("array",) and _is_simple(field.get("items"))
        ):
            raise _schema_error(
                f"the property {name!r} is neither simple nor a list of simple values"
            )
    return schema


def _is_simple(field: Any) -> bool:
    """Return True for a text, number or boolean field, possibly nullable."""
    types = [each for each in _field_types(field) if each != "null"]
    return bool(types) and all(each in PRIMITIVES for each in types)


def _field_types(field: Any) -> tuple[Any, ...]:
    found = field.get("type") if isinstance(field, dict) else None
    return tuple(found) if isinstance(found, list) else (found,) if found else ()


def _schema_error(why: str) -> UsageError:
    return UsageError(f"Exa cannot go by this schema: {why}.", next_step=RULES)
