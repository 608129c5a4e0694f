"""Run the command line: `assay`, or `python -m research_core`."""

from __future__ import annotations

import gc

from research_core.quiet_exit import open_standard_streams, quiet_interrupts


def program() -> None:
    """Run one command and exit."""
    collect_rarely()
    open_standard_streams()
    with quiet_interrupts():
        from research_core.interfaces.cli.commands import run_program as run
    run()


def collect_rarely() -> None:
    """Let the garbage collector run rarely: what one command imports and reads lives to its end,
    and going over it again and again takes a seventh of a start.
    """
    gc.set_threshold(50_000, 20, 50)


if __name__ == "__main__":
    program()
