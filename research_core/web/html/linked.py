"""Read the whole visible text of an HTML report as Markdown, with its links and footnotes.

`parse` in the package reads an article for its words, without links and lists of sources; a report
that is to be checked needs both. Nothing is executed and nothing is requested.
"""

from __future__ import annotations

import re

from lxml.html import HTMLParser, document_fromstring

from research_core.model_messages import Json
from research_core.web import html
from research_core.web.charsets import decode_body
from research_core.web.documents.ooxml import format_link
from research_core.web.documents.tally import HiddenTextTally
from research_core.web.html.markdown import format_tree
from research_core.web.html.visibility import drop_hidden
from research_core.web.lxml_types import Element

#: Characters of the words of a link that may be the mark of a note.
MAX_MARK_LENGTH = 6
_MARK = re.compile(r"[\[(]?\s*(\d{1,4}|[*†‡§¶a-z]|[ivxl]{1,5})\s*[\])]?", re.IGNORECASE)
_DIGITS = re.compile(r"[\d\s,–-]{1,12}")
_SUPERSCRIPTS = str.maketrans("0123456789-–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
#: Stands before an item of a numbered list until the text is made, which knows bullets alone.
_NUMBER_TOKEN = "\u2991{}\u2992"
_NUMBERED = re.compile(r"^(\s*)[-*] \u2991(\d+)\u2992\s*", re.MULTILINE)
_LEFT_TOKEN = re.compile(r"\u2991(\d+)\u2992")
_SKIPPED = ("script", "style", "template", "noscript", "nav")


def read_linked_html(body: bytes, content_type: str = "") -> Json:
    """Return {"text": Markdown, "title": ""} of a page's visible text."""
    source = html.drop_unparsable_characters(decode_body(body, content_type).text)
    tree = document_fromstring(
        f"<div>{source}</div>".encode("utf-8", "replace"),
        parser=HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True),
    )
    drop_hidden(tree, HiddenTextTally())
    for element in list(tree.iter(*_SKIPPED)):
        element.drop_tree()
    title = tree.findtext(".//title") or ""
    for element in list(tree.iter("title")):
        element.drop_tree()
    _mark_notes(tree)
    _write_links(tree)
    _write_superscripts(tree)
    _number_items(tree)
    text = _NUMBERED.sub(r"\1\2. ", format_tree(tree))
    return {"text": _LEFT_TOKEN.sub(r"\1. ", text), "title": " ".join(title.split())}


def _mark_notes(tree: Element) -> None:
    """Turn links to notes of the page into Markdown footnotes, and their targets into the notes."""
    targets = {element.get("id"): element for element in tree.iter() if element.get("id")}
    numbers: dict[str, int] = {}
    for link in list(tree.iter("a")):
        target = (link.get("href") or "").partition("#")
        words = " ".join(link.text_content().split())
        if target[0] or target[2] not in targets or not _MARK.fullmatch(words):
            continue
        note = targets[target[2]]
        if link in note.iter() or not _is_note(note):
            continue
        number = numbers.setdefault(target[2], len(numbers) + 1)
        _replace_by_text(link, f"[^n{number}]")
    for name, number in numbers.items():
        note = targets[name]
        for back in list(note.iter("a")):
            if (back.get("href") or "").startswith("#"):
                _replace_by_text(back, "")
        note.tag = "p"
        note.text = f"[^n{number}]: {(note.text or '').lstrip()}"
        for inner in list(note.iter("p", "div", "li")):
            if inner is not note:
                inner.drop_tag()


def _is_note(element: Element) -> bool:
    """Return True for the text of a note: an item, paragraph or division with some words."""
    words = element.text_content().split()
    return element.tag in ("li", "p", "div", "dd", "aside", "span", "td") and len(words) > 1


def _write_links(tree: Element) -> None:
    for link in list(tree.iter("a")):
        written = format_link(" ".join(link.text_content().split()), link.get("href") or "")
        _replace_by_text(link, written)


def _write_superscripts(tree: Element) -> None:
    for element in list(tree.iter("sup")):
        words = element.text_content()
        if _DIGITS.fullmatch(words):
            _replace_by_text(element, words.strip().translate(_SUPERSCRIPTS))


def _number_items(tree: Element) -> None:
    for numbered in tree.iter("ol"):
        start = numbered.get("start") or ""
        number = int(start) if start.isdecimal() and len(start) < 6 else 1
        for item in numbered:
            if item.tag != "li":
                continue
            item.text = f"{_NUMBER_TOKEN.format(number)} {(item.text or '').lstrip()}"
            number += 1


def _replace_by_text(element: Element, text: str) -> None:
    """Replace an element by text; what follows it stays."""
    for child in list(element):
        element.remove(child)
    element.text = text
    element.drop_tag()
