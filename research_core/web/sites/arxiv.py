"""Read arXiv papers: the record from the API or abstract page, the text from HTML or PDF.

Whichever of a paper's addresses was asked for, the page is that of its abstract; a version that was
named stays named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.model_messages import Json
from research_core.models import HttpReply, Metadata, Page
from research_core.text.dates import parse_iso_date
from research_core.text.words import truncate
from research_core.web.documents.kinds import read_body
from research_core.web.documents.sandbox import SHARED_SANDBOX, Sandbox
from research_core.web.html import MAX_IN_PROCESS_BYTES
from research_core.web.lxml_types import Element
from research_core.web.parser_memory import raise_if_out_of_memory
from research_core.web.signatures import MAX_DOCUMENT_BYTES
from research_core.web.sites import latexml
from research_core.web.sites.layout import format_heading, join_document, one_line
from research_core.web.sites.service import (
    Attempts,
    ask_service,
    format_byline,
    get_text,
    get_texts,
    limit_names,
    make_not_found_error,
    make_unexpected_answer_error,
    parse_in_sandbox,
    parse_xml_reply,
)

if TYPE_CHECKING:
    from research_core.journal.deps import Deps, Http


SERVICE_NAME = "arXiv"
API_URL = "https://export.arxiv.org/api/query"
SITE_URL = "https://arxiv.org"
ATOM_NS, ARXIV_NS = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
#: Seconds; a paper of a thousand pages takes long.
PDF_S = 20.0


@dataclass(frozen=True)
class PaperRecord:
    """arXiv's record of a paper.

    published, updated: YYYY-MM-DD; note: comments, journal and DOI, as a line.
    """

    title: str
    abstract: str
    authors: tuple[str, ...] = ()
    published: str = ""
    updated: str = ""
    note: str = ""


def read_paper(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """Read the paper with this id, or its abstract alone if nothing more can be read.

    Raises FetchError.
    """
    id, tries, http = found["id"], Attempts(), deps.http
    record = tries.run("arxiv:api", lambda: _fetch_record(http, id)) or tries.run(
        "arxiv:abs", lambda: _fetch_abstract_page(http, id)
    )
    if record is None:
        raise tries.attach_to(tries.error or make_not_found_error("arXiv has no such paper."))
    paper = tries.run("arxiv:html", lambda: _read_html_version(http, id)) or tries.run(
        "arxiv:pdf", lambda: _read_pdf_version(http, id)
    )
    blocks = [format_byline(record.authors, SERVICE_NAME, record.published), record.note]
    if paper is None or paper.kind != "pdf":  # a PDF holds its own abstract
        blocks += [format_heading(2, "Abstract"), record.abstract]
    if paper:
        blocks.append(paper.text)
    address = f"{SITE_URL}/abs/{id}"
    metadata = Metadata(
        record.authors,
        SERVICE_NAME,
        record.updated,
        doi=f"10.48550/arXiv.{re.sub(r'v[0-9]+$', '', id)}",
        canonical=address,
        cut=paper.metadata.cut if paper else "The abstract was read, not the paper.",
    )
    return replace(
        paper or Page(url, address, "", ""),
        url=url,
        final_url=address,
        title=truncate(record.title, 300),
        text=join_document(record.title, *blocks),
        published=record.published,
        metadata=metadata,
        attempts=tuple(tries.made),
    )


def _read_html_version(http: Http, id: str) -> Page:
    reply = ask_service(http, SERVICE_NAME, f"{SITE_URL}/html/{id}", page=True)
    options = {"url": reply.url, "content_type": reply.headers.get("content-type", "")}
    if len(reply.body) <= MAX_IN_PROCESS_BYTES:
        return latexml.read(reply.body, **options)
    return SHARED_SANDBOX.read("latexml", reply.body, **options)


def _read_pdf_version(http: Http, id: str) -> Page:
    reply = ask_service(
        http,
        SERVICE_NAME,
        f"{SITE_URL}/pdf/{id}",
        timeout_s=PDF_S,
        page=True,
        max_document=MAX_DOCUMENT_BYTES,
    )
    if b"%PDF-" not in reply.body[:1024]:
        raise make_unexpected_answer_error(SERVICE_NAME, "the PDF is none")
    return read_body(reply.body, reply.url, "application/pdf")


# ---------------------------------------------------------------- the record


def _fetch_record(http: Http, id: str) -> PaperRecord:
    return parse_api_record(
        ask_service(http, SERVICE_NAME, API_URL, params={"id_list": id, "max_results": "1"})
    )


def parse_api_record(reply: HttpReply, sandbox: Sandbox = SHARED_SANDBOX) -> PaperRecord:
    """Return the first entry of an Atom answer. Raises FetchError: not_found, bad_reply."""
    return _check_record(parse_in_sandbox("arxiv feed", parse_feed, reply.body, sandbox=sandbox))


def _check_record(said: Json) -> PaperRecord:
    """Build a record from parsed fields; those of a child process are not trusted further."""
    words = {
        name: get_text(said, name) for name in ("title", "abstract", "published", "updated", "note")
    }
    return PaperRecord(authors=get_texts(said, "authors"), **words)


def parse_feed(body: bytes) -> Json:
    """Return the `PaperRecord` fields of an Atom answer. Raises as `parse_api_record`."""
    feed = parse_xml_reply(body, SERVICE_NAME)
    if feed.tag != f"{ATOM_NS}feed":
        raise make_unexpected_answer_error(SERVICE_NAME, "it is no Atom feed")
    entry = feed.find(f"{ATOM_NS}entry")
    if entry is None or "/api/errors" in _read_field(entry, f"{ATOM_NS}id"):
        raise make_not_found_error("arXiv has no such paper.")
    title = one_line(_read_field(entry, f"{ATOM_NS}title"))
    abstract = _unwrap_abstract(_read_field(entry, f"{ATOM_NS}summary"))
    if not (title and abstract):
        raise make_unexpected_answer_error(SERVICE_NAME, "an entry without title or abstract")
    authors = [_read_field(each, f"{ATOM_NS}name") for each in entry.iter(f"{ATOM_NS}author")]
    published = parse_iso_date(_read_field(entry, f"{ATOM_NS}published"))
    updated = parse_iso_date(_read_field(entry, f"{ATOM_NS}updated"))
    if updated == published:
        updated = ""
    tags = {
        "Comments": f"{ARXIV_NS}comment",
        "Journal": f"{ARXIV_NS}journal_ref",
        "DOI of the published version": f"{ARXIV_NS}doi",
    }
    notes = []
    for name, tag in tags.items():
        words = one_line(_read_field(entry, tag))
        if words:
            notes.append(f"{name}: {words}")
    record = PaperRecord(
        title, abstract, limit_names(authors), published, updated, ". ".join(notes)
    )
    return asdict(record)


def _read_field(element: Element, tag: str) -> str:
    return element.findtext(tag) or ""


def _unwrap_abstract(text: str) -> str:
    """Unwrap an abstract's lines.

    Its paragraphs begin with two spaces or after an empty line.
    """
    return "\n\n".join(filter(None, map(one_line, re.split(r"\n\s*\n|\n(?= {2})", text))))


def _fetch_abstract_page(http: Http, id: str) -> PaperRecord:
    return parse_page_record(ask_service(http, SERVICE_NAME, f"{SITE_URL}/abs/{id}", page=True))


def parse_page_record(reply: HttpReply, sandbox: Sandbox = SHARED_SANDBOX) -> PaperRecord:
    """Return the record in the citation tags of an abstract page. Raises FetchError bad_reply."""
    return _check_record(
        parse_in_sandbox("arxiv abstract", parse_abstract, reply.body, sandbox=sandbox)
    )


def parse_abstract(body: bytes) -> Json:
    """Return the fields of a `PaperRecord` on an abstract page. Raises FetchError bad_reply."""
    try:
        tree = document_fromstring(body, parser=HTMLParser(encoding="utf-8", remove_comments=True))
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise_if_out_of_memory(error)
        raise make_unexpected_answer_error(SERVICE_NAME, "it is no HTML") from error
    tags: dict[str, list[str]] = {}
    for tag in tree.iter("meta"):
        tags.setdefault(tag.get("name") or "", []).append(one_line(tag.get("content") or ""))

    def first(name: str) -> str:
        return next(iter(tags.get(f"citation_{name}", ())), "")

    title = first("title")
    abstract = first("abstract")
    if not (title and abstract):
        raise make_unexpected_answer_error(SERVICE_NAME, "a page without title or abstract")
    names = [" ".join(reversed(name.split(", ", 1))) for name in tags.get("citation_author", ())]
    published = first("date")
    updated = first("online_date")
    record = PaperRecord(
        title,
        abstract,
        limit_names(names),
        parse_iso_date(published),
        parse_iso_date(updated) if updated != published else "",
    )
    return asdict(record)
