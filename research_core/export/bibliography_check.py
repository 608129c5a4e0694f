"""Prepare a bibliography for the tool `audit_bibliography`, and read the tool's answer."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from research_core.citations.formats import csl, reading
from research_core.citations.formats.item import Item
from research_core.citations.formats.styles import format_reference_list
from research_core.errors import UsageError
from research_core.export import cells, report_bibliography
from research_core.model_messages import Json
from research_core.models import Principal
from research_core.pipeline import report
from research_core.sessions import snapshot as snapshots
from research_core.tools.client_session.answers import list_items
from research_core.tools.client_session.view import fold_client_session
from research_core.wiring import LOCAL_USER, Resources

#: The states of an entry, the gravest first.
STATES = (
    "retracted",
    "not_found",
    "another",
    "dead_link",
    "mischaracterized",
    "unchecked",
    "linked",
    "noted",
    "ok",
)
#: States that speak against an entry, and those as grave as a work that does not exist.
ADVERSE_STATES, SEVERE_STATES = STATES[:5], STATES[:3]
#: File suffixes of styles that have one; any other style is a text file.
SUFFIXES = {"bibtex": ".bib", "ris": ".ris", "csl-json": ".json"}
_COLUMNS = ("index", "state", "title", "doi", "url", "reason", "archivedUrl")


@dataclass(frozen=True)
class BibliographyRequest:
    """A bibliography to check.

    works: in the order of the answer's entries; arguments: of the tool; refused: what could not be
    read.
    """

    name: str
    works: tuple[Item, ...]
    arguments: Json
    refused: tuple[str, ...] = ()


def request_from_text(text: str, name: str = "the pasted list") -> BibliographyRequest:
    """Build the request for a list in any supported format.

    Raises UsageError, with the line, if it has no works.
    """
    found = reading.read_bibliography(text)
    refused = tuple(f"Line {each.line}: {each.reason}" for each in found.refused)
    if not found.entries:
        raise UsageError(
            f"None of it could be read. {' '.join(refused[:3])}",
            next_step="Give references, one a line, or an export.",
        )
    works = tuple(entry.item for entry in found.entries)
    return BibliographyRequest(name, works, {"bibliography": text, "format": found.format}, refused)


def request_from_session(
    resources: Resources, session: str, *, who: Principal = LOCAL_USER
) -> BibliographyRequest:
    """Build the request for the sources of a session's report, or of a client's session.

    Raises UsageError if there are none.
    """
    snapshot = snapshots.read_session(resources, session, who=who)
    name = snapshot.info.row.title or snapshot.info.row.question
    if snapshot.info.row.until is not None:
        works = list_items(fold_client_session(snapshot.events))
    else:
        works = (
            report_bibliography.build_items(report.build(snapshot.run))
            if snapshot.run.report is not None
            else ()
        )
    works = tuple(work for work in works if work.address or work.doi)
    if not works:
        raise UsageError(
            "This session lists no source on the web yet.",
            next_step="Wait for its report, or choose another session.",
        )
    return BibliographyRequest(name, works, {"entries": [_build_entry(work) for work in works]})


def request_rest(request: BibliographyRequest, done: int) -> BibliographyRequest:
    """Build the request for the works after the first `done`, which were checked already."""
    rest = request.works[done:]
    entries = request.arguments.get("entries")
    arguments: Json = {}
    if entries:
        arguments["entries"] = entries[len(entries) - len(rest) :]
    else:
        # No style: works would be sorted and repeated ones left out.
        numbered = ((str(number), work) for number, work in enumerate(rest))
        arguments |= {"bibliography": csl.format_csl_json(numbered), "format": "csl-json"}
    return replace(request, arguments=arguments)


def join_answers(first: Json, second: Json) -> Json:
    """Return the answers to two parts of a list as one: the entries, counts and notes of both.

    skippedNote is left out, since it counts the entries of the second part alone.
    """
    begin = len(first["entries"])
    entries = [{**entry, "index": entry["index"] + begin} for entry in second["entries"]]
    summary: Counter[str] = Counter(first["summary"])
    summary.update(second["summary"])
    joined = {
        **second,
        "source": first["source"],
        "entryCount": begin + len(entries),
        "summary": dict(summary),
        "entries": [*first["entries"], *entries],
    }
    joined.pop("skippedNote", None)
    if "continueFrom" in second:
        joined["continueFrom"] = begin + second["continueFrom"]
    notes = dict.fromkeys([*first.get("notes", ()), *second.get("notes", ())])
    if notes:
        joined["notes"] = list(notes)
    return joined


def _build_entry(work: Item) -> Json:
    """Build the tool's argument for one work."""
    people = "; ".join(each.inverted for each in work.authors)
    told = {
        "url": work.address,
        "title": work.title,
        "author": people,
        "site": work.container,
        "date": work.issued,
        "doi": work.doi,
    }
    return {name: value for name, value in told.items() if value}


def format_label(work: Item) -> str:
    """Return the title of a work, or else what identifies it."""
    return work.title or work.doi or work.address


def get_entry_state(entry: Json) -> str:
    """Return the gravest of `STATES` that applies to an entry of the answer."""
    flags = set(entry.get("flags", ()))
    title_match = entry.get("titleMatch")
    if title_match == "mismatch" and "not_found" not in flags:
        flags.add("another")
    recorded = entry.get("recordTitle") or entry.get("doi") or title_match == "match"
    if not flags and entry.get("linkLive") and not recorded:
        flags.add("linked")
    if entry.get("retractionStatus") and "retracted" not in flags:
        flags.add("noted")
    for name in STATES:
        if name in flags:
            return name
    return "ok"


def format_reference(work: Item) -> str:
    """Format a work as one asks about it alone: its DOI, its address, or a short reference."""
    if work.doi or work.address:
        return work.doi or work.address
    people = ", ".join(each.full_name for each in work.authors[:3])
    return ". ".join(filter(None, (people, work.title, work.container, work.issued)))


def format_cleaned(
    works: Sequence[Item], entries: Sequence[Json], style: str, leaving_out: Collection[str] = ()
) -> str:
    """Format the works in a style, without those whose entry has one of these states."""
    kept = [
        work
        for work, entry in zip(works, entries, strict=False)
        if get_entry_state(entry) not in leaving_out
    ]
    return format_reference_list(style, [*kept, *works[len(entries) :]]) + "\n"


def format_csv(entries: Sequence[Json]) -> str:
    """Format one line per entry. Text that a spreadsheet would run as a formula is neutralised."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for entry in entries:
        told = {**entry, "index": int(entry["index"]) + 1, "state": get_entry_state(entry)}
        writer.writerow([cells.clean_cell(str(told.get(name, "")), 2_000) for name in _COLUMNS])
    return out.getvalue()
