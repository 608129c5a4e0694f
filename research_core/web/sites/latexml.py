"""Read a paper from the HTML that LaTeXML makes of its source, as arXiv shows it.

Sections, formulas as TeX, tables and references are kept. Hidden text is removed first, since
authors have hidden instructions to reviewers in white on white. Title, authors and abstract are
left out: they come from the paper's record.
"""

from __future__ import annotations

import re
from collections import defaultdict

from lxml import etree
from lxml.html import HTMLParser, document_fromstring

from research_core.errors import FetchError
from research_core.models import Metadata, Page
from research_core.text.words import strip_invisible
from research_core.web.charsets import decode
from research_core.web.html import drop_unparsable_characters
from research_core.web.html.markdown import format_tree
from research_core.web.html.visibility import drop_hidden
from research_core.web.lxml_types import Element
from research_core.web.parser_memory import raise_if_out_of_memory
from research_core.web.sites.layout import empty_element, move_out_of_paragraphs, one_line

#: Bytes a child process can read within its time. Longer papers are mostly formulas.
MAX_BYTES = 3_000_000
CUT_MESSAGE = "The first 3 MB of the paper's HTML were read."
#: Classes that are not part of the running text.
_OMITTED_CLASSES = (
    "ltx_title_document", "ltx_authors", "ltx_dates", "ltx_abstract", "ltx_TOC", "ltx_ERROR",
    "ltx_tag_item", "ltx_rdf", "ltx_pagination",
    "ltx_note_mark", "ltx_tag_note", "ltx_note_type",
)  # fmt: skip
#: HTML tags for the parts of tables within a paragraph.
_TABLE_TAGS = {"ltx_tabular": "table", "ltx_tr": "tr", "ltx_td": "td", "ltx_th": "th"}
_FORMULA_CLASSES = ("ltx_equation", "ltx_equationgroup", "ltx_eqn_table")
#: TeX that reads the same without dollars.
_PLAIN_FORMULA = re.compile(r"[\w\s.,:;()<>=+\-/%]*")


def read(body: bytes, url: str, content_type: str = "") -> Page:
    """Read the text of a paper and what its page hides; at most 3 MB.

    Title and abstract are left out. Raises FetchError: bad_reply if this is not a paper,
    content_empty.
    """
    source = drop_unparsable_characters(decode(body[:MAX_BYTES], content_type)).encode(
        "utf-8", "replace"
    )
    try:
        tree = document_fromstring(
            source, parser=HTMLParser(encoding="utf-8", remove_pis=True, collect_ids=False)
        )
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise_if_out_of_memory(error)
        raise FetchError("The paper's HTML cannot be read.", kind="bad_reply") from error
    for element in list(
        tree.iter("math")
    ):  # first, since most of a paper's elements are within them
        _replace_with_text(element, format_tex(element.get("alttext") or ""))
    hidden = drop_hidden(tree)
    papers = _group_by_class(tree).get("ltx_document")
    if not papers:
        raise FetchError("The paper's HTML is not that of a paper.", kind="bad_reply")
    _simplify_paper(papers[0])
    text = format_tree(papers[0])
    if not text:
        raise FetchError("The paper's HTML holds no text.", kind="content_empty")
    about = Metadata(cut=CUT_MESSAGE if len(body) > MAX_BYTES else "")
    return Page(url, url, "", text, metadata=about, hidden=hidden)


def _group_by_class(tree: Element) -> dict[str, list[Element]]:
    """Return LaTeXML's classes, each with its elements in order."""
    found: dict[str, list[Element]] = {}
    for element in tree.xpath('descendant-or-self::*[contains(@class, "ltx_")]'):
        for name in element.get("class").split():
            found.setdefault(name, []).append(element)
    return found


def _simplify_paper(paper: Element) -> None:
    """Turn what only LaTeXML's style sheet makes readable into plain elements, in place."""
    of = defaultdict(list, _group_by_class(paper))
    for element in (each for name in _OMITTED_CLASSES for each in of[name]):
        empty_element(element)
    for name, tag in _TABLE_TAGS.items():
        for element in of[name]:
            element.tag = tag
    for element in (each for name in _FORMULA_CLASSES for each in of[name]):
        if next(element.iterancestors("table"), None) is None:
            _make_paragraph(element)
    for element in of["ltx_listing"]:
        _make_listing(element)
    for element in of["ltx_note"]:
        _make_paragraph(element)
    move_out_of_paragraphs(paper.iter("table"))
    move_out_of_paragraphs(of["ltx_note"])


def format_tex(source: str) -> str:
    """Return a formula's TeX between dollars; a plain number or name without them."""
    words = one_line(source.replace("\\%", "%").replace("%\n", ""))
    return words if _PLAIN_FORMULA.fullmatch(words) else f"${words}$"


def _replace_with_text(element: Element, text: str) -> None:
    element.tail = strip_invisible(text + (element.tail or ""))
    empty_element(element)


def _make_paragraph(element: Element) -> None:
    words = one_line(" ".join(element.itertext()))
    _clear_element(element, "p").text = words


def _make_listing(element: Element) -> None:
    rows = _group_by_class(element).get("ltx_listingline", ())
    lines = ["".join(row.itertext()).replace("\n", "").rstrip() for row in rows] or "".join(
        element.itertext()
    ).split("\n")
    _clear_element(element, "code").text = strip_invisible("\n".join(lines))
    element.set("rend", "block")


def _clear_element(element: Element, tag: str) -> Element:
    for child in list(element):
        element.remove(child)
    element.tag = tag
    return element
