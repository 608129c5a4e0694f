"""Whether citations are told right: `python benchmarks/existence.py [--json]`, on the shared data
alone; nobody is asked.

Three parts. Works that Crossref, OpenAlex and DataCite really answered about are looked up by DOI
before registries that say what was recorded, all well, then one after the other in trouble: how
often one is called not found, or retracted where no notice was recorded. DOIs that nobody has are
looked up before the same registries: how often they are called not found, and, with the registry of
all DOIs in trouble, ever. And references as seven styles print them are compared with the record
they were made of and with others: how often the first is a sure match, and one of the others.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results import record, shared
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

#: None of these is tried again, so that nothing waits.
DOWN = FetchError("There is no host of that name.", kind="network", absent=True)
#: Which of the registries is in trouble, and how.
TROUBLE: Mapping[str, Mapping[str, Any]] = {
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
#: How far from a record those are that it is told apart from: its neighbours in the file, which are
#: of its kind.
NEIGHBOURS = 20


class Registries:
    """Answers as recorded. held: bodies by the address they were asked at; known: DOIs that are
    registered.
    """

    def __init__(
        self, held: Mapping[str, bytes], known: frozenset[str], trouble: Mapping[str, Any]
    ) -> None:
        self._held, self._known, self._trouble = held, known, trouble

    def send(self, method: str, url: str, **_options: Any) -> HttpReply:
        for start, said in self._trouble.items():
            if url.startswith(start):
                if isinstance(said, Exception):
                    raise said
                return (
                    HttpReply(url, 200, {}, said)
                    if isinstance(said, bytes)
                    else HttpReply(url, said, {}, b"{}")
                )
        if url.startswith(doi_registry.HANDLES):
            code = (
                1 if unquote(url.removeprefix(f"{doi_registry.HANDLES}/")) in self._known else 100
            )
            return HttpReply(
                url, 200 if code == 1 else 404, {}, json.dumps({"responseCode": code}).encode()
            )
        body = self._held.get(url)
        return (
            HttpReply(url, 200, {}, body)
            if body is not None
            else HttpReply(url, 404, {}, b"Resource not found.")
        )


def works(folder: Path) -> Iterator[tuple[str, str, bytes, bool]]:
    """(DOI, address at which it is asked for, body, whether a retraction is recorded) of every work
    that was recorded.
    """
    answered = (
        path
        for pattern in ("work*", "*works*", "updates*")
        for path in sorted(folder.glob(f"crossref_{pattern}.json"))
    )
    for path in answered:
        message = _message(path)
        for row in message.get("items", [message]):
            if row.get("DOI") and row.get("title"):
                doi = str(row["DOI"]).lower()
                told = {str(each.get("type", "")) for each in row.get("updated-by", ())}
                yield (
                    doi,
                    f"{crossref.WORKS}/{quote(doi, safe='/')}",
                    json.dumps({"message": row}).encode(),
                    bool(told & crossref.KINDS["retraction"]),
                )
    for path in sorted(folder.glob("openalex_work*.json")):
        answer = json.loads(path.read_bytes())
        for row in answer.get("results", [answer]):
            if row.get("doi") and row.get("display_name"):
                doi = str(row["doi"]).removeprefix("https://doi.org/").lower()
                yield (
                    doi,
                    f"{openalex.WORKS}/doi:{quote(doi, safe='/:()')}",
                    json.dumps(row).encode(),
                    row.get("is_retracted") is True,
                )
    for path in sorted(folder.glob("datacite_dois*.json")):
        answer = json.loads(path.read_bytes())
        for row in answer["data"] if isinstance(answer["data"], list) else [answer["data"]]:
            doi = str(row["attributes"]["doi"]).lower()
            yield (
                doi,
                f"{datacite.DOIS}/{quote(doi, safe='/')}",
                json.dumps({"data": row}).encode(),
                False,
            )


def _message(path: Path) -> Any:
    try:
        message = json.loads(path.read_bytes()).get("message")
    except (ValueError, AttributeError):  # a refusal, as its name says
        return {}
    return message if isinstance(message, dict) else {}


def existence(folder: Path) -> dict[str, Any]:
    """What was said of recorded works, and of DOIs that nobody has, by what was in trouble."""
    listed = {doi: (url, body, retracted) for doi, url, body, retracted in works(folder)}
    made_up = [f"{doi}-x{n}" for n, doi in enumerate(listed)]
    held = {url: body for url, body, _ in listed.values()}
    figures: dict[str, Any] = {
        "works": len(listed),
        "with a retraction": sum(retracted for *_, retracted in listed.values()),
    }
    for name, trouble in TROUBLE.items():
        deps = _deps(Registries(held, frozenset(listed), trouble))
        said, invented = Counter[str](), Counter[str]()
        for doi, (_, _, retracted) in listed.items():
            found = look_up_doi(deps, doi)
            said[
                {True: "exists", False: "NOT FOUND", None: "could not be checked"}[found.exists]
            ] += 1
            said["RETRACTED, and is not"] += found.retracted and not retracted
        for doi in made_up:
            invented[
                {True: "EXISTS", False: "not found", None: "could not be checked"}[
                    look_up_doi(deps, doi).exists
                ]
            ] += 1
        figures[name] = {"recorded": _counted(said), "made up": _counted(invented)}
    return figures


def _counted(said: Counter[str]) -> dict[str, int]:
    return {name: number for name, number in sorted(said.items()) if number}


def _deps(registries: Registries) -> Deps:
    log, clock, ticks = memory_log("existence"), SystemClock(), count(0.0, 5.0)
    doorway = Doorway(
        log, registries, None, clock, services=CircuitBreakers(lambda: next(ticks) * 1000)
    )  # type: ignore[arg-type]
    settings = Settings(home=Path("unused"), database_url="sqlite://", ddgs_engines=())
    return Deps(
        settings, RunSettings(), doorway.http, doorway.model, log, clock, ThreadPoolExecutor(2)
    )


def matching(file: Path) -> dict[str, Any]:
    """Of references as styles print them: how sure a match their own record is, and others are."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["item"].get("title")]
    records = [_record(row["item"]) for row in rows]
    figures: dict[str, Any] = {"records": len(rows)}
    for style in rows[0]["expected"]:
        if style.endswith(("_intext", "_html")):
            continue
        own, others, wrong = Counter[str](), Counter[str](), 0
        for n, row in enumerate(rows):
            if not (text := row["expected"].get(style)):
                continue
            cited, mine = plain.parse_reference(text), records[n]
            own[rate_match(cited, text, mine, (mine.title,))] += 1
            wrong += (
                match_title(
                    cited.title, (mine.title,), " ".join((mine.journal, *mine.authors)), text
                )
                == "mismatch"
            )
            near = (
                records[max(0, n - NEIGHBOURS // 2) : n] + records[n + 1 : n + 1 + NEIGHBOURS // 2]
            )
            others.update(
                rate_match(cited, text, each, (each.title,))
                for each in near
                if each.title.casefold() != mine.title.casefold()
            )
        figures[style] = {
            "own record a sure match": f"{own['high']} of {own.total()}",
            "its title called another": wrong,
            "another record a sure match": f"{others['high']} of {others.total()}",
        }
    return figures


def _record(said: Mapping[str, Any]) -> Paper:
    names = tuple(
        f"{each.get('given', '')} {each.get('family', each.get('literal', ''))}".strip()
        for each in said.get("author", ())
    )
    dated = str((said.get("issued", {}).get("date-parts") or [[""]])[0][0])
    made = Paper(
        str(said.get("title", "")),
        "https://x.example",
        "gold",
        authors=names,
        journal=str(said.get("container-title", "")),
    )
    return replace(made, year=int(dated)) if dated.isdigit() else made


def main() -> None:
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--json", action="store_true", help="print the figures as JSON")
    as_json = asked.parse_args().json
    figures = {
        "by DOI": existence(shared("api_fixtures")),
        "by words": matching(shared("bibliography") / "formatted_gold.jsonl"),
    }
    if as_json:
        print(json.dumps(figures, indent=2))
    else:
        for part, told in figures.items():
            print(f"\n{part}")
            for name, value in told.items():
                print(f"  {name:38} {value}")
    record("existence", figures)


if __name__ == "__main__":
    main()
