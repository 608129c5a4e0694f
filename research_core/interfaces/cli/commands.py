"""Run the commands of the command line, `assay`.

Progress goes to stderr, the report to stdout. Exit codes: 0 a report, 3 insufficient data, 2 usage
or configuration, 1 failure, 4 unsupported sentences with --strict, 130 interrupted, 141 closed
output. Every error is one line that names the next step.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any, NoReturn

from research_core import export
from research_core.decisions import gate
from research_core.errors import CapReached, ResearchError, SettingsError, Stopped, UsageError
from research_core.export import captured, comparison
from research_core.interfaces.cli import agreement, audit, check, data, library, ratings, tools
from research_core.interfaces.cli import arguments as usage
from research_core.interfaces.cli import control as steerer
from research_core.interfaces.cli.delivery import (
    check_output_paths,
    deliver_report,
    finish_command,
    write_output,
)
from research_core.interfaces.cli.progress import ProgressPrinter
from research_core.interfaces.cli.terminal import DONE, FAILED, UNSUPPORTED, USAGE, say
from research_core.journal.doorway import Control
from research_core.journal.store import find_session
from research_core.llm import choose_model
from research_core.models import Report
from research_core.modes import ResearchMode
from research_core.pipeline import report
from research_core.policy import LIBRARY_ENGINE, SAMPLE_LIBRARY, RunSettings
from research_core.quiet_exit import INTERRUPTED_CODE, discard_output
from research_core.sessions import (
    captures,
    diagnostics,
    estimates,
    heartbeats,
    model_requests,
    retention,
    runner,
    session_list,
    snapshot,
)
from research_core.sessions.compare import compare_runs
from research_core.sessions.replay import list_differences, replay_session
from research_core.sessions.run_defaults import can_call_tools, check_tools, choose_engines
from research_core.settings import Settings
from research_core.text.question import clean_question
from research_core.text.words import to_single_line
from research_core.wiring import LOCAL_USER, Resources


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code."""
    try:
        _use_utf8_output()
        arguments = _parse_arguments(argv)
        with closing(Resources(Settings.from_env())) as resources:
            code = COMMANDS[arguments.command](arguments, resources)
        sys.stdout.flush()
        return code
    except (UsageError, SettingsError) as error:
        return _print_error(error, USAGE)
    except ResearchError as error:
        return _print_error(error, FAILED)
    except Stopped as stop:
        if stop.why != "lost":
            return INTERRUPTED_CODE
        say("This session was taken over by another worker.")
        return FAILED
    except KeyboardInterrupt:
        say("Interrupted. The same command can be given again.")
        return INTERRUPTED_CODE
    except BrokenPipeError:  # whoever read our output has left
        return discard_output()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _print_error(
            ResearchError(
                f"The system refuses something that this needs: {where}{error.strerror or error}."
            ),
            FAILED,
        )


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments. --help and --version end the program here."""
    try:
        return usage.build_parser().parse_args(argv)
    except SystemExit:
        sys.stdout.flush()
        raise


def run_program() -> NoReturn:
    """Run `main` and end the process, without waiting for calls that are still in flight."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if any(
        not thread.daemon
        for thread in threading.enumerate()
        if thread is not threading.main_thread()
    ):
        os._exit(code)
    sys.exit(code)


