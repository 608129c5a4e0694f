"""The main text of an HTML page without what the page hides (see `hidden`), and what the page says
of itself (see `metadata`).

Text comes out in blocks apart by blank lines, list items and table rows one to a line, so that
passages can be chosen by block. The same bytes always give the same text. It loads nothing, runs no
script, and believes no page about its own address.
"""

from __future__ import annotations

import logging
import re
from dataclasses import asdict, replace
from typing import Any

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import HiddenText, Metadata, Page
from research_core.text.words import strip_invisible
from research_core.web.documents.sandbox import SHARED_SANDBOX, Sandbox
from research_core.web.documents.tally import NO_SCRIPTS, Tally
from research_core.web.html.bounds import is_crowded, trim_attributes
from research_core.web.html.coverage import widen_text
from research_core.web.html.formulas import keep_tex_scripts
from research_core.web.html.hidden import drop_comments, drop_hidden, strip_tags
from research_core.web.html.inline import drop_anchors
from research_core.web.html.lead import find_lead, insert_lead
from research_core.web.html.markdown import tree_text
from research_core.web.html.mending import mend_tree
from research_core.web.html.notes import drop_menus, drop_notes
from research_core.web.html.pointers import drop_pointers
from research_core.web.http.charsets import decode
from research_core.web.metadata import dates, declared
from research_core.web.metadata.described import describe_page

MAX_BYTES = 2_000_000
#: A larger page is read in a child process.
MAX_IN_PROCESS_BYTES = 200_000
#: Characters below which the extractor has mostly poured out a page that it made nothing of,
#: furniture and all.
SHORT_TEXT = 100

# What they have to say about a page is said here, as a failure.
for _talker in ("trafilatura", "htmldate", "charset_normalizer"):
    logging.getLogger(_talker).setLevel(logging.CRITICAL)

Element = Any  # lxml ships no types
_PARSER_OPTIONS: dict[str, Any] = {"encoding": "utf-8", "remove_pis": True, "collect_ids": False}


def read_html(
    body: bytes,
    url: str,
    content_type: str = "",
    *,
    latest: str = "",
    sandbox: Sandbox = SHARED_SANDBOX,
) -> Page:
    """The page in these bytes; what is beyond 2 MB is not read, and `Metadata.cut` says so.

    latest: no date after this ISO day can be that of the page. final_url is `url`; of a saved file
    (url "") it is the address its canonical link names. Raises FetchError: content_empty when there
    is no text to be seen, too_large or timeout when the page cannot be read within its limits.
    """
    cut, body = describe_cut(body), body[:MAX_BYTES]
    options = {"url": url, "content_type": content_type, "latest": latest}
    found = (
        parse(body, **options)
        if len(body) <= MAX_IN_PROCESS_BYTES
        else sandbox.run("html", body, **options)
    )
    hidden = HiddenText(
        found["hidden"]["counts"],
        tuple((reason, words) for reason, words in found["hidden"]["samples"]),
    )
    said = Metadata(
        **{**found["metadata"], "authors": tuple(found["metadata"]["authors"]), "cut": cut}
    )
    more = {name: found[name] for name in ("structured", "share")}
    page = Page(
        url, url, found["title"], found["text"], "html", found["published"], said, hidden, **more
    )
    return page if url else replace(page, final_url=said.canonical)


def describe_cut(body: bytes) -> str:
    """What of a body is not read, as `Metadata.cut` has it."""
    return (
        f"The first {MAX_BYTES / 1e6:g} of {len(body) / 1e6:.1f} MB were read."
        if len(body) > MAX_BYTES
        else ""
    )


def parse(body: bytes, url: str = "", content_type: str = "", latest: str = "") -> Json:
    """{"title", "text", "published", "metadata", "structured", "hidden", "share"}. Raises
    FetchError content_empty.
    """
    tally = Tally()
    tree = _parse_tree(decode(body, content_type), tally)
    drop_comments(tree, tally)
    said = declared.read_declared(tree, url)
    published = dates.find_published(tree, said, url, latest)
    keep_tex_scripts(tree)
    hidden = drop_hidden(tree, tally)
    drop_anchors(tree)
    drop_notes(tree)
    drop_menus(tree)
    title, facts = describe_page(tree, said, url=url, published=published, latest=latest)
    drop_pointers(tree, url)
    seen = len(" ".join(tree.text_content().split()))
    text = _main_text(tree, url, len(body))
    if not text:
        raise FetchError(
            "The page has no text that can be seen without running its scripts.",
            kind="content_empty",
        )
    share = min(1.0, len(" ".join(text.split())) / seen) if seen else 0.0
    found = {
        "title": title,
        "text": text,
        "published": published,
        "structured": declared.structured_metadata(said),
        "share": round(share, 4),
    }
    return {
        **found,
        "metadata": {**asdict(facts), "authors": list(facts.authors)},
        "hidden": asdict(hidden),
    }


