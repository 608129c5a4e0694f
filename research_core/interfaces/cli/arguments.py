"""Define the command line's arguments: its commands, their flags, and their help."""

from __future__ import annotations

import argparse
from typing import Any

from research_core import __version__, export
from research_core.interfaces.terminal import find_program_name
from research_core.modes import EXHAUSTIVE, MAX_SOURCES, MIN_SOURCES, MODES, USUAL_SOURCES
from research_core.policy import AUTHORITY_PARTS, CONSENT_PURPOSES, STRATEGIES
from research_core.trust.ratings import scales
from research_core.trust.ratings.presets import PRESETS


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=find_program_name(),
        description="Ask a question; get a report whose every sentence can be checked.",
    )
    parser.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_ask_commands(commands)
    _add_resume_commands(commands)
    _add_session_commands(commands)
    _add_report_commands(commands)
    _add_output_flags(commands)
    _add_library_commands(commands)
    _add_tool_commands(commands)
    _add_data_commands(commands)
    _add_audit_commands(commands)
    _add_ratings_commands(commands)
    _add_doctor_command(commands)
    return parser


def _add_doctor_command(commands: Any) -> None:
    doctor = _add_command(
        commands, "doctor", "say what is configured here, as a report that can be pasted anywhere"
    )
    doctor.add_argument(
        "--live",
        action="store_true",
        help="also make one small call to each model, search engine and provider",
    )
    doctor.add_argument("--json", action="store_true")


MODEL_HELP = "offline, gemini, openai, gemini:NAME, openai:NAME, or auto"


def _add_resume_commands(commands: Any) -> None:
    for name, about in (
        ("resume", "go on with an interrupted session"),
        ("replay", "derive a report again, all calls forbidden"),
    ):
        _add_session_command(commands, name, about)
    commands.choices["resume"].add_argument(
        "--model", help=f"go on as a new session with another model: {MODEL_HELP}"
    )


def _add_session_commands(commands: Any) -> None:
    """Add the commands that list, show, control, delete and compare sessions."""
    listing = _add_command(commands, "sessions", "list sessions, those at work first")
    listing.add_argument("--json", action="store_true")
    listing.add_argument(
        "--search",
        default="",
        metavar="WORDS",
        help="those with all these words in question, title or tags",
    )
    listing.add_argument("--deleted", action="store_true", help="those that can be restored")
    _add_session_command(commands, "show", "show one session and its report")
    for name, about in (
        ("allow", "let a run's model call a tool that writes, which waits for your word"),
        ("refuse", "do not let it; it goes on without"),
    ):
        answer = _add_session_command(commands, name, about)
        answer.add_argument(
            "place",
            nargs="?",
            default="",
            metavar="PLACE",
            help="which call (default: the first that waits)",
        )
    _add_session_command(commands, "cancel", "stop a running session")
    _add_session_command(commands, "delete", "delete a session; it can be restored for 30 days")
    _add_session_command(commands, "restore", "take a deletion back")
    about = "print what differs between two sessions, as Markdown"
    pair = _add_session_command(commands, "compare", about)
    pair.add_argument("other", metavar="OTHER_ID")


def _add_report_commands(commands: Any) -> None:
    """Add the commands that check or export reports, and `cache`."""
    judges = _add_session_command(
        commands,
        "agreement",
        "say how far a session's model and the judge without a model agree on its sources",
    )
    judges.add_argument("--json", action="store_true")
    again = _add_session_command(
        commands,
        "recheck",
        "look at a report's sources again: which are gone, changed or retracted since",
    )
    again.add_argument("--json", action="store_true")
    writing = _add_session_command(commands, "export", "write a finished session's report")
    writing.add_argument("--format", choices=tuple(export.FORMATS), help="default: md")
    writing.add_argument("--out", metavar="FILE")
    writing.add_argument(
        "--warc",
        metavar="FILE",
        help="write the pages that were read there, as a web archive (FILE.warc.gz)",
    )
    keeping = _add_command(
        commands, "cache", "say how many answers of the web are kept for the next sessions"
    )
    keeping.add_argument(
        "--empty", action="store_true", help="forget them; what a session has read stays in its log"
    )
    lint = _add_command(
        commands,
        "lint",
        "say what is wrong with the citations of a report in Markdown, whoever wrote it",
    )
    lint.add_argument("file", metavar="FILE.md")
    lint.add_argument("--json", action="store_true")
    lint.add_argument(
        "--claims",
        action="store_true",
        help="list each sentence with its sources, and the facts that have none",
    )


