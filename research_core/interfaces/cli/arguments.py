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

#: What a limit on calls counts, see docs/models.md.
MAX_CALLS_HELP = "at most N questions to a model; repeats of one are not counted"


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=find_program_name(),
        description="Research a question on the web and in your own documents. Every sentence of the report"
        " can be checked.",
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
    _add_server_commands(commands)
    return parser


def _add_doctor_command(commands: Any) -> None:
    doctor = _add_command(
        commands, "doctor", "show what is configured, as a report without secrets"
    )
    doctor.add_argument(
        "--live",
        action="store_true",
        help="also test each model, search engine and provider with one small call",
    )
    doctor.add_argument("--json", action="store_true")


def _add_server_commands(commands: Any) -> None:
    app = _add_command(commands, "app", "start the screens and open them in your browser")
    app.add_argument("--host", default="", help="address to listen on (default: 127.0.0.1)")
    app.add_argument("--port", type=int, help="port to listen on (default: 8501)")
    app.add_argument("--no-browser", action="store_true", help="open no browser")
    app.add_argument(
        "options", nargs="*", metavar="-- OPTION", help="further options of Streamlit, after --"
    )
    _add_command(commands, "worker", "run research sessions for the app until Ctrl-C")


MODEL_HELP = "offline, gemini, openai, gemini:NAME, openai:NAME, or auto"


def _add_resume_commands(commands: Any) -> None:
    for name, about in (
        ("resume", "continue an interrupted session"),
        ("replay", "rebuild a report from its log, without any new calls"),
    ):
        _add_session_command(commands, name, about)
    resume = commands.choices["resume"]
    resume.add_argument(
        "--model", help=f"continue as a new session with another model: {MODEL_HELP}"
    )
    for role, task in (("writer", "writes"), ("judge", "judges")):
        resume.add_argument(
            f"--{role}", metavar="MODEL", help=f"the same with another model that {task}"
        )


def _add_session_commands(commands: Any) -> None:
    """Add the commands that list, show, control, delete and compare sessions."""
    listing = _add_command(commands, "sessions", "list sessions, running ones first")
    listing.add_argument("--json", action="store_true")
    listing.add_argument(
        "--search",
        default="",
        metavar="WORDS",
        help="only sessions with all these words in the question, title or tags",
    )
    listing.add_argument(
        "--deleted", action="store_true", help="list deleted sessions that can be restored"
    )
    _add_session_command(commands, "show", "show one session and its report")
    for name, about in (
        ("allow", "allow a pending tool call that changes data"),
        ("refuse", "refuse a pending tool call; the run continues without it"),
    ):
        answer = _add_session_command(commands, name, about)
        answer.add_argument(
            "place",
            nargs="?",
            default="",
            metavar="PLACE",
            help="which call (default: the first pending one)",
        )
    _add_session_command(commands, "cancel", "stop a running session")
    _add_session_command(commands, "delete", "delete a session; it can be restored for 30 days")
    _add_session_command(commands, "restore", "restore a deleted session")
    about = "compare two sessions, as Markdown"
    pair = _add_session_command(commands, "compare", about)
    pair.add_argument("other", metavar="OTHER_ID")


def _add_report_commands(commands: Any) -> None:
    """Add the commands that check or export reports, and `cache`."""
    judges = _add_session_command(
        commands,
        "agreement",
        "compare the model's relevance scores with those of the offline judge",
    )
    judges.add_argument("--json", action="store_true")
    again = _add_session_command(
        commands,
        "recheck",
        "check which sources of a report are gone, changed or retracted since",
    )
    again.add_argument("--json", action="store_true")
    writing = _add_session_command(commands, "export", "save a finished report in another format")
    writing.add_argument("--format", choices=tuple(export.FORMATS), help="default: md")
    writing.add_argument("--out", metavar="FILE")
    writing.add_argument(
        "--warc",
        metavar="FILE",
        help="also save the pages that were read, as a web archive (FILE.warc.gz)",
    )
    keeping = _add_command(commands, "cache", "show the size of the page cache that sessions share")
    keeping.add_argument(
        "--empty", action="store_true", help="empty the cache; each session keeps the pages it read"
    )
    lint = _add_command(
        commands,
        "lint",
        "check the citations of any report in Markdown",
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
            "--out",
            metavar="FILE.md",
            help="write the report to this file instead of standard output",
        )
        commands.choices[name].add_argument(
            "--json", metavar="FILE", help="also write the report as JSON to this file"
        )
    for name in ("ask", "approve", "rewrite", "follow", "resume", "export"):
        about = "exit with code 4 if a figure, unit, date or quotation is not in its cited source"
        commands.choices[name].add_argument("--strict", action="store_true", help=about)


