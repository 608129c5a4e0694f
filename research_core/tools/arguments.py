"""What is wrong with the arguments of a call, in a sentence for whoever gave them: which parameter,
what was given, what it takes.

A model in a run is told the checker's own words instead (`registry.call_tool`): a replay has to
meet what the run was told.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from research_core.model_messages import Json
from research_core.text.words import strip_invisible, truncate

#: What a JSON type is called.
_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
}
#: Errors of the checker about the names of parameters, and of one who gave no parameters at all.
_UNKNOWN, _MISSING, _NONE = {"extra_forbidden", "invalid_key"}, "missing", "model_type"
#: Characters shown of what was given, and mistakes told of one call.
MAX_SHOWN_CHARACTERS, MAX_MISTAKES = 60, 6
#: How alike two names are, from 0 to 1, where the one may have been meant by the other: "colour" is
#: not country.
MIN_NAME_SIMILARITY = 0.7


def describe_mistakes(schema: Json, errors: Iterable[Mapping[str, Any]]) -> tuple[str, str]:
    """(what is wrong, what is to be done). schema: of the arguments; errors: as pydantic lists
    them.
    """
    known, found = schema.get("properties", {}), list(errors)
    if any(error["type"] == _NONE and not error["loc"] for error in found):
        return (
            f"the arguments must be an object, not {_describe_given(found[0]['input'])}",
            _list_parameters(known),
        )
    named = dict.fromkeys(
        error["loc"][:-1] for error in found if error["type"] in {*_UNKNOWN, _MISSING}
    )
    wrong = [
        *(_describe_mistake(schema, error) for error in found[:MAX_MISTAKES]),
        *[f"{len(found) - MAX_MISTAKES} more are wrong"] * (len(found) > MAX_MISTAKES),
    ]
    return "; ".join(wrong), " ".join(dict.fromkeys(_list_fields_at(schema, loc) for loc in named))


def _list_parameters(known: Iterable[str]) -> str:
    return f"It takes: {', '.join(known)}."


def _list_fields_at(schema: Json, loc: Sequence[str | int]) -> str:
    """What there is in that place of the arguments."""
    names = _find_schema_at(schema, loc).get("properties", {})
    return (
        f"Each of {strip_invisible(str(loc[0]))} takes: {', '.join(names)}."
        if loc
        else _list_parameters(names)
    )


def _find_schema_at(schema: Json, loc: Sequence[str | int]) -> Json:
    """The schema of what stands in that place: by the names of parameters and the numbers of items."""
    there = _drop_null(schema)
    for step in loc:
        inner = (
            there.get("items", there)
            if isinstance(step, int)
            else there.get("properties", {}).get(step, there)
        )
        there = _drop_null(
            schema["$defs"][inner["$ref"].rpartition("/")[2]] if "$ref" in inner else inner
        )
    return there


def _format_location(loc: Sequence[str | int]) -> str:
    """sources[0].url"""
    return "".join(
        f"[{step}]" if isinstance(step, int) else f".{strip_invisible(step)}" for step in loc
    ).removeprefix(".")


def suggest_name(name: str, names: Sequence[str], alike: float = MIN_NAME_SIMILARITY) -> str:
    """(did you mean …?) with the one of these names that was probably meant; "" for none. alike:
    how much it has to be, from 0 to 1.
    """
    lowered = {each.lower(): each for each in names}
    found = get_close_matches(name[:200].lower(), lowered, 1, alike)
    return f" (did you mean {lowered[found[0]]}?)" if found else ""


def _describe_mistake(arguments: Json, error: Mapping[str, Any]) -> str:
    loc, given = error["loc"], error["input"]
    if not loc:  # of a name that is no text, which stands nowhere
        return "the name of a parameter holds half a character, which no text may"
    if error["type"] in _UNKNOWN:
        name, of = (
            strip_invisible(str(loc[-1])),
            f" in {_format_location(loc[:-1])}" if loc[:-1] else "",
        )
        return (
            "there is no parameter"
            f" {truncate(name, MAX_SHOWN_CHARACTERS)!r}{of}{suggest_name(name, [*_find_schema_at(arguments, loc[:-1]).get('properties', {})])}"
        )
    name, schema = _format_location(loc), _find_schema_at(arguments, loc)
    about = schema.get("description", "").rstrip(".")
    if error["type"] == _MISSING:
        return f"{name} is missing{f' ({about})' if about else ''}"
    if error["type"] == "string_unicode":
        return f"{name} holds half a character, which no text may"
    if error["type"] == "string_pattern_mismatch":
        return f"{name} cannot be {_describe_given(given)}{f' ({about})' if about else ''}"
    meant = (
        suggest_name(given, [each for each in schema["enum"] if each])
        if "enum" in schema and isinstance(given, str)
        else ""
    )
    return (
        f"{name} must be {_describe_expected(schema)}, not {_describe_given(given, schema)}{meant}"
    )


def _drop_null(schema: Json) -> Json:
    """What a parameter takes besides null, which goes without saying."""
    return next((each for each in schema.get("anyOf", ()) if each.get("type") != "null"), schema)


def _describe_expected(schema: Json) -> str:
    """What a parameter takes, in words."""
    if "enum" in schema:
        return f"one of {', '.join(str(each) for each in schema['enum'] if each != '')}"
    least, most, unit = (
        (schema.get("minLength"), schema.get("maxLength"), " characters")
        if schema.get("type") == "string"
        else (schema.get("minimum"), schema.get("maximum"), "")
    )
    if schema.get("type") == "array" and "maxItems" in schema:
        return f"a list of at most {schema['maxItems']:,}"
    what = _TYPES.get(schema.get("type", ""), "an object")
    within = "of" if unit else "from"
    if least is not None and most is not None:
        return f"{what} {within} {least} to {most}{unit}"
    bound = (
        f"at least {least}" if least is not None else f"at most {most}" if most is not None else ""
    )
    return f"{what}{f' of {bound}{unit}' if bound else ''}"


def _describe_given(value: Any, schema: Json | None = None) -> str:
    """What was given, in words; of a text that is one as wanted, how long it is."""
    if isinstance(value, str):
        if schema and schema.get("type") == "string" and "enum" not in schema:
            return f"of {len(value)}" if value else "empty"
        return (
            f'the text "{truncate(strip_invisible(value), MAX_SHOWN_CHARACTERS)}"'
            if value
            else "empty text"
        )
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple) and schema and schema.get("type") == "array":
        return f"one of {len(value):,}"
    if isinstance(value, list | tuple):
        return "a list"
    return truncate(json.dumps(value, default=repr), MAX_SHOWN_CHARACTERS)
