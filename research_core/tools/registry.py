"""Register tools: a tool is a typed function, and all that callers need is derived from it.

Name, JSON Schema and validation come from the signature, the description from the docstring. The
agent, the browser form and MCP all call the same row. This module runs tools; it defines none.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from research_core.context import ResearchContext
from research_core.errors import UsageError

#: How every answer marks text that others wrote.
TRUST = "untrusted-external-content"
Progress = Callable[[str, str], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """The first argument of every tool: the session it works in and its listener.

    memo: values that calls share, such as a parsed page; derived from the record only, never a
    result of its own. alone: the session is dropped with the call, so that no replay has to
    reproduce it. refuse: raises FetchError for an address that this caller may not have read.
    session: the id of the stored session that the findings are added to, "" for none.
    """

    context: ResearchContext | None
    on_progress: Progress | None = None
    memo: dict[Hashable, Any] = field(default_factory=dict)
    alone: bool = False
    refuse: Callable[[str], None] = lambda _url: None
    session: str = ""

    def report(self, event: str, detail: str) -> None:
        """Report progress to the listener, if there is one."""
        if self.on_progress is not None:
            self.on_progress(event, detail)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the shared value of this key, made on its first use."""
        if key not in self.memo:
            self.memo[key] = make()
        value: T = self.memo[key]
        return value


@dataclass(frozen=True)
class Tool:
    """A row of the registry. run(call, **arguments) returns JSON values or raises ResearchError.

    read_only, idempotent, open_world: the annotations of MCP. asks: the kind of provider it asks,
    or "". always: offered even if no provider of that kind is configured. joins: its findings are
    added to the session of its `sessionId`. keeps: it reads or writes data kept between calls, so
    no run's model is offered it. visits: it fetches addresses from any of its arguments, not only
    from `url`. switch: the setting that must be on to serve it. extra: beyond the specified tools,
    so it is offered only where its group, or the tool itself, is chosen.
    """

    name: str
    run: Callable[..., dict[str, Any]]
    read_only: bool = True
    idempotent: bool = True
    open_world: bool = True
    asks: str = ""
    always: bool = False
    joins: bool = False
    keeps: bool = False
    visits: bool = False
    switch: str = ""
    extra: bool = False

    @property
    def description(self) -> str:
        """The docstring of the function, each paragraph on one line."""
        paragraphs = (inspect.getdoc(self.run) or "").split("\n\n")
        return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments, as a copy."""
        return deepcopy(_build_arguments_schema(self.run))

    def declaration(self) -> dict[str, Any]:
        """Return the declaration of the tool for a model."""
        return {"name": self.name, "description": self.description, "parameters": self.schema}


def build_table(*rows: Tool) -> tuple[Tool, ...]:
    """Return the rows in their order. Raises ValueError if two have the same name."""
    names = [row.name for row in rows]
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise ValueError(f"two tools are called {duplicates[0]!r}")
    return rows


def find_tool(name: Any, rows: Sequence[Tool]) -> Tool | None:
    """Return the row of this name, or None."""
    for row in rows:
        if row.name == name:
            return row
    return None


def call_tool(name: Any, arguments: Any, call: Call, rows: Sequence[Tool]) -> dict[str, Any]:
    """Find a tool, validate the arguments, and run it.

    Raises UsageError for an unknown name or wrong arguments, and what the tool itself raises.
    """
    row = find_tool(name, rows)
    if row is None:
        raise UsageError(f"Unknown tool: {name}")
    try:
        checked = _build_arguments_model(row.run).model_validate(_restore_integers(arguments))
    except ValidationError as error:
        mistakes: list[str] = []
        for mistake in error.errors():
            location = ".".join(str(step) for step in mistake["loc"]) or "input"
            mistakes.append(f"{location}: {mistake['msg']}")
        raise UsageError(f"{row.name} cannot run: {'; '.join(mistakes)}.") from error
    # Only the arguments that were given: defaults come from the function itself.
    given = {name: getattr(checked, name) for name in checked.model_fields_set}
    return row.run(call, **given)


@cache
def _build_arguments_model(run: Callable[..., Any]) -> type[BaseModel]:
    """Build the pydantic model of a tool's parameters, without the first one (the `Call`).

    Unknown arguments are refused, not dropped.
    """
    hints = get_type_hints(run, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in list(inspect.signature(run).parameters.items())[1:]:
        is_required = parameter.default is parameter.empty
        fields[name] = (hints[name], ... if is_required else parameter.default)
    return create_model(
        "Arguments", __config__=ConfigDict(extra="forbid", title=None, strict=True), **fields
    )


@cache
def _build_arguments_schema(run: Callable[..., Any]) -> dict[str, Any]:
    return _build_arguments_model(run).model_json_schema()


def _restore_integers(arguments: Any) -> Any:
    """Turn whole floats into integers: JSON has one kind of number, and some clients write 5.0."""
    if not isinstance(arguments, Mapping):
        return arguments
    restored: dict[Any, Any] = {}
    for name, value in arguments.items():
        is_whole = isinstance(value, float) and value.is_integer()
        restored[name] = int(value) if is_whole else value
    return restored


def to_json(value: Mapping[str, Any]) -> str:
    """Return a tool's result as JSON text with non-ASCII characters kept.

    Half a surrogate pair, which no file or wire accepts, becomes "?".
    """
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
