"""The `lint` and `recheck` commands: check the citations of a report and its sources."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from research_core.citations import linter
from research_core.errors import UsageError
from research_core.interfaces.cli.terminal import DONE, FAILED, say
from research_core.pipeline import report
from research_core.sessions import recheck, snapshot
from research_core.text.words import to_single_line
from research_core.wiring import Resources

#: Bytes that are read of a report.
MAX_REPORT_BYTES = 20_000_000


def _lint(arguments: argparse.Namespace, _: Resources) -> int:
    """Print findings as Markdown or JSON. Exit code 1 if a citation has no source."""
    found = linter.lint_report(_read_report(arguments.file))
    print(
        (
            json.dumps(asdict(found), ensure_ascii=False, indent=2)
            if arguments.json
            else linter.format_findings(found)
        ),
        end="",
    )
    return FAILED if any(one.kind == "dangling" for one in found.findings) else DONE


def _read_report(name: str) -> str:
    """Return the text of a report from a file, or from standard input for "-"."""
    if name == "-":
        return sys.stdin.read()
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"“{name}” is a folder.", next_step="Name one report in it.")
    if not path.is_file():
        raise UsageError(
            f"There is no file “{name}”.",
            next_step="Name a report in Markdown, or - for standard input.",
        )
    if path.stat().st_size > MAX_REPORT_BYTES:
        raise UsageError(
            f"{name} is larger than {MAX_REPORT_BYTES // 1_000_000} MB.",
            next_step="Name the report alone.",
        )
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is no text in UTF-8.", next_step="Name a report in Markdown."
        ) from error


def _recheck(arguments: argparse.Namespace, resources: Resources) -> int:
    """Check the sources of an old report again.

    Exit code 1 if one is gone, changed what was cited, or was retracted.
    """
    run = snapshot.read_session(resources, arguments.session).run
    if run.report is None:
        raise UsageError(
            f"Session {arguments.session} has no report yet.",
            next_step=f"`assay resume {arguments.session}` finishes it.",
        )
    found = recheck.recheck_report(
        resources,
        report.build(run),
        lambda one: say(f"{one.number}. {to_single_line(recheck.describe_source(one))}"),
    )
    print(
        (
            json.dumps(recheck.recheck_to_json(found), ensure_ascii=False, indent=2) + "\n"
            if arguments.json
            else recheck.format_text(found)
        ),
        end="",
    )
    return FAILED if found.fails else DONE


COMMANDS: dict[str, Callable[[argparse.Namespace, Resources], int]] = {
    "lint": _lint,
    "recheck": _recheck,
}
