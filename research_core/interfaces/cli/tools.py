"""The `tools` and `mcp` commands: list the tools, call one, or serve them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

from research_core import tools
from research_core.errors import SettingsError, UsageError
from research_core.interfaces.cli.terminal import DONE, FAILED, USAGE, say
from research_core.search import providers
from research_core.sessions.tool_calls import ToolCaller
from research_core.settings import variable_of
from research_core.text.words import strip_invisible, to_single_line, truncate
from research_core.tools.arguments import MAX_SHOWN_CHARACTERS
from research_core.tools.failures import add_advice
from research_core.tools.groups import describe_tool, find_group
from research_core.tools.registry import Tool, to_json
from research_core.wiring import Resources


def _list(arguments: argparse.Namespace, resources: Resources) -> int:
    """Print every tool, with the settings that a tool needs to be served here."""
    offered = tools.list_available_tools(resources.settings)
    if arguments.json:
        print(
            to_json({"tools": [_tool_as_json(row, row in offered) for row in tools.CLIENT_TOOLS]})
        )
        return DONE
    for row in tools.CLIENT_TOOLS:
        needs = "" if row in offered else f"  (needs {', or '.join(list_required_settings(row))})"
        print(f"{row.name:18} {describe_tool(row, compact=True)[0]}{needs}")
    return DONE


def _tool_as_json(row: Tool, offered: bool) -> dict[str, Any]:
    needs = " or ".join(list_required_settings(row))
    return {
        "name": row.name,
        "group": find_group(row.name),
        "offered": offered,
        "needs": needs,
        "parameters": row.schema["properties"],
    }


def list_required_settings(row: Tool) -> tuple[str, ...]:
    """Return the alternative settings that would make a tool available.

    Settings that only work together are joined by " and ".
    """
    if row.switch:
        return (f"{variable_of(row.switch)}=true",)
    ways = providers.ways_to_configure(row.asks)
    return () if row.always or "" in ways else ways


def _run_call(arguments: argparse.Namespace, resources: Resources) -> int:
    """Print the answer of a tool as JSON on stdout, or its error on stderr."""
    if arguments.name not in {row.name for row in tools.CLIENT_TOOLS}:
        raise add_advice(
            UsageError(f"Unknown tool: {arguments.name}"), arguments.name, tools.CLIENT_TOOLS
        )
    try:
        given = json.loads(sys.stdin.read() if arguments.json == "-" else arguments.json)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"--json is not JSON: {_explain_json_error(error)}.",
            next_step='Give an object, such as --json \'{"query": "tea"}\'.',
        ) from error
    served = ToolCaller(resources, on_trouble=lambda error: say(error.sentence())).serve(
        arguments.name, given, lambda event, detail: say(f"{event}: {to_single_line(detail)}")
    )
    if served.answer is None:
        assert served.error is not None
        say(served.error.sentence())
        return USAGE if isinstance(served.error, (UsageError, SettingsError)) else FAILED
    print(json.dumps(served.answer, ensure_ascii=False, indent=2))
    return DONE


def _explain_json_error(error: Exception) -> str:
    """Say why a text is not JSON, and where."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    if not error.doc.strip():
        return "it is empty"
    rest = truncate(strip_invisible(error.doc[error.pos :]).strip(), MAX_SHOWN_CHARACTERS)
    where = f"before {rest}" if rest else "where it ends"
    return f"{error.msg[:1].lower()}{error.msg[1:]}, {where}"


def _serve(arguments: argparse.Namespace, resources: Resources) -> int:
    if not arguments.http:
        if arguments.host or arguments.port:
            raise UsageError("--host and --port are for --http.", next_step="Say --http too.")
        from research_core.interfaces.mcp.server import (
            serve_stdio,  # brings the protocol's packages, which no other command needs
        )

        serve_stdio(resources)
        return DONE
    from research_core.interfaces.http.program import HOST, PORT, serve_http

    serve_http(resources, arguments.host or HOST, arguments.port or PORT)
    return DONE


COMMANDS: dict[str, Callable[[argparse.Namespace, Resources], int]] = {
    "tools list": _list,
    "tools call": _run_call,
    "mcp": _serve,
}
