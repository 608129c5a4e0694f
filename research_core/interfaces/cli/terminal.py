"""What the modules of the command line share: how a command ends, and how it says something. It
knows no command.
"""

from __future__ import annotations

import sys

#: Exit codes: a report or whatever was asked for, a failure, wrong use, too little evidence, with
#: --strict what is not in its source; INTERRUPTED: Ctrl-C.
DONE, FAILED, USAGE, INSUFFICIENT, UNSUPPORTED = 0, 1, 2, 3, 4


def say(words: str) -> None:
    """A line of progress or trouble, on stderr: stdout is for what was asked for."""
    print(
        f"{words}\n", end="", file=sys.stderr, flush=True
    )  # at once: threads that speak together would share a line
