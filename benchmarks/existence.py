"""Measure whether cited works are checked correctly against registries, without asking any.

    python benchmarks/existence.py [--json]

Data: recorded answers of Crossref, OpenAlex and DataCite (`api_fixtures` in the shared data) and
references as seven styles print them (`bibliography`). Prints and records two parts:

- by DOI: recorded works and invented DOIs are looked up, first with all registries in order, then
  with some in trouble: how many are called not found, wrongly retracted, real or unchecked.
- by words: references are compared with their own record and with others of the same kind: how
  often each is a sure match.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.inputs import find_shared_folder, make_parser, read_json_lines
from benchmarks.results import record
from research_core.citations.checks.matching import match_title, rate_match
from research_core.citations.checks.works import look_up_doi
from research_core.citations.formats import plain
from research_core.context import memory_log
from research_core.errors import FetchError
from research_core.journal.circuit_breaker import CircuitBreakers
from research_core.journal.deps import Deps
from research_core.journal.doorway import Doorway
from research_core.models import HttpReply
from research_core.policy import RunSettings
from research_core.search.providers import crossref, datacite, doi_registry, openalex
from research_core.search.records import Paper
from research_core.settings import Settings
from research_core.wiring import SystemClock

#: A failure that no caller retries, so that nothing waits.
DOWN = FetchError("There is no host of that name.", kind="network", absent=True)
#: What a registry answers instead, by the beginning of its addresses: an error, a status or a body.
Trouble = Mapping[str, FetchError | int | bytes]
TROUBLE: Mapping[str, Trouble] = {
    "all well": {},
    "Crossref down": {crossref.WORKS: DOWN},
    "Crossref refuses": {crossref.WORKS: 403},
    "Crossref answers a page": {crossref.WORKS: b"<html>Sorry</html>"},
    "OpenAlex and DataCite down": {openalex.WORKS: DOWN, datacite.DOIS: DOWN},
    "the registry of all DOIs down": {doi_registry.HANDLES: DOWN},
    "the registry of all DOIs in trouble": {doi_registry.HANDLES: b'{"responseCode": 2}'},
    "all down": dict.fromkeys(
        (crossref.WORKS, openalex.WORKS, datacite.DOIS, doi_registry.HANDLES), DOWN
    ),
}
#: A reference is compared with so many records around its own in the file; they are of its kind.
NEIGHBOURS = 20


# -- by DOI ----------------------------------------------------------------------------------------


class RecordedRegistries:
    """An `Http` that answers as the registries did, or with trouble.

    bodies: by the address they were asked at. dois: those that are registered.
    """

    def __init__(self, bodies: Mapping[str, bytes], dois: frozenset[str], trouble: Trouble) -> None:
        self._bodies = bodies
        self._dois = dois
        self._trouble = trouble

    def send(self, method: str, url: str, **_options: Any) -> HttpReply:
        for start, answer in self._trouble.items():
            if url.startswith(start):
                return self._answer_in_trouble(url, answer)
        if url.startswith(doi_registry.HANDLES):
            return self._answer_doi(url)
        if url in self._bodies:
            return HttpReply(url, 200, {}, self._bodies[url])
        return HttpReply(url, 404, {}, b"Resource not found.")

    def _answer_in_trouble(self, url: str, answer: FetchError | int | bytes) -> HttpReply:
        if isinstance(answer, FetchError):
            raise answer
        if isinstance(answer, bytes):
            return HttpReply(url, 200, {}, answer)
        return HttpReply(url, answer, {}, b"{}")

    def _answer_doi(self, url: str) -> HttpReply:
        doi = unquote(url.removeprefix(f"{doi_registry.HANDLES}/"))
        if doi in self._dois:
            return HttpReply(url, 200, {}, b'{"responseCode": 1}')
        return HttpReply(url, 404, {}, b'{"responseCode": 100}')


@dataclass(frozen=True)
class RecordedWork:
    """A work as a registry described it: where it is asked for, the body, and any retraction."""

    doi: str
    url: str
    body: bytes
    retracted: bool


def read_works(folder: Path) -> Iterator[RecordedWork]:
    """Yield every work in the recorded answers."""
    yield from _read_crossref(folder)
    yield from _read_openalex(folder)
    yield from _read_datacite(folder)


def _read_crossref(folder: Path) -> Iterator[RecordedWork]:
    for pattern in ("work*", "*works*", "updates*"):
        for path in sorted(folder.glob(f"crossref_{pattern}.json")):
            message = _read_crossref_message(path)
            for row in message.get("items", [message]):
                if not row.get("DOI") or not row.get("title"):
                    continue
                doi = str(row["DOI"]).lower()
                notices = {str(each.get("type", "")) for each in row.get("updated-by", ())}
                yield RecordedWork(
                    doi,
                    f"{crossref.WORKS}/{quote(doi, safe='/')}",
                    json.dumps({"message": row}).encode(),
                    bool(notices & crossref.KINDS["retraction"]),
                )


def _read_crossref_message(path: Path) -> dict[str, Any]:
    """Return the message of an answer, or {} if the registry refused."""
    try:
        message = json.loads(path.read_bytes()).get("message")
    except (ValueError, AttributeError):
        return {}
    return message if isinstance(message, dict) else {}


def _read_openalex(folder: Path) -> Iterator[RecordedWork]:
    for path in sorted(folder.glob("openalex_work*.json")):
        answer = json.loads(path.read_bytes())
        for row in answer.get("results", [answer]):
            if row.get("doi") and row.get("display_name"):
                doi = str(row["doi"]).removeprefix("https://doi.org/").lower()
                url = f"{openalex.WORKS}/doi:{quote(doi, safe='/:()')}"
                is_retracted = row.get("is_retracted") is True
                yield RecordedWork(doi, url, json.dumps(row).encode(), is_retracted)


def _read_datacite(folder: Path) -> Iterator[RecordedWork]:
    for path in sorted(folder.glob("datacite_dois*.json")):
        data = json.loads(path.read_bytes())["data"]
        for row in data if isinstance(data, list) else [data]:
            doi = str(row["attributes"]["doi"]).lower()
            url = f"{datacite.DOIS}/{quote(doi, safe='/')}"
            yield RecordedWork(doi, url, json.dumps({"data": row}).encode(), False)


def measure_lookups(folder: Path) -> dict[str, Any]:
    """Count, by trouble, the answers for recorded works and for invented DOIs."""
    works = {work.doi: work for work in read_works(folder)}
    invented_dois = [f"{doi}-x{number}" for number, doi in enumerate(works)]
    bodies = {work.url: work.body for work in works.values()}
    figures: dict[str, Any] = {
        "works": len(works),
        "with a retraction": sum(work.retracted for work in works.values()),
    }
    for name, trouble in TROUBLE.items():
        deps = _make_deps(RecordedRegistries(bodies, frozenset(works), trouble))
        # Capital letters mark answers that are wrong.
        recorded = Counter[str]()
        for doi, work in works.items():
            found = look_up_doi(deps, doi)
            recorded[_describe_existence(found.exists, "exists", "NOT FOUND")] += 1
            recorded["RETRACTED, and is not"] += found.retracted and not work.retracted
        invented = Counter[str]()
        for doi in invented_dois:
            exists = look_up_doi(deps, doi).exists
            invented[_describe_existence(exists, "EXISTS", "not found")] += 1
        figures[name] = {"recorded": _sort_counts(recorded), "made up": _sort_counts(invented)}
    return figures


def _describe_existence(exists: bool | None, yes: str, no: str) -> str:
    if exists is None:
        return "could not be checked"
    return yes if exists else no


def _sort_counts(counts: Counter[str]) -> dict[str, int]:
    return {name: number for name, number in sorted(counts.items()) if number}


def _make_deps(registries: RecordedRegistries) -> Deps:
    log = memory_log("existence")
    clock = SystemClock()
    # The clock of the circuit breakers leaps, so that no service stays switched off.
    ticks = count(0.0, 5.0)
    breakers = CircuitBreakers(lambda: next(ticks) * 1000)
    doorway = Doorway(log, registries, None, clock, services=breakers)  # type: ignore[arg-type]
    settings = Settings(home=Path("unused"), database_url="sqlite://", ddgs_engines=())
    return Deps(
        settings, RunSettings(), doorway.http, doorway.model, log, clock, ThreadPoolExecutor(2)
    )


# -- by words --------------------------------------------------------------------------------------


def measure_matches(file: Path) -> dict[str, Any]:
    """Count, by style, how sure a match a reference is with its own record and with others."""
    rows = [row for row in read_json_lines(file) if row["item"].get("title")]
    records = [_make_paper(row["item"]) for row in rows]
    figures: dict[str, Any] = {"records": len(rows)}
    for style in rows[0]["expected"]:
        if not style.endswith(("_intext", "_html")):
            references = [row["expected"].get(style) for row in rows]
            figures[style] = _measure_style(references, records)
    return figures


def _measure_style(references: list[str | None], records: list[Paper]) -> dict[str, Any]:
    own_matches = Counter[str]()
    other_matches = Counter[str]()
    title_mismatches = 0
    half = NEIGHBOURS // 2
    for number, text in enumerate(references):
        if not text:
            continue
        cited = plain.parse_reference(text)
        own = records[number]
        own_matches[rate_match(cited, text, own, (own.title,))] += 1
        context = " ".join((own.journal, *own.authors))
        title_match = match_title(cited.title, (own.title,), context, text)
        title_mismatches += title_match == "mismatch"
        for other in records[max(0, number - half) : number + 1 + half]:
            if other.title.casefold() != own.title.casefold():
                other_matches[rate_match(cited, text, other, (other.title,))] += 1
    return {
        "own record a sure match": f"{own_matches['high']} of {own_matches.total()}",
        "its title called another": title_mismatches,
        "another record a sure match": f"{other_matches['high']} of {other_matches.total()}",
    }


def _make_paper(item: Mapping[str, Any]) -> Paper:
    """Return a CSL item as a registry's record."""
    authors = []
    for person in item.get("author", ()):
        family = person.get("family", person.get("literal", ""))
        authors.append(f"{person.get('given', '')} {family}".strip())
    paper = Paper(
        str(item.get("title", "")),
        "https://x.example",
        "gold",
        authors=tuple(authors),
        journal=str(item.get("container-title", "")),
    )
    dates = item.get("issued", {}).get("date-parts") or [[""]]
    year = str(dates[0][0])
    return replace(paper, year=int(year)) if year.isdigit() else paper


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    figures = {
        "by DOI": measure_lookups(find_shared_folder("api_fixtures")),
        "by words": measure_matches(find_shared_folder("bibliography") / "formatted_gold.jsonl"),
    }
    if options.json:
        print(json.dumps(figures, indent=2))
    else:
        for part, rows in figures.items():
            print(f"\n{part}")
            for name, value in rows.items():
                print(f"  {name:38} {value}")
    record("existence", figures)


if __name__ == "__main__":
    main()
