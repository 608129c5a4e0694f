"""Run a process that runs sessions: `python -m research_core.workers`."""

from __future__ import annotations

import sys

from research_core.sessions.workers import main

if __name__ == "__main__":
    sys.exit(main())
