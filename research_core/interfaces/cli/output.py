"""Write a report to standard output or to files, and return its exit code.

Each command that runs a session imports this before the run, so `report` is imported after it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from research_core.errors import ResearchError, UsageError
from research_core.interfaces.terminal import DONE, INSUFFICIENT, UNSUPPORTED, say
from research_core.models import Report

if TYPE_CHECKING:
    from research_core.export import AuditFormat, ExportFormat


def check_output_paths(arguments: argparse.Namespace, source: str = "") -> None:
    """Raise UsageError before a run if its report could not be written, or would replace something.

    source: the file that the command reads, "" for none.
    """
    paths = [Path(name) for name in (arguments.out, arguments.json) if name]
    resolved = [path.resolve() for path in paths]
    if len(set(resolved)) < len(resolved):
        raise UsageError(
            f"--out and --json both name {paths[0]}.", next_step="Give each a file of its own."
        )
    if source and Path(source).resolve() in resolved:
        raise UsageError(
            f"The result would replace {source}, which is read.", next_step="Give another file."
        )
    for path in paths:
        if path.is_dir() or not path.parent.is_dir():
            why = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
            raise UsageError(
                f"{path} cannot be written: {why}.",
                next_step="Give a file in an existing folder.",
            )


def check_terminal_output(chosen: ExportFormat | AuditFormat, out: str, name: str) -> None:
    """Raise UsageError if bytes that are no text would go to a terminal.

    out: the file they go to, "" for stdout. name: of a file that would do, without its suffix.
    """
    if chosen.binary and not out and sys.stdout.isatty():
        raise UsageError(
            f"{chosen.label} cannot be shown in a terminal.",
            next_step=f"Add `--out {name}{chosen.suffix}`, or redirect the output to a file.",
        )


def deliver_report(arguments: argparse.Namespace, built: Report) -> None:
    """Write the Markdown to --out or stdout, and the JSON to --json."""
    from research_core.pipeline import report

    markdown = report.to_markdown(built)
    if arguments.json:
        text = json.dumps(report.to_json(built), ensure_ascii=False, indent=2) + "\n"
        write_output(arguments.json, text, built.session)
    if arguments.out:
        write_output(arguments.out, markdown, built.session)
        say(f"Report written to {arguments.out}")
    else:
        sys.stdout.write(markdown)
        sys.stdout.flush()


def write_to_stdout(body: bytes) -> None:
    """Write bytes to standard output, as text where it takes no bytes."""
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(body)
    else:
        sys.stdout.write(body.decode())


def write_output(path: str, text: str | bytes, session: str) -> None:
    try:
        Path(path).write_bytes(text.encode("utf-8", "replace") if isinstance(text, str) else text)
    except OSError as error:
        step = f"The report is stored; `assay export {session}` writes it to another file."
        raise ResearchError(
            f"{path} cannot be written: {error.strerror}.", next_step=step
        ) from error


def finish_command(arguments: argparse.Namespace, built: Report) -> int:
    """Say on stderr what to do about failed models and what to check; return the exit code.

    With --strict, unsupported sentences give an exit code of their own.
    """
    from research_core.pipeline import report, unfinished

    for remedy in report.list_remedies(built):
        say(remedy)
    for unchecked in (
        report.describe_ending(built),
        report.describe_lost_citations(built),
        unfinished.format_unchecked_sentences(built),
        unfinished.format_failed_checks(built),
    ):
        if unchecked:
            say(unchecked)
    flags = report.list_flagged_sentences(built)
    if flags:
        say(flags.notice)
    if flags.lacking and arguments.strict:
        return UNSUPPORTED
    return INSUFFICIENT if built.decision == "insufficient_data" else DONE