def strip_hidden(fragment: str, tally: Tally | None = None) -> str:
    """Text with some HTML in it, without its tags and what they hide; line breaks stay. tally:
    counts what went.
    """
    tally = tally or Tally()
    tree = _parse_tree(f"<div>{fragment}</div>", tally)
    drop_hidden(tree, tally)
    return strip_invisible(tree.text_content())


# ---------------------------------------------------------------- text to tree


def _parse_tree(text: str, tally: Tally) -> Element:
    # Bytes, because lxml refuses text that declares an encoding; and no empty document, because it
    # refuses that too.
    source = trim_attributes(_drop_noscript(drop_unparsable_characters(text), tally)).encode(
        "utf-8", "replace"
    )
    try:
        return document_fromstring(source, parser=HTMLParser(**_PARSER_OPTIONS))
    except (etree.ParserError, etree.XMLSyntaxError):
        return document_fromstring(
            b"<html><body></body></html>", parser=HTMLParser(**_PARSER_OPTIONS)
        )


#: Characters that no tree may be given, as they are and by their number: the parser takes them, a
#: change of their place does not.
_UNFIT_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_UNFIT_NUMBER = re.compile(
    "&#(?:x0*(?:[0-8bcef]|1[0-9a-f]|fff[ef])(?![0-9a-f])|0*(?:[0-8]|1[124-9]|2[0-9]|3[01]|6553[45])(?![0-9]));?",
    re.IGNORECASE,
)


def drop_unparsable_characters(text: str) -> str:
    """A source without characters that a tree cannot hold. A number leaves a space, lest what stood
    around it makes another.
    """
    return _UNFIT_NUMBER.sub(" ", _UNFIT_CHARACTERS.sub("", text))


def _drop_noscript(text: str, tally: Tally) -> str:
    """The source without its `noscript` elements: one in the head makes the parser take the rest of
    the page for its content.
    """
    *parts, rest = re.split(r"</noscript\s*>", text, flags=re.IGNORECASE)
    spans = [re.split(r"<noscript\b", part, maxsplit=1, flags=re.IGNORECASE) for part in parts]
    for span in spans:
        if _is_closed(span):
            tally.add(NO_SCRIPTS, strip_tags(span[1].partition(">")[2]))
    kept = (
        span[0] if _is_closed(span) else "<noscript".join(span) + "</noscript>" for span in spans
    )
    return "".join((*kept, rest))


def _is_closed(span: list[str]) -> bool:
    """Whether what was split at a `noscript` is one that ends where it seems to, and not inside a
    script.
    """
    return len(span) == 2 and "</script" not in span[1].lower()


# ---------------------------------------------------------------- main text


def _main_text(tree: Element, url: str, size: int) -> str:
    """What the extractor takes for the main text; where that is little or nothing, every block
    outside the page's furniture.

    A crowd of elements is not put to the extractor, which would take the square of their number.
    """
    mend_tree(tree)
    if is_crowded(tree, size):
        return _all_text(tree)
    from trafilatura import bare_extraction

    try:
        found = bare_extraction(tree, url=url or None, fast=True, include_comments=False)
    except Exception:  # noqa: BLE001 – whatever a hostile page does to the extractor, the page's own blocks are still there
        found = None
    body = getattr(found, "body", None)
    text = tree_text(body) if body is not None else ""
    if len(text) < SHORT_TEXT:
        return _all_text(tree) or text
    opening = find_lead(tree, text)
    return insert_lead(widen_text(tree, text), opening)


def _all_text(tree: Element) -> str:
    bodies = tree.xpath("//body") or [tree]
    main = tree.xpath("//main") or tree.xpath("//article") or bodies
    for element in list(tree.iter("nav", "header", "footer", "aside", "form", "button")):
        if element.getparent() is not None and not any(each in main for each in element.iter()):
            element.drop_tree()
    return "\n\n".join(filter(None, map(tree_text, main)))
