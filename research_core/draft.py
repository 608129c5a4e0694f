"""The writer's Markdown as blocks of sentences with their citations, and back again.

Reads headings, paragraphs, bullets, quotations and tables; other markup stays as text. A mark belongs to the sentence it follows,
on either side of the full stop. It checks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from research_core.citations import MARKS, cited
from research_core.models import Block, Sentence
from research_core.sentences import sentences

_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_LEADS = (
    ("bullet", re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+(.*)")),
    ("quote", re.compile(r"\s*>\s?(.*)")),
    ("table", re.compile(r"\s*(\|.*\|)\s*")),
)
_AFTER_STOP = re.compile(rf"([.!?…]+[\"'”’)\]*_]*)\s*((?:{MARKS.pattern}\s*)+)")
_SPACE = re.compile(r"\s+")


def parse(markdown: str) -> tuple[Block, ...]:
    """The blocks of a text, in order."""
    return tuple(_blocks(markdown))


def _blocks(markdown: str) -> Iterator[Block]:
    paragraph: list[str] = []
    for line in [*markdown.splitlines(), ""]:
        block = _line(line)
        if block is None and line.strip():
            paragraph.append(line.strip())
            continue
        if paragraph:
            yield Block("paragraph", _sentences(" ".join(paragraph)))
            paragraph = []
        if block is not None:
            yield block


def _line(line: str) -> Block | None:
    """The block a line is by itself; None for a line of a paragraph, or an empty one."""
    heading = _HEADING.match(line)
    if heading:
        return Block("heading", (Sentence(heading[2].strip()),), len(heading[1]))
    for kind, pattern in _LEADS:
        found = pattern.fullmatch(line)
        if found and found[1].strip():
            text = found[1].strip()
            return Block(kind, (_sentence(text),) if kind == "table" else _sentences(text))  # type: ignore[arg-type]
    return None


def _sentences(text: str) -> tuple[Sentence, ...]:
    moved = _AFTER_STOP.sub(lambda found: f" {found[2].strip()}{found[1]} ", text)
    return tuple(_sentence(moved[start:end]) for start, end in sentences(moved))


def _sentence(text: str) -> Sentence:
    bare = _SPACE.sub(" ", MARKS.sub("", text)).strip()
    return Sentence(re.sub(r"\s+([.,;:!?…])", r"\1", bare), tuple(dict.fromkeys(cited(text))))


#: What a reader sees after a sentence whose check found less than support.
FLAGS = {
    "partly": "*(partly supported)*",
    "not found": "*(not found in the cited passage)*",
    "could not check": "*(could not be checked)*",
}
_LEAD = {"bullet": "- ", "quote": "> "}


def render(blocks: Iterable[Block], number_of: Mapping[str, int]) -> str:
    """Markdown with each passage id replaced by its source's number. number_of: source number by passage id."""
    out: list[str] = []
    last = ""
    for block in blocks:
        if out and not (block.kind == last and block.kind in ("bullet", "quote", "table")):
            out.append("")
        lead = "#" * block.level + " " if block.kind == "heading" else _LEAD.get(block.kind, "")
        out.append(lead + " ".join(_rendered(sentence, number_of) for sentence in block.sentences))
        last = block.kind
    return "\n".join(out)


def _rendered(sentence: Sentence, number_of: Mapping[str, int]) -> str:
    numbers = dict.fromkeys(number_of[id] for id in sentence.citations if id in number_of)
    parts = [sentence.text, *(f"[{number}]" for number in numbers)]
    if sentence.citations and sentence.state in FLAGS:
        parts.append(FLAGS[sentence.state])
    return " ".join(parts)
