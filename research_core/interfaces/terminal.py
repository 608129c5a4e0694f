"""What the commands and servers share: the type of a command, exit codes, and how they print."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research_core.errors import ResearchError, Stopped
from research_core.quiet_exit import discard_output

if TYPE_CHECKING:
    from research_core.wiring import Resources

#: What a command does; it returns the exit code. A group of commands has them by their words.
Command = Callable[[argparse.Namespace, "Resources"], int]
Commands = dict[str, Command]
#: Exit codes: a report or whatever was asked for, a failure, wrong use, too little evidence, with
#: --strict a sentence that is not in its source, and a plan that waits to be approved.
DONE, FAILED, USAGE, INSUFFICIENT, UNSUPPORTED, WAITING = 0, 1, 2, 3, 4, 5


def find_program_name(started: str | None = None) -> str:
    """Return what a user types to start this program: "assay", or "python3 run.py".

    `run.py` starts a module of .venv, whose command `assay` is then usually not on the PATH.
    started: the path of the started program, by default this one's.
    """
    path = Path(sys.argv[0] if started is None else started)
    has_run_file = (Path(__file__).parents[2] / "run.py").is_file()
    is_module = path.parts[-2:] == ("research_core", "__main__.py")
    return "python3 run.py" if is_module and has_run_file else "assay"


def rename_commands(line: str, program: str) -> str:
    """Write the commands in a line, such as `assay sessions`, with this program's name."""
    return line.replace("`assay ", f"`{program} ")


#: What takes the lines of `say` in place of stderr, at most one.
_line_writers: list[Callable[[str], object]] = []


def redirect_lines(write: Callable[[str], object] | None) -> None:
    """Pass the lines of `say` to a function; None: print them."""
    _line_writers[:] = [] if write is None else [write]


def say(words: str) -> None:
    """Print a line of progress or trouble to stderr; stdout is for results."""
    line = rename_commands(words, find_program_name())
    if _line_writers:
        _line_writers[0](line)
        return
    # In one write: threads that print together would share a line.
    print(f"{line}\n", end="", file=sys.stderr, flush=True)


def say_error(error: ResearchError, more: str = "", *, begin: str = "assay: ") -> None:
    """Print an error and one more sentence, given in English, in the language of the screens."""
    from research_core.i18n import join_sentences, use_language
    from research_core.settings import read_language
    from research_core.web.failure_texts import describe_failure, translate_failure

    with use_language(read_language()):
        said = join_sentences([describe_failure(error), translate_failure(more)])
    say(f"{begin}{said}")


def say_progress(words: str) -> None:
    """Print a line about a run.

    Raises Stopped if the reader of stderr has ended; `assay resume` continues such a run.
    """
    try:
        say(words)
    except BrokenPipeError:
        discard_output()
        raise Stopped("shutdown") from None


def print_json(value: Any) -> None:
    """Print a result as JSON to stdout."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
