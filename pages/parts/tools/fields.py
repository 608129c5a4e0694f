"""Turn a tool's JSON Schema into form fields, and typed text into values.

Knows no particular tool and draws nothing. What a schema cannot express (arguments that exclude
each other) the tool itself rejects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parts.tools.tool_labels import get_argument_label
from research_core.errors import UsageError
from research_core.i18n import _, join_list
from research_core.model_messages import Json
from research_core.text.words import truncate

#: Permitted length in characters above which a text gets a box of several lines.
MAX_LINE_LENGTH = 500
#: Kind of field for each type of the schema; all other types are typed as JSON.
FIELD_KINDS = {"string": "text", "integer": "whole", "number": "number", "boolean": "switch"}


class TooLong(ValueError):
    """A text longer than its field accepts; cutting it would change the question."""


#: Values of properties for which any text would not do, by the property's name.
EXAMPLE_TEXTS = {"url": "https://example.org/page"}


@dataclass(frozen=True)
class FormField:
    """A form field.

    kind: text, long, whole, number, switch, choice, list (texts, one per line) or json. usual: the
    default, None for none. least, most: inclusive bounds of a number. longest: in characters.
    pattern: of a text, as in the schema. shape: type of a json field, object, array or "" for any.
    example: JSON that a json field takes.
    """

    name: str
    kind: str
    required: bool
    usual: Any = None
    about: str = ""
    options: tuple[Any, ...] = ()
    least: float | None = None
    most: float | None = None
    longest: int | None = None
    pattern: str = ""
    shape: str = ""
    example: str = ""

    @property
    def title(self) -> str:
        """Return the name for readers: `num_results` as “Number of results”."""
        return get_argument_label(self.name)

    @property
    def label(self) -> str:
        """Return the title, with a mark if the field is required."""
        if self.required:
            return _("{field} (required)").format(field=self.title)
        return self.title


def build_fields(schema: Json) -> tuple[FormField, ...]:
    """Return a field for each property, in the schema's order."""
    required = schema.get("required", ())
    definitions = schema.get("$defs", {})
    return tuple(
        _build_field(name, each, name in required, definitions)
        for name, each in schema["properties"].items()
    )


def _build_field(name: str, definition: Json, required: bool, definitions: Json) -> FormField:
    options = [each for each in definition.get("anyOf", ()) if each.get("type") != "null"]
    what = dict(definition)
    if len(options) == 1:
        what.update(options[0])
    whole = what.get("type") == "integer"
    kind, shape = _find_kind(what)
    choices = tuple(what.get("enum", ()))
    usual = definition.get("default")
    if kind == "choice" and usual not in choices and not required:
        choices = (None, *choices)
    return FormField(
        name,
        kind,
        required,
        usual,
        about=" ".join(str(definition.get("description", "")).split()),
        options=choices,
        least=_find_bound(what, ("minimum", "exclusiveMinimum", 1), whole),
        most=_find_bound(what, ("maximum", "exclusiveMaximum", -1), whole),
        longest=what.get("maxLength"),
        pattern=str(what.get("pattern", "")),
        shape=shape,
        example=json.dumps(_build_example(what, definitions)) if kind == "json" else "",
    )


def _build_example(schema: Json, definitions: Json) -> Any:
    """Return a value that fits a schema. definitions: its `$defs`."""
    schema = definitions.get(schema.get("$ref", "").removeprefix("#/$defs/"), schema)
    match schema.get("type"):
        case "array":
            return [_build_example(schema.get("items", {}), definitions)]
        case "object" if schema.get("properties"):
            properties = schema["properties"]
            named = schema.get("required") or list(properties)[:1]
            return {
                name: EXAMPLE_TEXTS.get(name) or _build_example(properties[name], definitions)
                for name in named
            }
        case "object":
            return {"name": {"type": "string"}}
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    return schema.get("enum", ["text"])[0]


def _find_bound(what: Json, side: tuple[str, str, int], whole: bool) -> float | None:
    """Return the inclusive bound on this side; an exclusive bound of integers moves by one."""
    inclusive, exclusive, step = side
    bound: float | None = what.get(inclusive)
    if exclusive in what:
        bound = what[exclusive] + (step if whole else 0)
    return bound


def _find_kind(what: Json) -> tuple[str, str]:
    """Return a field's kind and, for JSON, its type."""
    named = what.get("type")
    if what.get("enum"):
        return "choice", ""
    if (
        named == "array"
        and what.get("items", {}).get("type") == "string"
        and "enum" not in what["items"]
    ):
        return "list", ""
    if named == "string" and (what.get("maxLength") or 0) > MAX_LINE_LENGTH:
        return "long", ""
    if named in FIELD_KINDS:
        return (FIELD_KINDS[named], "")
    return ("json", named if named in ("object", "array") else "")


