"""The command line: `assay ask | resume | replay | sessions | show | cancel | export | library`.

Progress goes to stderr, the report to stdout. Exit codes: 0 a report, 3 insufficient data, 2 usage or configuration, 1 failure,
130 interrupted. Every error is one line that names the next step. It prints; the core does not.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn

from research_core import __version__, reading, report, runner
from research_core.choices import choose_engines
from research_core.doorway import Control
from research_core.errors import CapReached, ResearchError, SettingsError, Stopped, UsageError
from research_core.llm import choose
from research_core.llm.offline import OfflineModel
from research_core.models import Report
from research_core.modes import MODES, ResearchMode
from research_core.policy import STRATEGIES, Caps, CredibilityPolicy, RunSettings, checked_question
from research_core.progress import Teller
from research_core.replay import replay
from research_core.settings import Settings
from research_core.store import session_row
from research_core.wiring import LOCAL, Office

DONE, FAILED, USAGE, INSUFFICIENT, INTERRUPTED = 0, 1, 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    _plain_utf8()
    arguments = _parser().parse_args(argv)
    try:
        with closing(Office(Settings.from_env())) as office:
            code = int(arguments.run(arguments, office))
        sys.stdout.flush()
        return code
    except (UsageError, SettingsError) as error:
        return _complain(error, USAGE)
    except ResearchError as error:
        return _complain(error, FAILED)
    except Stopped as stop:
        if stop.why != "lost":
            return INTERRUPTED
        _say("This session was taken over by another worker.")
        return FAILED
    except KeyboardInterrupt:
        _say("Interrupted. The same command can be given again.")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has left; nor can what is still buffered be written at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return _complain(ResearchError(f"What was asked for cannot be written: {error.strerror}."), FAILED)


def program() -> NoReturn:
    """As `main`, for a process of its own: it ends at once, whatever calls are still in flight for a run that is over."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        os._exit(code)
    sys.exit(code)


