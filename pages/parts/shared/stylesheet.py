"""Join the style sheets of pages/style in the order in which later rules win.

They find elements by the keys of containers and widgets: key="start" gives the class st-key-start,
so that many keys have no other use. Also holds the height of wrapped table rows, which CSS cannot
set.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "style"
#: frame: colors and the frame of every screen; words: lines and badges; paper: the printed report.
#: ask also styles Sessions, gate the lists of sources, compare Replay, and library Settings.
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

#: Height in pixels of a table row that wraps its text; Streamlit does not wrap lower rows.
WRAPPED_ROW_HEIGHT = 66


def read_stylesheet() -> str:
    """Return all style sheets, read anew each time so that changes show on the next rerun."""
    return "\n".join((FOLDER / f"{name}.css").read_text(encoding="utf-8") for name in FILES)