def _add_ask_commands(commands: Any) -> None:
    """Add the commands that begin a session."""
    ask = _add_command(commands, "ask", "research a question and print the report")
    ask.add_argument("question")
    ask.add_argument("--mode", default="standard", metavar="|".join(MODES))
    ask.add_argument(
        "--library",
        metavar="NAME|PATH",
        help="search this library, folder or file",
    )
    ask.add_argument("--no-web", action="store_true", help="search the library only")
    ask.add_argument(
        "--engine",
        metavar="NAME",
        action="append",
        default=[],
        help="use only this search engine; can be repeated",
    )
    ask.add_argument("--strategy", default="planned", metavar="|".join(STRATEGIES))
    about = (
        "with --strategy agentic: let the model call this tool too (see `tools list`); can be"
        " repeated"
    )
    ask.add_argument("--tool", metavar="NAME", action="append", default=[], help=about)
    ask.add_argument(
        "--plan",
        action="store_true",
        help="show the plan first, to edit, approve or cancel it",
    )
    ask.add_argument(
        "--estimate",
        action="store_true",
        help="show expected time, calls and cost, and stop",
    )
    _add_approve_command(commands)
    rewrite = _add_session_command(
        commands,
        "rewrite",
        "write a report again with other settings; only failed or unusable calls are repeated",
    )
    rewrite.add_argument("--mode", metavar="|".join(MODES))
    for name, about in (
        ("approve", "include this source whatever its credibility"),
        ("strike", "exclude this source"),
        ("restore", "undo your decision on this source"),
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
        commands, "follow", "ask a follow-up question, starting from the pages already read"
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
        help="search for this, not for the proposed queries; can be repeated",
    )
    queries.add_argument("--no-queries", action="store_true", help="search for the question alone")
    sub_questions = approve.add_mutually_exclusive_group()
    sub_questions.add_argument(
        "--sub-question",
        metavar="TEXT",
        action="append",
        help="answer this, not the proposed sub-questions; can be repeated",
    )
    sub_questions.add_argument(
        "--no-sub-questions", action="store_true", help="answer the question as a whole"
    )


def _add_model_flags(command: argparse.ArgumentParser) -> None:
    command.add_argument("--model", help=MODEL_HELP)
    command.add_argument(
        "--length", choices=("brief", "normal", "long"), help="length of the report"
    )
    command.add_argument(
        "--writer", metavar="MODEL", help="model that writes the report (default: --model)"
    )
    command.add_argument(
        "--judge",
        metavar="MODEL",
        help="model that scores relevance and checks sentences (default: --model)",
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
        help="exclude sources with a credibility of X or less (0-1; default 0.5)",
    )
    command.add_argument(
        "--relevance-cutoff",
        type=int,
        metavar="N",
        help="keep sources with a relevance of at least N (1-5; default 3)",
    )
    about = (
        "extra instruction: what to look for, or the length, audience and form of the report; can"
        " be repeated"
    )
    command.add_argument("--instruct", metavar="TEXT", action="append", default=[], help=about)
    command.add_argument("--max-calls", type=int, metavar="N", help=MAX_CALLS_HELP)
    command.add_argument("--max-tokens", type=int, metavar="N", help="stop after N tokens")
    command.add_argument(
        "--max-cost", type=float, metavar="USD", help="stop at this cost in US dollars"
    )
    command.add_argument(
        "--max-seconds",
        type=float,
        metavar="S",
        help="start nothing new after S seconds, and write the report",
    )


