"""Start a worker process: `python -m research_core.workers`, as run.py and older set-ups call it.

Only a program; the work is in `sessions/workers`.
"""

from __future__ import annotations

import sys

from research_core.quiet_exit import exit_on_interrupt, import_without_collecting


def main() -> int:
    """Take sessions until a signal ends the process; return the exit code of a failed start."""
    exit_on_interrupt()  # the import below is slow, and a Ctrl-C during it must exit quietly
    with import_without_collecting():
        from research_core.sessions import dbos_queue  # noqa: F401 - imported when it starts
        from research_core.sessions.workers import main as serve

    return serve()


if __name__ == "__main__":
    sys.exit(main())
