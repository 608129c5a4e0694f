"""Describe the mistakes in the arguments of a call: the parameter, the value, what is accepted.

A model in a run gets pydantic's own words instead (`registry.call_tool`), because a replay must
reproduce what the run was told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from research_core.errors import UsageError
from research_core.model_messages import Json
from research_core.text.words import describe_unstorable, to_single_line, truncate

#: The words for JSON types.
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
}
#: pydantic's error types for unknown and missing parameters, and for arguments of the wrong type.
_UNKNOWN, _MISSING, _NONE = {"extra_forbidden", "invalid_key"}, "missing", "model_type"
#: Characters shown of a given value; mistakes listed for one call.
MAX_SHOWN_CHARACTERS, MAX_MISTAKES = 60, 6
#: The similarity, from 0 to 1, from which a name is suggested: "colour" is not country.
MIN_NAME_SIMILARITY = 0.7


def describe_mistakes(schema: Json, errors: Iterable[Mapping[str, Any]]) -> tuple[str, str]:
    """Return a sentence on what is wrong and one on what to do.

    schema: the JSON Schema of the arguments; errors: as pydantic lists them.
    """
    known = schema.get("properties", {})
    found = list(errors)
    for error in found:
        if error["type"] == _NONE and not error["loc"]:
            wrong = f"the arguments must be an object, not {_describe_given(found[0]['input'])}"
            return wrong, _list_parameters(known)
    mistakes = [_describe_mistake(schema, error) for error in found[:MAX_MISTAKES]]
    if len(found) > MAX_MISTAKES:
        mistakes.append(f"{len(found) - MAX_MISTAKES} more are wrong")
    # What a place accepts is only worth saying if a name there is wrong or missing.
    steps: dict[str, None] = {}
    for error in found:
        if error["type"] in _UNKNOWN or error["type"] == _MISSING:
            steps[_list_fields_at(schema, error["loc"][:-1])] = None
    return "; ".join(mistakes), " ".join(steps)


def check_texts(tool: str, arguments: Any) -> None:
    """Raise UsageError for text that can neither be stored nor sent, wherever it is nested."""
    mistakes: list[str] = []
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), arguments)]
    while waiting and len(mistakes) < MAX_MISTAKES:
        loc, value = waiting.pop()
        inner: list[tuple[tuple[str | int, ...], Any]] = []
        if isinstance(value, str):
            what = describe_unstorable(value)
            if what:
                place = _format_location(loc) or "the arguments"
                mistakes.append(f"{truncate(place, MAX_SHOWN_CHARACTERS)} holds {what}")
        elif isinstance(value, Mapping):
            for name, part in value.items():
                what = describe_unstorable(str(name))
                if what:
                    mistakes.append(f"the name of a parameter holds {what}")
                inner.append(((*loc, str(name)), part))
        elif isinstance(value, list | tuple):
            inner += [((*loc, place), part) for place, part in enumerate(value)]
        waiting += reversed(inner)
    if mistakes:
        raise UsageError(
            f"{tool} cannot run: {'; '.join(mistakes)}, which no text may.",
            next_step="Send it without, as UTF-8.",
        )


def _list_parameters(known: Iterable[str]) -> str:
    return f"It takes: {', '.join(known)}."


def _list_fields_at(schema: Json, loc: Sequence[str | int]) -> str:
    """Name the fields that the arguments accept at this location."""
    names = _find_schema_at(schema, loc).get("properties", {})
    if not loc:
        return _list_parameters(names)
    return f"Each of {to_single_line(str(loc[0]))} takes: {', '.join(names)}."


def _find_schema_at(schema: Json, loc: Sequence[str | int]) -> Json:
    """Return the schema at a location, which is a path of parameter names and item numbers."""
    current = _drop_null(schema)
    for step in loc:
        if isinstance(step, int):
            inner = current.get("items", current)
        else:
            inner = current.get("properties", {}).get(step, current)
        if "$ref" in inner:
            inner = schema["$defs"][inner["$ref"].rpartition("/")[2]]
        current = _drop_null(inner)
    return current


def _format_location(loc: Sequence[str | int]) -> str:
    """Format a location as in "sources[0].url"."""
    parts = [f"[{step}]" if isinstance(step, int) else f".{to_single_line(step)}" for step in loc]
    return "".join(parts).removeprefix(".")


def suggest_name(name: str, names: Sequence[str], alike: float = MIN_NAME_SIMILARITY) -> str:
    """Return " (did you mean …?)" with the most similar of the names, or "" if none is similar.

    alike: the minimum similarity, from 0 to 1.
    """
    lowered = {each.lower(): each for each in names}
    found = get_close_matches(name[:200].lower(), lowered, 1, alike)
    return f" (did you mean {lowered[found[0]]}?)" if found else ""


def _describe_mistake(arguments: Json, error: Mapping[str, Any]) -> str:
    loc = error["loc"]
    given = error["input"]
    if not loc:  # pydantic gives no location for a name that is not valid text
        return "the name of a parameter holds half a character, which no text may"
    if error["type"] in _UNKNOWN:
        return _describe_unknown_name(arguments, loc)
    name = _format_location(loc)
    schema = _find_schema_at(arguments, loc)
    description = schema.get("description", "").rstrip(".")
    about = f" ({description})" if description else ""
    if error["type"] == _MISSING:
        return f"{name} is missing{about}"
    if error["type"] == "string_unicode":
        return f"{name} holds half a character, which no text may"
    if error["type"] == "string_pattern_mismatch":
        return f"{name} cannot be {_describe_given(given)}{about}"
    suggestion = ""
    if "enum" in schema and isinstance(given, str):
        suggestion = suggest_name(given, [choice for choice in schema["enum"] if choice])
    expected = _describe_expected(schema)
    return f"{name} must be {expected}, not {_describe_given(given, schema)}{suggestion}"


def _describe_unknown_name(arguments: Json, loc: Sequence[str | int]) -> str:
    name = to_single_line(str(loc[-1]))
    parent = loc[:-1]
    within = f" in {_format_location(parent)}" if parent else ""
    known = list(_find_schema_at(arguments, parent).get("properties", {}))
    shown = repr(truncate(name, MAX_SHOWN_CHARACTERS))
    return f"there is no parameter {shown}{within}{suggest_name(name, known)}"


def _drop_null(schema: Json) -> Json:
    """Return the schema of an optional parameter without its null alternative."""
    for option in schema.get("anyOf", ()):
        if option.get("type") != "null":
            found: Json = option
            return found
    return schema


def _describe_expected(schema: Json) -> str:
    """Describe in words what a parameter accepts."""
    if "enum" in schema:
        return f"one of {', '.join(str(choice) for choice in schema['enum'] if choice != '')}"
    kind = schema.get("type", "")
    if kind == "array" and "maxItems" in schema:
        return f"a list of at most {schema['maxItems']:,}"
    if kind == "string":
        least, most = schema.get("minLength"), schema.get("maxLength")
        unit, preposition = " characters", "of"
    else:
        least, most = schema.get("minimum"), schema.get("maximum")
        unit, preposition = "", "from"
    what = _TYPES.get(kind, "an object")
    if least is not None and most is not None:
        return f"{what} {preposition} {least} to {most}{unit}"
    if least is not None:
        return f"{what} of at least {least}{unit}"
    if most is not None:
        return f"{what} of at most {most}{unit}"
    return what


def _describe_given(value: Any, schema: Json | None = None) -> str:
    """Describe a given value in words; only its length if its type is the expected one."""
    expected = schema.get("type") if schema else None
    if isinstance(value, str):
        if schema and expected == "string" and "enum" not in schema:
            return f"of {len(value)}" if value else "empty"
        if not value:
            return "empty text"
        shown = truncate(to_single_line(value), MAX_SHOWN_CHARACTERS)
        return f'the text "{shown}"' if shown else "blank text"
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return f"one of {len(value):,}" if expected == "array" else "a list"
    return truncate(json.dumps(value, default=repr), MAX_SHOWN_CHARACTERS)