def _add_library_commands(commands: Any) -> None:
    words = commands.add_parser(
        "library", help="add, list, search, share and remove local documents"
    )
    library = words.add_subparsers(required=True, metavar="WHAT")
    add = _add_command(
        library, "add", "add files, folders, ZIP and web archives, and web pages", "library "
    )
    about = "a path or web address; a first word that is neither is the name of the library"
    add.add_argument("sources", nargs="+", metavar="PATH|URL", help=about)
    add.add_argument(
        "--prune",
        action="store_true",
        help="remove documents whose files are gone from the folder",
    )
    add.add_argument(
        "--no-meaning",
        action="store_true",
        help="index new documents for search by meaning later",
    )
    listing = _add_command(
        library, "list", "list the libraries, or the documents of one", "library "
    )
    listing.add_argument(
        "library", nargs="?", metavar="NAME", help="the library whose documents to list"
    )
    listing.add_argument("--name", help="the same as NAME")
    search = _add_command(library, "search", "search the documents", "library ")
    search.add_argument("query")
    remove = _add_command(library, "remove", "remove documents, or a whole library", "library ")
    remove.add_argument(
        "words",
        nargs="*",
        metavar="NAME|DOCUMENT",
        help="the library, then the address, title or file name of each document; without documents,"
        " the whole library is removed",
    )
    remove.add_argument("--name", help="the library, instead of the first NAME")
    restore = _add_command(library, "restore", "list removed libraries, or restore one", "library ")
    restore.add_argument(
        "name",
        nargs="?",
        help="its name or id; without one, removed libraries are listed",
    )
    restore.add_argument("--name", dest="library", help="the library, instead of NAME")
    restore.add_argument(
        "--as", dest="new_name", metavar="NAME", help="new name (default: the old one)"
    )
    share = _add_command(
        library, "share", "share a library with everyone who signs in to the app", "library "
    )
    share.add_argument("name")
    share.add_argument("--end", action="store_true", help="make it private again")
    add.add_argument("--name", help="which library (default: my)")
    search.add_argument("--name", default="my", help="which library (default: my)")


def _add_tool_commands(commands: Any) -> None:
    words = commands.add_parser("tools", help="list and call the research tools")
    toolbox = words.add_subparsers(required=True, metavar="WHAT")
    _add_command(toolbox, "list", "list the tools and what each needs", "tools ").add_argument(
        "--json", action="store_true"
    )
    call = _add_command(toolbox, "call", "call a tool and print the result as JSON", "tools ")
    call.add_argument("name", metavar="NAME")
    call.add_argument(
        "--json",
        default="{}",
        metavar="'{…}'",
        help="the arguments as a JSON object; - reads standard input",
    )
    mcp = _add_command(
        commands,
        "mcp",
        "serve the tools to other programs over MCP (standard input and output, or HTTP)",
    )
    mcp.add_argument(
        "--http",
        action="store_true",
        help="serve over HTTP; docs/serving.md explains access",
    )
    mcp.add_argument(
        "--host", default="", help="with --http: address to listen on (default: 127.0.0.1)"
    )
    mcp.add_argument("--port", type=int, default=0, help="with --http: port (default: 8765)")


def _add_audit_commands(commands: Any) -> None:
    audit = _add_command(
        commands, "audit", "check which sentences of any report its cited sources support"
    )
    audit.add_argument(
        "source",
        metavar="FILE|URL|-",
        help="a report in Markdown, HTML, DOCX, PDF or plain text; document:SHA names one in a"
        " library",
    )
    # `assay audit verify FILE…` was the command that is `audit-log verify` now.
    audit.add_argument("files", nargs="*", help=argparse.SUPPRESS)
    audit.add_argument("--expect", default="", help=argparse.SUPPRESS)
    audit.add_argument(
        "--library",
        metavar="NAME|PATH",
        help="look for the cited pages in this library, folder or file first",
    )
    audit.add_argument(
        "--no-web", action="store_true", help="look for the cited pages in the library only"
    )
    audit.add_argument(
        "--model", help=f"also ask a language model about doubtful sentences: {MODEL_HELP}"
    )
    audit.add_argument("--max-calls", type=int, metavar="N", help=MAX_CALLS_HELP)
    audit.add_argument(
        "--max-cost", type=float, metavar="USD", help="stop at this cost in US dollars"
    )
    audit.add_argument(
        "--max-seconds", type=float, metavar="S", help="start nothing new after S seconds"
    )
    audit.add_argument(
        "--format",
        choices=tuple(export.AUDIT_FORMATS),
        help="of the result (default: by the name of the file of --out, else md); docx has a"
        " comment on each sentence",
    )
    audit.add_argument(
        "--out", metavar="FILE", help="write the result to this file, not to standard output"
    )
    audit.add_argument("--json", metavar="FILE", help="also write the result as JSON to this file")
    audit.add_argument(
        "--strict",
        action="store_true",
        help="exit with code 4 unless sentences are cited, all are supported and each mark has a"
        " source",
    )
    words = commands.add_parser("audit-log", help="check the log of tool calls")
    log = words.add_subparsers(required=True, metavar="WHAT")
    verify = _add_command(
        log, "verify", "check that no line was changed, removed or added", "audit-log "
    )
    about = "audit log; rotated files beside it are included (default: AUDIT_LOG_PATH)"
    verify.add_argument("files", nargs="*", metavar="FILE", help=about)
    verify.add_argument(
        "--expect",
        default="",
        metavar="HASH",
        help="an earlier last hash, or its beginning: fail if no line has it",
    )


