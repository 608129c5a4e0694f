"""Reads articles of PubMed (record and abstract) and of PubMed Central (full text) from the XML of
NCBI's E-utilities.

Where a publisher gives the full text to no program, the article's page is tried, and else the
abstract is the text. A retraction, a correction or a concern that PubMed links to the article is
said above its abstract.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import Hidden, HttpReply, Metadata, Page
from research_core.text.words import truncate
from research_core.web.documents.sandbox import SHARED, Sandbox
from research_core.web.html import IN_PROCESS
from research_core.web.http.responses import page_of
from research_core.web.sites import jats, medline
from research_core.web.sites.layout import document, heading, item, line
from research_core.web.sites.service import (
    Tries,
    ask,
    byline,
    changed,
    missing,
    parsed,
    text,
    texts,
    xml_in,
)

if TYPE_CHECKING:
    from research_core.journal.deps import Deps, Http

Element = Any  # lxml ships no types

NAME, CENTRAL = "PubMed", "PubMed Central"
EFETCH = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi"
PUBMED, PMC = "https://pubmed.ncbi.nlm.nih.gov", "https://pmc.ncbi.nlm.nih.gov/articles"
#: What PubMed links to an article and its reader must know.
NOTICES = {
    "RetractionIn": "Retracted",
    "ExpressionOfConcernIn": "Expression of concern",
    "ErratumIn": "Correction",
    "UpdateIn": "Updated",
}


def read_abstract(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """The record of this PubMed id as a page. Raises FetchError."""
    return abstract_page(_efetch(deps.http, NAME, "pubmed", found["id"]), url, found["id"])


def read_article(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """The article of this PMC id as a page, its abstract alone where nothing more is given out.
    Raises FetchError.
    """
    http, tries, address = deps.http, Tries(), f"{PMC}/PMC{found['id']}/"
    article = article_in(_efetch(http, CENTRAL, "pmc", found["id"]), found["id"])
    page = None if article.text else tries.run("pmc:page", lambda: _whole(http, address))
    whole = article.text or (page.text if page else "")
    if not (whole or article.abstract):
        raise tries.failed(
            FetchError("PubMed Central gives out neither text nor abstract.", kind="content_empty")
        )
    doi = medline.valid_doi(article.doi)
    about = Metadata(
        article.authors, article.journal, language=article.language, doi=doi, canonical=address,
        type="peer_reviewed",
        cut=page.metadata.cut if page else "" if whole else "The abstract was read, not the article.",
    )  # fmt: skip
    abstract = (
        (heading(2, "Abstract"), article.abstract) if article.abstract and not page else ()
    )  # a page holds its own
    body = document(
        article.title,
        _byline(article.authors, article.journal, article.published, doi),
        *abstract,
        whole,
    )
    hidden = page.hidden if page else Hidden()
    return Page(
        url,
        address,
        truncate(article.title, 300),
        body,
        "html",
        article.published,
        about,
        hidden,
        tuple(tries.made),
    )


def _efetch(http: Http, service: str, db: str, id: str) -> HttpReply:
    return ask(
        http, service, EFETCH, params={"db": db, "id": id, "retmode": "xml", "tool": "assay"}
    )


def _whole(http: Http, address: str) -> Page:
    return page_of(ask(http, CENTRAL, address, page=True), address)


def _byline(authors: tuple[str, ...], journal: str, published: str, doi: str) -> str:
    return byline(authors, journal, published, f"doi:{doi}" if doi else "")


# ---------------------------------------------------------------- PubMed Central


def article_in(reply: HttpReply, id: str, sandbox: Sandbox = SHARED) -> jats.Article:
    """The article of this id in an answer. Raises FetchError: not_found, bad_reply."""
    said = parsed("pmc", parse_article, reply.body, sandbox=sandbox, id=id)
    words = {
        each.name: text(said, each.name) for each in fields(jats.Article) if each.name != "authors"
    }
    return jats.Article(authors=texts(said, "authors"), **words)


def parse_article(body: bytes, id: str) -> Json:
    """The fields of an `Article` of PubMed Central. Raises FetchError as `article_in`."""
    root = xml_in(body, CENTRAL)
    if root.tag == "Reply" or root.find("error") is not None or root.find("Reply") is not None:
        raise missing("PubMed Central has no such article.")
    if root.tag != "pmc-articleset":
        raise changed(CENTRAL, "it is no set of articles")
    for element in root.iter("article"):
        ids = {
            line(each.text or "").removeprefix("PMC")
            for each in element.findall("front/article-meta/article-id")
        }
        if id in ids:
            article = jats.read_article(element)
            if article.title:
                return asdict(article)
            raise changed(CENTRAL, "an article without title")
    raise missing("PubMed Central has no such article.")


# ---------------------------------------------------------------- PubMed


def abstract_page(reply: HttpReply, url: str, id: str, sandbox: Sandbox = SHARED) -> Page:
    """The record of this id in an answer. Raises FetchError: not_found, bad_reply."""
    return (
        parse_abstract(reply.body, url, id)
        if len(reply.body) <= IN_PROCESS
        else sandbox.read("pubmed", reply.body, url=url, id=id)
    )


def parse_abstract(body: bytes, url: str, id: str) -> Page:
    """The record of this id as a page. Raises FetchError as `abstract_page`."""
    root = xml_in(body, NAME)
    if root.tag != "PubmedArticleSet":
        raise changed(NAME, "it is no set of articles")
    record = next((each for each in medline.records(root) if medline.number(each) == id), None)
    if record is None:
        raise missing("PubMed has no such article.")
    title = medline.title(record)
    if not title:
        raise changed(NAME, "an article without title")
    authors, journal, doi = medline.authors(record), medline.journal(record), medline.doi(record)
    address, published = f"{PUBMED}/{id}/", medline.published(record)
    kinds = medline.types(record)
    language = "en" if record.findtext(".//Language") == "eng" else ""
    reviewed = "" if "Preprint" in kinds else "peer_reviewed"
    retracted = NAME if medline.is_retracted(record) else ""
    about = Metadata(
        authors,
        journal or NAME,
        language=language,
        doi=doi,
        canonical=address,
        type=reviewed,
        retracted=retracted,
    )
    abstract = list(medline.abstract(record))
    blocks = [
        _byline(authors, journal, published, doi),
        *_notices(record),
        heading(2, "Abstract") if abstract else "",
        *abstract,
    ]
    return Page(
        url, address, truncate(title, 300), document(title, *blocks), "html", published, about
    )


def _notices(record: Element) -> Iterator[str]:
    for link in record.iterfind(".//CommentsCorrectionsList/CommentsCorrections"):
        if name := NOTICES.get(link.get("RefType") or ""):
            id = line(link.findtext("PMID") or "")
            yield item(f"{name}: {link.findtext('RefSource') or ''}{f' (PMID {id})' if id else ''}")
