"""Run the command that checks a report: `audit`."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from research_core import export
from research_core.citations.report_text import (
    MAX_REPORT_BYTES,
    read_report,
    read_report_file,
)
from research_core.errors import UsageError
from research_core.export import AuditFormat
from research_core.interfaces.cli.output import (
    check_output_paths,
    check_terminal_output,
    write_output,
    write_to_stdout,
)
from research_core.interfaces.cli.progress import ProgressPrinter
from research_core.interfaces.terminal import (
    DONE,
    FAILED,
    UNSUPPORTED,
    Commands,
    say,
    say_error,
    say_progress,
)
from research_core.journal.doorway import Control
from research_core.policy import Caps, RunSettings
from research_core.sessions import audits, heartbeats, runner
from research_core.sessions.run_defaults import OWN, choose_engines, choose_models
from research_core.urls import is_own_document, is_web_address
from research_core.wiring import Resources

#: The old first argument of the command that verifies the log of tool calls.
VERIFY = "verify"


def _audit(arguments: argparse.Namespace, resources: Resources) -> int:
    """Check a report and print the result. With --strict a sentence that fails exits with 4."""
    if arguments.source == VERIFY and not Path(VERIFY).exists():
        from research_core.interfaces.cli.tools import verify_audit_log

        say("`assay audit verify` is now `assay audit-log verify`.")
        return verify_audit_log(arguments, resources)
    if arguments.files:
        raise UsageError("Only one report can be checked at a time.", next_step="Name one file.")
    check_output_paths(arguments, arguments.source)
    chosen = _choose_format(arguments)
    run = _choose_settings(arguments, resources)
    source = arguments.source
    if arguments.no_web and is_web_address(source):
        raise UsageError(
            "The report is at a web address, and --no-web asks nothing on the web.",
            next_step="Save the report as a file and check that, or leave --no-web out.",
        )
    # A large library takes a while to be read; what is wrong with the report is said before that.
    text = "" if is_own_document(source) else _read_source(source, resources)
    library = ""
    if arguments.library or arguments.no_web:
        library = choose_engines(resources, library=arguments.library, web=False, say=say).library
    if is_own_document(source):
        text = audits.read_report_at(resources, source, library or OWN)
    name = "" if arguments.source == "-" else arguments.source
    request = audits.AuditRequest(
        name=name if is_own_document(name) else name.rstrip("/").rpartition("/")[2] or name,
        library=library,
        library_only=arguments.no_web,
        run=run,
    )
    session = audits.new_audit(resources, text, request)
    say(f"Session {session}")
    return _run_audit(arguments, chosen, resources, session)


def _choose_format(arguments: argparse.Namespace) -> AuditFormat:
    """Return the format of the result. Raises UsageError if a terminal would have to show it."""
    if not arguments.format:
        return export.find_audit_format(arguments.out or "")
    chosen = export.AUDIT_FORMATS[arguments.format]
    check_terminal_output(chosen, arguments.out or "", "check")
    return chosen


def _choose_settings(arguments: argparse.Namespace, resources: Resources) -> RunSettings:
    """Return the settings of the run: no model unless one is named."""
    caps = Caps(calls=arguments.max_calls, cost=arguments.max_cost, seconds=arguments.max_seconds)
    run = RunSettings(caps=caps)
    if not arguments.model:
        return run
    return replace(choose_models(run, resources.settings, arguments.model), caps=caps)


def _read_source(source: str, resources: Resources) -> str:
    """Return the report as Markdown. Raises UsageError if there is none that can be read."""
    if source == "-":
        return read_report(sys.stdin.buffer.read(MAX_REPORT_BYTES + 1), "Standard input")
    if is_web_address(source):
        return audits.read_report_at(resources, source, "")
    step = "Give a report as a file or web address, or - for standard input."
    return read_report(read_report_file(source, step), source)


def _run_audit(
    arguments: argparse.Namespace, chosen: AuditFormat, resources: Resources, session: str
) -> int:
    executor, control = heartbeats.make_executor_id(), Control()
    listener = ProgressPrinter("standard", say_progress)
    with heartbeats.keep_heartbeat(resources, executor):
        try:
            outcome = runner.resume_or_run(
                resources, session, executor, control=control, listener=listener
            )
        except KeyboardInterrupt:
            say(f"Interrupted; nothing is lost. `assay resume {session}` continues.")
            raise
    if outcome.error is not None:
        say_error(outcome.error, f"`assay resume {session}` continues from here.")
    if outcome.report is None:
        return FAILED
    return _deliver_audit(arguments, chosen, resources, session)


def deliver_stored_audit(arguments: argparse.Namespace, resources: Resources, session: str) -> int:
    """Write the result of a check that was resumed, as `_deliver_audit` does."""
    chosen = export.find_audit_format(arguments.out or "")
    return _deliver_audit(arguments, chosen, resources, session)


def _deliver_audit(
    arguments: argparse.Namespace, chosen: AuditFormat, resources: Resources, session: str
) -> int:
    """Write the result to --out or stdout, and its JSON to --json. Return the exit code."""
    result = audits.read_audit(resources, session)
    if result is None:
        raise UsageError(f"Session {session} is no check of a report.")
    body = chosen.make(result)
    if arguments.json:
        write_output(arguments.json, export.AUDIT_FORMATS["json"].make(result), result.session)
    if arguments.out:
        write_output(arguments.out, body, result.session)
        say(f"Result written to {arguments.out}")
    else:
        write_to_stdout(body)
    if arguments.strict and not result.card.is_clean:
        return UNSUPPORTED
    return DONE


COMMANDS: Commands = {"audit": _audit}
