"""Draw the result of an import: files read, empty, skipped or unreadable, with the reasons."""

from __future__ import annotations

from typing import Any

import streamlit as st

from parts.shared import current_user, failures, jobs
from parts.shared.badges import Badge
from parts.shared.html_text import escape_line
from research_core.wiring import default_resources

#: Badge of each `importing.FileResult.state`.
IMPORT_BADGES = {
    "added": Badge("✓", "read", "green"),
    "replaced": Badge("✓", "read, replaces the older one", "green"),
    "unchanged": Badge("=", "already here", "gray"),
    "repeated": Badge("=", "same as another", "gray"),
    "taken": Badge("⊘", "address already taken", "orange"),
    "left": Badge("–", "left out", "gray"),
    "empty": Badge("○", "nothing in it", "gray"),
    "refused": Badge("⊘", "not taken", "red"),
    "failed": Badge("!", "could not be read", "orange"),
}
MAX_FILES = 200
MAX_MISSING = 12


def draw(added: Any) -> None:
    """Draw the counts, and a line for each file, failures first."""
    first, *_ = added.sentence().splitlines()
    files = sorted(added.files, key=lambda file: (not file.reason, file.state == "left"))
    rows = "".join(
        f"<li>{IMPORT_BADGES[file.state].html} {escape_line(file.name, 120)}"
        f" <span>{escape_line(file.reason, 300)}</span></li>"
        for file in files[:MAX_FILES]
    )
    more = f"<li>and {len(files) - MAX_FILES} more</li>" if len(files) > MAX_FILES else ""
    st.html(
        f'<p role="status">{escape_line(first)}</p><ul class="taken" tabindex="0" aria-label="What'
        f' became of each file">{rows}{more}</ul>'
    )


def draw_missing(added: Any, name: str) -> None:
    """List documents whose files have left the folder, and offer to remove them."""
    if not added.gone:
        return
    places = "".join(f"<li>{escape_line(place, 200)}</li>" for _, place in added.gone[:MAX_MISSING])
    if len(added.gone) > MAX_MISSING:
        places += f"<li>and {len(added.gone) - MAX_MISSING:,} more</li>"
    st.html(
        f'<p role="status">{escape_line(added.missing())}</p><ul class="taken" aria-label="No '
        f'longer in the folder">{places}</ul>'
    )
    if st.button(
        f"Take {'it' if len(added.gone) == 1 else 'them'} out of the library",
        key="prune",
        icon=":material/delete:",
    ):
        with failures.show_failures():
            library = default_resources().library(current_user.current_principal())
            library.remove(name, [url for url, _ in added.gone])
            jobs.forget_job("import")
            st.rerun()
