"""Run the commands of the command line, `assay`.

Progress goes to stderr, the report to stdout. Exit codes: 0 a report, 3 insufficient data, 2 usage
or configuration, 1 failure, 4 unsupported sentences with --strict, 5 a plan that waits for
approval, 130 interrupted, 141 closed output. Every error is one line that names the next step.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from research_core.errors import ResearchError, SettingsError, Stopped, UsageError
from research_core.interfaces.cli.arguments import build_parser
from research_core.interfaces.terminal import FAILED, USAGE, Command, Commands, say, say_error
from research_core.quiet_exit import INTERRUPTED_CODE, discard_output, quiet_interrupts

if TYPE_CHECKING:
    from research_core.settings import Settings
    from research_core.wiring import Resources

#: The first words of the commands by the module that runs them. A command imports no module but its
#: own, so that each answers at once.
MODULES = {
    "ask": ("ask", "approve", "rewrite", "follow", "resume", "replay"),
    "sessions": ("sessions", "cancel", "allow", "refuse", "delete", "restore", "cache"),
    "show": ("show", "compare"),
    "reports": ("export", "lint", "recheck", "agreement"),
    "library": ("library",),
    "audits": ("audit",),
    "tools": ("tools", "mcp", "audit-log"),
    "data": ("data",),
    "ratings": ("ratings",),
    "doctor": ("doctor",),
    "servers": ("app", "worker"),
}
#: Characters shown of an argument that cannot be used.
MAX_SHOWN_CHARACTERS = 60


def main(
    argv: Sequence[str] | None = None,
    *,
    open_resources: Callable[[Settings], Resources] | None = None,
) -> int:
    """Run one command and return the exit code.

    open_resources: opens what the command uses; by default the real ones.
    """
    try:
        _use_utf8_output()
        arguments = _parse_arguments(argv)
        with quiet_interrupts():
            from research_core.settings import Settings
            from research_core.wiring import Resources

            command = find_command(arguments.command)
        with closing((open_resources or Resources)(Settings.from_env())) as resources:
            code = command(arguments, resources)
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
        say("Interrupted. You can run the same command again.")
        return INTERRUPTED_CODE
    except BrokenPipeError:  # whoever read our output has left
        return discard_output()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _print_error(
            ResearchError(
                f"The operating system reported an error: {where}{error.strerror or error}."
            ),
            FAILED,
        )


def find_command(words: str) -> Command:
    """Return the command of these words, such as "library add"."""
    first = words.split()[0]
    name = next(name for name, first_words in MODULES.items() if first in first_words)
    commands: Commands = import_module(f"research_core.interfaces.cli.{name}").COMMANDS
    return commands[words]


def _parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse the arguments. --help and --version end the program here.

    Raises UsageError for text that can neither be stored nor sent.
    """
    for place, word in enumerate(sys.argv[1:] if argv is None else argv, start=1):
        if not word.isascii() or "\0" in word:
            _require_storable(place, word)
    try:
        return build_parser().parse_args(argv)
    except SystemExit:
        sys.stdout.flush()
        raise


def _require_storable(place: int, word: str) -> None:
    """Raise UsageError for an argument that can neither be stored nor sent."""
    from research_core.text.words import describe_unstorable

    what = describe_unstorable(word)
    if what:
        raise UsageError(
            f"Argument {place} ({word[:MAX_SHOWN_CHARACTERS]!a}) contains {what}, which is not allowed.",
            next_step="Remove it, or rename the file if it is part of a file name.",
        )


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
    say_error(error)
    return code
