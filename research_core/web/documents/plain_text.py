"""Read Markdown and plain text as pages, and share helpers among document readers.

Text comes out in blocks separated by blank lines. Lines that were only wrapped to a width are
joined; those of logs, programs and settings stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from research_core.errors import FetchError
from research_core.models import Metadata, Page
from research_core.text.blocks import parse_blocks, unwrap_lines
from research_core.text.dates import parse_leading_date
from research_core.text.words import strip_invisible, truncate
from research_core.urls import canonical_url, is_own_document
from research_core.web.charsets import decode_body
from research_core.web.documents.lines import is_line_oriented
from research_core.web.documents.raw_html import drop_hidden_markdown
from research_core.web.documents.tally import HiddenTextTally, count_characters
from research_core.web.html import MAX_BYTES, describe_cut
from research_core.web.metadata.bylines import parse_people

TITLE_LENGTH = 300
#: Characters of a title that is only the first words of a text.
TITLE_FROM_WORDS = 100
#: Characters and blocks of a document that are read; blocks take time however short they are.
MAX_TEXT, MAX_BLOCKS = 2_000_000, 50_000
#: Characters examined to recognise Markdown.
SAMPLE_CHARACTERS = 20_000


def truncate_blocks(blocks: Iterable[str]) -> tuple[str, str]:
    """Join as many blocks as are read; return the text and what was cut, as in `Metadata.cut`."""
    kept, size = list[str](), 0
    for block in blocks:
        size += len(block) + 2
        if size > MAX_TEXT or len(kept) == MAX_BLOCKS:
            text = "\n\n".join(kept) or block[:MAX_TEXT]
            return text, f"The first {len(text):,} characters were read."
        kept += [block] if block else []
    return "\n\n".join(kept), ""


# ---------------------------------------------------------------- text and Markdown


def read_text(
    body: bytes, url: str = "", content_type: str = "", *, kind: str = "text", prose: bool = True
) -> Page:
    """Read plain text, or Markdown (kind "markdown") with its front matter; at most 2 MB.

    final_url is `url`, or the front matter's if `url` is "". Title, date and author come from the
    front matter too. prose: False keeps all line breaks, as in a text that is not prose, whose
    title can only come from the front matter. Raises FetchError content_empty.
    """
    tally = HiddenTextTally()
    decoded = decode_body(body[:MAX_BYTES], content_type)
    text = decoded.text
    count_characters(text, tally)
    text = strip_invisible(text)
    fields, text = split_front_matter(text)
    text = drop_hidden_markdown(text, tally) if kind == "markdown" else text
    prose = prose and (kind == "markdown" or not is_line_oriented(text))
    text = unwrap_lines(text) if prose else text.strip("\n").rstrip()
    if not text.strip():
        raise FetchError("The document holds no text.", kind="content_empty")
    metadata = Metadata(
        authors=parse_people(fields.get("author") or fields.get("authors", ""), listed=True),
        modified=parse_leading_date(fields.get("updated") or fields.get("lastmod", "")),
        canonical=_find_canonical_url(fields.get("url", "")),
        cut=describe_cut(body),
        note=decoded.note,
    )
    title, published = (
        truncate(
            fields.get("title", "") or _find_text_title(text, prose or kind == "markdown"),
            TITLE_LENGTH,
        ),
        parse_leading_date(fields.get("date", "")),
    )
    return Page(
        url,
        url or metadata.canonical,
        title,
        text,
        kind,
        published,
        metadata=metadata,
        hidden=tally.hidden,
    )


def _find_text_title(text: str, prose: bool) -> str:
    """Return the heading a text begins with, else its first words; "" if it is not prose.

    A text that begins with code gets its first heading or no title.
    """
    if not prose:
        return ""
    if text.startswith("```"):
        for block in parse_blocks(text):
            if block.kind == "heading":
                return get_first_heading_text(text[block.start : block.end])
        return ""
    first = get_first_heading_text(text)
    return first if _HEADING.match(text) else truncate(first, TITLE_FROM_WORDS)


def _find_canonical_url(said: str) -> str:
    """Return the address a document names as its own, canonical; "" if it is no web address."""
    try:
        found = canonical_url(said)
    except ValueError:
        return ""
    return "" if is_own_document(found) else found


_HEADING = re.compile(r"#{1,6} ")
_FRONT_MATTER_FIELD = re.compile(r"([A-Za-z][\w-]*):\s*(.*?)\s*")
#: Signs of Markdown. A line of "# words" is a comment in many programs, so one sign is not
#: enough.
_MARKDOWN_SIGNS = tuple(
    re.compile(sign, re.MULTILINE)
    for sign in (
        r"^#{1,6} \S",
        r"\]\((?:https?:|[/#.])",
        r"^(?:```|~~~)",
        r"^\|?\s{0,9}:?-{3,}:?\s{0,9}\|",
        r"\*\*\w",
        r"^(?:[-*+] \S.*\n){3}",
        r"\A---\n\w+:",
    )
)


def is_markdown(text: str) -> bool:
    """Return whether a text has at least two signs of Markdown.

    Signs are headings, links, fences, tables, bold words, lists and front matter.
    """
    opening = text[:SAMPLE_CHARACTERS]
    return sum(bool(sign.search(opening)) for sign in _MARKDOWN_SIGNS) > 1


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Split off the front matter; return its fields, keys in lower case, and the rest.

    It is the `key: value` lines between two lines of `---`, or those up to a blank line if the
    first of them is the title.
    """
    lines = text.lstrip("\n").split("\n")
    if lines[0].strip() == "---":
        endings: tuple[str, ...] = ("---", "...")
    elif lines[0].lower().startswith("title:"):
        endings = ("",)
    else:
        return {}, text
    end = 0
    for place, line in enumerate(lines[1:100], 1):
        if line.strip() in endings:
            end = place
            break
    if not end:
        return {}, text
    fields = {}
    for line in lines[:end]:
        match = _FRONT_MATTER_FIELD.fullmatch(line[:1000])
        if match:
            fields[match[1].lower()] = match[2].strip("\"'")
    return fields, "\n".join(lines[end + 1 :])


def get_first_heading_text(text: str) -> str:
    """Return the first line of a text, without heading marks."""
    first = text.split("\n", 1)[0].strip()
    return first.lstrip("# ").strip("*_ ") or first
