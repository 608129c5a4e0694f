"""Look up whether a work exists at the registries, by DOI or by words, and notices against it.

A DOI exists if any registry has it, and does not if the registry of all DOIs says so; if that could
not be asked, it is unknown. A search without a result proves nothing, as most books and reports are
registered nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from research_core.citations.checks.matching import Confidence, rate_match
from research_core.citations.formats import plain
from research_core.citations.formats.item import Item
from research_core.errors import SearchError
from research_core.journal.deps import Deps, Http
from research_core.model_messages import Json
from research_core.search.providers import (
    crossref,
    crossref_works,
    datacite,
    doi_registry,
    openalex,
)
from research_core.search.providers.crossref import IntegrityNotice
from research_core.search.providers.markup import markup_words
from research_core.search.providers.reply import changed_format_error, read_texts
from research_core.search.queries import PaperQuery
from research_core.search.records import Paper

#: Seconds between two look-ups of a record at Crossref.
PACE_S = 0.2
#: Records that a reference is compared with.
MAX_CANDIDATES = 5
CONFIDENCE_RANKS: dict[Confidence, int] = {"none": 0, "low": 1, "medium": 2, "high": 3}
#: Fields in which Crossref has the titles of a work.
_TITLE_FIELDS = ("title", "subtitle", "original-title", "short-title")


@dataclass(frozen=True)
class Work:
    """What the registries know of a work.

    exists: None if nobody could say; record: what `registry` holds of it; titles: all titles of
    that record; notice: the gravest notice against it; notices_checked: a registry that keeps
    notices answered; statements: the source of each statement, in sentences.
    """

    doi: str = ""
    exists: bool | None = None
    record: Paper | None = None
    registry: str = ""
    titles: tuple[str, ...] = ()
    notice: IntegrityNotice | None = None
    notices_checked: bool = False
    statements: tuple[str, ...] = ()

    @property
    def retracted(self) -> bool:
        return self.notice is not None and self.notice.kind == "retraction"


@dataclass(frozen=True)
class Match:
    """The registered work most similar to a reference.

    confidence: how certain it is the same work; failed: why an index could not be asked; answered:
    at least one index answered.
    """

    confidence: Confidence
    work: Work
    failed: tuple[str, ...] = ()
    answered: bool = True


# ---------------------------------------------------------------- by its DOI


def look_up_doi(deps: Deps, doi: str) -> Work:
    """Ask the registries for a bare DOI, in turn, until one has it. Never raises for them."""
    statements: list[str] = []
    for name, ask in _REGISTRIES.items():
        try:
            found = ask(deps, doi)
        except SearchError as error:
            statements.append(f"Could not be asked: {error.sentence()}")
            continue
        if found is not None:
            return replace(found, doi=doi, statements=(*statements, *found.statements))
        statements.append(f"{name} holds no work of this DOI.")
    try:
        registered = doi_registry.is_registered(_scope_http(deps, "doi.org"), doi)
    except SearchError as error:
        return Work(doi, None, statements=(*statements, f"Could not be asked: {error.sentence()}"))
    if registered:
        statements.append(f"{doi_registry.NAME} has this DOI registered, so that it exists.")
    else:
        statements.append(f"{doi_registry.NAME} says that no such DOI is registered.")
    return Work(doi, registered, statements=tuple(statements))


def _look_up_crossref(deps: Deps, doi: str) -> Work | None:
    held = crossref.fetch_record(_scope_http(deps, "crossref", PACE_S), doi)
    if held is None:
        return None
    work = _read_crossref_work(held)
    if work and work.record and work.record.doi == doi.lower():
        return work
    return _make_untitled_work(held, doi)


def _make_untitled_work(held: Json, doi: str) -> Work | None:
    """Return a Crossref record without a title (issue, component); None if its DOI is another."""
    if str(held.get("DOI", "")).lower() != doi.lower():
        raise changed_format_error(crossref.NAME, "it is not the work that was asked for")
    return Work(
        doi,
        True,
        registry=crossref.NAME,
        notice=crossref.find_gravest_notice(held),
        notices_checked=True,
        statements=("Crossref holds it, without a title.",),
    )


def _read_crossref_work(row: Json) -> Work | None:
    paper = crossref_works.read_work(row)
    if paper is None:
        return None
    titles = [title for name in _TITLE_FIELDS for title in _read_titles(row, name)]
    full = " ".join(_read_first_titles(row))
    notice = crossref.find_gravest_notice(row)
    found = f"a notice against it ({notice.kind})" if notice else "no notice against it"
    return Work(
        paper.doi,
        True,
        paper,
        crossref.NAME,
        tuple(dict.fromkeys((*titles, full))),
        notice,
        True,
        (f"Crossref holds it; it records {found}.",),
    )


def _read_titles(row: Json, name: str) -> list[str]:
    titles = [markup_words(text) for text in read_texts(crossref.NAME, row, name)]
    return [title for title in titles if title]


def _read_first_titles(row: Json) -> Iterator[str]:
    """Yield the first title and the first subtitle, without empty ones."""
    for name in _TITLE_FIELDS[:2]:
        for text in read_texts(crossref.NAME, row, name)[:1]:
            title = markup_words(text)
            if title:
                yield title


def _look_up_openalex(deps: Deps, doi: str) -> Work | None:
    paper = openalex.fetch_by_doi(_scope_http(deps, "openalex"), deps.settings, doi)
    return _make_work(paper, openalex.NAME) if paper else None


def _look_up_datacite(deps: Deps, doi: str) -> Work | None:
    paper = datacite.fetch_by_doi(_scope_http(deps, "datacite", datacite.PACE_S), doi)
    return _make_work(paper, datacite.NAME) if paper else None


def _make_work(paper: Paper, name: str) -> Work:
    """Return a work of an index that keeps no notices but may mark retractions."""
    notice = IntegrityNotice("retraction") if paper.retracted else None
    said = f"{name} holds it{', and says that it is retracted' if notice else ''}."
    return Work(paper.doi, True, paper, name, (paper.title,), notice, notice is not None, (said,))


_REGISTRIES: dict[str, Callable[[Deps, str], Work | None]] = {
    crossref.NAME: _look_up_crossref,
    openalex.NAME: _look_up_openalex,
    datacite.NAME: _look_up_datacite,
}


# ---------------------------------------------------------------- by its words


def search_work(deps: Deps, cited: Item, text: str = "") -> Match:
    """Find the registered work most similar to a reference. Never raises for the indexes.

    cited: the reference as parsed; text: the reference as written.
    """
    people = [each.full_name for each in (*cited.authors, *cited.editors)]
    written = text or " ".join((cited.title, cited.container, *people))
    best = Match("none", Work())
    failed: list[str] = []
    for ask in _INDEXES.values():
        words = plain.build_search_words(cited if cited.title else written)
        query = PaperQuery(words, MAX_CANDIDATES)
        if not query.text:
            break
        try:
            for work in ask(deps, query):
                assert work.record is not None
                rating = rate_match(cited, written, work.record, work.titles)
                # Of equal matches the first one counts.
                if CONFIDENCE_RANKS[rating] > CONFIDENCE_RANKS[best.confidence]:
                    best = Match(rating, work)
        except SearchError as error:
            failed.append(f"Could not be asked: {error.sentence()}")
        if best.confidence == "high":
            break
    work = best.work
    if best.confidence in ("high", "medium") and work.doi and work.registry != crossref.NAME:
        work = _add_notices(deps, work)
    return Match(best.confidence, work, tuple(failed), len(failed) < len(_INDEXES))


def _add_notices(deps: Deps, work: Work) -> Work:
    """Add what the registries that keep notices say of a work from another index."""
    noted = look_up_doi(deps, work.doi)
    return replace(
        work,
        notice=noted.notice or work.notice,
        notices_checked=noted.notices_checked,
        statements=(*work.statements, *noted.statements),
    )


def _search_crossref(deps: Deps, query: PaperQuery) -> Iterable[Work]:
    http = _scope_http(deps, "crossref", crossref_works.PACE_S)
    rows, _ = crossref_works.fetch_works(http, deps.settings, query)
    return filter(None, map(_read_crossref_work, rows))


def _search_openalex(deps: Deps, query: PaperQuery) -> Iterable[Work]:
    return [
        _make_work(paper, openalex.NAME)
        for paper in openalex.search(_scope_http(deps, "openalex"), deps.settings, query)
    ]


def _search_datacite(deps: Deps, query: PaperQuery) -> Iterable[Work]:
    http = _scope_http(deps, "datacite", datacite.PACE_S)
    return [
        _make_work(paper, datacite.NAME) for paper in datacite.search(http, deps.settings, query)
    ]


_INDEXES: dict[str, Callable[[Deps, PaperQuery], Iterable[Work]]] = {
    crossref.NAME: _search_crossref,
    openalex.NAME: _search_openalex,
    datacite.NAME: _search_datacite,
}


def _scope_http(deps: Deps, name: str, pace_s: float = 0.0) -> Http:
    return deps.http.for_service(name, pace_s=pace_s)
