"""Find volume, issue, pages and date in a reference, in the ways that styles write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from research_core.citations.formats.dates import parse_work_date

YEAR = r"(?:1[5-9]|20)\d\d"
_PAGE = r"(?:[A-Za-z]{1,3}[\d.]*\d+|\d+(?:\.e?\d+)?|[ivxl]{1,7}(?![a-z]))[A-Za-z]?\d*"
PAGES = rf"{_PAGE}(?:\s?[-–—‐]{{1,2}}\s?{_PAGE})?"
_MONTH = r"(?:\s+[A-Z][a-z]{2,8}\.?(?:[-–/][A-Z][a-z]{2,8}\.?)?)?(?:\s+\d{1,2})?"
#: Patterns in the order in which they are tried.
_LOCATOR_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<![\w–-])(?P<volume>\d{{1,4}}),\s(?P<issue>\d{{1,3}}(?:[-–/]\d{{1,3}})?)(?:,\sArticle\s\w+)?"
        rf"\s\((?P<date>[^()]*?{YEAR})\)(?:,\s(?P<pages>{PAGES}))?",
        rf"(?P<date>{YEAR}{_MONTH})\s*;\s*(?P<volume>\d+\w?)?\s*(?:\((?P<issue>[^()]{{1,25}})\)"
        rf")?\s*(?::\s*(?P<pages>{PAGES}))?",
        r"\b[vV]ol(?:ume)?\.?\s*(?P<volume>\w+)(?:,?\s*(?:[nN]os?|[iI]ss(?:ue)?|[nN]um"
        r"|[nN]r)\.?\s*(?P<issue>[\w/–-]+))?",
        r"\bv\.\s*(?P<volume>\w+)(?:,?\s*n\.\s*(?P<issue>[\w/–-]+))?",
        rf"(?<![\w–-])(?P<volume>\d+\w?),?\s*(?:nos?|issue|iss"
        rf"|nr)\.?\s*(?P<issue>[\w/–-]+)(?:\s*\((?P<date>[^()]*?{YEAR})\))?(?:\s*[:,]\s*(?P<pag"
        rf"es>{PAGES}))?",
        rf"(?<![\w–-])(?P<volume>\d+\w?)\s*\((?!{YEAR}\))(?P<issue>[^()]{{1,25}})\)(?:\s*[:,]\s"
        rf"*(?:pp?\.?\s*)?(?P<pages>{PAGES}))?",
        rf"(?<![\w–-])(?P<volume>\d+\w?)\s*\((?P<date>[^()]*?{YEAR})\)(?:\s*[:,]\s*(?:pp?\.?\s*"
        rf")?(?P<pages>{PAGES}))?",
        rf"(?<![\w–-])(?P<date>{YEAR})\s*[,:;]\s*(?P<volume>\d{{1,4}})\s*[:,]\s*(?:pp?\.?\s*)?("
        rf"?P<pages>{PAGES})(?!\w)",
        rf"(?<![\w–.-])(?!{YEAR},\s)(?P<volume>\d{{1,4}}\w?)\s*[:,]\s*(?:pp?\.?\s*)?(?P<pages>"
        rf"{PAGES})(?=\s*(?:[(.,;\]]|$))",
    )
)
_YEAR_AS_VOLUME = re.compile(
    rf",\s(?P<volume>{YEAR}),\s(?:pp?\.\s*)?(?P<pages>{PAGES})(?=\s*[.,]?\s*$)"
)
_PAGE_LABEL = re.compile(
    rf"\b(?:pp?|[sS]|[pP]ages?)(?:\.\s*|\s+)(?P<pages>{PAGES})(?!\w)"
    rf"|(?<=,\s)(?P<bare>\d+\s?[-–—]\s?\d+)(?=\s*(?:[.,;]|$))"
)
_BRACKETED_YEAR = re.compile(rf"\((?:[^()]*?\W)?({YEAR})[a-z]?(?:\W[^()]*)?\)")
_BARE_YEAR = re.compile(rf"(?<![\w.–-])({YEAR})[a-z]?(?![\w–-])")
#: A date at the end of a reference or in brackets: "July 2014", "3 Feb. 2020", "Feb. 03, 2020",
#: "2018 Feb 19".
_NAMED_MONTH = (
    r"\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mär|Mai|Okt|Dez|Spring|Summer|Autumn"
    r"|Fall|Winter)[a-zä]{0,6}\.?(?![\w-])"
)
_DATE_PATTERN = (
    rf"(?:\d{{1,2}}\.?\s+)?{_NAMED_MONTH}\s+(?:\d{{1,2}},\s+)?{YEAR}"
    rf"|{YEAR}\s+{_NAMED_MONTH}(?:\s+\d{{1,2}})?(?!\d)"
)
DATE = re.compile(_DATE_PATTERN)


@dataclass(frozen=True)
class PrintLocator:
    """Volume, issue, pages and date.

    start, end: the span of all of it; both the length of the text if nothing was found.
    """

    start: int
    end: int
    volume: str = ""
    issue: str = ""
    pages: str = ""
    issued: str = ""


def find_locator(text: str, *, dated: bool = False) -> PrintLocator:
    """Find where the work stands, in the part of a reference after its title.

    dated: the date was found before.
    """
    masked = DATE.sub(lambda found: "·" * len(found[0]), text)  # "April 1, 2022" is no volume 1
    ways = (
        pattern.search(text if "date" in pattern.groupindex else masked)
        for pattern in (*_LOCATOR_PATTERNS, *([_YEAR_AS_VOLUME] if dated else []))
    )
    way = next((found for found in ways if found and any(found.groupdict().values())), None)
    said = {name: value or "" for name, value in way.groupdict().items()} if way else {}
    start, end = way.span() if way else (len(text), len(text))
    pages = said.get("pages", "")
    if not pages and (paged := _PAGE_LABEL.search(text)):
        pages, start = paged["pages"] or paged["bare"], min(start, paged.start())
    rest = f"{text[:start]} {text[end:]}" if way else text
    date = find_date(said.get("date", "")) or find_date(rest.replace(pages, " ") if pages else rest)
    return PrintLocator(
        start,
        end,
        said.get("volume", ""),
        said.get("issue", "").strip(),
        _normalize_pages(pages),
        date,
    )


def find_date(text: str) -> str:
    """Return the date in a text, or "".

    One in brackets comes first, then the last day or month, then the last year.
    """
    for found in [_BRACKETED_YEAR.search(text), *reversed(list(DATE.finditer(text[:2000])))]:
        if found and (date := parse_work_date(found[0].strip("()"))):
            return date
    years = _BARE_YEAR.findall(text)
    return years[-1] if years else ""


def _normalize_pages(pages: str) -> str:
    return re.sub(r"\s*[-–—‐]+\s*", "-", pages)
