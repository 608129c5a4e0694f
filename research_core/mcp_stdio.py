"""Run the MCP server on standard input and output: `python -m research_core.mcp_stdio`.

While modules are imported, the garbage collector finds nothing and scans everything repeatedly, so
it is off until then.
"""

from __future__ import annotations

import gc
import sys

from research_core.quiet_exit import quiet_interrupts


def main() -> int:
    """Serve this machine's tools on standard input and output; return the exit code."""
    with quiet_interrupts():
        gc.disable()
        from research_core.interfaces.mcp.server import main as serve

        gc.freeze()
        gc.enable()
        return serve()


if __name__ == "__main__":
    sys.exit(main())
