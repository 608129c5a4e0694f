"""The command line, `assay`: what each of the commands in `usage` does.

Progress goes to stderr, the report to stdout. Exit codes: 0 a report, 3 insufficient data, 2 usage
or configuration, 1 failure, 4 with --strict what is not in its source, 130 interrupted, 141 nobody
reads its output any more. Every error is one line that names the next step. It prints; the core
does not.
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
from research_core.interfaces.cli.delivery import check_targets, deliver, ended, write
from research_core.interfaces.cli.terminal import DONE, FAILED, UNSUPPORTED, USAGE, say
from research_core.journal.doorway import Control
from research_core.journal.store import session_row
from research_core.llm import choose
from research_core.models import Report
from research_core.modes import ResearchMode
from research_core.pipeline import report
from research_core.policy import LIBRARY, SAMPLE, RunSettings
from research_core.quiet_exit import INTERRUPTED, unread
from research_core.sessions import (
    catalogue,
    diagnostics,
    forecast,
    history,
    model_requests,
    reading,
    retention,
    runner,
)
from research_core.sessions.compare import compare
from research_core.sessions.progress import Teller
from research_core.sessions.replay import differences, replay
from research_core.sessions.run_defaults import can_call_tools, checked_tools, choose_engines
from research_core.settings import Settings
from research_core.text.question import checked_question
from research_core.text.words import line
from research_core.wiring import LOCAL, Office


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    try:
        _plain_utf8()
        arguments = _understood(argv)
        with closing(Office(Settings.from_env())) as office:
            code = COMMANDS[arguments.command](arguments, office)
        sys.stdout.flush()
        return code
    except (UsageError, SettingsError) as error:
        return _complain(error, USAGE)
    except ResearchError as error:
        return _complain(error, FAILED)
    except Stopped as stop:
        if stop.why != "lost":
            return INTERRUPTED
        say("This session was taken over by another worker.")
        return FAILED
    except KeyboardInterrupt:
        say("Interrupted. The same command can be given again.")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has left
        return unread()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _complain(
            ResearchError(
                f"The system refuses something that this needs: {where}{error.strerror or error}."
            ),
            FAILED,
        )


def _understood(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments. --help and --version end the program here, once what they say is written."""
    try:
        return usage.parser().parse_args(argv)
    except SystemExit:
        sys.stdout.flush()
        raise


def program() -> NoReturn:
    """As `main`, for a process of its own: it ends at once, whatever calls are still in flight for
    a run that is over.
    """
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