def _use_utf8_output() -> None:
    """Write UTF-8, with substitutes for characters that a terminal cannot show."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _print_error(error: ResearchError, code: int) -> int:
    say(f"assay: {error.sentence()}")
    return code


# -- ask, resume, replay --


def _ask(arguments: argparse.Namespace, resources: Resources) -> int:
    question = clean_question(arguments.question)
    check_output_paths(arguments)
    run = _run_settings(arguments, resources)
    if LIBRARY_ENGINE in run.engines and run.library != SAMPLE_LIBRARY and not arguments.library:
        say(f"Searching your library {run.library!r}.")
    expected = f"{estimates.format_estimate(estimates.estimate_run(resources, run), run.caps)}."
    if arguments.estimate:
        print(expected)
        return DONE
    return _start_session(
        arguments, resources, runner.new_session(resources, question, run), expected
    )


def _rewrite(arguments: argparse.Namespace, resources: Resources) -> int:
    check_output_paths(arguments)
    shown = snapshot.read_session(resources, arguments.session)
    if shown.run.question:
        run = gate.merge_manual_decisions(shown.run)
    else:
        run = RunSettings.from_json(shown.info.row.settings)
    settings = _apply_source_flags(run, arguments)
    return _start_session(
        arguments, resources, runner.rewrite(resources, arguments.session, settings)
    )


def _follow(arguments: argparse.Namespace, resources: Resources) -> int:
    check_output_paths(arguments)
    return _start_session(
        arguments, resources, runner.follow_up(resources, arguments.session, arguments.question)
    )


def _start_session(
    arguments: argparse.Namespace, resources: Resources, session: str, expected: str = ""
) -> int:
    say("\n".join(filter(None, (f"Session {session}", expected))))
    return _run_session(arguments, resources, session)


def _run_settings(arguments: argparse.Namespace, resources: Resources) -> RunSettings:
    ResearchMode.from_name(arguments.mode, relevance_cutoff=arguments.relevance_cutoff)
    given = check_tools(resources, arguments.tool, arguments.strategy)
    tuned = _apply_flags(
        RunSettings(mode=arguments.mode, strategy=arguments.strategy, tools=given), arguments
    )
    if arguments.library is not None and not arguments.library.strip():
        raise UsageError(
            "There is no library without a name.",
            next_step="Give a name or a path after --library, or leave it out.",
        )
    model = choose_model(resources.settings, arguments.model or resources.settings.model).name
    if arguments.strategy == "agentic" and not can_call_tools(model):
        raise UsageError(
            "The agentic strategy needs a language model.",
            next_step="Set GEMINI_API_KEY, or choose the planned strategy.",
        )
    choice = choose_engines(resources, library=arguments.library, web=not arguments.no_web, say=say)
    return replace(tuned, engines=choice.engines, library=choice.library, model=model)


def _apply_flags(run: RunSettings, arguments: argparse.Namespace) -> RunSettings:
    """Return the settings with the flags that were given."""
    given_caps = {
        "calls": arguments.max_calls,
        "tokens": arguments.max_tokens,
        "cost": arguments.max_cost,
        "seconds": arguments.max_seconds,
    }
    caps = {name: cap for name, cap in given_caps.items() if cap is not None}
    credibility = run.credibility
    if arguments.min_credibility is not None:
        credibility = replace(credibility, minimum=arguments.min_credibility)
    relevance_cutoff = run.relevance_cutoff
    if arguments.relevance_cutoff is not None:
        relevance_cutoff = arguments.relevance_cutoff
    return replace(
        run,
        mode=arguments.mode or run.mode,
        relevance_cutoff=relevance_cutoff,
        credibility=credibility,
        caps=replace(run.caps, **caps),
        instructions=(*run.instructions, *arguments.instruct),
    )


def _apply_source_flags(run: RunSettings, arguments: argparse.Namespace) -> RunSettings:
    """Return the settings of a rewrite, with the decisions on single sources."""
    approve = {runner.check_address(address) for address in arguments.approve}
    strike = {runner.check_address(address) for address in arguments.strike}
    restore = {runner.check_address(address) for address in arguments.restore}
    approved = (set(run.approved) | approve) - restore - (strike - approve)
    struck = (set(run.struck) | strike) - restore - (approve - strike)
    return replace(
        _apply_flags(run, arguments), approved=tuple(sorted(approved)), struck=tuple(sorted(struck))
    )


def _run_session(arguments: argparse.Namespace, resources: Resources, session: str) -> int:
    """Run a session here and print its report; Ctrl-C leaves it resumable."""
    executor, control = heartbeats.make_executor_id(), Control()
    mode = find_session(resources.db, LOCAL_USER, session).settings["mode"]
    with heartbeats.keep_heartbeat(resources, executor), _cancel_on_interrupt(control, session):
        outcome = runner.resume_or_run(
            resources, session, executor, control=control, listener=ProgressPrinter(mode, say)
        )
    if outcome.report is None:
        error = outcome.error
        hint = (
            "" if isinstance(error, CapReached) else f" `assay resume {session}` goes on from here."
        )
        say(f"assay: {error.sentence()}{hint}" if error else "The session was cancelled.")
        return FAILED
    deliver_report(arguments, outcome.report)
    return finish_command(arguments, outcome.report)


@contextmanager
def _cancel_on_interrupt(control: Control, session: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        control.shutdown.set()
        say(f"Interrupted. `assay resume {session}` goes on from here; nothing gathered is lost.")
        raise Stopped("shutdown") from None


def _resume(arguments: argparse.Namespace, resources: Resources) -> int:
    info = runner.read_session_info(resources, arguments.session)
    if info.status == "running":
        raise UsageError(
            f"Session {arguments.session} is running.",
            next_step=f"`assay cancel {arguments.session}` stops it.",
        )
    check_output_paths(arguments)
    return _run_session(arguments, resources, arguments.session)


def _replay(arguments: argparse.Namespace, resources: Resources) -> int:
    check_output_paths(arguments)
    again = replay_session(resources, LOCAL_USER, arguments.session)
    deliver_report(arguments, again.report)
    for one in list_differences(again):
        say(
            to_single_line(
                f"differs: {one.kind} {one.key}, {one.where}: {one.stored} → {one.derived}"
            )
        )
    other = (
        "The replay gives another report than the one stored: Assay has changed since, or the log"
        " was altered."
    )
    say("The replay gives the same bytes." if again.same else other)
    return DONE if again.same else FAILED


# -- sessions --


def _sessions(arguments: argparse.Namespace, resources: Resources) -> int:
    infos = runner.list_sessions(resources, limit=None, deleted=arguments.deleted)
    found = session_list.filter_sessions(infos, session_list.SessionFilter(arguments.search))
    if arguments.json:
        print(json.dumps([_session_json(info) for info in found], ensure_ascii=False, indent=2))
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


def _cache(arguments: argparse.Namespace, resources: Resources) -> int:
    held = diagnostics.describe_page_cache(resources) or "empty"
    if arguments.empty:
        diagnostics.empty_page_cache(resources)
        say(f"The page cache was emptied ({held}).")
    else:
        print(f"Page cache: {held}")
    return DONE


def _delete(arguments: argparse.Namespace, resources: Resources) -> int:
    runner.delete(resources, arguments.session)
    days = round(retention.get_restorable_s(resources) / retention.DAY_S)
    say(
        f"Session {arguments.session} was deleted; for {days} days `assay restore"
        f" {arguments.session}` takes that back."
    )
    retention.purge_user(resources)
    return DONE


def _restore(arguments: argparse.Namespace, resources: Resources) -> int:
    runner.restore(resources, arguments.session)
    say(f"Session {arguments.session} is back.")
    return DONE


def _compare(arguments: argparse.Namespace, resources: Resources) -> int:
    before, after = (
        snapshot.read_session(resources, session)
        for session in (arguments.session, arguments.other)
    )
    sys.stdout.write(
        comparison.format_text(
            compare_runs(before.run, after.run),
            *(session_list.get_name(shown.info.row) for shown in (before, after)),
        )
    )
    return DONE


def _session_json(info: runner.SessionInfo) -> dict[str, Any]:
    row = info.row
    told = {
        name: getattr(row, name)
        for name in ("id", "question", "title", "tags", "parent", "decision")
    }
    return {
        **told,
        "status": info.status,
        "created": _format_time(row.created),
        "updated": _format_time(row.updated),
    }


def _format_time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _show(arguments: argparse.Namespace, resources: Resources) -> int:
    shown = snapshot.read_session(resources, arguments.session)
    # The settings that every new session of this machine has.
    usual = RunSettings(fallbacks=resources.settings.fallbacks, sites=resources.settings.sites)
    changed = _find_changed_settings(
        shown.info.row.settings, json.loads(json.dumps(usual.to_json()))
    )
    answer = {**_session_json(shown.info), "settings": changed}
    print(json.dumps(answer, ensure_ascii=False, indent=2))
    markdown = runner.read_stored_report(resources, arguments.session)
    if markdown:
        print(f"\n{markdown}")
        return DONE
    why = " ".join(part for part in shown.failure if part)
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


def _export(arguments: argparse.Namespace, resources: Resources) -> int:
    """Write the stored Markdown report, or another format built from the log.

    Raises UsageError for a binary format if the output is a terminal.
    """
    runner.read_session_info(resources, arguments.session)
    markdown = runner.read_stored_report(resources, arguments.session)
    if markdown is None:
        raise UsageError(
            f"Session {arguments.session} has no report yet.",
            next_step=f"`assay resume {arguments.session}` finishes it.",
        )
    if arguments.warc:
        write_output(
            arguments.warc, _build_web_archive(arguments.session, resources), arguments.session
        )
        if not arguments.format and not arguments.out:
            return DONE
    chosen = export.FORMATS[arguments.format or "md"]
    if chosen.binary and not arguments.out and sys.stdout.isatty():
        step = f"Add `--out {arguments.session}{chosen.suffix}`, or send it into a file."
        raise UsageError(f"{chosen.label} is nothing a terminal can show.", next_step=step)
    built = report.build(snapshot.read_session(resources, arguments.session).run)
    body = (
        markdown.encode("utf-8", "replace")
        if chosen.name == "md"
        else _build_export(chosen, built, resources)
    )
    if arguments.out:
        write_output(arguments.out, body, arguments.session)
    elif hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(body)
    else:
        sys.stdout.write(body.decode())
    return (
        UNSUPPORTED if finish_command(arguments, built) == UNSUPPORTED else DONE
    )  # too little evidence is no failure of an export


def _build_web_archive(session: str, resources: Resources) -> bytes:
    """Build the web archive of a session. Raises UsageError if it has no page."""
    found = captures.iterate_captures(resources, session)
    first = next(found, None)
    if first is None:
        step = "The evidence pack (`--format zip`) holds the text of what it read."
        raise UsageError(f"Session {session} asked the web for no page.", next_step=step)
    return captured.pack_captures(
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


#: What each command of `usage` does.
COMMANDS: dict[str, Callable[[argparse.Namespace, Resources], int]] = {
    "ask": _ask,
    "rewrite": _rewrite,
    "follow": _follow,
    "resume": _resume,
    "replay": _replay,
    "sessions": _sessions,
    "cache": _cache,
    "show": _show,
    **steerer.COMMANDS,
    "delete": _delete,
    "restore": _restore,
    "compare": _compare,
    "export": _export,
    **library.COMMANDS,
    **tools.COMMANDS,
    **audit.COMMANDS,
    **check.COMMANDS,
    **data.COMMANDS,
    **ratings.COMMANDS,
    **agreement.COMMANDS,
}
