"""When a page says it was published and last changed: a day from its markup, its address or its
dated elements, never from its prose.

What others do well is theirs: where no markup says it, `htmldate` looks at the tree. How a date is
written is `days`' business.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from lxml.etree import tostring

from research_core.text.dates import day_in, iso, whole
from research_core.web.metadata.declared import Declared

Element = Any  # lxml ships no types

#: No date after this is believed of a page that did not say when it was sent. A fixed day, so that
#: a page reads the same for ever.
LATEST, EARLIEST = "2099-12-31", "1900-01-01"

_PUBLISHED = (
    "article:published_time", "article:published", "og:article:published_time", "og:published_time",
    "citation_publication_date",
    "citation_date", "citation_online_date", "parsely-pub-date", "sailthru.date", "datepublished",
    "pubdate", "publish_date",
    "publish-date", "publication_date", "published-date", "dc.date.issued", "dcterms.issued",
    "dc.date.created", "dcterms.created",
    "dcterms.date", "dc.date", "date",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time", "og:updated_time", "og:modified_time", "article:modified",
    "datemodified", "dcterms.modified",
    "dc.date.modified", "last-modified", "revised", "lastmod", "modified",
)  # fmt: skip


def published(tree: Element, said: Declared, url: str, latest: str) -> str:
    """The day in the address, else in the markup, else in an element that shows a date; "" where
    there is none.

    Where the markup names a day that cannot be, such as one after `latest`, or less than a day,
    nothing is guessed from elsewhere.
    """
    latest = latest or LATEST
    in_markup = [
        *said.all(*_PUBLISHED),
        *_of(said, "datePublished"),
        *said.micro.get("datepublished", ()),
    ]
    named = {text: day for text in in_markup if (day := day_in(text))}
    days = {text: day for text, day in named.items() if EARLIEST <= day <= latest}
    if day := _in_address(url, latest):
        return day
    for text, day in days.items():
        if len(day) == 10:
            return _here(day, _shown(tree, latest)) if _IN_UTC.search(text) else day
    shown, vague = _shown(tree, latest), next(iter(days.values()), "")
    return (
        shown
        if shown.startswith(vague) and shown
        else vague or ("" if named else _found(tree, url, latest))
    )


_IN_UTC = re.compile(r"T\d\d:.*(?:Z|\+00:?00)\s*$")


def _here(day: str, shown: str) -> str:
    """The day where the page was written, if it shows that: a day in Greenwich can be the day
    before or after.
    """
    apart = abs((date.fromisoformat(day) - date.fromisoformat(shown)).days) if shown else 0
    return shown if apart == 1 else day


def modified(said: Declared, after: str, latest: str) -> str:
    """The day of the last change, where one is declared that is not before `after`."""
    texts = (*said.all(*_MODIFIED), *_of(said, "dateModified"), *said.micro.get("datemodified", ()))
    days = (day for text in texts if (day := day_in(text)) and after <= day <= (latest or LATEST))
    return next(days, "")


def _of(said: Declared, name: str) -> list[str]:
    return [value for node in said.nodes if isinstance(value := node.get(name), str)]


_IN_ADDRESS = re.compile(
    r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?=[/-]|$)"
)
_DAY_FIRST_IN_ADDRESS = re.compile(
    r"/(0[1-9]|[12]\d|3[01])-(0[1-9]|1[0-2])-((?:19|20)\d\d)(?=[/-]|$)"
)


def _in_address(url: str, latest: str) -> str:
    found = _IN_ADDRESS.search(url)
    turned = None if found else _DAY_FIRST_IN_ADDRESS.search(url)
    said = found.groups() if found else turned.groups()[::-1] if turned else ()
    day = day_in("-".join(said))
    return day if EARLIEST <= day <= latest else ""


def _found(tree: Element, url: str, latest: str) -> str:
    """What the finder says of a tree that no longer says when the page was changed: it would take
    that for the day of publication.
    """
    for element in list(tree.iter("meta")):
        if (
            element.get("property") or element.get("name") or ""
        ).lower() in _MODIFIED and element.getparent() is not None:
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
    return _as_said(found, f"{url} {tostring(tree, encoding='unicode')}") if whole(found) else ""


def _as_said(day: str, source: str) -> str:
    """As much of a day as its source says: to a month or a year alone the finder adds the day it is
    today, or the first.
    """
    year, month, number = day.split("-")
    y, m, d = rf"(?:{year}|{year[2:]})", _digits(month), _digits(number)
    numbers = rf"{y}\D{{1,3}}{m}\D{{1,3}}{d}|(?:{m}\D{{1,3}}{d}|{d}\D{{1,3}}{m})\D{{1,3}}{y}"
    with_words = rf"{d}[^\d<>]{{1,24}}{year}|{year}[^\d<>]{{1,24}}{d}"
    said = re.search(rf"{year}{month}{number}|(?<!\d)(?:{numbers}|{with_words})(?!\d)", source)
    return day if said else iso(day[:7])


def _digits(number: str) -> str:
    return f"0?{number[1]}" if number.startswith("0") else number


#: Elements after a headline, and before it, in which a date that stands by itself is the page's;
#: and headlines looked at.
AFTER, BEFORE, HEADLINES = 60, 20, 5
_DATE = (
    r"\d[\w.,/ -]{5,22}(?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d|[^\W\d_]{3,12}\.? \d{1,2},?"
    r" (?:19|20)\d\d"
)
_BY_ITSELF = re.compile(
    rf"(?:\W*(?:[^\W\d_]{{1,20}}[.:,]?\s+){{0,3}})?(?P<date>{_DATE})\b(?P<rest>.{{0,24}})"
)


def _shown(tree: Element, latest: str) -> str:
    """The date that stands by itself next to a headline."""
    elements = [each for each in tree.iter() if each.tag not in _NO_TEXT]
    for at in [n for n, each in enumerate(elements) if each.tag == "h1"][:HEADLINES]:
        near = (*elements[at : at + AFTER], *reversed(elements[max(0, at - BEFORE) : at]))
        for text in (
            text for each in near for text in (each.text, each.tail) if text and len(text) < 200
        ):
            found = _BY_ITSELF.fullmatch(" ".join(text.split()))
            if found and len(day := day_in(found["date"])) == 10 and EARLIEST <= day <= latest:
                return day
    return ""


_NO_TEXT = frozenset({"script", "style", "head", "meta", "link", "option"})
