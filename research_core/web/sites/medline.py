"""Read the fields of PubMed records (MEDLINE XML), for its pages and its search."""

from __future__ import annotations

import re
from collections.abc import Iterator

from research_core.text.dates import parse_date_parts, parse_iso_date
from research_core.web.lxml_types import Element
from research_core.web.sites.layout import one_line
from research_core.web.sites.service import limit_names

_DOI = re.compile(r"10\.\d{4,9}/\S+")


def find_records(root: Element) -> Iterator[Element]:
    """Yield the articles and books in a `PubmedArticleSet`."""
    yield from root.iter("PubmedArticle", "PubmedBookArticle")


def read_number(record: Element) -> str:
    return one_line(record.findtext("./*/PMID") or "")


def read_title(record: Element) -> str:
    return _read_element_text(
        record,
        "./*/Article/ArticleTitle",
        "./*/Article/VernacularTitle",
        "./*/ArticleTitle",
        ".//BookTitle",
    )


def read_authors(record: Element) -> tuple[str, ...]:
    return limit_names(
        map(
            _format_author_name,
            _find_first_match(record, "./*/Article/AuthorList", "./*/AuthorList"),
        )
    )


def read_journal(record: Element) -> str:
    """Return the journal, or a book's publisher."""
    return _read_element_text(record, "./*/Article/Journal/Title", ".//Publisher/PublisherName")


def read_doi(record: Element) -> str:
    return normalize_doi(
        _read_element_text(
            record,
            "./*/ArticleIdList/ArticleId[@IdType='doi']",
            "./*/Article/ELocationID[@EIdType='doi']",
        )
    )


def normalize_doi(text: str) -> str:
    return text if _DOI.fullmatch(text) else ""


def read_date(record: Element) -> str:
    """Return the date as YYYY, YYYY-MM or YYYY-MM-DD."""
    date = _find_first_match(
        record, "./*/Article/ArticleDate", "./*/Article/Journal/JournalIssue/PubDate", ".//PubDate"
    )
    if len(date) == 0:
        return ""
    year, month, day = (one_line(date.findtext(part) or "") for part in ("Year", "Month", "Day"))
    return (
        parse_date_parts(year, month, day)
        if year
        else parse_iso_date(one_line(date.findtext("MedlineDate") or "")[:4])
    )


def read_publication_types(record: Element) -> set[str]:
    """Return the publication types: "Journal Article", "Preprint", "Retracted Publication", …"""
    return {one_line(each.text or "") for each in record.iter("PublicationType")}


def is_retracted(record: Element) -> bool:
    """Return whether a record is marked as retracted, or linked to a retraction."""
    linked = (
        record.find(".//CommentsCorrectionsList/CommentsCorrections[@RefType='RetractionIn']")
        is not None
    )
    return linked or "Retracted Publication" in read_publication_types(record)


def read_abstract(record: Element) -> Iterator[str]:
    """Yield the parts of the abstract, each with its label."""
    for part in _find_first_match(record, "./*/Article/Abstract", "./*/Abstract"):
        label, words = one_line(part.get("Label") or ""), one_line("".join(part.itertext()))
        if part.tag == "AbstractText" and words:
            yield f"{label}: {words}" if label and label != "UNLABELLED" else words


def _find_first_match(record: Element, *paths: str) -> Element:
    """Return the first of these elements that exists, else an empty list."""
    return next((found for path in paths if (found := record.find(path)) is not None), [])


def _read_element_text(record: Element, *paths: str) -> str:
    found = (
        one_line("".join(element.itertext()))
        for path in paths
        for element in record.findall(path)[:1]
    )
    return next(filter(None, found), "")


def _format_author_name(author: Element) -> str:
    if author.tag != "Author":
        return ""
    parts = (one_line(author.findtext(part) or "") for part in ("ForeName", "LastName"))
    return " ".join(filter(None, parts)) or one_line(author.findtext("CollectiveName") or "")
