"""The registry: a tool is a typed function, and everything a caller needs to know of it is derived
from that function.

Name, JSON Schema and validation come from the signature, the description from the docstring. The
agent, the browser form and MCP all call the same row. This file runs tools and words their errors;
it holds none.
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

Progress = Callable[[str, str], None]
T = TypeVar("T")


@dataclass(frozen=True)
class Call:
    """What the registry binds to a tool's first parameter: whose session it works in, and whom it
    tells what it does.

    memo: values that calls share, such as a page that was taken apart; a function of what was
    recorded, never a result of its own. alone: the session is dropped with the call, so that
    nothing of it has to be the same in a replay. refuse: raises FetchError for an address of the
    web that this caller may not have read, wherever it was found. session: the stored session that
    what this call finds is added to, by its id; "" where there is none.
    """

    context: ResearchContext | None
    on_progress: Progress | None = None
    memo: dict[Hashable, Any] = field(default_factory=dict)
    alone: bool = False
    refuse: Callable[[str], None] = lambda _url: None
    session: str = ""

    def tell(self, event: str, detail: str) -> None:
        if self.on_progress is not None:
            self.on_progress(event, detail)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, made by the first call that asks."""
        if key not in self.memo:
            self.memo[key] = make()
        value: T = self.memo[key]
        return value


@dataclass(frozen=True)
class Tool:
    """One row. run(call, **arguments) answers plain JSON values or raises a ResearchError.

    read_only, idempotent, open_world: the annotations of MCP. asks: the kind of provider it asks,
    or "". always: it is offered even where nobody of that kind is configured. joins: what it finds
    is added to the session of its `sessionId`. keeps: it reads or writes what is kept from call to
    call, so that no run's model is offered it. visits: it goes to addresses that stand anywhere in
    its arguments, and not in `url` alone. switch: the setting that has to be on for it to be
    served.
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

    @property
    def description(self) -> str:
        """The docstring of the function, each paragraph on one line."""
        paragraphs = (inspect.getdoc(self.run) or "").split("\n\n")
        return "\n\n".join(" ".join(paragraph.split("\n")) for paragraph in paragraphs)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        return deepcopy(_build_arguments_schema(self.run))

    def declaration(self) -> dict[str, Any]:
        """The tool as a model is told of it."""
        return {"name": self.name, "description": self.description, "parameters": self.schema}


def build_table(*rows: Tool) -> tuple[Tool, ...]:
    """The rows in their order. Raises ValueError when a name is taken."""
    names = [row.name for row in rows]
    taken = sorted({name for name in names if names.count(name) > 1})
    if taken:
        raise ValueError(f"two tools are called {taken[0]!r}")
    return rows


def find_tool(name: Any, rows: Sequence[Tool]) -> Tool | None:
    """The row of that name."""
    return next((row for row in rows if row.name == name), None)


def call_tool(name: Any, arguments: Any, call: Call, rows: Sequence[Tool]) -> dict[str, Any]:
    """Find, validate, run. Raises UsageError for an unknown name, and for arguments with what is
    wrong with each; else as the tool does.
    """
    row = find_tool(name, rows)
    if row is None:
        raise UsageError(f"Unknown tool: {name}")
    try:
        checked = _build_arguments_model(row.run).model_validate(_restore_integers(arguments))
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'input'}: {e['msg']}" for e in error.errors()
        )
        raise UsageError(f"{row.name} cannot run: {wrong}.") from error
    return row.run(call, **{name: getattr(checked, name) for name in checked.model_fields_set})


@cache
def _build_arguments_model(run: Callable[..., Any]) -> type[BaseModel]:
    """The pydantic model of a function's parameters, the bound first one left out. Unknown
    arguments are refused, not dropped.
    """
    hints = get_type_hints(run, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if parameter.default is parameter.empty else parameter.default)
        for name, parameter in list(inspect.signature(run).parameters.items())[1:]
    }
    return create_model(
        "Arguments", __config__=ConfigDict(extra="forbid", title=None, strict=True), **fields
    )


@cache
def _build_arguments_schema(run: Callable[..., Any]) -> dict[str, Any]:
    return _build_arguments_model(run).model_json_schema()


def _restore_integers(arguments: Any) -> Any:
    """The arguments with whole numbers as such: JSON has one kind of number, and some clients write
    5.0.
    """
    if not isinstance(arguments, Mapping):
        return arguments
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in arguments.items()
    }


def to_json(value: Mapping[str, Any]) -> str:
    """A tool's result as JSON text, readable characters kept; half a surrogate pair, which no file
    or wire takes, becomes "?".
    """
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