def _plain_utf8() -> None:
    """Reports hold every script; a terminal that cannot show a character gets a substitute, not a
    traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _complain(error: ResearchError, code: int) -> int:
    say(f"assay: {error.sentence()}")
    return code


# -- ask, resume, replay ---------------------------------------------------------------------------------------------------


def _ask(arguments: argparse.Namespace, office: Office) -> int:
    question = checked_question(arguments.question)
    check_targets(arguments)
    run = _run_settings(arguments, office)
    if LIBRARY in run.engines and run.library != SAMPLE and not arguments.library:
        say(f"Searching your library {run.library!r}.")
    expected = f"{forecast.words(history.estimate(office, run), run.caps)}."
    if arguments.estimate:
        print(expected)
        return DONE
    return _begin(arguments, office, runner.new_session(office, question, run), expected)


def _rewrite(arguments: argparse.Namespace, office: Office) -> int:
    check_targets(arguments)
    shown = reading.read(office, arguments.session)
    run = (
        gate.standing(shown.run)
        if shown.run.question
        else RunSettings.from_json(shown.info.row.settings)
    )
    return _begin(
        arguments, office, runner.rewrite(office, arguments.session, _turned(run, arguments))
    )


def _follow(arguments: argparse.Namespace, office: Office) -> int:
    check_targets(arguments)
    return _begin(
        arguments, office, runner.follow_up(office, arguments.session, arguments.question)
    )


def _begin(arguments: argparse.Namespace, office: Office, session: str, expected: str = "") -> int:
    say("\n".join(filter(None, (f"Session {session}", expected))))
    return _attempt(arguments, office, session)


def _run_settings(arguments: argparse.Namespace, office: Office) -> RunSettings:
    ResearchMode.named(arguments.mode, relevance_cutoff=arguments.relevance_cutoff)
    given = checked_tools(office, arguments.tool, arguments.strategy)
    tuned = _tuned(
        RunSettings(mode=arguments.mode, strategy=arguments.strategy, tools=given), arguments
    )
    if arguments.library is not None and not arguments.library.strip():
        raise UsageError(
            "There is no library without a name.",
            next_step="Give a name or a path after --library, or leave it out.",
        )
    model = choose(office.settings, arguments.model or office.settings.model).name
    if arguments.strategy == "agentic" and not can_call_tools(model):
        raise UsageError(
            "The agentic strategy needs a language model.",
            next_step="Set GEMINI_API_KEY, or choose the planned strategy.",
        )
    choice = choose_engines(office, library=arguments.library, web=not arguments.no_web, say=say)
    return replace(tuned, engines=choice.engines, library=choice.library, model=model)


def _tuned(run: RunSettings, arguments: argparse.Namespace) -> RunSettings:
    """The settings with what the flags say; a flag that was not given changes nothing."""
    caps = {
        "calls": arguments.max_calls,
        "tokens": arguments.max_tokens,
        "cost": arguments.max_cost,
        "seconds": arguments.max_seconds,
    }
    minimum = {} if arguments.min_credibility is None else {"minimum": arguments.min_credibility}
    return replace(
        run,
        mode=arguments.mode or run.mode,
        relevance_cutoff=(
            run.relevance_cutoff
            if arguments.relevance_cutoff is None
            else arguments.relevance_cutoff
        ),
        credibility=replace(run.credibility, **minimum),
        caps=replace(run.caps, **{name: cap for name, cap in caps.items() if cap is not None}),
        instructions=(*run.instructions, *arguments.instruct),
    )


def _turned(run: RunSettings, arguments: argparse.Namespace) -> RunSettings:
    """The settings of a re-write: also with what is decided about single sources."""
    named = {
        name: set(map(runner.address, getattr(arguments, name)))
        for name in ("approve", "strike", "restore")
    }
    approved = (
        (set(run.approved) | named["approve"])
        - named["restore"]
        - (named["strike"] - named["approve"])
    )
    struck = (
        (set(run.struck) | named["strike"])
        - named["restore"]
        - (named["approve"] - named["strike"])
    )
    return replace(
        _tuned(run, arguments), approved=tuple(sorted(approved)), struck=tuple(sorted(struck))
    )


def _attempt(arguments: argparse.Namespace, office: Office, session: str) -> int:
    """Run a session here and print its report; Ctrl-C leaves it resumable."""
    executor, control = runner.executor_id(), Control()
    mode = session_row(office.db, LOCAL, session).settings["mode"]
    with runner.heartbeat(office, executor), _interruptible(control, session):
        outcome = runner.attempt(
            office, session, executor, control=control, listener=Teller(mode, say)
        )
    if outcome.report is None:
        error = outcome.error
        hint = (
            "" if isinstance(error, CapReached) else f" `assay resume {session}` goes on from here."
        )
        say(f"assay: {error.sentence()}{hint}" if error else "The session was cancelled.")
        return FAILED
    deliver(arguments, outcome.report)
    return ended(arguments, outcome.report)


@contextmanager
def _interruptible(control: Control, session: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        control.shutdown.set()
        say(f"Interrupted. `assay resume {session}` goes on from here; nothing gathered is lost.")
        raise Stopped("shutdown") from None


def _resume(arguments: argparse.Namespace, office: Office) -> int:
    info = runner.session_info(office, arguments.session)
    if info.status == "running":
        raise UsageError(
            f"Session {arguments.session} is running.",
            next_step=f"`assay cancel {arguments.session}` stops it.",
        )
    check_targets(arguments)
    return _attempt(arguments, office, arguments.session)


def _replay(arguments: argparse.Namespace, office: Office) -> int:
    check_targets(arguments)
    again = replay(office, LOCAL, arguments.session)
    deliver(arguments, again.report)
    for one in differences(again):
        say(line(f"differs: {one.kind} {one.key}, {one.where}: {one.stored} → {one.derived}"))
    other = (
        "The replay gives another report than the one stored: Assay has changed since, or the log"
        " was altered."
    )
    say("The replay gives the same bytes." if again.same else other)
    return DONE if again.same else FAILED


# -- sessions --------------------------------------------------------------------------------------------------------------


def _sessions(arguments: argparse.Namespace, office: Office) -> int:
    infos = runner.sessions(office, limit=None, deleted=arguments.deleted)
    found = catalogue.pick(infos, catalogue.Wanted(arguments.search))
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
            f"{info.row.id}  {catalogue.state(info).replace('_', ' '):<17} "
            f" {_time(info.row.created)}  {catalogue.name(info.row)}"
        )
    if held := diagnostics.page_cache(office):
        say(f"Page cache: {held}; `assay cache --empty` empties it.")
    return DONE


def _cache(arguments: argparse.Namespace, office: Office) -> int:
    held = diagnostics.page_cache(office) or "empty"
    if arguments.empty:
        diagnostics.empty_page_cache(office)
        say(f"The page cache was emptied ({held}).")
    else:
        print(f"Page cache: {held}")
    return DONE


def _delete(arguments: argparse.Namespace, office: Office) -> int:
    runner.delete(office, arguments.session)
    days = round(retention.restorable_s(office) / retention.DAY_S)
    say(
        f"Session {arguments.session} was deleted; for {days} days `assay restore"
        f" {arguments.session}` takes that back."
    )
    retention.purge(office)
    return DONE


def _restore(arguments: argparse.Namespace, office: Office) -> int:
    runner.restore(office, arguments.session)
    say(f"Session {arguments.session} is back.")
    return DONE


def _compare(arguments: argparse.Namespace, office: Office) -> int:
    before, after = (
        reading.read(office, session) for session in (arguments.session, arguments.other)
    )
    sys.stdout.write(
        comparison.text(
            compare(before.run, after.run),
            *(catalogue.name(shown.info.row) for shown in (before, after)),
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
        "created": _time(row.created),
        "updated": _time(row.updated),
    }


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _show(arguments: argparse.Namespace, office: Office) -> int:
    shown = reading.read(office, arguments.session)
    usual = RunSettings(
        fallbacks=office.settings.fallbacks, sites=office.settings.sites
    )  # what every session of this machine has now
    told = {
        **_session_json(shown.info),
        "settings": _changed(shown.info.row.settings, json.loads(json.dumps(usual.to_json()))),
    }
    print(json.dumps(told, ensure_ascii=False, indent=2))
    markdown, why = (
        runner.stored_report(office, arguments.session),
        " ".join(filter(None, shown.failure)),
    )
    print(
        f"\n{markdown}"
        if markdown
        else f"\nNo report yet. {why} `assay resume {arguments.session}` goes on.".replace(
            "  ", " "
        )
    )
    return DONE


def _changed(settings: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """What differs from the settings nobody changed, and the places that were searched."""
    kept = {
        name: value
        for name, value in settings.items()
        if value != usual.get(name) or name in ("mode", "engines", "library", "model")
    }
    inner = ("credibility", "caps")
    return {
        name: _changed(value, usual[name]) if name in inner else value
        for name, value in kept.items()
    }


def _export(arguments: argparse.Namespace, office: Office) -> int:
    """The Markdown as it was written, or another format of what the log says. Bytes that no
    terminal shows never go to one.
    """
    runner.session_info(office, arguments.session)
    markdown = runner.stored_report(office, arguments.session)
    if markdown is None:
        raise UsageError(
            f"Session {arguments.session} has no report yet.",
            next_step=f"`assay resume {arguments.session}` finishes it.",
        )
    if arguments.warc:
        write(arguments.warc, _pages(arguments.session, office), arguments.session)
        if not arguments.format and not arguments.out:
            return DONE
    chosen = export.FORMATS[arguments.format or "md"]
    if chosen.binary and not arguments.out and sys.stdout.isatty():
        step = f"Add `--out {arguments.session}{chosen.suffix}`, or send it into a file."
        raise UsageError(f"{chosen.label} is nothing a terminal can show.", next_step=step)
    built = report.build(reading.read(office, arguments.session).run)
    body = (
        markdown.encode("utf-8", "replace") if chosen.name == "md" else _made(chosen, built, office)
    )
    if arguments.out:
        write(arguments.out, body, arguments.session)
    elif hasattr(sys.stdout, "buffer"):
        sys.stdout.buffer.write(body)
    else:
        sys.stdout.write(body.decode())
    return (
        UNSUPPORTED if ended(arguments, built) == UNSUPPORTED else DONE
    )  # too little evidence is no failure of an export


def _pages(session: str, office: Office) -> bytes:
    """The web archive of a session. Raises UsageError where there is no page to be put into it."""
    found = reading.captures(office, session)
    first = next(found, None)
    if first is None:
        step = "The evidence pack (`--format zip`) holds the text of what it read."
        raise UsageError(f"Session {session} asked the web for no page.", next_step=step)
    return captured.pack(report.build(reading.read(office, session).run), chain((first,), found))


def _made(chosen: export.Format, built: Report, office: Office) -> bytes:
    """A format of the report that the log gives, with a word about what it could not hold, or by
    what it is known.
    """
    body = export.made(
        chosen,
        built,
        lambda page: reading.page_text(office, page),
        lambda: model_requests.requests(office, built.session),
    )
    if remark := export.remark(chosen, built, body):
        say(remark)
    return body


#: What each command of `usage` does.
COMMANDS: dict[str, Callable[[argparse.Namespace, Office], int]] = {
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
