"""Search US court opinions at CourtListener (REST API v4) by citation, case name or words.

A citation is looked up if there is a token, since the look-up requires one; else its field is
searched. Words are searched in published opinions, and by meaning if no opinion has all of them; a
case name is searched in opinions of every status. Opinions are not read here: use scrape_page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

from research_core.errors import SearchError
from research_core.journal.deps import Http
from research_core.search.providers.case_citations import (
    NAME,
    SITE,
    build_token_headers,
    has_token,
    look_up,
    rank_citation,
)
from research_core.search.providers.counts import check_not_empty, parse_count
from research_core.search.providers.reply import (
    changed_format_error,
    drop_empty,
    get_json,
    get_value,
    read_number,
    read_records,
    read_rows,
    read_text,
    read_texts,
)
from research_core.search.queries import CaseQuery
from research_core.search.records import Case, NotedRecords
from research_core.settings import Settings

SEARCH = f"{SITE}/api/rest/v4/search/"
HONOURS = frozenset({"jurisdiction", "date_from", "date_to"})
#: Pages of 20 that one call reads at most, and the number of words from which a search by meaning
#: is tried.
PAGES, WORDS = 3, 4
EVERY_STATUS = {
    f"stat_{each}": "on"
    for each in (
        "Published",
        "Unpublished",
        "Errata",
        "Separate",
        "In-chambers",
        "Relating-to",
        "Unknown",
    )
}
#: The most cited opinion of a name is the likeliest.
BY_CITATIONS = {"order_by": "citeCount desc"}
NEXT_STEPS = {"rate_limited": "Set COURTLISTENER_API_TOKEN in .env for more calls a day, or wait."}
#: Reporters of statutes and rules, without dots and spaces: citations of them are not cases.
STATUTES = frozenset({"USC", "USCA", "USCS", "CFR", "STAT", "FEDREG", "FR"})
_REPORTER = r"[A-Z][A-Za-z.'’& 0-9]{0,30}?"
#: Old reports of the Supreme Court also name their reporter: 5 U.S. (1 Cranch) 137.
_REPORTED = re.compile(
    rf"(?<!\S)([0-9]{{1,4}})\s({_REPORTER})(?:\s\([0-9]{{1,2}}\s[A-Z][a-z.]{{1,11}}\))?\s"
    rf"([0-9]{{1,8}})(?![0-9A-Za-z])"
)
#: Pages, parallel citations and the year.
_AFTER = re.compile(
    rf"(?:\s?[,-]\s?[0-9-]{{1,12}}){{0,3}}(?:,\s[0-9]{{1,4}}\s{_REPORTER}\s[0-9]{{1,8}}){{0,4}}"
    rf"\s?(?:\([^()]{{0,60}}\))?\s?[.;]?"
)
_NAMED = re.compile(
    r"\S.{0,98}?\s(?:vs?\.?|versus)\s.{0,98}\S|(?:in re|ex parte|(?:in the )?matter of)\s.{1,98}",
    re.IGNORECASE,
)
_YEAR = re.compile(r"[\s,]*\([^()]{0,40}\)\s*$")


def search(http: Http, settings: Settings, query: CaseQuery) -> tuple[Case, ...]:
    """Return opinions by relevance; for a case name, most cited first. Raises SearchError."""
    citation = extract_citation(query.text)
    if citation:
        return _search_by_citation(http, settings, query, citation)
    name = extract_case_name(query.text)
    found: tuple[Case, ...] = ()
    if name:
        by_name = {"case_name": name, **BY_CITATIONS, **EVERY_STATUS}
        found = _search_pages(http, settings, query, by_name)
    found = found or _search_pages(http, settings, query, {"q": query.text})
    if found or name or len(query.text.split()) < WORDS or '"' in query.text:
        return found
    return _search_pages(http, settings, query, {"q": query.text, "semantic": "true"})


def extract_citation(words: str) -> str:
    """Return the citation these words are, with or without a case name; "" if they are none.

    "Roe v. Wade, 410 U.S. 113, 152 (1973)" gives "410 U.S. 113"; "42 U.S.C. 1983" is a statute.
    """
    found = _REPORTED.search(words)
    if not found or not _AFTER.fullmatch(words, found.end()):
        return ""
    name, reporter = words[: found.start()].strip(" ,"), found[2]
    squeezed = _squeeze_reporter(reporter)
    abbreviated = "." in reporter or reporter.isupper() or bool(re.search(r"[0-9]d$", reporter))
    if squeezed in STATUTES or not abbreviated or (name and not extract_case_name(name)):
        return ""
    return " ".join((found[1], reporter, found[3]))


def extract_case_name(words: str) -> str:
    """Return the case name these words are, without its year; "" if they are more."""
    name = _YEAR.sub("", words)
    if _NAMED.fullmatch(name) and "?" not in name and len(name.split()) <= 14:
        return name
    return ""


def list_citations(words: str) -> tuple[str, ...]:
    """List the citations of cases in these words, as "410 U.S. 113", in order, each once."""
    found: dict[str, None] = {}
    for match in _REPORTED.finditer(words):
        if _squeeze_reporter(match[2]) not in STATUTES:
            found[f"{match[1]} {match[2]} {match[3]}"] = None
    return tuple(found)


def is_same_citation(one: str, other: str) -> bool:
    """Return whether two citations differ in spaces and dots of the reporter only."""
    return _normalize_citation(one) == _normalize_citation(other)


def _normalize_citation(citation: str) -> tuple[str, str, str]:
    match = _REPORTED.fullmatch(citation)
    if not match:
        return "", citation, ""
    return match[1], _squeeze_reporter(match[2]), match[3]


def _squeeze_reporter(reporter: str) -> str:
    return re.sub(r"[. ]", "", reporter).upper()


def search_citation(http: Http, settings: Settings, citation: str, count: int) -> tuple[Case, ...]:
    """Return opinions that may be printed at a citation; needs no token. Raises SearchError."""
    query = CaseQuery(citation, count)
    return _search_pages(http, settings, query, {"citation": citation, **EVERY_STATUS})


def search_name(http: Http, settings: Settings, name: str, count: int) -> tuple[Case, ...]:
    """Return opinions by the words of their case name, most cited first; needs no token.

    Raises SearchError.
    """
    by_name = {"case_name": name, **BY_CITATIONS, **EVERY_STATUS}
    return _search_pages(http, settings, CaseQuery(name, count), by_name)


# ---------------------------------------------------------------- asking


def _search_by_citation(
    http: Http, settings: Settings, query: CaseQuery, citation: str
) -> tuple[Case, ...]:
    """Return the opinions at a citation.

    The look-up knows no courts, so a query with a court is searched.
    """
    if query.jurisdiction or not has_token(http, settings):
        return _search_pages(http, settings, query, {"citation": citation, **EVERY_STATUS})
    looked_up = look_up(http, settings, citation)
    if any(each.state == "not_asked" for each in looked_up):
        raise SearchError(
            f"{NAME} did not look up {citation}, as it was asked for too many.",
            kind="rate_limited",
            status=429,
        )
    if all(each.state == "no_reporter" for each in looked_up):  # not a citation to CourtListener
        return _search_pages(http, settings, query, {"q": query.text})
    cases: dict[Case, None] = {}  # each once, in order
    for each in looked_up:
        for case in each.cases:
            if _is_in_period(query, case.date_filed):
                cases[case] = None
    return tuple(cases)[: query.count]


def _is_in_period(query: CaseQuery, day: str) -> bool:
    if query.date_from and day < query.date_from:
        return False
    return not (query.date_to and day > query.date_to)


def _search_pages(
    http: Http, settings: Settings, query: CaseQuery, asked: Mapping[str, str]
) -> tuple[Case, ...]:
    """Search as many result pages as the wanted count needs."""
    limits = {
        "court": query.jurisdiction,
        "filed_after": query.date_from,
        "filed_before": query.date_to,
    }
    params = {"type": "o", **asked, **drop_empty(limits)}
    listed: list[dict[str, Any]] = []
    cursor, total = "", 0
    for _ in range(PAGES):
        answer = get_json(
            http, NAME, SEARCH, params, headers=build_token_headers(settings), next_steps=NEXT_STEPS
        )
        listed += read_rows(NAME, answer, "results")
        check_not_empty(NAME, listed, get_value(answer, "count"))
        cursor, total = _read_next_cursor(answer), parse_count(get_value(answer, "count"))
        if not cursor or len(listed) >= query.count:
            break
        params = {**params, "cursor": cursor}
    found = read_records(NAME, listed, _read_case, "a case with a page")[: query.count]
    notes = []
    if cursor and len(found) < query.count:
        counted = f"{total:,}" if total > len(listed) else "more"
        notes.append(f"{NAME} found {counted} opinions; only the first {len(listed)} were read.")
    return NotedRecords(found, notes)


def _read_next_cursor(answer: Mapping[str, Any]) -> str:
    """Return the cursor of the next page; "" on the last.

    No other part of the URL in the answer is followed.
    """
    if "next" not in answer:
        raise changed_format_error(NAME, "it does not say whether there are more")
    onward = read_text(NAME, answer, "next")
    cursor = (parse_qs(urlsplit(onward).query).get("cursor") or [""])[0]
    if onward and not cursor:
        raise changed_format_error(NAME, "it does not say where its next page begins")
    return cursor


# ---------------------------------------------------------------- reading


def _read_case(row: Mapping[str, Any]) -> Case | None:
    name = read_text(NAME, row, "caseName") or read_text(NAME, row, "caseNameFull")
    path = read_text(NAME, row, "absolute_url")
    count = read_number(NAME, row, "citeCount")
    if not name or not path.startswith("/"):
        return None
    if count is not None and not isinstance(count, int):
        raise changed_format_error(NAME, "a count of citations is no whole number")
    printed = _order_citations(row)
    return Case(
        case_name=name,
        url=urljoin(SITE, path),
        source="courtlistener",
        citation=printed[0] if printed else "",
        court=read_text(NAME, row, "court"),
        court_id=read_text(NAME, row, "court_id"),
        date_filed=read_text(NAME, row, "dateFiled")[:10],
        docket_number=read_text(NAME, row, "docketNumber"),
        citation_count=count,
        parallel_citations=printed[1:],
        status=read_text(NAME, row, "status"),
    )


def _order_citations(row: Mapping[str, Any]) -> tuple[str, ...]:
    """List where the opinion is printed, Supreme Court reports first, database numbers last."""
    listed = (
        *read_texts(NAME, row, "citation"),
        read_text(NAME, row, "neutralCite"),
        read_text(NAME, row, "lexisCite"),
    )
    return tuple(sorted(dict.fromkeys(filter(None, listed)), key=rank_citation))