def _plain_utf8() -> None:
    """Reports hold every script; a terminal that cannot show a character gets a substitute, not a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")


def _complain(error: ResearchError, code: int) -> int:
    _say(f"assay: {error.sentence()}")
    return code


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


# -- ask, resume, replay ---------------------------------------------------------------------------------------------------


def _ask(arguments: argparse.Namespace, office: Office) -> int:
    question = checked_question(arguments.question)
    _check_targets(arguments)
    run = _run_settings(arguments, office)
    session = runner.new_session(office, question, run)
    _say(f"Session {session}")
    return _attempt(arguments, office, session)


def _run_settings(arguments: argparse.Namespace, office: Office) -> RunSettings:
    ResearchMode.named(arguments.mode, relevance_cutoff=arguments.relevance_cutoff)
    credibility = _credibility(arguments.min_credibility)
    model = choose(office.settings, arguments.model or office.settings.model).name
    if arguments.strategy == "agentic" and model == OfflineModel.name:
        raise UsageError("The agentic strategy needs a language model.", next_step="Set GEMINI_API_KEY, or choose the planned strategy.")
    choice = choose_engines(office, library=arguments.library, web=not arguments.no_web, say=_say)
    return RunSettings(
        mode=arguments.mode,
        strategy=arguments.strategy,
        engines=choice.engines,
        library=choice.library,
        model=model,
        relevance_cutoff=arguments.relevance_cutoff,
        credibility=credibility,
        caps=Caps(calls=arguments.max_calls, tokens=arguments.max_tokens, cost=arguments.max_cost, seconds=arguments.max_seconds),
    )


def _credibility(minimum: float | None) -> CredibilityPolicy:
    return CredibilityPolicy() if minimum is None else CredibilityPolicy(minimum=minimum)


def _attempt(arguments: argparse.Namespace, office: Office, session: str) -> int:
    """Run a session here and print its report; Ctrl-C leaves it resumable."""
    executor, control = runner.executor_id(), Control()
    mode = session_row(office.db, LOCAL, session).settings["mode"]
    with runner.heartbeat(office, executor), _interruptible(control, session):
        outcome = runner.attempt(office, session, executor, control=control, listener=Teller(mode, _say))
    if outcome.report is None:
        error = outcome.error
        hint = "" if isinstance(error, CapReached) else f" `assay resume {session}` goes on from here."
        _say(f"assay: {error.sentence()}{hint}" if error else "The session was cancelled.")
        return FAILED
    _deliver(arguments, outcome.report)
    return INSUFFICIENT if outcome.report.decision == "insufficient_data" else DONE


@contextmanager
def _interruptible(control: Control, session: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        control.shutdown.set()
        _say(f"Interrupted. `assay resume {session}` goes on from here; nothing gathered is lost.")
        raise Stopped("shutdown") from None


def _check_targets(arguments: argparse.Namespace) -> None:
    """A report that cannot be put where it should go is better noticed before it is made."""
    for path in (Path(name) for name in (arguments.out, arguments.json) if name):
        if path.is_dir() or not path.parent.is_dir():
            why = "it is a folder" if path.is_dir() else f"there is no folder {path.parent}"
            raise UsageError(f"{path} cannot be written: {why}.", next_step="Name a file in a folder that exists.")


def _deliver(arguments: argparse.Namespace, built: Report) -> None:
    """The Markdown to --out or stdout, the JSON to --json."""
    markdown = report.to_markdown(built)
    if arguments.json:
        _write(arguments.json, _as_json(built), built.session)
    if arguments.out:
        _write(arguments.out, markdown, built.session)
        _say(f"Report written to {arguments.out}")
    else:
        sys.stdout.write(markdown)
        sys.stdout.flush()


def _as_json(built: Report) -> str:
    return json.dumps(report.to_json(built), ensure_ascii=False, indent=2) + "\n"


def _write(path: str, text: str, session: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ResearchError(
            f"{path} cannot be written: {error.strerror}.", next_step=f"The report is stored; `assay export {session}` writes it elsewhere."
        ) from error


def _resume(arguments: argparse.Namespace, office: Office) -> int:
    info = runner.session_info(office, arguments.session)
    if info.status == "running":
        raise UsageError(f"Session {arguments.session} is running.", next_step=f"`assay cancel {arguments.session}` stops it.")
    _check_targets(arguments)
    return _attempt(arguments, office, arguments.session)


def _replay(arguments: argparse.Namespace, office: Office) -> int:
    _check_targets(arguments)
    again = replay(office, LOCAL, arguments.session)
    _deliver(arguments, again.report)
    for stored, derived in again.differences:
        was, now = (json.dumps(event.data, ensure_ascii=False)[:200] for event in (stored, derived))
        _say(f"differs: {stored.kind} {stored.key}: {was} → {now}")
    _say("The replay gives the same bytes." if again.same else "The replay gives another report than the one stored.")
    return DONE if again.same else FAILED


# -- sessions --------------------------------------------------------------------------------------------------------------


def _sessions(arguments: argparse.Namespace, office: Office) -> int:
    infos = runner.sessions(office)
    if arguments.json:
        print(json.dumps([_session_json(info) for info in infos], ensure_ascii=False, indent=2))
        return DONE
    if not infos:
        _say('No sessions yet. `assay ask "…"` starts one.')
    for info in infos:
        print(f"{info.row.id}  {info.status:<11}  {_time(info.row.created)}  {info.row.question}")
    return DONE


def _session_json(info: runner.SessionInfo) -> dict[str, Any]:
    row = info.row
    return {
        "id": row.id,
        "question": row.question,
        "status": info.status,
        "created": _time(row.created),
        "updated": _time(row.updated),
        "parent": row.parent,
    }


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


def _show(arguments: argparse.Namespace, office: Office) -> int:
    shown = reading.read(office, arguments.session)
    print(json.dumps({**_session_json(shown.info), "settings": shown.info.row.settings}, ensure_ascii=False, indent=2))
    markdown, why = runner.stored_report(office, arguments.session), " ".join(filter(None, shown.failure))
    print(f"\n{markdown}" if markdown else f"\nNo report yet. {why} `assay resume {arguments.session}` goes on.".replace("  ", " "))
    return DONE


def _cancel(arguments: argparse.Namespace, office: Office) -> int:
    runner.cancel(office, arguments.session)
    _say(f"Session {arguments.session} is being cancelled.")
    return DONE


def _export(arguments: argparse.Namespace, office: Office) -> int:
    """The Markdown as it was written, or the JSON of what the log says."""
    runner.session_info(office, arguments.session)
    markdown = runner.stored_report(office, arguments.session)
    if markdown is None:
        raise UsageError(f"Session {arguments.session} has no report yet.", next_step=f"`assay resume {arguments.session}` finishes it.")
    text = markdown if arguments.format == "md" else _as_json(report.build(reading.read(office, arguments.session).run))
    if arguments.out:
        _write(arguments.out, text, arguments.session)
    else:
        sys.stdout.write(text)
    return DONE


# -- library ---------------------------------------------------------------------------------------------------------------


def _library_add(arguments: argparse.Namespace, office: Office) -> int:
    counts = office.library(LOCAL).add(
        Path(arguments.path), arguments.name, on_progress=lambda done, total, name: _say(f"[{done}/{total}] {name}")
    )
    print(counts.sentence())
    return DONE if not counts.failed else FAILED


def _library_list(arguments: argparse.Namespace, office: Office) -> int:
    for document in _documents(arguments, office):
        print(f"{document['url']}  {document['title']}")
    return DONE


def _documents(arguments: argparse.Namespace, office: Office) -> list[Any]:
    documents = office.library(LOCAL).documents(arguments.name)
    if not documents:
        step = f"`assay library add FOLDER --name {arguments.name}` adds to it."
        raise UsageError(f"There is nothing in a library called {arguments.name!r}.", next_step=step)
    return documents


def _library_search(arguments: argparse.Namespace, office: Office) -> int:
    _documents(arguments, office)
    results = office.library(LOCAL).search(arguments.name, arguments.query)
    for found in results:
        print(f"{found['title']}\n  {found['url']}\n  {found['snippet']}\n")
    if not results:
        _say(f"Nothing in the library {arguments.name!r} holds any of these words.")
    return DONE


# -- the words -------------------------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="assay", description="Ask a question; get a report whose every sentence can be checked.")
    parser.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    ask = _command(commands, "ask", _ask, "research a question and print the report")
    ask.add_argument("question")
    ask.add_argument("--mode", default="standard", metavar="|".join(MODES))
    ask.add_argument("--library", metavar="NAME|PATH", help="search this local library, or this folder or file of yours")
    ask.add_argument("--no-web", action="store_true", help="search the library only")
    ask.add_argument("--model", help="offline, gemini, or auto")
    ask.add_argument("--min-credibility", type=float, metavar="X", help="block sources scoring at or below X (0-1; default 0.5)")
    ask.add_argument("--relevance-cutoff", type=int, metavar="N", help="keep sources scoring at least N (1-5; default 3)")
    ask.add_argument("--strategy", default="planned", metavar="|".join(STRATEGIES))
    ask.add_argument("--max-calls", type=int, metavar="N", help="at most N model calls")
    ask.add_argument("--max-tokens", type=int, metavar="N", help="at most N tokens")
    ask.add_argument("--max-cost", type=float, metavar="USD", help="at most so many US dollars")
    ask.add_argument("--max-seconds", type=float, metavar="S", help="start nothing new after S seconds")
    for name, run, words in (
        ("resume", _resume, "go on with an interrupted session"),
        ("replay", _replay, "derive a report again, all calls forbidden"),
    ):
        _command(commands, name, run, words).add_argument("session")
    for name in ("ask", "resume", "replay"):
        commands.choices[name].add_argument("--out", metavar="FILE.md", help="write the Markdown there instead of to stdout")
        commands.choices[name].add_argument("--json", metavar="FILE", help="write the report as JSON there")
    _command(commands, "sessions", _sessions, "list sessions").add_argument("--json", action="store_true")
    _command(commands, "show", _show, "show one session and its report").add_argument("session")
    _command(commands, "cancel", _cancel, "stop a running session").add_argument("session")
    export = _command(commands, "export", _export, "write a finished session's report")
    export.add_argument("session")
    export.add_argument("--format", choices=("md", "json"), default="md")
    export.add_argument("--out", metavar="FILE")
    _library_parser(commands)
    return parser


def _library_parser(commands: Any) -> None:
    library = commands.add_parser("library", help="add, list and search local documents").add_subparsers(required=True, metavar="WHAT")
    add = _command(library, "add", _library_add, "add a file or a folder")
    add.add_argument("path")
    listing = _command(library, "list", _library_list, "list the documents")
    search = _command(library, "search", _library_search, "search the documents")
    search.add_argument("query")
    for command in (add, listing, search):
        command.add_argument("--name", default="my", help="which library (default: my)")


def _command(commands: Any, name: str, run: Callable[[argparse.Namespace, Office], int], words: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
    parser.set_defaults(run=run)
    return parser


if __name__ == "__main__":
    program()
