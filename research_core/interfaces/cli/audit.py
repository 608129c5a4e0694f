"""The command line's `audit` command: say whether the chain of the audit's files holds. Whether it
does is `verify`'s to find out.
"""

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


def _verify(arguments: argparse.Namespace, office: Resources) -> int:
    """How many lines there are, that the chain is whole and its last hash, or where it breaks; then
    what else is to be known of it.
    """
    paths = [Path(each) for each in arguments.files or [office.settings.audit_path] if each]
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
        print(
            f"{to_single_line(str(verdict.broken.file))}, line {verdict.broken.line}: {verdict.broken.why}."
        )
        return FAILED
    if arguments.expect and verdict.since is None:
        print(
            f"{_format_count(verdict.lines, 'line')}, none with the expected hash: lines were taken from"
            " the end, or these are other files."
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
    """What else is to be known of a chain that holds, a sentence each."""
    told = [
        (
            verdict.since,
            f"{_format_count(verdict.since or 0, 'line')} came after the expected hash.",
        ),
        (
            verdict.shortened,
            (
                "The files before these are not here: removed for their age, as a line here tells,"
                " or left out by --expect."
            ),
        ),
        (
            verdict.bare,
            f"{_format_count(verdict.bare, 'line')} of an older Assay without a hash: not covered.",
        ),
        (
            verdict.mended,
            (
                f"{_format_count(verdict.mended, 'line')} cut short by the end of its writer: a line of"
                " its own tells what there was."
            ),
        ),
        (
            verdict.cut,
            (
                f"The last {verdict.cut} bytes are a line cut short: its writer was ended, or the"
                " end was cut off."
            ),
        ),
    ]
    return [sentence for there, sentence in told if there]


def _format_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


COMMANDS: dict[str, Callable[[argparse.Namespace, Resources], int]] = {"audit verify": _verify}
