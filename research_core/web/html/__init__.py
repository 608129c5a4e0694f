"""Extract the main text of an HTML page, and what the page says about itself.

Hidden text is removed first (see `visibility`); `metadata` reads the rest. Text comes out in blocks
separated by blank lines, list items and table rows one to a line, so that passages can be chosen by
block. The same bytes always give the same text. Nothing is loaded, no script runs, and a page is
not believed about its own address.
"""

from __future__ import annotations

import logging
import re
from dataclasses import asdict
from typing import Any

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import HiddenText, Metadata, Page
from research_core.text.words import strip_invisible
from research_core.web.charsets import decode_body
from research_core.web.documents.sandbox import SHARED_SANDBOX, Sandbox
from research_core.web.documents.tally import NO_SCRIPTS, HiddenTextTally
from research_core.web.html.bounds import is_crowded, trim_attributes
from research_core.web.html.coverage import CoveredText, cover_text, free_main_text
from research_core.web.html.formulas import keep_tex_scripts
from research_core.web.html.inline import drop_anchors
from research_core.web.html.lead import find_lead, insert_lead
from research_core.web.html.markdown import format_tree
from research_core.web.html.mending import mend_tree
from research_core.web.html.notes import drop_menus, drop_notes
from research_core.web.html.pointers import drop_pointers
from research_core.web.html.prompts import asks_only_for_consent, drop_prompts
from research_core.web.html.visibility import drop_comments, drop_hidden, strip_tags
from research_core.web.lxml_types import Element
from research_core.web.metadata import dates, jsonld, page_markup
from research_core.web.metadata.page_description import describe_page
from research_core.web.parser_memory import raise_if_out_of_memory

MAX_BYTES = 2_000_000
#: Bytes above which a page is parsed in a child process.
MAX_IN_PROCESS_BYTES = 200_000
#: Characters below which the extractor has usually failed.
SHORT_TEXT = 100
#: Why a page without text has none.
CONSENT_ONLY = "The page shows only a dialog that asks for consent to cookies."
SCRIPTS_ONLY = "The page shows no text unless its scripts run."

# What they have to say about a page is said here, as a failure.
for _talker in ("trafilatura", "htmldate", "charset_normalizer"):
    logging.getLogger(_talker).setLevel(logging.CRITICAL)

_PARSER_OPTIONS: dict[str, Any] = {"encoding": "utf-8", "remove_pis": True, "collect_ids": False}


def read_html(
    body: bytes,
    url: str,
    content_type: str = "",
    *,
    latest: str = "",
    sandbox: Sandbox = SHARED_SANDBOX,
) -> Page:
    """Read an HTML page; at most 2 MB, and `Metadata.cut` says if more was there.

    latest: ISO day after which no date is believed. final_url is `url`; for a saved file (url "")
    it is the canonical link. Raises FetchError: content_empty if there is no visible text,
    too_large or timeout if the page exceeds its limits.
    """
    cut = describe_cut(body)
    body = body[:MAX_BYTES]
    options = {"url": url, "content_type": content_type, "latest": latest}
    if len(body) <= MAX_IN_PROCESS_BYTES:
        found = parse(body, **options)
    else:
        found = sandbox.run("html", body, **options)
    unread = _describe_unread_words(found["words"], found["of_words"])
    facts = found["metadata"] | {
        "authors": tuple(found["metadata"]["authors"]),
        "cut": " ".join(filter(None, (cut, unread))),
    }
    metadata = Metadata(**facts)
    samples = tuple((reason, words) for reason, words in found["hidden"]["samples"])
    return Page(
        url,
        url or metadata.canonical,
        found["title"],
        found["text"],
        "html",
        found["published"],
        metadata,
        HiddenText(found["hidden"]["counts"], samples),
        structured=found["structured"],
        partial=bool(unread),
        share=found["share"],
    )


def describe_cut(body: bytes) -> str:
    """Describe what of a body is not read, as in `Metadata.cut`; "" if nothing."""
    if len(body) <= MAX_BYTES:
        return ""
    return f"The first {MAX_BYTES / 1e6:g} of {len(body) / 1e6:.1f} MB were read."


def _describe_unread_words(words: int, of_words: int) -> str:
    """Describe what of an article is missing in its text, as in `Metadata.cut`; "" if nothing."""
    if not of_words:
        return ""
    return f"About {words:,} of the {of_words:,} words of the article could be read."


def parse(body: bytes, url: str = "", content_type: str = "", latest: str = "") -> Json:
    """Decode, parse, clean, describe and extract a page. Raises FetchError content_empty.

    Returns JSON, since it may run in a child process: "title", "text", "published", "metadata",
    "structured", "hidden", "share"; "words" and "of_words" as in `CoveredText`.
    """
    tally = HiddenTextTally()
    decoded = decode_body(body, content_type)
    tree = _parse_tree(decoded.text, tally)
    # lxml makes a new object for an element at each visit unless a reference to it is kept.
    held = list(tree.iter())
    drop_comments(tree, tally)
    # Markup is not displayed, so it is read before hidden parts are removed.
    said = page_markup.read_declared(tree, url)
    declared = jsonld.find_article_length(tree)
    published = dates.find_published(tree, said, url, latest)
    keep_tex_scripts(tree)
    hidden = drop_hidden(tree, tally)
    drop_anchors(tree)
    drop_notes(tree)
    drop_menus(tree)
    title, facts = describe_page(tree, said, url=url, published=published, latest=latest)
    drop_pointers(tree, url)
    covered, share = _extract_text(tree, url, len(body), declared)
    held.clear()
    return {
        "title": title,
        "text": covered.text,
        "words": covered.words,
        "of_words": covered.of_words,
        "published": published,
        "metadata": {**asdict(facts), "authors": list(facts.authors), "note": decoded.note},
        "structured": page_markup.collect_structured_metadata(said),
        "hidden": asdict(hidden),
        "share": share,
    }