def _add_output_flags(commands: Any) -> None:
    """Add the flags that several commands share."""
    for name in ("ask", "approve", "rewrite", "follow", "resume", "replay"):
        commands.choices[name].add_argument(
            "--out", metavar="FILE.md", help="write the Markdown there instead of to stdout"
        )
        commands.choices[name].add_argument(
            "--json", metavar="FILE", help="write the report as JSON there"
        )
    for name in ("ask", "approve", "rewrite", "follow", "resume", "export"):
        about = (
            "exit with 4 where a figure, unit, date or quotation of a sentence is not in its source"
        )
        commands.choices[name].add_argument("--strict", action="store_true", help=about)


def _add_ask_commands(commands: Any) -> None:
    """Add the commands that begin a session."""
    ask = _add_command(commands, "ask", "research a question and print the report")
    ask.add_argument("question")
    ask.add_argument("--mode", default="standard", metavar="|".join(MODES))
    ask.add_argument(
        "--library",
        metavar="NAME|PATH",
        help="search this local library, or this folder or file of yours",
    )
    ask.add_argument("--no-web", action="store_true", help="search the library only")
    ask.add_argument(
        "--engine",
        metavar="NAME",
        action="append",
        default=[],
        help="ask this web search engine and no other; can be repeated",
    )
    ask.add_argument("--strategy", default="planned", metavar="|".join(STRATEGIES))
    about = (
        "a tool the model may call too, with --strategy agentic (`tools list` names them); can be"
        " repeated"
    )
    ask.add_argument("--tool", metavar="NAME", action="append", default=[], help=about)
    ask.add_argument(
        "--plan",
        action="store_true",
        help="show the plan before searching, to edit, approve or cancel it",
    )
    ask.add_argument(
        "--estimate",
        action="store_true",
        help="only say what it would take, going by the runs before it",
    )
    _add_approve_command(commands)
    rewrite = _add_session_command(
        commands,
        "rewrite",
        "write a session's report again under other settings, without making a call twice",
    )
    rewrite.add_argument("--mode", metavar="|".join(MODES))
    for name, about in (
        ("approve", "let this source pass the credibility threshold"),
        ("strike", "leave this source out"),
        ("restore", "take back what was decided about this source by hand"),
    ):
        rewrite.add_argument(
            f"--{name}",
            metavar="URL",
            action="append",
            default=[],
            help=f"{about}; can be repeated",
        )
    for command in (ask, rewrite):
        _add_model_flags(command)
        _add_tuning_flags(command)
    follow = _add_session_command(
        commands, "follow", "ask a follow-up that starts from the pages a session read"
    )
    follow.add_argument("question")


def _add_approve_command(commands: Any) -> None:
    approve = _add_session_command(
        commands,
        "approve",
        "approve the plan of a waiting session (`ask --plan`) and run it",
    )
    queries = approve.add_mutually_exclusive_group()
    queries.add_argument(
        "--query",
        metavar="TEXT",
        action="append",
        help="search for this instead of the proposed queries; can be repeated",
    )
    queries.add_argument("--no-queries", action="store_true", help="search for the question alone")
    sub_questions = approve.add_mutually_exclusive_group()
    sub_questions.add_argument(
        "--sub-question",
        metavar="TEXT",
        action="append",
        help="answer this instead of the proposed sub-questions; can be repeated",
    )
    sub_questions.add_argument(
        "--no-sub-questions", action="store_true", help="answer the question as a whole"
    )


def _add_model_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", help=MODEL_HELP)
    command.add_argument(
        "--length", choices=("brief", "normal", "long"), help="how long the report may be"
    )
    command.add_argument("--writer", metavar="MODEL", help="another model for the report")
    command.add_argument(
        "--judge", metavar="MODEL", help="another model for relevance and for checks"
    )


