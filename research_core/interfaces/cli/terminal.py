"""Define the exit codes of the command line, and print messages to stderr."""

from __future__ import annotations

import sys

#: Exit codes: a report or whatever was asked for, a failure, wrong use, too little evidence, with
#: --strict what is not in its source; INTERRUPTED: Ctrl-C.
DONE, FAILED, USAGE, INSUFFICIENT, UNSUPPORTED = 0, 1, 2, 3, 4


def say(words: str) -> None:
    """Print a line of progress or trouble to stderr; stdout is for results."""
    print(
        f"{words}\n", end="", file=sys.stderr, flush=True
    )  # at once: threads that speak together would share a line