def strip_hidden(fragment: str, tally: HiddenTextTally | None = None) -> str:
    """Strip tags and hidden content from text with some HTML in it; line breaks stay.

    tally: counts what is removed.
    """
    tally = tally or HiddenTextTally()
    tree = _parse_tree(f"<div>{fragment}</div>", tally)
    drop_hidden(tree, tally)
    return strip_invisible(tree.text_content())


# ---------------------------------------------------------------- text to tree


def _parse_tree(text: str, tally: HiddenTextTally) -> Element:
    # Bytes, because lxml refuses text that declares an encoding; and no empty document, because it
    # refuses that too.
    source = trim_attributes(_drop_noscript(drop_unparsable_characters(text), tally)).encode(
        "utf-8", "replace"
    )
    try:
        return document_fromstring(source, parser=HTMLParser(**_PARSER_OPTIONS))
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise_if_out_of_memory(error)
        return document_fromstring(
            b"<html><body></body></html>", parser=HTMLParser(**_PARSER_OPTIONS)
        )


#: Characters that a tree cannot hold, as they are and as numeric references: the parser accepts
#: them, but later changes fail.
_UNFIT_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_UNFIT_NUMBER = re.compile(
    "&#(?:x0*(?:[0-8bcef]|1[0-9a-f]|fff[ef])(?![0-9a-f])"
    "|0*(?:[0-8]|1[124-9]|2[0-9]|3[01]|6553[45])(?![0-9]));?",
    re.IGNORECASE,
)


def drop_unparsable_characters(text: str) -> str:
    """Remove characters that a tree cannot hold.

    A numeric reference becomes a space, lest its neighbours form another.
    """
    return _UNFIT_NUMBER.sub(" ", _UNFIT_CHARACTERS.sub("", text))


def _drop_noscript(text: str, tally: HiddenTextTally) -> str:
    """Remove the `noscript` elements of a source.

    One in the head makes the parser take the rest of the page for its content.
    """
    *parts, rest = re.split(r"</noscript\s*>", text, flags=re.IGNORECASE)
    kept: list[str] = []
    for part in parts:
        span = re.split(r"<noscript\b", part, maxsplit=1, flags=re.IGNORECASE)
        if _is_closed(span):
            tally.add(NO_SCRIPTS, strip_tags(span[1].partition(">")[2]))
            kept.append(span[0])
        else:
            kept.append("<noscript".join(span) + "</noscript>")
    return "".join((*kept, rest))


def _is_closed(span: list[str]) -> bool:
    """Return whether a `noscript` split off ends where it seems to, and not inside a script."""
    return len(span) == 2 and "</script" not in span[1].lower()


# ---------------------------------------------------------------- main text


def _extract_text(
    tree: Element, url: str, size: int, declared: jsonld.ArticleLength
) -> tuple[CoveredText, float]:
    """Return the main text, and its share of all visible text (0.0-1.0).

    size: bytes of the page. The tree must not be used afterwards. Raises FetchError content_empty.
    """
    visible = len(" ".join(tree.text_content().split()))
    asked = drop_prompts(tree)
    if asks_only_for_consent(tree):
        raise FetchError(CONSENT_ONLY, kind="content_empty")
    covered = _extract_main_text(tree, url, size, declared)
    if not covered.text:
        raise FetchError(CONSENT_ONLY if asked else SCRIPTS_ONLY, kind="content_empty")
    share = min(1.0, len(" ".join(covered.text.split())) / visible) if visible else 0.0
    return covered, round(share, 4)


def _extract_main_text(
    tree: Element, url: str, size: int, declared: jsonld.ArticleLength
) -> CoveredText:
    """Return the main text by the extractor; if that is almost nothing, all non-furniture blocks.

    A page crowded with elements skips the extractor, whose time grows with the square of their
    number.
    """
    mend_tree(tree)
    holders = free_main_text(tree)
    if is_crowded(tree, size):
        return CoveredText(_extract_all_text(tree))
    from trafilatura import bare_extraction

    try:
        found = bare_extraction(tree, url=url or None, fast=True, include_comments=False)
    except Exception:  # noqa: BLE001 – a hostile page may break the extractor in any way
        found = None  # and the page's own blocks are still there
    body = getattr(found, "body", None)
    text = format_tree(body) if body is not None else ""
    if len(text) < SHORT_TEXT:
        return cover_text(tree, _extract_all_text(tree) or text, declared, holders)
    opening = find_lead(tree, text)
    covered = cover_text(tree, text, declared, holders)
    return covered._replace(text=insert_lead(covered.text, opening))


def _extract_all_text(tree: Element) -> str:
    main = tree.xpath("//main") or tree.xpath("//article") or tree.xpath("//body") or [tree]
    for element in list(tree.iter("nav", "header", "footer", "aside", "form", "button")):
        holds_main = any(each in main for each in element.iter())
        if element.getparent() is not None and not holds_main:
            element.drop_tree()
    return "\n\n".join(filter(None, map(format_tree, main)))
