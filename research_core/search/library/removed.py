"""Find a removed library by what a user typed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from research_core.errors import UsageError
from research_core.model_messages import Json
from research_core.text.words import format_count

#: Characters of an id that are shown, and the fewest that find a library.
SHOWN_ID_LENGTH = 8
MIN_ID_LENGTH = 4
RESTORE_STEP = (
    "`assay library restore` without a name, and the app's Library screen, list those that can be"
    " restored."
)


def find_removed_library(rows: Sequence[Json], wanted: str) -> Json:
    """Return the row of `list_removed_libraries` that a name or the start of an id means.

    A name comes before an id. Raises UsageError if none or several match.
    """
    matches = [row for row in rows if row["title"] == wanted]
    if not matches and len(wanted) >= MIN_ID_LENGTH:
        matches = [row for row in rows if row["id"].startswith(wanted.casefold())]
    if not matches:
        raise UsageError(f"No library {wanted!r} was removed recently.", next_step=RESTORE_STEP)
    if len(matches) > 1:
        listed = "; ".join(describe_removed_library(row) for row in matches)
        raise UsageError(
            f"{len(matches)} removed libraries match {wanted!r}: {listed}.",
            next_step="Give the id of one of them instead, as in"
            f" `assay library restore {shorten_id(matches[0])}`.",
        )
    return matches[0]


def shorten_id(row: Json) -> str:
    return str(row["id"])[:SHOWN_ID_LENGTH]


def describe_removed_library(row: Json) -> str:
    """Return the start of the id, the time of the removal in UTC, and the number of documents."""
    moment = datetime.fromtimestamp(row["removed"], UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"{shorten_id(row)} removed {moment}, {format_count(row['documents'], 'document')}"