def _add_tuning_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--sources",
        type=int,
        metavar="N",
        help=f"with --mode {EXHAUSTIVE}: read up to N sources ({MIN_SOURCES} to {MAX_SOURCES};"
        f" default {USUAL_SOURCES})",
    )
    command.add_argument(
        "--min-credibility",
        type=float,
        metavar="X",
        help="block sources scoring at or below X (0-1; default 0.5)",
    )
    command.add_argument(
        "--relevance-cutoff",
        type=int,
        metavar="N",
        help="keep sources scoring at least N (1-5; default 3)",
    )
    about = "what to look for beside the question; can be repeated"
    command.add_argument("--instruct", metavar="TEXT", action="append", default=[], help=about)
    command.add_argument("--max-calls", type=int, metavar="N", help="at most N model calls")
    command.add_argument("--max-tokens", type=int, metavar="N", help="at most N tokens")
    command.add_argument("--max-cost", type=float, metavar="USD", help="at most so many US dollars")
    command.add_argument(
        "--max-seconds", type=float, metavar="S", help="start nothing new after S seconds"
    )


def _add_library_commands(commands: Any) -> None:
    words = commands.add_parser(
        "library", help="add, list, search, share and remove local documents"
    )
    library = words.add_subparsers(required=True, metavar="WHAT")
    add = _add_command(
        library, "add", "add files, folders, ZIP and web archives, and web pages", "library "
    )
    about = (
        "a path, or the address of a page; a first word that is neither names the library where"
        " more follow"
    )
    add.add_argument("sources", nargs="+", metavar="PATH|URL", help=about)
    add.add_argument(
        "--prune",
        action="store_true",
        help="take documents out whose files are no longer in the folder",
    )
    add.add_argument(
        "--no-meaning",
        action="store_true",
        help="leave working out the meaning of what is new for later",
    )
    listing = _add_command(
        library, "list", "list the libraries, or the documents of one", "library "
    )
    listing.add_argument(
        "library", nargs="?", metavar="NAME", help="which library; without one, the libraries"
    )
    listing.add_argument("--name", help="the same as NAME")
    search = _add_command(library, "search", "search the documents", "library ")
    search.add_argument("query")
    remove = _add_command(library, "remove", "remove documents, or a whole library", "library ")
    remove.add_argument(
        "words",
        nargs="*",
        metavar="NAME|DOCUMENT",
        help="the library, then an address, title or file name of each document to remove; without"
        " any, the whole library is removed",
    )
    remove.add_argument("--name", help="the library, instead of the first NAME")
    restore = _add_command(
        library, "restore", "list removed libraries, or bring one back", "library "
    )
    restore.add_argument(
        "name",
        nargs="?",
        help="its name, or its id as the list shows it; without one, they are listed",
    )
    restore.add_argument("--name", dest="library", help="the library, instead of NAME")
    restore.add_argument(
        "--as", dest="new_name", metavar="NAME", help="the name it gets; default: the one it had"
    )
    share = _add_command(
        library, "share", "let everybody who signs in to the app read a library", "library "
    )
    share.add_argument("name")
    share.add_argument("--end", action="store_true", help="make it private again")
    add.add_argument("--name", help="which library (default: my)")
    search.add_argument("--name", default="my", help="which library (default: my)")


def _add_tool_commands(commands: Any) -> None:
    words = commands.add_parser("tools", help="list and call the research tools")
    toolbox = words.add_subparsers(required=True, metavar="WHAT")
    _add_command(toolbox, "list", "list the tools, and what each needs", "tools ").add_argument(
        "--json", action="store_true"
    )
    call = _add_command(toolbox, "call", "call a tool and print its answer as JSON", "tools ")
    call.add_argument("name", metavar="NAME")
    call.add_argument(
        "--json",
        default="{}",
        metavar="'{…}'",
        help="the arguments, as a JSON object; - reads them from standard input",
    )
    mcp = _add_command(
        commands,
        "mcp",
        "serve the tools to other programs over MCP, on standard input and output, or over HTTP",
    )
    mcp.add_argument(
        "--http",
        action="store_true",
        help="listen for requests instead; docs/serving.md says who may ask",
    )
    mcp.add_argument(
        "--host", default="", help="with --http: the address to listen at (default: 127.0.0.1)"
    )
    mcp.add_argument("--port", type=int, default=0, help="with --http: the port (default: 8765)")


def _add_audit_commands(commands: Any) -> None:
    words = commands.add_parser(
        "audit", help="verify the file that has a line for each call of a tool"
    )
    audit = words.add_subparsers(required=True, metavar="WHAT")
    verify = _add_command(audit, "verify", "say whether the chain of its lines is whole", "audit ")
    about = (
        "a file, with those that were rotated from it and stand beside it (default: AUDIT_LOG_PATH)"
    )
    verify.add_argument("files", nargs="*", metavar="FILE", help=about)
    verify.add_argument(
        "--expect",
        default="",
        metavar="HASH",
        help="a last hash of before: fail where no line has it or begins with it",
    )


