"""The style sheet: a file of pages/style for each screen or part, put together in the order in
which later rules win over earlier.

Beside it what no style sheet can say of a table.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "style"
#: frame: colours and what stands around every screen; words: lines and badges; paper: the report in
#: print. Ask has Sessions with it, Gate the lists of sources, Compare has Replay, Library has
#: Settings.
FILES = (
    "frame",
    "words",
    "ask",
    "live",
    "gate",
    "report",
    "paper",
    "sources",
    "compare",
    "library",
    "tools",
    "my_data",
    "how_far",
)

#: Pixels of a table's row that wraps its words; Streamlit wraps those of none that is lower.
FULL_WIDTH = 66


def read_stylesheet() -> str:
    """All of it. Read anew each time, so that a change shows on the next rerun."""
    return "\n".join((FOLDER / f"{name}.css").read_text(encoding="utf-8") for name in FILES)