def split_fields(
    all_of: Sequence[FormField], at_once: int = 4
) -> tuple[tuple[FormField, ...], tuple[FormField, ...]]:
    """Return (visible fields, folded fields): required ones first, else the first few.

    Two or three fields are never folded.
    """
    rest = [field for field in all_of if not field.required]
    if len(rest) < at_once:
        return tuple(all_of), ()
    seen = [field for field in all_of if field.required] or all_of[:at_once]
    return tuple(seen), tuple(field for field in all_of if field not in seen)


# -- typed values ----------------------------------------------------------------------------------


def collect_arguments(all_of: Sequence[FormField], typed: Mapping[str, Any]) -> Json:
    """Return the arguments that differ from the defaults.

    Raises UsageError for missing arguments, texts that are too long, and invalid JSON.
    """
    values = {field.name: _convert_value(field, typed.get(field.name)) for field in all_of}
    missing = []
    arguments = {}
    for field in all_of:
        value = values[field.name]
        if field.required and value in (None, "", []):
            missing.append(field.title)
        is_given = field.required or not _is_default(field, value)
        if is_given and value is not None:
            arguments[field.name] = value
    if missing:
        raise UsageError(
            _("Missing: {fields}.").format(fields=join_list(missing)),
            next_step=_("Fill in the required fields."),
        )
    return arguments


def _is_default(field: FormField, value: Any) -> bool:
    return value == field.usual or (value in (None, "", []) and field.usual in (None, "", []))


def list_changed(all_of: Sequence[FormField], typed: Mapping[str, Any]) -> list[str]:
    """Return the titles of the fields that differ from their defaults."""
    return [field.title for field in all_of if not _is_default(field, typed.get(field.name))]


def _convert_value(field: FormField, raw: Any) -> Any:
    if field.kind == "list":
        return [line.strip() for line in str(raw or "").splitlines() if line.strip()]
    if field.kind == "json":
        return _parse_json(field, str(raw or ""))
    if field.longest is not None and isinstance(raw, str) and len(raw) > field.longest:
        raise UsageError(
            _("{field} has {count:,} characters. The limit is {most:,}.").format(
                field=field.title, count=len(raw), most=field.longest
            ),
            next_step=_("Shorten it."),
        )
    if field.pattern and isinstance(raw, str) and not re.search(field.pattern, raw):
        step = field.about or _("It must match {pattern}.").format(pattern=field.pattern)
        raise UsageError(
            _("{field} cannot be “{value}”.").format(field=field.title, value=truncate(raw, 60)),
            next_step=f"{field.title}: {step}",
        )
    return raw


def _parse_json(field: FormField, text: str) -> Any:
    if not text.strip():
        return None
    step = _("Write JSON, such as {example}, or leave the field empty.").format(
        example=field.example
    )
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        message = _("{field} is not valid JSON.").format(field=field.title)
        if isinstance(error, json.JSONDecodeError):
            message = _("{field} is not valid JSON: line {line}, column {column}.").format(
                field=field.title, line=error.lineno, column=error.colno
            )
        raise UsageError(message, next_step=step) from error
    if field.shape and not isinstance(value, {"object": dict, "array": list}[field.shape]):
        raise UsageError(
            _("{field} must be a JSON {kind}.").format(field=field.title, kind=field.shape),
            next_step=step,
        )
    return value


# -- values in addresses ---------------------------------------------------------------------------


def format_for_address(field: FormField, value: Any) -> str:
    """Format a value for an address."""
    if field.kind == "list":
        return "\n".join(value)
    if field.kind == "json" or isinstance(value, bool):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value)


def parse_from_address(field: FormField, text: str) -> Any:
    """Parse a field's value from an address.

    Raises ValueError for an invalid value, TooLong for a text longer than the field accepts.
    """
    return _PARSERS.get(field.kind, _parse_text)(field, text)


def _parse_text(field: FormField, text: str) -> str:
    if field.longest is not None and len(text) > field.longest:
        raise TooLong(text)
    return text


def _parse_number(field: FormField, text: str) -> float:
    value = int(text) if field.kind == "whole" else float(text)
    # Written as "not within", so that NaN is refused too.
    if field.least is not None and not value >= field.least:
        raise ValueError(text)
    if field.most is not None and not value <= field.most:
        raise ValueError(text)
    if not abs(value) < 2**53:
        raise ValueError(text)
    return value


def _parse_switch(field: FormField, text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _parse_choice(field: FormField, text: str) -> Any:
    for option in field.options:
        if option is not None and str(option) == text:
            return option
    raise ValueError(text)


_PARSERS: Mapping[str, Callable[[FormField, str], Any]] = {
    "whole": _parse_number,
    "number": _parse_number,
    "switch": _parse_switch,
    "choice": _parse_choice,
}