def _add_data_commands(commands: Any) -> None:
    words = commands.add_parser(
        "data", help="what is kept about you: show, export, erase; consents and workspaces"
    )
    data = words.add_subparsers(required=True, metavar="WHAT")
    _add_command(data, "show", "say what is kept, how much of it, and what you agreed to", "data ")
    _add_command(data, "export", "print all of it as JSON", "data ")
    for name, about in (
        ("consent", "agree to have something kept"),
        ("withdraw", "no longer agree; what was kept stays"),
    ):
        _add_command(data, name, about, "data ").add_argument("purpose", choices=CONSENT_PURPOSES)
    for name, about in (
        ("join", "make yourself a member of a workspace"),
        ("leave", "leave a workspace"),
    ):
        _add_command(data, name, about, "data ").add_argument("workspace", metavar="WORKSPACE")
    erase = _add_command(data, "erase", "remove all of it for good, your sessions too", "data ")
    erase.add_argument("--yes", action="store_true", help="yes, for good")
    _add_command(
        data,
        "rotate",
        "seal anew, with CACHE_ENCRYPTION_KEY, what CACHE_ENCRYPTION_KEY_PREV sealed",
        "data ",
    )


def _add_ratings_commands(commands: Any) -> None:
    words = commands.add_parser(
        "ratings",
        help="what is known of hosts: lists of expert ratings, and your own word on a host",
    )
    ratings = words.add_subparsers(required=True, metavar="WHAT")
    add = _add_command(
        ratings,
        "add",
        "import a list of expert ratings; runs that begin from then on go by it",
        "ratings ",
    )
    add.add_argument(
        "source",
        metavar="FILE|URL|NAME",
        help=f"CSV, TSV or JSON, or a published list: {', '.join(PRESETS)}",
    )
    add.add_argument("--name", default="", help="what to call it (default: the name of the file)")
    add.add_argument(
        "--domain",
        default="",
        metavar="COLUMN",
        help="the column with the hosts, where its name does not tell",
    )
    add.add_argument(
        "--value",
        default="",
        metavar="COLUMN",
        help="the column with the ratings, where its name does not tell",
    )
    about = (
        "of numbers, the worst first, such as 1-5; without it the least of 0-1, 0-5, 0-10, 0-100"
        " and -1-1 that holds them all"
    )
    add.add_argument("--scale", type=_parse_scale, metavar="LOW-HIGH", help=about)
    _add_ratings_lookup_commands(ratings)


def _add_ratings_lookup_commands(ratings: Any) -> None:
    _add_command(
        ratings, "list", "list what was imported, and what can be imported by name", "ratings "
    )
    _add_command(
        ratings, "remove", "remove a list; sessions that went by it keep what it said", "ratings "
    ).add_argument("name")
    of = _add_command(ratings, "of", "say what is known of hosts, part by part", "ratings ")
    of.add_argument("hosts", nargs="+", metavar="HOST|URL")
    about = f"as if this part did not count ({', '.join(AUTHORITY_PARTS)}); can be repeated"
    of.add_argument(
        "--without",
        metavar="PART",
        action="append",
        default=[],
        choices=AUTHORITY_PARTS,
        help=about,
    )
    word = _add_command(
        ratings,
        "say",
        "give your own word on a host, for every run that begins from then on",
        "ratings ",
    )
    word.add_argument("host", metavar="HOST")
    about = "0 to 1, for the host and what is under it; 0 keeps its pages out of a run altogether"
    word.add_argument("authority", type=float, help=about)
    word.add_argument("reason", help="why, as you want to read it later")
    _add_command(ratings, "unsay", "take your word on a host back", "ratings ").add_argument(
        "host", metavar="HOST"
    )


def _parse_scale(text: str) -> tuple[float, float]:
    try:
        return scales.parse_scale(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _add_command(commands: Any, name: str, about: str, group: str = "") -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=about[0].upper() + about[1:] + "."
    )
    command.set_defaults(command=group + name)
    return command


def _add_session_command(commands: Any, name: str, about: str) -> argparse.ArgumentParser:
    command = _add_command(commands, name, about)
    command.add_argument("session", metavar="ID")
    return command
