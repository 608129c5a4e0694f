"""The `audit` command: verify the hash chain of the audit files."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from research_core.errors import UsageError
from research_core.interfaces.cli.terminal import DONE, FAILED
from research_core.journal.audit.verify import ChainVerdict, verify_chain
from research_core.text.words import to_single_line
from research_core.wiring import Resources


def _verify(arguments: argparse.Namespace, resources: Resources) -> int:
    """Print the number of lines and the last hash of an intact chain, or where it breaks."""
    paths = [Path(each) for each in arguments.files or [resources.settings.audit_path] if each]
    if not paths:
        raise UsageError(
            "There is no audit file to verify.", next_step="Name one, or set AUDIT_LOG_PATH."
        )
    if arguments.expect and not re.fullmatch(r"[0-9a-f]{64}", arguments.expect):
        raise UsageError(
            "--expect is no hash.",
            next_step="It takes the 64 digits that an earlier `assay audit verify` ended with.",
        )
    verdict = verify_chain(paths, arguments.expect)
    if verdict.broken:
        broken = verdict.broken
        print(f"{to_single_line(str(broken.file))}, line {broken.line}: {broken.why}.")
        return FAILED
    if arguments.expect and verdict.since is None:
        print(
            f"{_format_count(verdict.lines, 'line')}, none with the expected hash: lines were"
            " taken from the end, or these are other files."
        )
        return FAILED
    if not verdict.lines:
        print("No line here has a hash: there is nothing that could be verified.")
    else:
        print(f"{_format_count(verdict.lines, 'line')}, chain whole, last hash {verdict.last}")
    gone = [
        f"{to_single_line(str(path))} itself is not there, only what was rotated from it."
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
        notes.append(f"{_format_count(verdict.since, 'line')} came after the expected hash.")
    if verdict.shortened:
        notes.append(
            "The files before these are not here: removed for their age, as a line here tells,"
            " or left out by --expect."
        )
    if verdict.bare:
        notes.append(
            f"{_format_count(verdict.bare, 'line')} of an older Assay without a hash: not covered."
        )
    if verdict.mended:
        notes.append(
            f"{_format_count(verdict.mended, 'line')} cut short by the end of its writer: a line"
            " of its own tells what there was."
        )
    if verdict.cut:
        notes.append(
            f"The last {verdict.cut} bytes are a line cut short: its writer was ended, or the"
            " end was cut off."
        )
    return notes


def _format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


COMMANDS: dict[str, Callable[[argparse.Namespace, Resources], int]] = {"audit verify": _verify}
