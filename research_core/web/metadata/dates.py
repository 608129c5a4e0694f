"""When a page says it was published and last changed: a day from its markup, its address or its dated elements, never from its prose.

What others do well is theirs: where no markup says it, `htmldate` looks at the tree.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from htmldate import find_date

from research_core.web.metadata.declared import Declared

Element = Any  # lxml ships no types

#: No date after this is believed of a page that did not say when it was sent. A fixed day, so that a page reads the same for ever.
LATEST, EARLIEST = "2099-12-31", "1900-01-01"

_PUBLISHED = (
    "article:published_time", "article:published", "og:article:published_time", "og:published_time", "citation_publication_date",
    "citation_date", "citation_online_date", "parsely-pub-date", "sailthru.date", "datepublished", "pubdate", "publish_date",
    "publish-date", "publication_date", "published-date", "dc.date.issued", "dcterms.issued", "dc.date.created", "dcterms.created",
    "dcterms.date", "dc.date", "date",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time", "og:updated_time", "og:modified_time", "article:modified", "datemodified", "dcterms.modified",
    "dc.date.modified", "last-modified", "revised", "lastmod", "modified",
)  # fmt: skip


def published(tree: Element, said: Declared, url: str, latest: str) -> str:
    """The day in the address, else in the markup, else in an element that shows a date; "" where there is none."""
    latest = latest or LATEST
    in_markup = [*said.all(*_PUBLISHED), *_of(said, "datePublished"), *said.micro.get("datepublished", ())]
    days = {text: day for text in in_markup if (day := day_in(text)) and EARLIEST <= day <= latest}
    if day := _in_address(url, latest):
        return day
    for text, day in days.items():
        if len(day) == 10:
            return _here(day, _shown(tree, latest)) if _IN_UTC.search(text) else day
    shown, vague = _shown(tree, latest), next(iter(days.values()), "")
    return shown if shown.startswith(vague) and shown else vague or _found(tree, url, latest)


_IN_UTC = re.compile(r"T\d\d:.*(?:Z|\+00:?00)\s*$")


def _here(day: str, shown: str) -> str:
    """The day where the page was written, if it shows that: a day in Greenwich can be the day before or after."""
    apart = abs((date.fromisoformat(day) - date.fromisoformat(shown)).days) if shown else 0
    return shown if apart == 1 else day


def modified(said: Declared, after: str, latest: str) -> str:
    """The day of the last change, where one is declared that is not before `after`."""
    texts = (*said.all(*_MODIFIED), *_of(said, "dateModified"), *said.micro.get("datemodified", ()))
    days = (day for text in texts if (day := day_in(text)) and after <= day <= (latest or LATEST))
    return next(days, "")


def _of(said: Declared, name: str) -> list[str]:
    return [value for node in said.nodes if isinstance(value := node.get(name), str)]


_IN_ADDRESS = re.compile(r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?=[/-]|$)")
_DAY_FIRST_IN_ADDRESS = re.compile(r"/(0[1-9]|[12]\d|3[01])-(0[1-9]|1[0-2])-((?:19|20)\d\d)(?=[/-]|$)")


def _in_address(url: str, latest: str) -> str:
    found = _IN_ADDRESS.search(url)
    turned = None if found else _DAY_FIRST_IN_ADDRESS.search(url)
    day = _day(*map(int, found.groups())) if found else _day(*map(int, reversed(turned.groups()))) if turned else ""
    return day if EARLIEST <= day <= latest else ""


def _found(tree: Element, url: str, latest: str) -> str:
    """What the finder says of a tree that no longer says when the page was changed: it would take that for the day of publication."""
    for element in list(tree.iter("meta")):
        if (element.get("property") or element.get("name") or "").lower() in _MODIFIED and element.getparent() is not None:
            element.getparent().remove(element)
    try:
        return find_date(tree, url=url or None, original_date=True, extensive_search=False, max_date=latest) or ""
    except (ValueError, TypeError, LookupError, OverflowError, AttributeError):  # of the finder, on dates no calendar has
        return ""


#: Elements after a headline, and before it, in which a date that stands by itself is the page's; and headlines looked at.
AFTER, BEFORE, HEADLINES = 60, 20, 5
_DATE = r"\d[\w.,/ -]{5,22}(?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d|[^\W\d_]{3,12}\.? \d{1,2},? (?:19|20)\d\d"
_BY_ITSELF = re.compile(rf"(?:\W*(?:[^\W\d_]{{1,20}}[.:,]?\s+){{0,3}})?(?P<date>{_DATE})\b(?P<rest>.{{0,24}})")


def _shown(tree: Element, latest: str) -> str:
    """The date that stands by itself next to a headline."""
    elements = [each for each in tree.iter() if each.tag not in _NO_TEXT]
    for at in [n for n, each in enumerate(elements) if each.tag == "h1"][:HEADLINES]:
        near = (*elements[at : at + AFTER], *reversed(elements[max(0, at - BEFORE) : at]))
        for text in (text for each in near for text in (each.text, each.tail) if text and len(text) < 200):
            found = _BY_ITSELF.fullmatch(" ".join(text.split()))
            if found and len(day := day_in(found["date"])) == 10 and EARLIEST <= day <= latest:
                return day
    return ""


_NO_TEXT = frozenset({"script", "style", "head", "meta", "link", "option"})
#: The first letters of the months in the languages that are read here.
_MONTHS = {
    letters: number
    for number, names in enumerate(
        (
            "jan ene gen янв oca", "feb fév fev фев", "mar mär mrz maa мар", "apr abr avr апр", "may mai mag maj mei май мая",
            "jun giu jui июн", "jul lug июл", "aug ago aoû авг", "sep set сен", "oct okt ott out окт", "nov ноя", "dec dez dic déc дек",
        ),
        start=1,
    )
    for letters in names.split()
}  # fmt: skip
_ISO = re.compile(r"\s*((?:19|20)\d\d)(?:[-/.]?(\d\d?)(?:[-/.]?(\d\d?))?)?(?!\d)")
_DOTTED = re.compile(r"(?<!\d)(\d\d?)\.\s?(\d\d?)\.\s?((?:19|20)\d\d)(?!\d)")
_SLASHED = re.compile(r"(?<!\d)(\d\d?)[/-](\d\d?)[/-]((?:19|20)\d\d)(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d\d?)(?:\.|er|º|°)?\s+(?:de\s+)?([^\W\d_]{3,12})\.?,?\s+(?:de\s+)?((?:19|20)\d\d)(?!\d)")
_MONTH_FIRST = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,12})\.?\s+(\d\d?),?\s+((?:19|20)\d\d)(?!\d)")


def day_in(text: str) -> str:
    """YYYY-MM-DD, or YYYY-MM or YYYY where that is all it says, of a date as markup has it; "" where it could be another day too."""
    text = text[:80]
    if found := _ISO.match(text):
        return _day(*(int(part) for part in found.groups() if part))
    if found := _DOTTED.search(text):
        return _day(int(found[3]), int(found[2]), int(found[1]))
    if found := _SLASHED.search(text):
        one, other = int(found[1]), int(found[2])
        return _day(int(found[3]), *((other, one) if one > 12 else (one, other))) if max(one, other) > 12 or one == other else ""
    if found := _DAY_FIRST.search(text):
        return _named(found[3], found[2], found[1])
    found = _MONTH_FIRST.search(text)
    return _named(found[3], found[1], found[2]) if found else ""


def _named(year: str, month: str, day: str) -> str:
    number = 7 if month.lower().startswith("juil") else _MONTHS.get(month[:3].lower(), 0)  # juin, juillet
    return _day(int(year), number, int(day)) if number else ""


def _day(year: int, month: int | None = None, day: int | None = None) -> str:
    """As much of it as is said; "" for what is on no calendar."""
    try:
        found = date(year, 1 if month is None else month, 1 if day is None else day).isoformat()
    except ValueError:
        return ""
    return found[: 4 if month is None else 7 if day is None else 10]
