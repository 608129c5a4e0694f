"""Documents that are not HTML: PDF, read in a child process (see `sandbox`), Markdown and plain text.

Text comes out in blocks apart by blank lines, with lines joined that were only broken to fit a width. Scans are not recognised as text,
and of a very long PDF only the first 1,000 pages are read.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING

from research_core.errors import FetchError
from research_core.models import Json, Page
from research_core.text import truncate, visible
from research_core.web.blocks import unwrapped
from research_core.web.html import MAX_BYTES, decode, without_hidden
from research_core.web.sandbox import SHARED, Sandbox

if TYPE_CHECKING:
    from pypdf import PdfReader

MAX_PAGES = 1_000
TITLE_LENGTH = 300
#: A line at the top or bottom of this many pages, and of more than half of all, is a running head or foot.
RUNNING = 3


def read_pdf(body: bytes, url: str, *, sandbox: Sandbox = SHARED) -> Page:
    """The text of a PDF. Raises FetchError: unsupported when it is encrypted or broken, content_empty when it holds no text (a scan),

    too_large or timeout when it cannot be read within the limits of the sandbox.
    """
    found = sandbox.run("pdf", body)
    return Page(url=url, final_url=url, title=found["title"], text=found["text"], kind="pdf", published=found["published"])


def read_text(body: bytes, url: str, content_type: str = "", *, kind: str = "text", prose: bool = True) -> Page:
    """Plain text, or Markdown (kind "markdown"), with title, url and date of its front matter; what is beyond 2 MB is not read.

    final_url is `url`, or the front matter's where `url` is "". prose: False leaves all line breaks as they are, for JSON and tables.
    Raises FetchError content_empty.
    """
    text = visible(decode(body[:MAX_BYTES], content_type))
    fields, text = front_matter(text)
    text = without_hidden_markdown(text) if kind == "markdown" else text
    text = unwrapped(text) if prose else text.strip()
    if not text:
        raise FetchError("The document holds no text.", kind="content_empty")
    title = truncate(fields.get("title") or _heading(text), TITLE_LENGTH)
    return Page(url=url, final_url=url or fields.get("url", ""), title=title, text=text, kind=kind, published=day(fields.get("date", "")))


# ---------------------------------------------------------------- text

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DEFINITION = re.compile(r"^ {0,3}\[(?!\^)[^\]\n]+\]:[^\n]*\n?", re.MULTILINE)  # "[//]: # (never shown)"
_STYLED = re.compile(r"<[a-z][^>]{0,300}?\s(?:hidden|style)\b", re.IGNORECASE)
_DATE = re.compile(r"(?:D:)?((?:19|20)\d\d)(?!\d(?!\d))(?:-?(0[1-9]|1[0-2])(?!\d(?!\d))(?:-?(0[1-9]|[12]\d|3[01]))?)?")
_FIELD = re.compile(r"([A-Za-z][\w-]*):\s*(.*?)\s*")


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """The `key: value` lines at the top, keys in lower case, and the text after them: between two lines of `---`, or up to

    a blank line where the first of them is the title.
    """
    lines = text.lstrip("\n").split("\n")
    fenced, titled = lines[0].strip() == "---", lines[0].lower().startswith("title:")
    ends = [n for n, line in enumerate(lines[:100]) if line.strip() in (("---", "...") if fenced else ("",)) and n > 0]
    if not ends or not (fenced or titled):
        return {}, text
    found = filter(None, (_FIELD.fullmatch(line[:1000]) for line in lines[: ends[0]]))
    return {match[1].lower(): match[2].strip("\"'") for match in found}, "\n".join(lines[ends[0] + 1 :])


def without_hidden_markdown(text: str) -> str:
    """Markdown without comments, link definitions and elements that its HTML hides."""
    text = _DEFINITION.sub("", _COMMENT.sub("", text))
    return without_hidden(text) if _STYLED.search(text) else text


def _heading(text: str) -> str:
    first = text.split("\n", 1)[0].strip()
    return first.lstrip("# ").strip("*_ ") or first


def day(text: str) -> str:
    """YYYY, YYYY-MM or YYYY-MM-DD at the start of a date as people and PDF files write it; "" otherwise."""
    found = _DATE.match(text.strip())
    return "-".join(filter(None, found.groups())) if found else ""


# ---------------------------------------------------------------- PDF, in the child


def parse_pdf(body: bytes) -> Json:
    """{"title", "text", "published"}. Raises FetchError unsupported or content_empty; pypdf's own errors pass through."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError, FileNotDecryptedError

    reader = PdfReader(io.BytesIO(body))
    try:
        if reader.is_encrypted and not reader.decrypt(""):
            raise FetchError("The PDF is encrypted and needs a password.", kind="unsupported")
        pages = [page.extract_text() for page in islice(reader.pages, MAX_PAGES)]
    except (DependencyError, FileNotDecryptedError) as error:
        raise FetchError("The PDF is encrypted in a way that cannot be read here.", kind="unsupported") from error
    text = "\n\n".join(filter(None, (unwrapped(visible(page), paragraphs=True) for page in _without_running_lines(pages))))
    if not text:
        raise FetchError("The PDF holds no text; it may be a scan.", kind="content_empty")
    title, published = _information(reader)
    return {"title": truncate(title or _heading(text), TITLE_LENGTH), "text": text, "published": published}


def _information(reader: PdfReader) -> tuple[str, str]:
    """Title and day of writing as the file states them. One word is a file name more often than a title."""
    information: Mapping[str, object] = reader.metadata or {}
    title = " ".join(visible(str(information.get("/Title") or "")).split())
    return title if " " in title else "", day(str(information.get("/CreationDate") or ""))


def _without_running_lines(pages: list[str]) -> list[str]:
    """The pages without what stands at the top or bottom of most of them, page numbers aside."""
    split = [page.strip().split("\n") for page in pages]
    seen = Counter(key for lines in split for key in {_shape(lines[0]), _shape(lines[-1])})
    running = {key for key, count in seen.items() if count >= max(RUNNING, len(pages) / 2 + 1)}
    kept = ([line for n, line in enumerate(lines) if not (n in (0, len(lines) - 1) and _shape(line) in running)] for lines in split)
    return ["\n".join(lines) for lines in kept]


def _shape(line: str) -> str:
    return re.sub(r"\d+", "0", line.strip())
