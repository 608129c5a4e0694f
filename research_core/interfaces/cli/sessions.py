"""The commands on stored sessions: list, cancel, delete and restore them, answer a run; `cache`."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from typing import Any

from research_core.i18n import _
from research_core.interfaces.terminal import DONE, Commands, print_json, say
from research_core.journal.database import find_set_aside
from research_core.models import SESSION_STATES
from research_core.sessions import (
    retention,
    session_control,
    session_list,
    session_status,
    tool_permission,
)
from research_core.text.words import to_single_line
from research_core.wiring import Resources

#: Characters of the longest state that most lists hold, “waiting for approval”.
STATE_WIDTH = 20


def _sessions(arguments: argparse.Namespace, resources: Resources) -> int:
    listed = session_list.open_list(resources, deleted=arguments.deleted)
    ids = listed.find(session_list.SessionFilter(arguments.search))[:]
    # There may be more matches than a statement can name, so all sessions are read.
    entries = session_status.list_entries(resources, deleted=arguments.deleted)
    infos = {entry.row.id: entry for entry in entries}
    found = [infos[id] for id in ids if id in infos]
    for file in find_set_aside(resources.db.path):
        say(
            f"A damaged database was set aside: {file}. `assay data salvage` recovers its sessions."
        )
    if arguments.json:
        print_json([build_session_json(info) for info in found])
        return DONE
    if not found:
        say(
            "No session matches."
            if infos or arguments.deleted
            else 'No sessions yet. `assay ask "…"` starts one.'
        )
    for info in found:
        state = _(SESSION_STATES[session_list.get_state(info)].word)
        print(
            f"{info.row.id}  {state:<{STATE_WIDTH}}  {_format_time(info.row.created)}"
            f"  {session_list.get_name(info.row)}"
        )
    if held := retention.describe_page_cache(resources):
        say(f"Page cache: {held}; `assay cache --empty` empties it.")
    return DONE


def build_session_json(info: session_list.Listed) -> dict[str, Any]:
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
        f"Session {arguments.session} was deleted. `assay restore {arguments.session}` restores it"
        f" within {days} days."
    )
    retention.purge_user(resources)
    return DONE


def _restore(arguments: argparse.Namespace, resources: Resources) -> int:
    session_control.restore(resources, arguments.session)
    say(f"Session {arguments.session} was restored.")
    return DONE


def _cache(arguments: argparse.Namespace, resources: Resources) -> int:
    held = retention.describe_page_cache(resources) or "empty"
    if arguments.empty:
        retention.empty_page_cache(resources)
        say(f"The page cache was emptied ({held}).")
    else:
        print(f"Page cache: {held}")
    return DONE


COMMANDS: Commands = {
    "sessions": _sessions,
    "cancel": _cancel,
    "allow": _answer,
    "refuse": _answer,
    "delete": _delete,
    "restore": _restore,
    "cache": _cache,
}
