"""The command line's `tools` and `mcp` commands: list the tools, call one, serve them. The calls
themselves are `tool_calls`'s.
"""

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
from research_core.sessions.tool_calls import Desk
from research_core.settings import variable
from research_core.text.words import line, truncate, visible
from research_core.tools.advice import advised
from research_core.tools.arguments import SHOWN
from research_core.tools.groups import described, group_of
from research_core.tools.registry import Tool, to_json
from research_core.wiring import Office


def _list(arguments: argparse.Namespace, office: Office) -> int:
    """Every tool, those this machine cannot serve with what they need."""
    offered = tools.offered(office.settings)
    if arguments.json:
        print(to_json({"tools": [_told(row, row in offered) for row in tools.SERVED]}))
        return DONE
    for row in tools.SERVED:
        needs = "" if row in offered else f"  (needs {', or '.join(ways_to(row))})"
        print(f"{row.name:18} {described(row, compact=True)[0]}{needs}")
    return DONE


def _told(row: Tool, offered: bool) -> dict[str, Any]:
    needs = " or ".join(ways_to(row))
    return {
        "name": row.name,
        "group": group_of(row.name),
        "offered": offered,
        "needs": needs,
        "parameters": row.schema["properties"],
    }


def ways_to(row: Tool) -> tuple[str, ...]:
    """What to set to have the tool served, any one of these; several settings that only help
    together are joined by " and ".
    """
    if row.switch:
        return (f"{variable(row.switch)}=true",)
    ways = providers.ways(row.asks)
    return () if row.always or "" in ways else ways


def _call(arguments: argparse.Namespace, office: Office) -> int:
    """The answer as JSON on stdout; what went wrong as a sentence on stderr."""
    if arguments.name not in {row.name for row in tools.SERVED}:
        raise advised(UsageError(f"Unknown tool: {arguments.name}"), arguments.name, tools.SERVED)
    try:
        given = json.loads(sys.stdin.read() if arguments.json == "-" else arguments.json)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"--json is not JSON: {_why(error)}.",
            next_step='Give an object, such as --json \'{"query": "tea"}\'.',
        ) from error
    served = Desk(office, on_trouble=lambda error: say(error.sentence())).serve(
        arguments.name, given, lambda event, detail: say(f"{event}: {line(detail)}")
    )
    if served.answer is None:
        assert served.error is not None
        say(served.error.sentence())
        return USAGE if isinstance(served.error, (UsageError, SettingsError)) else FAILED
    print(json.dumps(served.answer, ensure_ascii=False, indent=2))
    return DONE


def _why(error: Exception) -> str:
    """Why a text is no JSON, and where."""
    if not isinstance(error, json.JSONDecodeError):
        return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
    rest = truncate(visible(error.doc[error.pos :]).strip(), SHOWN)
    return (
        f"{error.msg[:1].lower()}{error.msg[1:]}, {f'before {rest}' if rest else 'where it ends'}"
        if error.doc.strip()
        else "it is empty"
    )


def _mcp(arguments: argparse.Namespace, office: Office) -> int:
    if not arguments.http:
        if arguments.host or arguments.port:
            raise UsageError("--host and --port are for --http.", next_step="Say --http too.")
        from research_core.interfaces.mcp.server import (
            serve_stdio,  # brings the protocol's packages, which no other command needs
        )

        serve_stdio(office)
        return DONE
    from research_core.interfaces.http.program import HOST, PORT, serve_http

    serve_http(office, arguments.host or HOST, arguments.port or PORT)
    return DONE


COMMANDS: dict[str, Callable[[argparse.Namespace, Office], int]] = {
    "tools list": _list,
    "tools call": _call,
    "mcp": _mcp,
}
