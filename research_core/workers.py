"""Start a worker process: `python -m research_core.workers`, as run.py and older set-ups call it.

Only a program; the work is in `sessions/workers`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from research_core.quiet_exit import exit_on_interrupt, import_without_collecting

if TYPE_CHECKING:
    from research_core.wiring import Resources


def main() -> int:
    """Take sessions until a signal ends the process; return the exit code of a failed start."""
    exit_on_interrupt()  # the import below is slow, and a Ctrl-C during it must exit quietly
    with import_without_collecting():
        from research_core.interfaces import log_lines
        from research_core.sessions import dbos_queue  # noqa: F401 - imported when it starts
        from research_core.sessions.workers import main as serve

    log_lines.set_up_from_environment("worker")
    return serve(_serve_metrics)


def _serve_metrics(resources: Resources) -> None:
    """Serve metrics if a port is set; the library is imported only then."""
    if resources.settings.metrics_port:
        from research_core.interfaces import program_metrics

        program_metrics.serve_metrics(resources)


if __name__ == "__main__":
    sys.exit(main())
