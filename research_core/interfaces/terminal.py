"""What the commands and servers share: the type of a command, exit codes, and how they print."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from research_core.wiring import Resources

#: What a command does; it returns the exit code. A group of commands has them by their words.
Command = Callable[[argparse.Namespace, "Resources"], int]
Commands = dict[str, Command]
#: Exit codes: a report or whatever was asked for, a failure, wrong use, too little evidence, and
#: with --strict a sentence that is not in its source.
DONE, FAILED, USAGE, INSUFFICIENT, UNSUPPORTED = 0, 1, 2, 3, 4


def say(words: str) -> None:
    """Print a line of progress or trouble to stderr; stdout is for results."""
    # In one write: threads that print together would share a line.
    print(f"{words}\n", end="", file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Print a result as JSON to stdout."""
    print(json.dumps(value, ensure_ascii=False, indent=2))
