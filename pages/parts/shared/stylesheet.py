"""Join the style sheets of pages/style in the order in which later rules win.

Also holds the height of wrapped table rows, which CSS cannot set.
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
WRAPPED_ROW_HEIGHT = 66


def read_stylesheet() -> str:
    """Return all style sheets, read anew each time so that changes show on the next rerun."""
    return "\n".join((FOLDER / f"{name}.css").read_text(encoding="utf-8") for name in FILES)
