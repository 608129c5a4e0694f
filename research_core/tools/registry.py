"""The registry: a tool is a typed function, and everything a caller needs to know of it is derived from that function.

Name, JSON Schema and validation come from the signature, the description from the docstring. The agent, the browser form and MCP
all call the same row. This file runs tools and words their errors; it holds none.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from research_core.context import ResearchContext
from research_core.errors import ResearchError

Progress = Callable[[str, str], None]


@dataclass(frozen=True)
class Call:
    """What the registry binds to a tool's first parameter: whose session it works in, and whom it tells what it does."""

    context: ResearchContext | None
    on_progress: Progress | None = None

    def tell(self, event: str, detail: str) -> None:
        if self.on_progress is not None:
            self.on_progress(event, detail)


@dataclass(frozen=True)
class Tool:
    """One row. run(call, **arguments) answers plain JSON values or raises a ResearchError.

    read_only, idempotent, open_world: the annotations of MCP. needs: environment names without which it is not offered.
    """

    name: str
    run: Callable[..., dict[str, Any]]
    read_only: bool = True
    idempotent: bool = True
    open_world: bool = True
    needs: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        return inspect.getdoc(self.run) or ""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        return _arguments(self.run).model_json_schema()

    def declaration(self) -> dict[str, Any]:
        """The tool as a model is told of it."""
        return {"name": self.name, "description": self.description, "parameters": self.schema}


@cache
def _arguments(run: Callable[..., Any]) -> type[BaseModel]:
    """The pydantic model of a function's parameters, the bound first one left out. Unknown arguments are refused, not dropped."""
    hints = get_type_hints(run, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if parameter.default is parameter.empty else parameter.default)
        for name, parameter in list(inspect.signature(run).parameters.items())[1:]
    }
    return create_model("Arguments", __config__=ConfigDict(extra="forbid", title=None, strict=True), **fields)


def call_tool(tool: Tool, arguments: Any, call: Call) -> dict[str, Any]:
    """Validate and run. Raises ResearchError; a validation failure becomes one that names each argument and what is wrong with it."""
    try:
        checked = _arguments(tool.run).model_validate(arguments if isinstance(arguments, Mapping) else {"": arguments})
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'input'}: {e['msg']}" for e in error.errors())
        raise ResearchError(f"{tool.name} cannot run: {wrong}.") from error
    return tool.run(call, **{name: getattr(checked, name) for name in type(checked).model_fields})


def to_json(value: Mapping[str, Any]) -> str:
    """A tool's result as JSON text, readable characters kept."""
    return json.dumps(value, ensure_ascii=False)
