"""Run the command line: `assay`, or `python -m research_core`."""

from __future__ import annotations

import gc

from research_core.quiet_exit import COMMAND_THRESHOLDS, open_standard_streams, quiet_interrupts


def program() -> None:
    """Run one command and exit."""
    gc.set_threshold(*COMMAND_THRESHOLDS)  # a server sets its own (`cli/tools`)
    open_standard_streams()
    with quiet_interrupts():
        from research_core.interfaces.cli.commands import run_program as run
    run()


if __name__ == "__main__":
    program()
