"""What Crossref, with the Retraction Watch data it carries, records against a work: retracted,
doubted, corrected, or nothing.

One look-up by DOI. That a DOI is not Crossref's says nothing about it: other agencies register DOIs
too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.model_messages import Json
from research_core.search.providers.reply import changed_format_error, get_json
from research_core.text.dates import parse_date_parts

NAME = "Crossref"
WORKS = "https://api.crossref.org/works"
#: The types of a notice, by what they mean for the work, the gravest first. Other types (a new
#: version) say nothing against it.
KINDS = {
    "retraction": frozenset({"retraction", "partial_retraction", "withdrawal", "removal"}),
    "expression_of_concern": frozenset({"expression_of_concern"}),
    "correction": frozenset({"correction", "corrigendum", "erratum", "addendum", "clarification"}),
}
SOURCES = frozenset({"retraction-watch", "publisher"})


@dataclass(frozen=True)
class IntegrityNotice:
    """The gravest notice about a work. kind: a key of `KINDS`; date: YYYY-MM-DD or ""; source:
    retraction-watch | publisher | "".
    """

    kind: str
    date: str = ""
    notice: str = ""
    source: str = ""

    def as_json(self) -> Json:
        """As the tools answer it; what is not known is left out."""
        known = {"date": self.date, "noticeDoi": self.notice, "source": self.source}
        return {
            "retracted": self.kind == "retraction",
            "kind": self.kind,
            **{name: value for name, value in known.items() if value},
        }


def fetch_notice(http: Http, doi: str) -> IntegrityNotice | None:
    """The gravest notice about the work of this bare DOI; None where Crossref has none, or does not
    hold the DOI. Raises SearchError.
    """
    held = fetch_record(http, doi)
    return find_gravest_notice(held) if held is not None else None


def fetch_record(http: Http, doi: str) -> Json | None:
    """What Crossref has registered for this bare DOI; None where it holds no such DOI. Raises
    SearchError.
    """
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
    """The gravest notice that a record of Crossref has about its work. Raises SearchError."""
    found = sorted(
        _read_notices(work.get("updated-by", [])),
        key=lambda notice: (list(KINDS).index(notice.kind), notice.date),
    )
    return found[0] if found else None


def _read_notices(rows: Any) -> Iterator[IntegrityNotice]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise changed_format_error(NAME, "the notices about a work are no list of objects")
    for row in rows:
        kind = next(
            (
                kind
                for kind, types in KINDS.items()
                if str(row.get("type", "")).lower().replace(" ", "_") in types
            ),
            "",
        )
        if kind:
            source = str(row.get("source", ""))
            yield IntegrityNotice(
                kind,
                _read_day(row.get("updated")),
                str(row.get("DOI", ""))[:300],
                source if source in SOURCES else "",
            )


def _read_day(updated: Any) -> str:
    """The day of a notice, as far as its date-parts say one."""
    try:
        return parse_date_parts(*(str(part) for part in updated["date-parts"][0][:3]))
    except (TypeError, KeyError, IndexError):
        return ""
