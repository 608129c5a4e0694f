"""The commands on tools: list or call them, serve them, and verify the audit log of their calls."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from research_core import tools
from research_core.errors import SettingsError, UsageError
from research_core.interfaces.terminal import (
    DONE,
    FAILED,
    USAGE,
    Commands,
    print_json,
    say,
    say_error,
)
from research_core.journal.audit.verify import ChainVerdict, verify_chain
from research_core.quiet_exit import settle_collector
from research_core.sessions.tool_calls import ToolCaller
from research_core.text.words import (
    format_count,
    strip_invisible,
    to_single_line,
    truncate,
)
from research_core.tools.arguments import MAX_SHOWN_CHARACTERS
from research_core.tools.failures import add_advice
from research_core.tools.groups import describe_tool, find_group, list_required_settings
from research_core.tools.registry import Tool, to_json
from research_core.wiring import Resources


def _list(arguments: argparse.Namespace, resources: Resources) -> int:
    """Print every tool, with the settings that a tool needs to be served here."""
    offered = tools.list_available_tools(resources.settings)
    if arguments.json:
        print(
            to_json(
                {"tools": [_build_tool_json(row, row in offered) for row in tools.CLIENT_TOOLS]}
            )
        )
        return DONE
    for row in tools.CLIENT_TOOLS:
        needs = "" if row in offered else f"  (needs {', or '.join(list_required_settings(row))})"
        print(f"{row.name:18} {describe_tool(row, compact=True)[0]}{needs}")
    return DONE


def _build_tool_json(row: Tool, offered: bool) -> dict[str, Any]:
    needs = " or ".join(list_required_settings(row))
    return {
        "name": row.name,
        "group": find_group(row.name),
        "offered": offered,
        "needs": needs,
        "parameters": row.schema["properties"],
    }


def _run_call(arguments: argparse.Namespace, resources: Resources) -> int:
    """Print the answer of a tool as JSON on stdout, or its error on stderr."""
    callable_rows = (*tools.CLIENT_TOOLS, *tools.EXTRA_TOOLS)
    if arguments.name not in {row.name for row in callable_rows}:
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
        say_error(served.error, begin="")
        return USAGE if isinstance(served.error, (UsageError, SettingsError)) else FAILED
    print_json(served.answer)
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
    settle_collector()
    from research_core.interfaces import log_lines

    log_lines.set_up_logging("mcp", as_json=resources.settings.log_format == "json")
    if not arguments.http:
        if arguments.host or arguments.port:
            raise UsageError("--host and --port need --http.", next_step="Add --http.")
        from research_core.interfaces.mcp.server import (
            serve_stdio,  # brings the protocol's packages, which no other command needs
        )

        serve_stdio(resources)
        return DONE
    from research_core.interfaces.http.program import HOST, PORT, serve_http

    serve_http(resources, arguments.host or HOST, arguments.port or PORT)
    return DONE


def verify_audit_log(arguments: argparse.Namespace, resources: Resources) -> int:
    """Print the number of lines and the last hash of an intact chain, or where it breaks."""
    paths = [Path(each) for each in arguments.files or [resources.settings.audit_path] if each]
    if not paths:
        raise UsageError(
            "There is no audit log to check.", next_step="Give a file, or set AUDIT_LOG_PATH."
        )
    if arguments.expect and not re.fullmatch(r"[0-9a-f]{64}", arguments.expect):
        raise UsageError(
            "--expect is not a hash.",
            next_step="Give the 64 digits that an earlier `assay audit-log verify` printed last.",
        )
    verdict = verify_chain(paths, arguments.expect)
    if verdict.broken:
        broken = verdict.broken
        print(f"{to_single_line(str(broken.file))}, line {broken.line}: {broken.why}.")
        return FAILED
    if arguments.expect and verdict.since is None:
        print(
            f"{format_count(verdict.lines, 'line')}, none with the expected hash: lines were"
            " removed from the end, or these are different files."
        )
        return FAILED
    if not verdict.lines:
        print("No line has a hash, so nothing can be checked.")
    else:
        print(f"{format_count(verdict.lines, 'line')}, chain whole, last hash {verdict.last}")
    gone = [
        f"{to_single_line(str(path))} does not exist; only files rotated from it do."
        for path in paths
        if not path.exists()
    ]
    for note in (*list_chain_notes(verdict), *gone):
        print(note)
    return DONE if verdict.lines else FAILED


def list_chain_notes(verdict: ChainVerdict) -> list[str]:
    """Return further remarks on an intact chain, one sentence each."""
    notes: list[str] = []
    if verdict.since:
        notes.append(f"{format_count(verdict.since, 'line')} came after the expected hash.")
    if verdict.shortened:
        notes.append(
            "Earlier files are missing: removed for their age, as a line here says, or excluded"
            " by --expect."
        )
    if verdict.bare:
        notes.append(
            f"{format_count(verdict.bare, 'line')} from an older version, without a hash: not checked."
        )
    if verdict.mended:
        notes.append(
            f"{format_count(verdict.mended, 'line')} cut short when the writing process ended; a"
            " separate line says what was there."
        )
    if verdict.cut:
        last = "byte is" if verdict.cut == 1 else f"{verdict.cut:,} bytes are"
        notes.append(
            f"The last {last} an incomplete line: the writing process ended, or the end was cut off."
        )
    return notes


COMMANDS: Commands = {
    "tools list": _list,
    "tools call": _run_call,
    "mcp": _serve,
    "audit-log verify": verify_audit_log,
}
