"""`python -m research_core.mcp_stdio`: the MCP server as a program. It only sees to it that the
server is there soon, and ends on Ctrl-C.

While modules are imported the collector finds nothing to collect and looks through everything again
and again; that is left for later.
"""

from __future__ import annotations

import gc
import sys

from research_core.quiet_exit import quiet_interrupts


def main() -> int:
    """Serve this machine's tools on standard input and output; the exit code."""
    with quiet_interrupts():
        gc.disable()
        from research_core.interfaces.mcp.server import main as serve

        gc.freeze()
        gc.enable()
        return serve()


if __name__ == "__main__":
    sys.exit(main())
