"""Read a journal article in JATS, PubMed Central's XML: its record and its text.

Text has headings, tables and a list of references. The tree must have been parsed safely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

from lxml import etree

from research_core.text.dates import parse_date_parts
from research_core.web.html.markdown import format_tree
from research_core.web.lxml_types import Element
from research_core.web.sites.latexml import format_tex
from research_core.web.sites.layout import empty_element, move_out_of_paragraphs, one_line
from research_core.web.sites.service import limit_names

MATH_TAG = "{http://www.w3.org/1998/Math/MathML}math"
#: Elements that are not part of the running text.
_OMITTED_TAGS = (
    "supplementary-material",
    "fn-group",
    "object-id",
    "graphic",
    "media",
    "permissions",
    "alt-text",
    "long-desc",
    "inline-graphic",
)
#: Elements within a paragraph that are not part of its sentences.
_BLOCK_TAGS = (
    "table-wrap",
    "fig",
    "list",
    "disp-quote",
    "boxed-text",
    "def-list",
    "code",
    "preformat",
)
#: HTML tags of these elements; anything else without blocks is a paragraph.
_HTML_TAGS = {
    "list": "ul", "def-list": "ul", "list-item": "li", "def-item": "li", "disp-quote": "blockquote",
    "preformat": "code",
    "sec": "section", "table-wrap": "section", "fig": "section", "break": "br", "title": "p",
}  # fmt: skip
_TEX = re.compile(r"\\begin\{document\}(.*?)\\end\{document\}", re.DOTALL)


@dataclass(frozen=True)
class JatsArticle:
    """A journal article.

    published: YYYY, YYYY-MM or YYYY-MM-DD; abstract, text: Markdown blocks; text: "" if the
    publisher does not release it.
    """

    title: str
    authors: tuple[str, ...]
    journal: str
    published: str
    doi: str
    language: str
    abstract: str
    text: str


def read_article(article: Element) -> JatsArticle:
    """Read an <article> element.

    The title may be ""; the caller decides what that means.
    """
    front = article.find("front/article-meta")
    if front is None:
        front = etree.Element("article-meta")
    authors = front.xpath("contrib-group/contrib[not(@contrib-type) or @contrib-type='author']")
    abstracts = []
    for each in front.findall("abstract"):
        if each.get("abstract-type") in (None, "summary", "structured"):
            abstracts.append(each)
    parts: list[Element] = []
    for name in ("body", "floats-group", "back"):
        parts += article.findall(name)
    text = _read_parts(parts)
    dates = list(filter(None, map(_format_date, front.findall("pub-date"))))
    return JatsArticle(
        title=_read_title(front.find("title-group/article-title")),
        authors=limit_names(map(_format_contributor_name, authors)),
        journal=_read_title(article.find("front/journal-meta//journal-title")),
        # The earliest of the most precise dates.
        published=min(dates, key=lambda date: (-len(date), date), default=""),
        doi=one_line(front.findtext("article-id[@pub-id-type='doi']") or ""),
        language=(article.get("{http://www.w3.org/XML/1998/namespace}lang") or "").lower(),
        abstract=_read_parts(abstracts[:1]),
        text=text if article.find("body") is not None else "",
    )


def _read_title(element: Element | None) -> str:
    """Return the text of a title, without its notes."""
    if element is None:
        return ""
    copy = deepcopy(element)
    copy.tail = None
    for note in list(copy.iter("xref", "fn")):
        empty_element(note)
    return one_line("".join(copy.itertext()))


def _format_contributor_name(contributor: Element) -> str:
    given = one_line(contributor.findtext(".//given-names") or "")
    last = one_line(contributor.findtext(".//surname") or "")
    return " ".join(filter(None, (given, last))) or _read_title(contributor.find(".//collab"))


def _format_date(date: Element) -> str:
    """Return YYYY-MM-DD, as precise as stated."""
    return parse_date_parts(
        *(one_line(date.findtext(part) or "") for part in ("year", "month", "day"))
    )


# ---------------------------------------------------------------- text


def _read_parts(parts: list[Element]) -> str:
    """Return the text of parts of an article, with its lists of references last."""
    root = etree.Element("div")
    for part in parts:
        copy = deepcopy(part)
        copy.tail = None
        root.append(copy)
    _drop_markup(root)
    _name_sections(root)
    for element in list(root.iter("table-wrap", "fig")):
        _name_figure(element)
    for element in list(root.iter("ref-list")):
        _rewrite_references(element)
        root.append(element)
    for element in list(root.iter("label")):
        _join_label(element)
    move_out_of_paragraphs(root.iter(*_BLOCK_TAGS))
    for element in list(root.iter(*_HTML_TAGS)):
        element.tag = _HTML_TAGS[element.tag]
    for element in root.iter("code"):
        element.set("rend", "block")
    return format_tree(root)


def _drop_markup(root: Element) -> None:
    for element in list(root.iter("alternatives")):
        for other in element[1:]:
            empty_element(other)
    for element in list(root.iter("tex-math", MATH_TAG)):
        source = "".join(element.itertext())
        within = _TEX.search(source)
        if within:
            formula = format_tex(within[1].replace("$$", "").strip())
        else:
            formula = one_line(source)
        element.tail = formula + (element.tail or "")
        empty_element(element)
    for element in list(root.iter(*_OMITTED_TAGS)):
        empty_element(element)


def _name_sections(root: Element) -> None:
    """Turn the titles of sections and the like into headings of their depth.

    The title of an abstract is dropped; the caller writes one.
    """
    holders = ("sec", "ack", "app", "app-group", "abstract", "glossary", "notes", "ref-list")
    for title in list(root.iter("title")):
        if title.getparent().tag == "abstract":
            empty_element(title)
        elif title.getparent().tag in holders:
            title.tag = f"h{min(1 + sum(each.tag in holders for each in title.iterancestors()), 6)}"


def _name_figure(figure: Element) -> None:
    """Put the label and caption of a table or figure as one paragraph before it."""
    named = [each for each in figure if each.tag in ("label", "caption")]
    texts = []
    for each in named:
        for part in each if each.tag == "caption" and len(each) else (each,):
            words = one_line("".join(part.itertext()))
            if words:
                texts.append(words.rstrip("."))
    paragraph = etree.Element("p")
    paragraph.text = ". ".join(texts)
    for each in named:
        empty_element(each)
    figure.insert(0, paragraph)


def _join_label(label: Element) -> None:
    """Prepend a number or sign to the title, note or item it labels; drop a mere bullet."""
    words = one_line("".join(label.itertext()))
    behind = label.getnext()
    is_bullet = label.getparent().tag == "list-item" and not any(map(str.isalnum, words))
    if words and not is_bullet and behind is not None and behind.tag != "label":
        behind.text = f"{words} {behind.text or ''}"
    empty_element(label)


def _rewrite_references(references: Element) -> None:
    """Turn a list of references into a heading and items, one reference each."""
    if not any(
        re.fullmatch("h[1-6]", child.tag) for child in references if isinstance(child.tag, str)
    ):
        heading = etree.Element("h2")
        heading.text = "References"
        references.insert(0, heading)
    for reference in list(references.iter("ref")):
        words = " ".join(_format_reference_item(reference))
        for child in list(reference):
            reference.remove(child)
        reference.tag, reference.text = "li", words


def _format_reference_item(reference: Element) -> Iterator[str]:
    label = one_line(reference.findtext("label") or "").strip(".[]()")
    yield f"[{label}]" if label else ""
    for citation in reference.iter(
        "mixed-citation", "citation", "nlm-citation", "element-citation"
    ):
        if citation.tag == "element-citation":
            yield _format_citation(citation)
        else:
            yield one_line("".join(citation.itertext()))


def _format_citation(citation: Element) -> str:
    """Compose a citation that comes in fields, without words between, as a line."""

    def field(tag: str) -> str:
        return _read_title(citation.find(f".//{tag}"))

    people = []
    for name in citation.iter("name", "string-name"):
        parts = (name.findtext("surname"), name.findtext("given-names"))
        people.append(" ".join(filter(None, parts)))
    people += [_read_title(each) for each in citation.iter("collab")]
    if citation.find(".//etal") is not None:
        people.append("et al")
    pages = "–".join(filter(None, (field("fpage"), field("lpage"))))
    where = ":".join(filter(None, (field("volume"), pages)))
    doi = field("pub-id[@pub-id-type='doi']")
    facts = [
        ", ".join(filter(None, map(one_line, people))),
        field("article-title"),
        field("chapter-title"),
        field("source"),
        ";".join(filter(None, (field("year"), where))),
        f"doi:{doi}" if doi else "",
    ]
    composed = ". ".join(fact.rstrip(".") for fact in facts if fact)
    return f"{composed}." if composed else one_line(" ".join(citation.itertext()))
