"""Remove from Markdown what a renderer would hide.

That is: hidden HTML, comments, link titles, picture texts and link definitions. markdown-it
decides, as CommonMark defines it, what is code or HTML; only the HTML is judged, by
`html.visibility`. Its tags go and its words stay. A name in angle brackets that HTML does not know
is text, and so is `List<Object>`. Nothing is rendered.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from research_core.web.documents.tally import IN_LINK_TITLE, HiddenTextTally
from research_core.web.html import strip_hidden
from research_core.web.html.elements import BREAKS, CELLS, SEPARATE_TAGS
from research_core.web.html.visibility import FALLBACK_ELEMENTS, TOOL_ELEMENTS

#: The elements of HTML, current and obsolete.
HTML_ELEMENTS = frozenset(
    "a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink"
    " blockquote body br button canvas caption center cite code col colgroup data datalist dd del"
    " details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame"
    " frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins kbd label"
    " legend li link main map mark marquee math menu meta meter nav nobr noembed noframes noscript"
    " object ol optgroup option output p param picture plaintext pre progress q rp rt ruby s samp"
    " script search section select slot small source span strike strong style sub summary sup svg"
    " table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr"
    " xmp".split()
)
#: Characters within which the end of a tag is searched, to see what follows it.
MAX_TAG_LENGTH = 200
_NEVER_DRAWN = frozenset({*TOOL_ELEMENTS, *FALLBACK_ELEMENTS, "noscript"})

#: Beginnings of anything that may hide text, and empty headings.
_MAY_HIDE = re.compile(
    r"<[a-z!?/]|\]:|!\[|\]\([^)\n]*[\"'(]|\]\([^)\n]*\n|^ {0,3}#{1,6}[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
_TAG = r"</?(?P<name>[a-z][a-z0-9-]*)(?=[\s/>])"
_IN_HTML = re.compile(rf"{_TAG}|<(?![!?/])", re.IGNORECASE)
_IN_TEXT = re.compile(
    rf"\\[!-/:-@\[-`{{-~]|`++|!\[|\]\(|<!--|<[!?](?=[a-z\[])|{_TAG}|[&<]", re.IGNORECASE
)
_CLOSING = re.compile(r"</([a-z][a-z0-9-]*)", re.IGNORECASE)
_ADDRESS = r"(?:<[^<>\n]*+>|(?:[^\s()<]|\((?:[^\s()]|\([^\s()]*+\))*+\))*+)"
_TITLE = r"(?P<title>\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))"
_LINK = re.compile(rf"\]\(\s*+(?P<address>{_ADDRESS})(?:\s++{_TITLE})?\s*+\)", re.DOTALL)
_BRACKETED_TEXT = r"(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*+\])*+\])*+"
_PICTURE = re.compile(
    rf"!\[(?P<words>{_BRACKETED_TEXT})\](?P<label>\[{_BRACKETED_TEXT}\])?", re.DOTALL
)
#: List and quotation marks at the start of a line.
_MARKS = re.compile(r"(?:[\s>]|[-*+]\s|\d{1,9}[.)]\s)*")

#: Links left empty by a removed picture, and any tag.
_EMPTY_LINK = re.compile(r"\[\s*+\](?:\([^()\n]*+\)|\[[^\[\]\n]*+\])")
_ANY_TAG = re.compile(r"<!--.*?-->|<[^<>]*+>", re.DOTALL)

_LEAVES = {"fence": "code", "code_block": "code", "html_block": "html", "inline": "text"}


@dataclass(frozen=True)
class _WholeText:
    """Facts about the whole text.

    defined: its link references, as markdown-it normalises them; closed: names of the elements it
    closes anywhere.
    """

    defined: frozenset[str]
    closed: frozenset[str]
    tally: HiddenTextTally


def drop_hidden_markdown(text: str, tally: HiddenTextTally) -> str:
    """Return Markdown without hidden parts; what is removed is counted, except tags."""
    if not _MAY_HIDE.search(text):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    found: dict[str, Any] = {}
    tokens = _make_block_parser().parse(text, found)
    around = pairwise([*tokens[:1], *tokens])
    leaves = [
        (token.map[0], token.map[1], _classify_leaf(token, before))
        for before, token in around
        if token.map and token.type in _LEAVES
    ]
    closed = frozenset(map(str.lower, _CLOSING.findall(text)))
    whole = _WholeText(frozenset(found.get("references", ())), closed, tally)
    return strip_hidden("\n".join(_iterate_line_parts(text.split("\n"), leaves, whole)), tally)


@cache
def _make_block_parser() -> Any:
    """Return a parser that finds the blocks of a Markdown text, but not what is within them."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"maxNesting": 100})
    reader.core.ruler.disable(["inline", "text_join"])
    return reader


def _iterate_line_parts(
    lines: list[str], leaves: Iterable[tuple[int, int, str]], whole: _WholeText
) -> Iterator[str]:
    """Yield the text as HTML with the same lines.

    A paragraph becomes one in HTML too, since that closes what was left open in it.
    """
    at = 0
    for start, end, kind in leaves:
        yield from _iterate_lines_between_leaves(lines[at:start], whole)
        part = "\n".join(lines[max(at, start) : end])
        if kind == "html":
            yield _IN_HTML.sub(_separate_tag, part)
        elif kind == "code":
            yield f"<pre>{_escape_text(part)}</pre>"
        else:
            shown = "".join(_format_inline_html(part, whole))
            tags = None if kind == "text" else _find_wordless_heading(shown)
            yield f"<p>{shown if tags is None else tags}</p>"
            end += kind == "underlined" and tags is not None
        at = end
    yield from _iterate_lines_between_leaves(lines[at:], whole)


