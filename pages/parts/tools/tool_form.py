"""A form made from a tool's schema, and the address that fills it. It has no line for any one tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from parts.tools import fields
from parts.tools.fields import Field
from research_core.model_messages import Json
from research_core.text.words import plain
from research_core.tools.registry import Tool
from research_core.urls import without_user

TAKEN = "tool_address"
#: Names of the address that are no arguments, and characters of a value that an address has room
#: for.
RESERVED, LONGEST = {"tool", "session"}, 1_000
UNSET = "Not set"
TOO_LONG = (
    "The address asks for {name} “{text}” of {count:,} characters; {most:,} are taken. It was left"
    " out whole, as a part of it would ask for something else: write a shorter one."
)


def draw(row: Tool, *, idle: bool) -> Json | None:
    """The form; what was asked for once it is sent, else None. idle: nothing can be sent. Raises
    UsageError as `fields.given`.
    """
    all_of = fields.fields(row.schema)
    seen, folded = fields.first_seen(all_of)
    with st.form(f"form {row.name}", border=False):
        _fields(row, seen)
        if folded:
            with st.expander(
                f"More choices · {_set(row, folded)}", key=f"folded {row.name}", type="compact"
            ):
                _fields(row, folded)
        sent = st.form_submit_button(
            "Run",
            key=f"run {row.name}",
            type="primary",
            icon=":material/play_arrow:",
            disabled=idle,
            shortcut="Ctrl+Enter",
        )
    if not sent:
        return None
    return fields.given(all_of, _typed(row, all_of))


def _typed(row: Tool, members: Sequence[Field]) -> dict[str, Any]:
    return {field.name: st.session_state.get(_key(row, field), _start(field)) for field in members}


def _set(row: Tool, folded: Sequence[Field]) -> str:
    """What is set among those that are folded away, else how many there are."""
    return (
        ", ".join(label.lower() for label in fields.changed(folded, _typed(row, folded)))
        or f"{len(folded)}, all as usual"
    )


def _fields(row: Tool, members: Sequence[Field]) -> None:
    """Texts that may be long each on a line of their own, the others beside each other."""
    wide = [field for field in members if field.kind in WIDE or field.required]
    narrow = [field for field in members if field not in wide]
    for field in wide:
        _draw(row, field)
    for start in range(0, len(narrow), 3):
        for column, field in zip(
            st.columns(3, gap="small", vertical_alignment="bottom"),
            narrow[start : start + 3],
            strict=False,
        ):
            with column:
                _draw(row, field)


def _draw(row: Tool, field: Field) -> None:
    key = _key(row, field)
    st.session_state.setdefault(key, _start(field))
    told: dict[str, Any] = {
        "key": key,
        "help": plain(field.about, 600) or None,
        "persist_state": "session",
    }
    DRAWN[field.kind](field, told)


def _start(field: Field) -> Any:
    if field.kind in ("text", "long"):
        return field.usual or ""
    if field.kind in ("list", "json"):
        return fields.as_text(field, field.usual) if field.usual else ""
    if field.kind == "switch":
        return bool(field.usual)
    return float(field.usual) if field.kind == "number" and field.usual is not None else field.usual


def _text(field: Field, told: dict[str, Any]) -> None:
    st.text_input(field.label, max_chars=field.longest, **told)


def _long(field: Field, told: dict[str, Any]) -> None:
    st.text_area(field.label, max_chars=field.longest, height=90, **told)


def _list(field: Field, told: dict[str, Any]) -> None:
    st.text_area(field.label, height=90, placeholder="One a line", **told)


def _json(field: Field, told: dict[str, Any]) -> None:
    st.text_area(
        field.label, height=110, placeholder='JSON, such as {"name": {"type": "string"}}', **told
    )


def _switch(field: Field, told: dict[str, Any]) -> None:
    st.checkbox(field.label, **told)


def _number(field: Field, told: dict[str, Any]) -> None:
    """The kinds of a number's bounds, step and value have to be one."""
    kind: Callable[[Any], Any] = int if field.kind == "whole" else float
    least, most, usual = (
        None if value is None else kind(value) for value in (field.least, field.most, field.usual)
    )
    st.number_input(field.label, least, most, value=usual, step=kind(1), placeholder=UNSET, **told)


def _choice(field: Field, told: dict[str, Any]) -> None:
    st.selectbox(field.label, field.options, format_func=_option, **told)


def _option(value: Any) -> str:
    return UNSET if value in (None, "") else plain(str(value), 100)


DRAWN: Mapping[str, Callable[[Field, dict[str, Any]], None]] = {
    "text": _text, "long": _long, "list": _list, "json": _json, "switch": _switch, "whole": _number,
    "number": _number, "choice": _choice,
}  # fmt: skip
WIDE = ("long", "list", "json")


def _key(row: Tool, field: Field) -> str:
    return f"arg {row.name} {field.name}"


# ---------------------------------------------------------------- the address


def take(row: Tool) -> None:
    """Fill the form from the address once: what is changed afterwards stands, until another address
    comes.
    """
    known = {field.name: field for field in fields.fields(row.schema) if field.name not in RESERVED}
    asked = {name: st.query_params[name] for name in known if name in st.query_params}
    before, st.session_state[TAKEN] = st.session_state.get(TAKEN), (row.name, asked)
    if (row.name, asked) == before:
        return
    for name, text in asked.items():
        try:
            st.session_state[_key(row, known[name])] = fields.from_text(known[name], text)
        except fields.TooLong:
            st.session_state[_key(row, known[name])] = _start(known[name])
            st.warning(
                TOO_LONG.format(
                    name=name, count=len(text), most=known[name].longest, text=plain(text, 60)
                )
            )
        except ValueError:
            st.warning(
                f"The address asks for {name} “{plain(text, 60)}”, which cannot be; the form has"
                " what is usual instead."
            )


def say(row: Tool, told: Json) -> None:
    """Let the address name what was asked, so that it can be linked; what is too long for one is
    left out.
    """
    texts = {
        field.name: without_user(fields.as_text(field, told[field.name]))
        for field in fields.fields(row.schema)
        if field.name in told
    }
    said = {
        name: text for name, text in texts.items() if name not in RESERVED and len(text) <= LONGEST
    }
    st.session_state[TAKEN] = (row.name, said)
    for field in fields.fields(row.schema):
        if field.name in RESERVED:
            continue
        if field.name in said:
            st.query_params[field.name] = said[field.name]
        elif field.name in st.query_params:
            del st.query_params[field.name]
