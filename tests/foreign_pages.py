"""Short pages in other languages, each with a question that one sentence of it answers.

They are in tests/data/languages, a file for each language: "== name | title", then headings (#),
paragraphs, lists (-), the question (?) and the sentence or lead-in that answers it (!).
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "languages"
LANGUAGES = ("de", "fr", "es", "ar", "zh", "ja")
_TAGS = {"# ": "h2", "- ": "li"}


@dataclass(frozen=True)
class ForeignPage:
    """A page, the question that it answers, and how the answer reads or begins."""

    name: str
    title: str
    lines: tuple[str, ...]
    question: str
    answer: str

    @property
    def file(self) -> str:
        return f"{self.name}.html"


@cache
def read_pages(language: str) -> tuple[ForeignPage, ...]:
    """Return the pages of a language."""
    text = (FOLDER / f"{language}.txt").read_text(encoding="utf-8")
    pages = []
    for block in text.split("== ")[1:]:
        head, *lines = block.strip().splitlines()
        name, title = head.split(" | ")
        own = {line[:2]: line[2:] for line in lines if line.startswith(("? ", "! "))}
        body = tuple(line for line in lines if not line.startswith(("? ", "! ")))
        pages.append(ForeignPage(name, title, body, own["? "], own["! "]))
    return tuple(pages)


def write_pages(language: str, folder: Path) -> Path:
    """Write the pages of a language as HTML files. Return their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    direction = "rtl" if language == "ar" else "ltr"
    for page in read_pages(language):
        parts = [f"<h1>{html.escape(page.title)}</h1>"]
        for line in page.lines:
            tag = _TAGS.get(line[:2], "p")
            parts.append(f"<{tag}>{html.escape(line[2:] if tag != 'p' else line)}</{tag}>")
        body = (
            "".join(parts).replace("</p><li>", "</p><ul><li>").replace("</li><p>", "</li></ul><p>")
        )
        (folder / page.file).write_text(
            f'<!doctype html><html lang="{language}" dir="{direction}"><head><meta charset="utf-8">'
            f"<title>{html.escape(page.title)}</title></head>"
            f"<body><main><article>{body}</article></main></body></html>",
            encoding="utf-8",
        )
    return folder