def _classify_leaf(leaf: Any, before: Any) -> str:
    if before.type != "heading_open":
        return _LEAVES[leaf.type]
    return "heading" if before.markup[0] == "#" else "underlined"


def _find_wordless_heading(heading: str) -> str | None:
    """Return the tags of a heading that held only a picture; None if it has words."""
    rest = _EMPTY_LINK.sub("", heading[_MARKS.match(heading).end() :])  # type: ignore[union-attr]
    return "".join(_ANY_TAG.findall(rest)) if not _ANY_TAG.sub("", rest).strip("# \t\n") else None


def _iterate_lines_between_leaves(lines: list[str], whole: _WholeText) -> Iterator[str]:
    """Yield lines between blocks: empty lines, underlines, list marks.

    Link definitions, which are not displayed, are counted and dropped.
    """
    defining = False
    for line in lines:
        bare = line[_MARKS.match(line).end() :]  # type: ignore[union-attr]
        defining = bool(bare) and (defining or (bare.startswith("[") and not bare.startswith("[^")))
        if defining:
            whole.tally.add(IN_LINK_TITLE, bare.partition("]:")[2] or bare)
        else:
            yield "".join(_format_inline_html(line, whole))


def _escape_text(text: str) -> str:
    """Escape the start of tags.

    The end of a tag stays, since it may end one whose attribute only looked like something else.
    """
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _separate_tag(found: re.Match[str]) -> str:
    return (
        _open_apart(found)
        if (found["name"] or "").lower() in HTML_ELEMENTS
        else _escape_text(found[0])
    )


def _open_apart(tag: re.Match[str]) -> str:
    """Return the opening of a tag, separated from what stands before it.

    A cell's gets a space before it, and that of another block a line break.
    """
    name, text = tag["name"].lower(), tag.string
    end = text.find(">", tag.end(), tag.end() + MAX_TAG_LENGTH) + 1
    ends_line = text[end : end + 1] in ("", "\n") and (tag[0].startswith("</") or name in BREAKS)
    before = text[max(0, tag.start() - 20) : tag.start()].rstrip(" \t")
    if name not in SEPARATE_TAGS or ends_line or not before or before.endswith("\n"):
        return tag[0]
    return f" {tag[0]}" if name in CELLS else f"\n{tag[0]}"


def _format_inline_html(text: str, whole: _WholeText) -> Iterator[str]:
    """Yield the HTML of a paragraph.

    Code and all that is not a tag is escaped; picture texts and link titles are dropped.
    """
    runs: dict[int, list[int]] = {}
    for run in re.finditer("`+", text):
        runs.setdefault(len(run[0]), []).append(run.start())
    at, last = 0, text.rfind(">")
    while found := _IN_TEXT.search(text, at):
        yield text[at : found.start()]
        at, shown = _read_inline_mark(found, runs, whole, may_be_tag=found.start() < last)
        yield shown
    yield text[at:]


def _read_inline_mark(
    found: re.Match[str], runs: dict[int, list[int]], whole: _WholeText, *, may_be_tag: bool
) -> tuple[int, str]:
    """Return where the mark that was found ends, and what remains of it."""
    mark, text, end = found[0], found.string, found.end()
    if mark == "<!--":
        end = text.find("-->", end)
        if end < 0:
            return len(text), f"{text[found.start() :]}-->"
        return end + 3, text[found.start() : end + 3]
    if may_be_tag and (mark in ("<!", "<?") or (found["name"] and _is_html_tag(found, whole))):
        end = text.index(">", end) + 1
        opening = _open_apart(found) if found["name"] else mark
        return end, opening + text[found.end() : end]
    if mark.startswith("`"):
        places = runs[len(mark)]
        closing = bisect_right(places, found.start())
        if closing < len(places):
            end = places[closing] + len(mark)
    elif mark == "![":
        return _drop_picture(found, whole)
    elif mark == "](" and (link := _LINK.match(text, found.start())):
        whole.tally.add(IN_LINK_TITLE, (link["title"] or "")[1:-1])
        return link.end(), f"]({_escape_text(link['address'])})"
    return end, _escape_text(text[found.start() : end])


def _is_html_tag(found: re.Match[str], whole: _WholeText) -> bool:
    """Return whether this is an HTML tag and not a type parameter.

    A type parameter is bare, directly follows a name, and is never closed.
    """
    name, before, after = (
        found["name"].lower(),
        found.string[found.start() - 1 : found.start()],
        found.string[found.end()],
    )
    parameter = after == ">" and name not in whole.closed and re.match(r"\w", before)
    return name in HTML_ELEMENTS and not (
        parameter and (name not in _NEVER_DRAWN or name != found["name"])
    )


def _drop_picture(found: re.Match[str], whole: _WholeText) -> tuple[int, str]:
    """Drop a picture; anything else that looks like one stays."""
    from markdown_it.common.utils import normalizeReference

    text = found.string
    words = _PICTURE.match(text, found.start())
    link = _LINK.match(text, words.end("words")) if words else None
    if words and (link or words["label"] or normalizeReference(words["words"]) in whole.defined):
        whole.tally.add(
            IN_LINK_TITLE, f"{words['words']}\n{(link['title'] or '')[1:-1] if link else ''}"
        )
        return (link or words).end(), ""
    return found.end(), found[0]
