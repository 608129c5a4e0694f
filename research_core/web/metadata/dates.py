"""Find when a page was published and last changed, from markup, address or dated elements.

Dates in prose are never used. If no markup says it, `htmldate` looks at the tree.
"""

from __future__ import annotations

import re
from datetime import date

from lxml.etree import tostring

from research_core.text.dates import find_day, parse_full_day, parse_iso_date
from research_core.web.lxml_types import Element
from research_core.web.metadata.page_markup import DeclaredMetadata

#: Range of plausible dates for a page without a sending date. It is fixed, so that a page always
#: reads the same.
LATEST_DAY, EARLIEST_DAY = "2099-12-31", "1900-01-01"

_PUBLISHED_TAGS = (
    "article:published_time", "article:published", "og:article:published_time", "og:published_time",
    "citation_publication_date",
    "citation_date", "citation_online_date", "parsely-pub-date", "sailthru.date", "datepublished",
    "pubdate", "publish_date",
    "publish-date", "publication_date", "published-date", "dc.date.issued", "dcterms.issued",
    "dc.date.created", "dcterms.created",
    "dcterms.date", "dc.date", "date",
)  # fmt: skip
_MODIFIED_TAGS = (
    "article:modified_time", "og:updated_time", "og:modified_time", "article:modified",
    "datemodified", "dcterms.modified",
    "dc.date.modified", "last-modified", "revised", "lastmod", "modified",
)  # fmt: skip


def find_published(tree: Element, said: DeclaredMetadata, url: str, latest: str) -> str:
    """Return the day of publication; "" if unknown.

    The address comes first, then the markup, then an element that displays a date. If the markup
    names an impossible day, such as one after `latest`, or less than a day, nothing is guessed from
    elsewhere.
    """
    latest = latest or LATEST_DAY
    if day := _find_day_in_address(url, latest):
        return day
    in_markup = [
        *said.all(*_PUBLISHED_TAGS),
        *_collect_declared_values(said, "datePublished"),
        *said.micro.get("datepublished", ()),
    ]
    is_named = False
    vague = ""  # the first plausible day, which may be a month or a year only
    for text in in_markup:
        day = find_day(text)
        is_named = is_named or bool(day)
        if not EARLIEST_DAY <= day <= latest:
            continue
        if len(day) == 10:
            return (
                _choose_local_day(day, _find_displayed_date(tree, latest))
                if _IN_UTC.search(text)
                else day
            )
        vague = vague or day
    shown = _find_displayed_date(tree, latest)
    if shown and shown.startswith(vague):
        return shown
    if vague or is_named:
        return vague
    return _find_date(tree, url, latest)


_IN_UTC = re.compile(r"T\d\d:.*(?:Z|\+00:?00)\s*$")


def _choose_local_day(day: str, shown: str) -> str:
    """Return the displayed day if it is one day apart from the day in UTC, else that day."""
    apart = abs((date.fromisoformat(day) - date.fromisoformat(shown)).days) if shown else 0
    return shown if apart == 1 else day


def find_modified(said: DeclaredMetadata, after: str, latest: str) -> str:
    """Return the declared day of the last change, if it is not before `after`."""
    texts = (
        *said.all(*_MODIFIED_TAGS),
        *_collect_declared_values(said, "dateModified"),
        *said.micro.get("datemodified", ()),
    )
    for text in texts:
        day = find_day(text)
        if day and after <= day <= (latest or LATEST_DAY):
            return day
    return ""


def _collect_declared_values(said: DeclaredMetadata, name: str) -> list[str]:
    return [value for node in said.nodes if isinstance(value := node.get(name), str)]


_IN_ADDRESS = re.compile(
    r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?=[/-]|$)"
)
_DAY_FIRST_IN_ADDRESS = re.compile(
    r"/(0[1-9]|[12]\d|3[01])-(0[1-9]|1[0-2])-((?:19|20)\d\d)(?=[/-]|$)"
)


