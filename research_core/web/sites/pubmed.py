"""Read PubMed records and PubMed Central articles from the XML of NCBI's E-utilities.

If a publisher does not release the full text to programs, the article's page is tried, and else the
abstract is the text. Retractions, corrections and concerns that PubMed links to the article are
shown above its abstract.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import HiddenText, HttpReply, Metadata, Page
from research_core.text.words import truncate
from research_core.web.documents.sandbox import SHARED_SANDBOX, Sandbox
from research_core.web.fetch.responses import read_page_reply
from research_core.web.html import MAX_IN_PROCESS_BYTES
from research_core.web.lxml_types import Element
from research_core.web.sites import jats, medline
from research_core.web.sites.layout import format_heading, format_item, join_document, one_line
from research_core.web.sites.service import (
    Attempts,
    ask_service,
    format_byline,
    get_text,
    get_texts,
    make_not_found_error,
    make_unexpected_answer_error,
    parse_in_sandbox,
    parse_xml_reply,
)

if TYPE_CHECKING:
    from research_core.journal.deps import Deps, Http


SERVICE_NAME, CENTRAL_NAME = "PubMed", "PubMed Central"
EFETCH_URL = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/efetch.fcgi"
PUBMED_URL, PMC_URL = "https://pubmed.ncbi.nlm.nih.gov", "https://pmc.ncbi.nlm.nih.gov/articles"
#: Notices that PubMed links to an article.
NOTICE_LABELS = {
    "RetractionIn": "Retracted",
    "ExpressionOfConcernIn": "Expression of concern",
    "ErratumIn": "Correction",
    "UpdateIn": "Updated",
}


def read_abstract(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read the record with this PubMed id as a page. Raises FetchError."""
    return parse_abstract_reply(
        _fetch_record(deps.http, SERVICE_NAME, "pubmed", found["id"]), url, found["id"]
    )