def _add_data_commands(commands: Any) -> None:
    words = commands.add_parser(
        "data", help="show, export or erase your data; manage consents and workspaces"
    )
    data = words.add_subparsers(required=True, metavar="WHAT")
    _add_command(data, "show", "show what is stored about you, and your consents", "data ")
    _add_command(data, "export", "print all your data as JSON", "data ")
    for name, about in (
        ("consent", "consent to storing one kind of data"),
        ("withdraw", "withdraw a consent; data already stored stays"),
    ):
        _add_command(data, name, about, "data ").add_argument("purpose", choices=CONSENT_PURPOSES)
    for name, about in (
        ("join", "join a workspace"),
        ("leave", "leave a workspace"),
    ):
        _add_command(data, name, about, "data ").add_argument("workspace", metavar="WORKSPACE")
    erase = _add_command(data, "erase", "delete all your data and sessions permanently", "data ")
    erase.add_argument("--yes", action="store_true", help="confirm the permanent deletion")
    _add_command(
        data,
        "rotate",
        "re-encrypt with CACHE_ENCRYPTION_KEY what CACHE_ENCRYPTION_KEY_PREV encrypted",
        "data ",
    )
    _add_command(
        data,
        "salvage",
        "recover what can be read of a damaged database that was set aside",
        "data ",
    ).add_argument("file", nargs="?", metavar="FILE", help="default: the oldest one set aside")
    _add_command(data, "compact", "free the disk space of deleted data", "data ")


def _add_ratings_commands(commands: Any) -> None:
    words = commands.add_parser(
        "ratings",
        help="ratings of hosts: imported lists of expert ratings, and your own",
    )
    ratings = words.add_subparsers(required=True, metavar="WHAT")
    add = _add_command(
        ratings,
        "add",
        "import a list of expert ratings, for new runs",
        "ratings ",
    )
    add.add_argument(
        "source",
        metavar="FILE|URL|NAME",
        help=f"CSV, TSV or JSON, or a published list: {', '.join(PRESETS)}",
    )
    add.add_argument("--name", default="", help="name of the list (default: the file name)")
    add.add_argument(
        "--domain",
        default="",
        metavar="COLUMN",
        help="column with the hosts, if its name is not recognised",
    )
    add.add_argument(
        "--value",
        default="",
        metavar="COLUMN",
        help="column with the ratings, if its name is not recognised",
    )
    about = (
        "scale of the ratings, worst first, such as 1-5 (default: the smallest of 0-1, 0-5, 0-10,"
        " 0-100 and -1-1 that fits)"
    )
    add.add_argument("--scale", type=_parse_scale, metavar="LOW-HIGH", help=about)
    _add_ratings_lookup_commands(ratings)


def _add_ratings_lookup_commands(ratings: Any) -> None:
    _add_command(
        ratings, "list", "list imported ratings, and lists that can be imported by name", "ratings "
    )
    _add_command(
        ratings, "remove", "remove a list; sessions that used it keep its ratings", "ratings "
    ).add_argument("name")
    of = _add_command(ratings, "of", "show what is known about hosts, part by part", "ratings ")
    of.add_argument("hosts", nargs="+", metavar="HOST|URL")
    about = f"ignore this part ({', '.join(AUTHORITY_PARTS)}); can be repeated"
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
        "rate a host yourself, for new runs",
        "ratings ",
    )
    word.add_argument("host", metavar="HOST")
    about = "0 to 1, for the host and its subdomains; 0 excludes its pages"
    word.add_argument("authority", type=float, help=about)
    word.add_argument("reason", help="why you rate it so")
    _add_command(ratings, "unsay", "remove your rating of a host", "ratings ").add_argument(
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
