"""Run the command line: `assay`, or `python -m research_core`."""

from __future__ import annotations

from research_core.quiet_exit import (
    open_standard_streams,
    quiet_interrupts,
    settle_collector_for_command,
)


def program() -> None:
    """Run one command and exit."""
    settle_collector_for_command()  # a server sets its own (`cli/tools`)
    open_standard_streams()
    with quiet_interrupts():
        from research_core.interfaces.cli.commands import run_program as run
    run()


if __name__ == "__main__":
    program()