def read_article(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read the article with this PMC id as a page, or only its abstract. Raises FetchError."""
    http, tries, address = deps.http, Attempts(), f"{PMC_URL}/PMC{found['id']}/"
    reply = _fetch_record(http, CENTRAL_NAME, "pmc", found["id"])
    article = parse_article_reply(reply, found["id"])
    page = None
    if not article.text:
        page = tries.run("pmc:page", lambda: _fetch_bioc(http, address))
    whole = article.text or (page.text if page else "")
    if not (whole or article.abstract):
        raise tries.attach_to(
            FetchError("PubMed Central provides neither text nor abstract.", kind="content_empty")
        )
    if page:
        cut = page.metadata.cut
    else:
        cut = "" if whole else "The abstract was read, not the article."
    doi = medline.normalize_doi(article.doi)
    about = Metadata(
        article.authors,
        article.journal,
        language=article.language,
        doi=doi,
        canonical=address,
        type="peer_reviewed",
        cut=cut,
    )
    blocks = [_format_byline(article.authors, article.journal, article.published, doi)]
    if article.abstract and not page:  # a page holds its own
        blocks += [format_heading(2, "Abstract"), article.abstract]
    return Page(
        url,
        address,
        truncate(article.title, 300),
        join_document(article.title, *blocks, whole),
        "html",
        article.published,
        about,
        page.hidden if page else HiddenText(),
        tuple(tries.made),
    )


def _fetch_record(http: Http, service: str, db: str, id: str) -> HttpReply:
    return ask_service(
        http, service, EFETCH_URL, params={"db": db, "id": id, "retmode": "xml", "tool": "assay"}
    )


def _fetch_bioc(http: Http, address: str) -> Page:
    return read_page_reply(ask_service(http, CENTRAL_NAME, address, page=True), address)


def _format_byline(authors: tuple[str, ...], journal: str, published: str, doi: str) -> str:
    return format_byline(authors, journal, published, f"doi:{doi}" if doi else "")


# ---------------------------------------------------------------- PubMed Central


def parse_article_reply(
    reply: HttpReply, id: str, sandbox: Sandbox = SHARED_SANDBOX
) -> jats.JatsArticle:
    """Return the article with this id in an answer. Raises FetchError: not_found, bad_reply."""
    said = parse_in_sandbox("pmc", parse_article, reply.body, sandbox=sandbox, id=id)
    words = {
        each.name: get_text(said, each.name)
        for each in fields(jats.JatsArticle)
        if each.name != "authors"
    }
    return jats.JatsArticle(authors=get_texts(said, "authors"), **words)


def parse_article(body: bytes, id: str) -> Json:
    """Return the fields of a PubMed Central article. Raises as `parse_article_reply`."""
    root = parse_xml_reply(body, CENTRAL_NAME)
    if root.tag == "Reply" or root.find("error") is not None or root.find("Reply") is not None:
        raise make_not_found_error("PubMed Central has no such article.")
    if root.tag != "pmc-articleset":
        raise make_unexpected_answer_error(CENTRAL_NAME, "it is no set of articles")
    for element in root.iter("article"):
        ids = {
            one_line(each.text or "").removeprefix("PMC")
            for each in element.findall("front/article-meta/article-id")
        }
        if id in ids:
            article = jats.read_article(element)
            if article.title:
                return asdict(article)
            raise make_unexpected_answer_error(CENTRAL_NAME, "an article without title")
    raise make_not_found_error("PubMed Central has no such article.")


# ---------------------------------------------------------------- PubMed


def parse_abstract_reply(
    reply: HttpReply, url: str, id: str, sandbox: Sandbox = SHARED_SANDBOX
) -> Page:
    """Return the page of a record in an answer. Raises FetchError: not_found, bad_reply."""
    if len(reply.body) <= MAX_IN_PROCESS_BYTES:
        return parse_abstract(reply.body, url, id)
    return sandbox.read("pubmed", reply.body, url=url, id=id)


def parse_abstract(body: bytes, url: str, id: str) -> Page:
    """Parse the record with this id into a page. Raises FetchError as `parse_abstract_reply`."""
    root = parse_xml_reply(body, SERVICE_NAME)
    if root.tag != "PubmedArticleSet":
        raise make_unexpected_answer_error(SERVICE_NAME, "it is no set of articles")
    record = None
    for each in medline.find_records(root):
        if medline.read_number(each) == id:
            record = each
            break
    if record is None:
        raise make_not_found_error("PubMed has no such article.")
    title = medline.read_title(record)
    if not title:
        raise make_unexpected_answer_error(SERVICE_NAME, "an article without title")
    authors = medline.read_authors(record)
    journal = medline.read_journal(record)
    doi = medline.read_doi(record)
    published = medline.read_date(record)
    is_preprint = "Preprint" in medline.read_publication_types(record)
    about = Metadata(
        authors,
        journal or SERVICE_NAME,
        language="en" if record.findtext(".//Language") == "eng" else "",
        doi=doi,
        canonical=f"{PUBMED_URL}/{id}/",
        type="" if is_preprint else "peer_reviewed",
        retracted=SERVICE_NAME if medline.is_retracted(record) else "",
    )
    blocks = [_format_byline(authors, journal, published, doi), *_format_notice_lines(record)]
    abstract = list(medline.read_abstract(record))
    if abstract:
        blocks += [format_heading(2, "Abstract"), *abstract]
    text = join_document(title, *blocks)
    return Page(url, about.canonical, truncate(title, 300), text, "html", published, about)


def _format_notice_lines(record: Element) -> Iterator[str]:
    for link in record.iterfind(".//CommentsCorrectionsList/CommentsCorrections"):
        label = NOTICE_LABELS.get(link.get("RefType") or "")
        if not label:
            continue
        notice = f"{label}: {link.findtext('RefSource') or ''}"
        id = one_line(link.findtext("PMID") or "")
        if id:
            notice += f" (PMID {id})"
        yield format_item(notice)
