"""The `cancel`, `allow` and `refuse` commands: control a running session."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

from research_core.interfaces.cli.terminal import DONE, say
from research_core.sessions import runner, tool_permission
from research_core.text.words import to_single_line
from research_core.wiring import Resources


def _cancel(arguments: argparse.Namespace, resources: Resources) -> int:
    runner.cancel(resources, arguments.session)
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


COMMANDS: dict[str, Callable[[argparse.Namespace, Resources], int]] = {
    "cancel": _cancel,
    "allow": _answer,
    "refuse": _answer,
}
