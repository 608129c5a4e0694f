"""Draw a form from a tool's schema, and fill it from the address. Knows no particular tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from parts.tools import fields
from parts.tools.fields import FormField
from research_core.i18n import N_, _, join_list, ngettext
from research_core.model_messages import Json
from research_core.text.words import clean_for_choice, clean_for_screen
from research_core.tools.registry import Tool
from research_core.urls import strip_user_part

ADDRESS_KEY = "tool_address"
#: Names of the address that are no arguments, and characters of a value that an address has room
#: for.
RESERVED_PARAMETERS, MAX_ADDRESS_LENGTH = {"tool", "session"}, 1_000
UNSET_LABEL = N_("Not set")
TOO_LONG_NOTE = N_(
    "{field} was left out: the address has {count:,} characters for it, and the limit is {most:,}."
    " Enter a shorter text."
)
INVALID_NOTE = N_(
    "The address has “{value}” for {field}, which is not valid. The default is used instead."
)


def draw(row: Tool, *, idle: bool) -> Json | None:
    """Draw the form. Return the arguments once it is submitted, else None.

    idle: nothing can be submitted. Raises UsageError as `fields.collect_arguments` does.
    """
    all_of = fields.build_fields(row.schema)
    seen, folded = fields.split_fields(all_of)
    with st.form(f"form {row.name}", border=False):
        _draw_fields(row, seen)
        if folded:
            with st.expander(
                _describe_folded(row, folded),
                key=f"folded {row.name}",
                type="compact",
            ):
                _draw_fields(row, folded)
        sent = st.form_submit_button(
            _("Run"),
            key=f"run {row.name}",
            type="primary",
            icon=":material/play_arrow:",
            disabled=idle,
            shortcut="Ctrl+Enter",
        )
    if not sent:
        return None
    return fields.collect_arguments(all_of, _read_typed(row, all_of))


def _read_typed(row: Tool, members: Sequence[FormField]) -> dict[str, Any]:
    return {
        field.name: st.session_state.get(_widget_key(row, field), _start_value(field))
        for field in members
    }


def _describe_folded(row: Tool, folded: Sequence[FormField]) -> str:
    """Return the label of the folded fields: which are set, or how many there are."""
    changed = fields.list_changed(folded, _read_typed(row, folded))
    if not changed:
        return ngettext("{count} more option", "{count} more options", len(folded)).format(
            count=len(folded)
        )
    return _("Options changed: {fields}").format(fields=join_list(changed))


def _draw_fields(row: Tool, members: Sequence[FormField]) -> None:
    """Draw long texts on lines of their own, the other fields side by side."""
    wide = [field for field in members if field.kind in WIDE_KINDS or field.required]
    narrow = [field for field in members if field not in wide]
    for field in wide:
        _draw_field(row, field)
    for start in range(0, len(narrow), 3):
        for column, field in zip(
            st.columns(3, gap="small", vertical_alignment="bottom"),
            narrow[start : start + 3],
            strict=False,
        ):
            with column:
                _draw_field(row, field)


def _draw_field(row: Tool, field: FormField) -> None:
    key = _widget_key(row, field)
    st.session_state.setdefault(key, _start_value(field))
    options: dict[str, Any] = {
        "key": key,
        "help": f"`{field.name}` {clean_for_screen(field.about, 600)}".strip(),
        "persist_state": "session",
    }
    WIDGETS[field.kind](field, options)


def _start_value(field: FormField) -> Any:
    if field.kind in ("text", "long"):
        return field.usual or ""
    if field.kind in ("list", "json"):
        if field.usual:
            return fields.format_for_address(field, field.usual)
        return ""
    if field.kind == "switch":
        return bool(field.usual)
    if field.kind == "number" and field.usual is not None:
        return float(field.usual)
    return field.usual


# No max_chars: the browser drops the whole of a text that is longer, and counts UTF-16 units.
def _draw_text(field: FormField, options: dict[str, Any]) -> None:
    st.text_input(field.label, **options)


def _draw_long_text(field: FormField, options: dict[str, Any]) -> None:
    st.text_area(field.label, height=90, **options)


def _draw_list(field: FormField, options: dict[str, Any]) -> None:
    st.text_area(field.label, height=90, placeholder=_("One per line"), **options)


def _draw_json(field: FormField, options: dict[str, Any]) -> None:
    st.text_area(
        field.label,
        height=110,
        placeholder=_("JSON, such as {example}").format(example=field.example),
        **options,
    )


def _draw_switch(field: FormField, options: dict[str, Any]) -> None:
    st.checkbox(field.label, **options)


def _draw_number(field: FormField, options: dict[str, Any]) -> None:
    """Draw a number field; Streamlit requires bounds, step and value of one type."""
    kind: Callable[[Any], Any] = int if field.kind == "whole" else float
    least = None if field.least is None else kind(field.least)
    most = None if field.most is None else kind(field.most)
    usual = None if field.usual is None else kind(field.usual)
    st.number_input(
        field.label, least, most, value=usual, step=kind(1), placeholder=_(UNSET_LABEL), **options
    )


def _draw_choice(field: FormField, options: dict[str, Any]) -> None:
    st.selectbox(field.label, field.options, format_func=_format_option, **options)


def _format_option(value: Any) -> str:
    if value in (None, ""):
        return _(UNSET_LABEL)
    return clean_for_choice(str(value), 100)


WIDGETS: Mapping[str, Callable[[FormField, dict[str, Any]], None]] = {
    "text": _draw_text,
    "long": _draw_long_text,
    "list": _draw_list,
    "json": _draw_json,
    "switch": _draw_switch,
    "whole": _draw_number,
    "number": _draw_number,
    "choice": _draw_choice,
}
WIDE_KINDS = ("long", "list", "json")


def _widget_key(row: Tool, field: FormField) -> str:
    return f"arg {row.name} {field.name}"


# -- address ---------------------------------------------------------------------------------------


def fill_from_address(row: Tool) -> None:
    """Fill the form from the address, once for each address."""
    known = {
        field.name: field
        for field in fields.build_fields(row.schema)
        if field.name not in RESERVED_PARAMETERS
    }
    asked = {name: st.query_params[name] for name in known if name in st.query_params}
    # The address stays while the user changes the form; filled in again, it would undo that.
    if st.session_state.get(ADDRESS_KEY) == (row.name, asked):
        return
    st.session_state[ADDRESS_KEY] = (row.name, asked)
    for name, text in asked.items():
        try:
            st.session_state[_widget_key(row, known[name])] = fields.parse_from_address(
                known[name], text
            )
        except fields.TooLong:
            st.session_state[_widget_key(row, known[name])] = _start_value(known[name])
            st.warning(
                _(TOO_LONG_NOTE).format(
                    field=clean_for_screen(known[name].title),
                    count=len(text),
                    most=known[name].longest,
                )
            )
        except ValueError:
            st.warning(
                _(INVALID_NOTE).format(
                    field=clean_for_screen(known[name].title), value=clean_for_screen(text, 60)
                )
            )


def write_address(row: Tool, arguments: Json) -> None:
    """Write the arguments to the address, for links; values too long for it are left out."""
    form_fields = fields.build_fields(row.schema)
    texts = {}
    for field in form_fields:
        if field.name not in arguments or field.name in RESERVED_PARAMETERS:
            continue
        text = strip_user_part(fields.format_for_address(field, arguments[field.name]))
        if len(text) <= MAX_ADDRESS_LENGTH:
            texts[field.name] = text
    st.session_state[ADDRESS_KEY] = (row.name, texts)
    for field in form_fields:
        if field.name in RESERVED_PARAMETERS:
            continue
        if field.name in texts:
            st.query_params[field.name] = texts[field.name]
        elif field.name in st.query_params:
            del st.query_params[field.name]
