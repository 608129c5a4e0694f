"""Shared by patent providers: numbers, names, filing years and query phrases.

Dates are kept apart: filing, grant, and publication, which for an application is not a grant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from research_core.search.providers.reply import changed_format_error
from research_core.search.queries import PatentQuery
from research_core.search.records import NotedRecords, Patent

PAGE = "https://patents.google.com/patent"
#: Offices whose patents are found, and larger national ones whose numbers are recognised.
OFFICES = frozenset(
    "US EP WO JP CN KR AR AT AU BE BR CA CH CZ DD DE DK ES FI FR GB GR HK HU IE IL IN IT LU MX NL"
    " NO NZ PL PT RO RU SE SG SI SK SU TR TW UA ZA".split()
)
NUMBER = re.compile(r"([A-Z]{2})((?:D|H|PP|RE|S|T)?\d{5,13})([A-Z]\d?)?", re.ASCII)
#: Separators between the parts of a number as people write it.
_BETWEEN = re.compile(r"[\s,./-]+")
#: The number in the address of a page about a patent.
_PATH = re.compile(r"(?:.*/)?patent/([^/?#]+).*", re.ASCII | re.IGNORECASE | re.DOTALL)
_PARTS = re.compile(r"[A-Z]{2}[0-9A-Z]{1,20}", re.ASCII)
_PART = re.compile(r'"([^"]+)"|([^\s"]+)')
#: Words too common to search for in titles and abstracts.
_SMALL = frozenset("a an and are as at by for from in into is it of on or that the to with".split())
#: Legal forms at the end of a company name.
FORMS = frozenset(
    "ab ag as asa bv co company corp corporation gmbh inc incorporated kg kk limited llc llp lp ltd"
    " nv oy oyj plc pte pty sa sarl sas se spa srl".split()
)
FIRST_YEAR, LAST_YEAR = 1700, 9999


def parse_number(text: str) -> str:
    """Return the patent number a text consists of, in standard form; else "".

    "US 10,165,245 B2" and "patent/US10165245B2/en" give US10165245B2.
    """
    path = _PATH.fullmatch(text)
    bare = _BETWEEN.sub("", path[1] if path else text).upper()
    found = NUMBER.fullmatch(bare)
    return found[0] if found and found[1] in OFFICES else ""


def join_number(country: str, number: str, kind: str) -> str:
    """Build a publication number; restores the zero some data omit in US applications."""
    digits = _BETWEEN.sub("", number)
    if country == "US" and kind.startswith("A") and len(digits) == 10 and digits.isdigit():
        digits = f"{digits[:4]}0{digits[4:]}"
    number = f"{country}{digits}{kind}"
    return number if digits and _PARTS.fullmatch(number) else ""


def build_patent_url(number: str) -> str:
    """Return the URL of the publication's page."""
    return f"{PAGE}/{number}/en"


def parse_day(text: str) -> str:
    """Convert YYYYMMDD or YYYY-MM-DD, with or without time, to YYYY-MM-DD; else ""."""
    digits = text.strip()[:10].replace("-", "")[:8]
    if len(digits) != 8 or not digits.isdigit():
        return ""
    try:
        return date.fromisoformat(digits).isoformat()
    except ValueError:  # no day of the calendar
        return ""


def strip_quotes(text: str) -> str:
    """Return the text without characters that have a meaning between quotes."""
    return " ".join(re.sub(r'["*?\\]', " ", text).split())


def strip_company_form(name: str) -> str:
    """Remove legal form and country: "Toyota Motor Corp. [JP]" gives "Toyota Motor"."""
    words = re.sub(r"\[[^\[\]]*\]\s*$", "", name).replace(",", " ").split()
    while len(words) > 1 and words[-1].replace(".", "").casefold() in FORMS:
        words.pop()
    return " ".join(words)


def query_phrases(text: str) -> tuple[str, ...]:
    """Return each quoted phrase and each significant word; every word if none is."""
    found = [strip_quotes(phrase or word) for phrase, word in _PART.findall(text)]
    words = [each.strip(".,;:!()[]{}<>=") for each in found]
    said = [each for each in words if each]
    return tuple(each for each in said if each.casefold() not in _SMALL) or tuple(said)


def get_filing_period(query: PatentQuery) -> tuple[str, str] | None:
    """Return the first and last day of the query's filing years; None if unlimited."""
    if not (query.year_from or query.year_to):
        return None
    return f"{query.year_from or FIRST_YEAR:04}-01-01", f"{query.year_to or LAST_YEAR:04}-12-31"


def select_patents(name: str, patents: Iterable[Patent], query: PatentQuery) -> NotedRecords:
    """Return the patents filed in the query's years, each once, up to its count.

    A note says if some have no filing date. Raises SearchError if years are asked for and none has
    a date, or if words were searched and none of the patents has a title.
    """
    once: dict[str, Patent] = {}
    for patent in patents:
        once.setdefault(patent.number, patent)
    distinct = list(once.values())
    span = get_filing_period(query)
    undated = sum(not patent.filed for patent in distinct)
    if span and distinct and undated == len(distinct):
        raise changed_format_error(name, "none of its patents says when it was filed")
    untitled = sum(patent.title in ("", patent.number) for patent in distinct)
    if distinct and untitled == len(distinct) and not parse_number(query.text):
        raise changed_format_error(name, "none of its patents has a title")
    found = distinct
    if span:
        found = [patent for patent in distinct if span[0] <= patent.filed <= span[1]]
    found = found[: query.count]
    notes = []
    if span and undated and len(found) < query.count:
        notes.append(f"{name}: {undated} left out that do not say when they were filed.")
    return NotedRecords(found, notes)
