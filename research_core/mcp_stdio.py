"""Run the MCP server on standard input and output: `python -m research_core.mcp_stdio`."""

from __future__ import annotations

import sys

from research_core.quiet_exit import import_without_collecting, quiet_interrupts


def main() -> int:
    """Serve this machine's tools on standard input and output; return the exit code."""
    with quiet_interrupts():
        with import_without_collecting():
            from research_core.interfaces import log_lines
            from research_core.interfaces.mcp.server import main as serve

        log_lines.set_up_from_environment("mcp")
        return serve()


if __name__ == "__main__":
    sys.exit(main())
