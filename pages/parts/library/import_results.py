"""What became of files and pages that were added to a library: read, empty, left out, not taken or
not readable, each with its reason.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from parts.shared import current_user, failures, jobs
from parts.shared.badges import Badge
from parts.shared.html_text import markup
from research_core.wiring import default_office

#: What a file came to, as `library.FileRead.state` says it.
STATE = {
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
SHOWN = 200
GONE = 12


def draw(added: Any) -> None:
    """The counts, and a line for each file, what went wrong first."""
    first, *_ = added.sentence().splitlines()
    files = sorted(added.files, key=lambda file: (not file.reason, file.state == "left"))
    rows = "".join(
        f"<li>{STATE[file.state].html} {markup(file.name, 120)}"
        f" <span>{markup(file.reason, 300)}</span></li>"
        for file in files[:SHOWN]
    )
    more = f"<li>and {len(files) - SHOWN} more</li>" if len(files) > SHOWN else ""
    st.html(
        f'<p role="status">{markup(first)}</p><ul class="taken" tabindex="0" aria-label="What'
        f' became of each file">{rows}{more}</ul>'
    )


def gone(added: Any, name: str) -> None:
    """The documents whose files are no longer in the folder, and the way to take them out; nothing
    where there are none.
    """
    if not added.gone:
        return
    places = "".join(f"<li>{markup(place, 200)}</li>" for _, place in added.gone[:GONE])
    more = f"<li>and {len(added.gone) - GONE:,} more</li>" if len(added.gone) > GONE else ""
    st.html(
        f'<p role="status">{markup(added.missing())}</p><ul class="taken" aria-label="No longer in'
        f' the folder">{places}{more}</ul>'
    )
    if st.button(
        f"Take {'it' if len(added.gone) == 1 else 'them'} out of the library",
        key="prune",
        icon=":material/delete:",
    ):
        with failures.shown():
            default_office().library(current_user.who()).remove(
                name, [url for url, _ in added.gone]
            )
            jobs.forget("import")
            st.rerun()
