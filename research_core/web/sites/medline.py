"""Reads the fields of PubMed's records (MEDLINE XML), for its pages and for its search. It asks
nobody and makes no page of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from research_core.text.dates import iso, stated
from research_core.web.sites.layout import line
from research_core.web.sites.service import names

Element = Any  # lxml ships no types

_DOI = re.compile(r"10\.\d{4,9}/\S+")


def records(root: Element) -> Iterator[Element]:
    """The articles and books in a `PubmedArticleSet`."""
    yield from root.iter("PubmedArticle", "PubmedBookArticle")


def number(record: Element) -> str:
    return line(record.findtext("./*/PMID") or "")


def title(record: Element) -> str:
    return _text(
        record,
        "./*/Article/ArticleTitle",
        "./*/Article/VernacularTitle",
        "./*/ArticleTitle",
        ".//BookTitle",
    )


def authors(record: Element) -> tuple[str, ...]:
    return names(map(_name, _first(record, "./*/Article/AuthorList", "./*/AuthorList")))


def journal(record: Element) -> str:
    """The journal, or a book's publisher."""
    return _text(record, "./*/Article/Journal/Title", ".//Publisher/PublisherName")


def doi(record: Element) -> str:
    return valid_doi(
        _text(
            record,
            "./*/ArticleIdList/ArticleId[@IdType='doi']",
            "./*/Article/ELocationID[@EIdType='doi']",
        )
    )


def valid_doi(text: str) -> str:
    return text if _DOI.fullmatch(text) else ""


def published(record: Element) -> str:
    """YYYY, YYYY-MM or YYYY-MM-DD."""
    date = _first(
        record, "./*/Article/ArticleDate", "./*/Article/Journal/JournalIssue/PubDate", ".//PubDate"
    )
    if len(date) == 0:
        return ""
    year, month, day = (line(date.findtext(part) or "") for part in ("Year", "Month", "Day"))
    return stated(year, month, day) if year else iso(line(date.findtext("MedlineDate") or "")[:4])


def types(record: Element) -> set[str]:
    """What it is: "Journal Article", "Preprint", "Retracted Publication", …"""
    return {line(each.text or "") for each in record.iter("PublicationType")}


def is_retracted(record: Element) -> bool:
    """Whether it is marked as retracted, or a retraction is linked to it."""
    linked = (
        record.find(".//CommentsCorrectionsList/CommentsCorrections[@RefType='RetractionIn']")
        is not None
    )
    return linked or "Retracted Publication" in types(record)


def abstract(record: Element) -> Iterator[str]:
    """Its parts, each with its label."""
    for part in _first(record, "./*/Article/Abstract", "./*/Abstract"):
        label, words = line(part.get("Label") or ""), line("".join(part.itertext()))
        if part.tag == "AbstractText" and words:
            yield f"{label}: {words}" if label and label != "UNLABELLED" else words


def _first(record: Element, *paths: str) -> Element:
    """The first of these that is there; an empty list where none is."""
    return next((found for path in paths if (found := record.find(path)) is not None), [])


def _text(record: Element, *paths: str) -> str:
    found = (
        line("".join(element.itertext())) for path in paths for element in record.findall(path)[:1]
    )
    return next(filter(None, found), "")


def _name(author: Element) -> str:
    if author.tag != "Author":
        return ""
    parts = (line(author.findtext(part) or "") for part in ("ForeName", "LastName"))
    return " ".join(filter(None, parts)) or line(author.findtext("CollectiveName") or "")
