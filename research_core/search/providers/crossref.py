"""Look up what Crossref and Retraction Watch record against a work: retractions, corrections.

One look-up by DOI. A DOI unknown to Crossref proves nothing: other agencies register DOIs too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.model_messages import Json
from research_core.search.providers.reply import changed_format_error, drop_empty, get_json
from research_core.text.dates import parse_date_parts

NAME = "Crossref"
WORKS = "https://api.crossref.org/works"
#: Notice types by meaning, gravest first. Other types (a new version) are harmless.
KINDS = {
    "retraction": frozenset({"retraction", "partial_retraction", "withdrawal", "removal"}),
    "expression_of_concern": frozenset({"expression_of_concern"}),
    "correction": frozenset({"correction", "corrigendum", "erratum", "addendum", "clarification"}),
}
SOURCES = frozenset({"retraction-watch", "publisher"})


@dataclass(frozen=True)
class IntegrityNotice:
    """The gravest notice about a work.

    kind: a key of `KINDS`; date: YYYY-MM-DD or ""; source: retraction-watch | publisher | "".
    """

    kind: str
    date: str = ""
    notice: str = ""
    source: str = ""

    def as_json(self) -> Json:
        """Return the notice as the tools send it, without unknown fields."""
        known = {"date": self.date, "noticeDoi": self.notice, "source": self.source}
        return {
            "retracted": self.kind == "retraction",
            "kind": self.kind,
            **drop_empty(known),
        }


def fetch_notice(http: Http, doi: str) -> IntegrityNotice | None:
    """Return the gravest notice about the work of this bare DOI.

    None if Crossref has no notice or no such DOI. Raises SearchError.
    """
    held = fetch_record(http, doi)
    return find_gravest_notice(held) if held is not None else None


def fetch_record(http: Http, doi: str) -> Json | None:
    """Return Crossref's record of this bare DOI, or None. Raises SearchError."""
    try:
        answer = get_json(http, NAME, f"{WORKS}/{quote(doi.lower(), safe='/')}", {})
    except SearchError as error:
        if error.status == 404:
            return None
        raise
    message = answer.get("message") if isinstance(answer, dict) else None
    if not isinstance(message, dict):
        raise changed_format_error(NAME, "there is no work in it")
    return message


def find_gravest_notice(work: Mapping[str, Any]) -> IntegrityNotice | None:
    """Return the gravest notice in a Crossref record, or None. Raises SearchError."""
    found = sorted(
        _read_notices(work.get("updated-by", [])),
        key=lambda notice: (list(KINDS).index(notice.kind), notice.date),
    )
    return found[0] if found else None


def _read_notices(rows: Any) -> Iterator[IntegrityNotice]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise changed_format_error(NAME, "the notices about a work are no list of objects")
    for row in rows:
        kind = _find_kind(str(row.get("type", "")))
        if kind:
            source = str(row.get("source", ""))
            yield IntegrityNotice(
                kind,
                _read_day(row.get("updated")),
                str(row.get("DOI", ""))[:300],
                source if source in SOURCES else "",
            )


def _find_kind(written: str) -> str:
    """Return the key of `KINDS` for a type of notice as publishers write it; "" if harmless."""
    name = written.lower().replace(" ", "_")
    for kind, types in KINDS.items():
        if name in types:
            return kind
    return ""


def _read_day(updated: Any) -> str:
    """Return the date of a notice as far as its date-parts give it."""
    try:
        return parse_date_parts(*(str(part) for part in updated["date-parts"][0][:3]))
    except (TypeError, KeyError, IndexError):
        return ""
