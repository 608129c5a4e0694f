"""What became of files that were added to a library: read, empty, not taken or not readable, each with its reason."""

from __future__ import annotations

from typing import Any

import streamlit as st

from parts.badges import Badge
from parts.safe import markup

#: What a file came to, as `library.FileRead.state` says it.
STATE = {
    "added": Badge("✓", "read", "green"),
    "replaced": Badge("✓", "read, replaces the older one", "green"),
    "unchanged": Badge("=", "already here", "gray"),
    "repeated": Badge("=", "same as another", "gray"),
    "empty": Badge("○", "nothing in it", "gray"),
    "refused": Badge("⊘", "not taken", "red"),
    "failed": Badge("!", "could not be read", "orange"),
}
SHOWN = 200


def draw(added: Any) -> None:
    """The counts, and a line for each file, what went wrong first."""
    first, *_ = added.sentence().splitlines()
    files = sorted(added.files, key=lambda file: not file.reason)
    rows = "".join(
        f"<li>{STATE[file.state].html} {markup(file.name, 120)} <span>{markup(file.reason, 300)}</span></li>" for file in files[:SHOWN]
    )
    more = f"<li>and {len(files) - SHOWN} more</li>" if len(files) > SHOWN else ""
    st.html(f'<p role="status">{markup(first)}</p><ul class="taken" tabindex="0" aria-label="What became of each file">{rows}{more}</ul>')
