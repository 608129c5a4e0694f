"""The commands on stored sessions: list, show, control, delete and compare them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from research_core.export import comparison
from research_core.interfaces.terminal import DONE, Commands, print_json, say
from research_core.policy import RunSettings
from research_core.sessions import (
    diagnostics,
    retention,
    session_control,
    session_list,
    session_status,
    tool_permission,
)
from research_core.sessions import (
    snapshot as snapshots,
)
from research_core.sessions.compare import compare_runs
from research_core.text.words import to_single_line
from research_core.wiring import Resources


def _sessions(arguments: argparse.Namespace, resources: Resources) -> int:
    infos = session_status.list_sessions(resources, limit=None, deleted=arguments.deleted)
    found = session_list.filter_sessions(infos, session_list.SessionFilter(arguments.search))
    if arguments.json:
        print_json([_build_session_json(info) for info in found])
        return DONE
    if not found:
        say(
            "No session fits."
            if infos or arguments.deleted
            else 'No sessions yet. `assay ask "…"` starts one.'
        )
    for info in found:
        print(
            f"{info.row.id}  {session_list.get_state(info).replace('_', ' '):<17} "
            f" {_format_time(info.row.created)}  {session_list.get_name(info.row)}"
        )
    if held := diagnostics.describe_page_cache(resources):
        say(f"Page cache: {held}; `assay cache --empty` empties it.")
    return DONE


def _build_session_json(info: session_status.SessionInfo) -> dict[str, Any]:
    row = info.row
    columns = {
        name: getattr(row, name)
        for name in ("id", "question", "title", "tags", "parent", "decision")
    }
    return {
        **columns,
        "status": info.status,
        "created": _format_time(row.created),
        "updated": _format_time(row.updated),
    }


def _format_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _show(arguments: argparse.Namespace, resources: Resources) -> int:
    snapshot = snapshots.read_session(resources, arguments.session)
    # The settings that every new session of this machine has.
    usual = RunSettings(fallbacks=resources.settings.fallbacks, sites=resources.settings.sites)
    changed = _find_changed_settings(
        snapshot.info.row.settings, json.loads(json.dumps(usual.to_json()))
    )
    print_json({**_build_session_json(snapshot.info), "settings": changed})
    markdown = session_status.read_stored_report(resources, arguments.session)
    if markdown:
        print(f"\n{markdown}")
        return DONE
    why = " ".join(part for part in snapshot.failure if part)
    message = f"\nNo report yet. {why} `assay resume {arguments.session}` goes on."
    print(message.replace("  ", " "))
    return DONE


def _find_changed_settings(settings: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that differ from the default, and the searched places."""
    kept = {
        name: value
        for name, value in settings.items()
        if value != usual.get(name) or name in ("mode", "engines", "library", "model")
    }
    inner = ("credibility", "caps")
    return {
        name: _find_changed_settings(value, usual[name]) if name in inner else value
        for name, value in kept.items()
    }


def _cancel(arguments: argparse.Namespace, resources: Resources) -> int:
    session_control.cancel(resources, arguments.session)
    say(f"Session {arguments.session} is being cancelled.")
    return DONE


def _answer(arguments: argparse.Namespace, resources: Resources) -> int:
    """Allow or refuse a waiting call."""
    asked = tool_permission.answer_question(
        resources, arguments.session, arguments.command == "allow", arguments.place
    )
    done = "Allowed" if arguments.command == "allow" else "Refused"
    say(
        to_single_line(
            f"{done}: {asked.tool} {json.dumps(dict(asked.arguments), ensure_ascii=False)}"
        )
    )
    return DONE


def _delete(arguments: argparse.Namespace, resources: Resources) -> int:
    session_control.delete(resources, arguments.session)
    days = round(retention.get_restorable_s(resources) / retention.DAY_S)
    say(
        f"Session {arguments.session} was deleted; for {days} days `assay restore"
        f" {arguments.session}` takes that back."
    )
    retention.purge_user(resources)
    return DONE


def _restore(arguments: argparse.Namespace, resources: Resources) -> int:
    session_control.restore(resources, arguments.session)
    say(f"Session {arguments.session} is back.")
    return DONE


def _compare(arguments: argparse.Namespace, resources: Resources) -> int:
    before, after = (
        snapshots.read_session(resources, session)
        for session in (arguments.session, arguments.other)
    )
    sys.stdout.write(
        comparison.format_text(
            compare_runs(before.run, after.run),
            *(session_list.get_name(snapshot.info.row) for snapshot in (before, after)),
        )
    )
    return DONE


def _cache(arguments: argparse.Namespace, resources: Resources) -> int:
    held = diagnostics.describe_page_cache(resources) or "empty"
    if arguments.empty:
        diagnostics.empty_page_cache(resources)
        say(f"The page cache was emptied ({held}).")
    else:
        print(f"Page cache: {held}")
    return DONE


COMMANDS: Commands = {
    "sessions": _sessions,
    "show": _show,
    "cancel": _cancel,
    "allow": _answer,
    "refuse": _answer,
    "delete": _delete,
    "restore": _restore,
    "compare": _compare,
    "cache": _cache,
}
