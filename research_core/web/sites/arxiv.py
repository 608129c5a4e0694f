"""Reads a paper of arXiv: its record from the interface or else the abstract's page, its text from
the HTML version or else the PDF.

Whichever of a paper's addresses was asked for, the page is that of its abstract; a version that was
named stays named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.model_messages import Json
from research_core.models import HttpReply, Metadata, Page
from research_core.text.dates import iso
from research_core.text.words import truncate
from research_core.web.documents.kinds import read_body
from research_core.web.documents.sandbox import SHARED, Sandbox
from research_core.web.documents.signatures import MAX_DOCUMENT
from research_core.web.html import IN_PROCESS
from research_core.web.sites import latexml
from research_core.web.sites.layout import document, heading, line
from research_core.web.sites.service import (
    Tries,
    ask,
    byline,
    changed,
    missing,
    names,
    parsed,
    text,
    texts,
    xml_in,
)

if TYPE_CHECKING:
    from research_core.journal.deps import Deps, Http

Element = Any  # lxml ships no types

NAME = "arXiv"
API = "https://export.arxiv.org/api/query"
SITE = "https://arxiv.org"
ATOM, ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
#: A paper of a thousand pages takes its time.
PDF_S = 20.0


@dataclass(frozen=True)
class Record:
    """What arXiv says of a paper. published, updated: YYYY-MM-DD; note: what else is said, as a
    line.
    """

    title: str
    abstract: str
    authors: tuple[str, ...] = ()
    published: str = ""
    updated: str = ""
    note: str = ""


def read(url: str, deps: Deps, found: Mapping[str, str]) -> Page:
    """The paper of this id, its abstract alone where nothing more can be read. Raises FetchError."""
    id, tries, http = found["id"], Tries(), deps.http
    record = tries.run("arxiv:api", lambda: _from_api(http, id)) or tries.run(
        "arxiv:abs", lambda: _from_page(http, id)
    )
    if record is None:
        raise tries.failed(tries.error or missing("arXiv has no such paper."))
    paper = tries.run("arxiv:html", lambda: _html(http, id)) or tries.run(
        "arxiv:pdf", lambda: _pdf(http, id)
    )
    abstract = (
        () if paper and paper.kind == "pdf" else (heading(2, "Abstract"), record.abstract)
    )  # a PDF holds its own
    blocks = (
        byline(record.authors, NAME, record.published),
        record.note,
        *abstract,
        paper.text if paper else "",
    )
    address, doi = f"{SITE}/abs/{id}", f"10.48550/arXiv.{re.sub(r'v[0-9]+$', '', id)}"
    cut = paper.metadata.cut if paper else "The abstract was read, not the paper."
    about = Metadata(record.authors, NAME, record.updated, doi=doi, canonical=address, cut=cut)
    page = paper or Page(url, address, "", "")
    return replace(
        page, url=url, final_url=address, title=truncate(record.title, 300),
        text=document(record.title, *blocks),
        published=record.published, metadata=about, attempts=tuple(tries.made),
    )  # fmt: skip


def _html(http: Http, id: str) -> Page:
    reply = ask(http, NAME, f"{SITE}/html/{id}", page=True)
    options = {"url": reply.url, "content_type": reply.headers.get("content-type", "")}
    return (
        latexml.read(reply.body, **options)
        if len(reply.body) <= IN_PROCESS
        else SHARED.read("latexml", reply.body, **options)
    )


def _pdf(http: Http, id: str) -> Page:
    reply = ask(
        http, NAME, f"{SITE}/pdf/{id}", timeout_s=PDF_S, page=True, max_document=MAX_DOCUMENT
    )
    if b"%PDF-" not in reply.body[:1024]:
        raise changed(NAME, "the PDF is none")
    return read_body(reply.body, reply.url, "application/pdf")


# ---------------------------------------------------------------- the record


def _from_api(http: Http, id: str) -> Record:
    return record_in(ask(http, NAME, API, params={"id_list": id, "max_results": "1"}))


def record_in(reply: HttpReply, sandbox: Sandbox = SHARED) -> Record:
    """The first entry of an Atom answer. Raises FetchError: not_found where there is none,
    bad_reply.
    """
    return _record(parsed("arxiv feed", parse_feed, reply.body, sandbox=sandbox))


def _record(said: Json) -> Record:
    """A record that was parsed here or by a child, which is believed no more than its fields."""
    words = {
        name: text(said, name) for name in ("title", "abstract", "published", "updated", "note")
    }
    return Record(authors=texts(said, "authors"), **words)


def parse_feed(body: bytes) -> Json:
    """The fields of a `Record` in an Atom answer. Raises FetchError as `record_in`."""
    feed = xml_in(body, NAME)
    if feed.tag != f"{ATOM}feed":
        raise changed(NAME, "it is no Atom feed")
    entry = feed.find(f"{ATOM}entry")
    if entry is None or "/api/errors" in _field(entry, f"{ATOM}id"):
        raise missing("arXiv has no such paper.")
    title, abstract = (
        line(_field(entry, f"{ATOM}title")),
        _paragraphs(_field(entry, f"{ATOM}summary")),
    )
    if not (title and abstract):
        raise changed(NAME, "an entry without title or abstract")
    authors = names(_field(author, f"{ATOM}name") for author in entry.iter(f"{ATOM}author"))
    published, updated = (
        iso(_field(entry, f"{ATOM}published")),
        iso(_field(entry, f"{ATOM}updated")),
    )
    said = {
        "Comments": f"{ARXIV}comment",
        "Journal": f"{ARXIV}journal_ref",
        "DOI of the published version": f"{ARXIV}doi",
    }
    note = ". ".join(
        f"{name}: {words}" for name, tag in said.items() if (words := line(_field(entry, tag)))
    )
    return asdict(
        Record(title, abstract, authors, published, updated if updated != published else "", note)
    )


def _field(element: Element, tag: str) -> str:
    return element.findtext(tag) or ""


def _paragraphs(text: str) -> str:
    """An abstract, whose lines are broken to fit, and whose paragraphs begin with two spaces or
    behind an empty line.
    """
    return "\n\n".join(filter(None, map(line, re.split(r"\n\s*\n|\n(?= {2})", text))))


def _from_page(http: Http, id: str) -> Record:
    return record_on(ask(http, NAME, f"{SITE}/abs/{id}", page=True))


def record_on(reply: HttpReply, sandbox: Sandbox = SHARED) -> Record:
    """The record in the citation tags of an abstract's page. Raises FetchError bad_reply."""
    return _record(parsed("arxiv abstract", parse_abstract, reply.body, sandbox=sandbox))


def parse_abstract(body: bytes) -> Json:
    """The fields of a `Record` on an abstract's page. Raises FetchError bad_reply."""
    try:
        tree = document_fromstring(body, parser=HTMLParser(encoding="utf-8", remove_comments=True))
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise changed(NAME, "it is no HTML") from error
    tags: dict[str, list[str]] = {}
    for tag in tree.iter("meta"):
        tags.setdefault(tag.get("name") or "", []).append(line(tag.get("content") or ""))
    title, abstract = (
        next(iter(tags.get(f"citation_{name}", ())), "") for name in ("title", "abstract")
    )
    if not (title and abstract):
        raise changed(NAME, "a page without title or abstract")
    published, updated = (
        next(iter(tags.get(f"citation_{name}", ())), "") for name in ("date", "online_date")
    )
    authors = names(
        " ".join(reversed(name.split(", ", 1))) for name in tags.get("citation_author", ())
    )
    return asdict(
        Record(
            title, abstract, authors, iso(published), iso(updated) if updated != published else ""
        )
    )