def _find_day_in_address(url: str, latest: str) -> str:
    if found := _IN_ADDRESS.search(url):
        day = find_day("-".join(found.groups()))
    elif found := _DAY_FIRST_IN_ADDRESS.search(url):
        day = find_day("-".join(reversed(found.groups())))
    else:
        return ""
    return day if EARLIEST_DAY <= day <= latest else ""


def _find_date(tree: Element, url: str, latest: str) -> str:
    """Return the date htmldate finds, or "".

    Modification dates are removed from the tree first, since htmldate would take them for the
    publication.
    """
    for element in list(tree.iter("meta")):
        if (
            element.get("property") or element.get("name") or ""
        ).lower() in _MODIFIED_TAGS and element.getparent() is not None:
            element.getparent().remove(element)
    from htmldate import find_date

    try:
        found = (
            find_date(
                tree, url=url or None, original_date=True, extensive_search=False, max_date=latest
            )
            or ""
        )
    except (
        ValueError,
        TypeError,
        LookupError,
        OverflowError,
        AttributeError,
    ):  # of the finder, on dates no calendar has
        return ""
    return (
        _limit_precision(found, f"{url} {tostring(tree, encoding='unicode')}")
        if parse_full_day(found)
        else ""
    )


def _limit_precision(day: str, source: str) -> str:
    """Return a day only as precisely as its source states it.

    htmldate completes a month or a year with today's day or the first.
    """
    year, month, number = day.split("-")
    y, m, d = rf"(?:{year}|{year[2:]})", _mask_digits(month), _mask_digits(number)
    numbers = rf"{y}\D{{1,3}}{m}\D{{1,3}}{d}|(?:{m}\D{{1,3}}{d}|{d}\D{{1,3}}{m})\D{{1,3}}{y}"
    with_words = rf"{d}[^\d<>]{{1,24}}{year}|{year}[^\d<>]{{1,24}}{d}"
    said = re.search(rf"{year}{month}{number}|(?<!\d)(?:{numbers}|{with_words})(?!\d)", source)
    return day if said else parse_iso_date(day[:7])


def _mask_digits(number: str) -> str:
    return f"0?{number[1]}" if number.startswith("0") else number


#: Elements after and before a headline in which a standalone date is the page's; and headlines
#: examined.
MAX_AFTER, MAX_BEFORE, MAX_HEADLINES = 60, 20, 5
_DATE_PATTERN = (
    r"\d[\w.,/ -]{5,22}(?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d|[^\W\d_]{3,12}\.? \d{1,2},?"
    r" (?:19|20)\d\d"
)
_STANDALONE_DATE = re.compile(
    rf"(?:\W*(?:[^\W\d_]{{1,20}}[.:,]?\s+){{0,3}})?(?P<date>{_DATE_PATTERN})\b(?P<rest>.{{0,24}})"
)


_YEAR = re.compile(r"(?:19|20)\d\d")


def _find_displayed_date(tree: Element, latest: str) -> str:
    """Return the date that stands by itself next to a headline, or ""."""
    elements = [each for each in tree.iter() if each.tag not in _TEXTLESS_TAGS]
    headlines = [place for place, each in enumerate(elements) if each.tag == "h1"]
    for at in headlines[:MAX_HEADLINES]:
        after = elements[at : at + MAX_AFTER]
        before = elements[max(0, at - MAX_BEFORE) : at]
        for each in (*after, *reversed(before)):
            for text in (each.text, each.tail):
                day = _find_standalone_day(text or "")
                if len(day) == 10 and EARLIEST_DAY <= day <= latest:
                    return day
    return ""


def _find_standalone_day(text: str) -> str:
    """Return the day in a text that is little more than a date, or ""."""
    if len(text) >= 200 or not _YEAR.search(text):
        return ""
    found = _STANDALONE_DATE.fullmatch(" ".join(text.split()))
    return find_day(found["date"]) if found else ""


_TEXTLESS_TAGS = frozenset({"script", "style", "head", "meta", "link", "option"})
