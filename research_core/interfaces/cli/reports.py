"""Run the commands on reports (`export`, `lint`, `recheck`, `agreement`)."""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import asdict
from itertools import chain

from research_core import export
from research_core.citations import cited_report, linter
from research_core.citations.report_text import read_report_file
from research_core.errors import UsageError
from research_core.export import web_archive
from research_core.interfaces.cli.output import (
    check_terminal_output,
    finish_command,
    write_output,
    write_to_stdout,
)
from research_core.interfaces.terminal import (
    DONE,
    FAILED,
    UNSUPPORTED,
    Commands,
    print_json,
    say,
)
from research_core.journal.store import SessionRow
from research_core.models import Report
from research_core.pipeline import report
from research_core.policy import checks_report
from research_core.sessions import (
    agreement,
    audits,
    captures,
    model_requests,
    recheck,
    session_status,
    snapshot,
)
from research_core.text.words import to_single_line
from research_core.web import charsets
from research_core.wiring import Resources


def _export(arguments: argparse.Namespace, resources: Resources) -> int:
    """Write the stored Markdown report, or another format built from the log.

    Raises UsageError for a binary format if the output is a terminal.
    """
    info = session_status.read_session_info(resources, arguments.session)
    markdown = session_status.read_stored_report(resources, arguments.session)
    if markdown is None:
        raise _make_no_report_error(info.row)
    if arguments.warc:
        write_output(
            arguments.warc, _build_web_archive(arguments.session, resources), arguments.session
        )
        if not arguments.format and not arguments.out:
            return DONE
    chosen = export.FORMATS[arguments.format or "md"]
    check_terminal_output(chosen, arguments.out or "", arguments.session)
    built = report.build(snapshot.read_session(resources, arguments.session).run)
    checked = None
    if checks_report(built.settings) and chosen.name in export.AUDIT_FORMATS:
        checked = audits.read_audit(resources, arguments.session)
    if checked is not None:
        body = export.AUDIT_FORMATS[chosen.name].make(checked)
    elif chosen.name == "md":
        body = markdown.encode("utf-8", "replace")
    else:
        body = _build_export(chosen, built, resources)
    if arguments.out:
        write_output(arguments.out, body, arguments.session)
    else:
        write_to_stdout(body)
    # Too little evidence is no failure of an export.
    return UNSUPPORTED if finish_command(arguments, built) == UNSUPPORTED else DONE


def _make_no_report_error(row: SessionRow) -> UsageError:
    return UsageError(
        f"Session {row.id} has no report yet.", next_step=session_status.suggest_finish(row)
    )


def _build_web_archive(session: str, resources: Resources) -> bytes:
    """Build the web archive of a session. Raises UsageError if it has no page."""
    found = captures.iterate_captures(resources, session)
    first = next(found, None)
    if first is None:
        step = "The evidence pack (`--format zip`) contains the texts it read."
        raise UsageError(f"Session {session} read no page from the web.", next_step=step)
    return web_archive.pack_captures(
        report.build(snapshot.read_session(resources, session).run), chain((first,), found)
    )


def _build_export(chosen: export.ExportFormat, built: Report, resources: Resources) -> bytes:
    """Build a format of the report, and say what it could not hold."""
    body = export.build_file(
        chosen,
        built,
        lambda page: snapshot.read_page_text(resources, page),
        lambda: model_requests.list_requests(resources, built.session),
    )
    remark = export.describe_file(chosen, built, body)
    if remark:
        say(remark)
    return body


#: Characters that no text holds: control characters, and what no encoding could read.
_UNREADABLE = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")


def _lint(arguments: argparse.Namespace, _: Resources) -> int:
    """Print findings as Markdown or JSON. Exit code 1 if a citation has no source."""
    text = _read_report(arguments.file)
    found = linter.lint_report(text)
    claimed = cited_report.read_cited_report(text) if arguments.claims else None
    if arguments.json:
        data = asdict(found) | {"entries": [asdict(entry) for entry in found.entries]}
        del data["lists"]
        if claimed is not None:
            data |= asdict(claimed)
        print(json.dumps(data, ensure_ascii=False, indent=2), end="")
    else:
        print(linter.format_findings(found), end="")
        if claimed is not None:
            print(f"\n{cited_report.format_claims(claimed)}", end="")
    return FAILED if any(one.kind == "dangling" for one in found.findings) else DONE


def _read_report(name: str) -> str:
    """Return the text of a report from a file, or from standard input for "-".

    An encoding other than UTF-8 is concluded from the bytes, which is said.
    """
    if name == "-":
        return _decode_report("standard input", sys.stdin.buffer.read())
    step = "Give a report in Markdown, or - for standard input."
    return _decode_report(name, read_report_file(name, step))


def _decode_report(name: str, body: bytes) -> str:
    """Return the text of these bytes. Raises UsageError if no encoding fits."""
    decoded = charsets.decode_body(body)
    if _UNREADABLE.search(decoded.text):
        raise UsageError(
            f"{name} is not text, or its encoding is unknown.",
            next_step="Save the report as Markdown in UTF-8.",
        )
    if decoded.note:
        say(f"{name}: {decoded.note} Save it as UTF-8 if that is wrong.")
    return decoded.text


def _recheck(arguments: argparse.Namespace, resources: Resources) -> int:
    """Check the sources of an old report again.

    Exit code 1 if one is gone, changed what was cited, or was retracted.
    """
    info = session_status.read_session_info(resources, arguments.session)
    run = snapshot.read_session(resources, arguments.session).run
    if run.report is None:
        raise _make_no_report_error(info.row)
    found = recheck.recheck_report(
        resources,
        report.build(run),
        lambda one: say(f"{one.number}. {to_single_line(recheck.describe_source(one))}"),
    )
    if arguments.json:
        print_json(recheck.recheck_to_json(found))
    else:
        print(recheck.format_text(found), end="")
    return FAILED if found.fails else DONE


def _print_agreement(arguments: argparse.Namespace, resources: Resources) -> int:
    found = agreement.measure_agreement(snapshot.read_session(resources, arguments.session).run)
    if arguments.json:
        print_json(asdict(found))
    else:
        print(agreement.format_markdown(found), end="")
    return DONE


COMMANDS: Commands = {
    "export": _export,
    "lint": _lint,
    "recheck": _recheck,
    "agreement": _print_agreement,
}
