"""The commands that print a stored session, or what differs between two: `show` and `compare`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from typing import Any

from research_core.export import comparison
from research_core.interfaces.cli.sessions import build_session_json
from research_core.interfaces.terminal import DONE, Commands, print_json
from research_core.journal.store import WAITING_OUTCOME
from research_core.policy import RunSettings
from research_core.sessions import (
    session_list,
    session_status,
)
from research_core.sessions import (
    snapshot as snapshots,
)
from research_core.sessions.compare import compare_runs
from research_core.wiring import Resources

#: Settings that are shown though they are the default, and those that nobody chooses: the
#: methodology of a report names the embedding model.
ALWAYS_SHOWN = ("mode", "engines", "library", "model")
CHOSEN_BY_MACHINE = ("judging", "passage_model", "asked_on")


def _show(arguments: argparse.Namespace, resources: Resources) -> int:
    snapshot = snapshots.read_session(resources, arguments.session)
    # The settings that every new session of this machine has.
    usual = RunSettings(fallbacks=resources.settings.fallbacks, sites=resources.settings.sites)
    changed = _find_changed_settings(
        snapshot.info.row.settings, json.loads(json.dumps(usual.to_json()))
    )
    print_json({**build_session_json(snapshot.info), "settings": changed})
    markdown = session_status.read_stored_report(resources, arguments.session)
    if markdown:
        print(f"\n{markdown}")
        return DONE
    if snapshot.info.status == WAITING_OUTCOME:
        print(
            "\nNo report yet: the plan waits for your approval. Run"
            f" `assay approve {arguments.session}`."
        )
        return DONE
    why = " ".join(part for part in snapshot.failure if part)
    step = f"`assay resume {arguments.session}` continues."
    if snapshot.info.row.until is not None:
        step = session_status.suggest_finish(snapshot.info.row)
    print(f"\nNo report yet. {why} {step}".replace("  ", " "))
    return DONE


def _find_changed_settings(settings: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that differ from the default, and the searched places."""
    kept = {
        name: value
        for name, value in settings.items()
        if name in ALWAYS_SHOWN or (name not in CHOSEN_BY_MACHINE and value != usual.get(name))
    }
    inner = ("credibility", "caps")
    return {
        name: _find_changed_settings(value, usual[name]) if name in inner else value
        for name, value in kept.items()
    }


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


COMMANDS: Commands = {"show": _show, "compare": _compare}
