"""Parse the writer's Markdown into blocks of cited sentences, and render them again.

Headings, paragraphs, bullets, numbered items, quotations and tables are recognised. Code blocks
keep their lines as text and lose their fences; other markup stays as text. A citation mark belongs
to the sentence before it, on either side of the full stop. A label at the start of a block
("*Rheumatoid arthritis:*") is a sentence of its own, so that what follows is checked without it. No
word is lost except the language name of a code block. Nothing is checked here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from research_core.citations.marks import MARK_PATTERN, find_cited_ids
from research_core.i18n import N_, get_sentence_gap, gettext
from research_core.journal.rule_versions import RULE_VERSIONS, runs_under
from research_core.models import Block, Sentence
from research_core.text.quote_labels import is_label
from research_core.text.sentences import (
    CLOSERS,
    FULL_STOPS,
    GREEK_QUESTION_MARK,
    find_sentences,
)
from research_core.text.words import strip_invisible

#: How a line begins a block: kind, and a pattern with the text and, for some, what gives the level.
_LEADS = (
    ("heading", re.compile(r"\s{0,3}(?P<level>#{1,6})\s+(?P<text>.*?)(?:\s+#+)?\s*")),
    ("bullet", re.compile(r"\s*(?:[-*+•]|(?P<level>[1-9][0-9]{0,8})[.)])\s+(?P<text>.*)")),
    ("quote", re.compile(r"\s*>\s?(?P<text>.*)")),
    ("table", re.compile(r"\s*(?P<text>\|.*\|)\s*")),
)
_WORD = re.compile(r"[^\W_]")
_STOP = rf"(?:[.!?…{FULL_STOPS}]|{GREEK_QUESTION_MARK})"
_RUN = rf"(?:{MARK_PATTERN.pattern}\s*+)++"
_AFTER_STOP = re.compile(rf"({_STOP}++[{CLOSERS}]*+)\s*+({_RUN})")
_ENDED = re.compile(rf"{_STOP}(?:[^\w\s]|_)*(?:[ \u00a0\u202f][»›])?[⁰¹²³⁴-⁹]*$")
_MARKED = re.compile(rf"\s*+{_RUN}")
_CLOSING = re.compile(r"[,;:!?…。！？、，；：)\]}”’»」』]|\.(?!\w)")
_SPACE = re.compile(r"\s+")
# Drawn without its end it would swallow all that follows; the sources too.
_FENCE = re.compile(
    r"^(?P<lead>(?:[ \t>]|(?:[-*+•]|\d{1,9}[.)]|#{1,6})[ \t])*+)(?:`{3,}+(?=[^`\n]*$)|~{3,}+)["
    r" \t]*+(?:(?P<text>\S+[ \t]+\S.*)|\S*)$",
    re.MULTILINE,
)
_FENCED = re.compile(r"(?:`{3,}+(?=[^`]*$)|~{3,}+)\s*+")
_SIGNED = re.compile(r"^(\d*)(?=\S)(.)")
_MARKS_FIRST = re.compile(rf"\s*+({_RUN})(\S.*)")
_TICKS = re.compile(r"`+")
_ESCAPED = re.compile(r"(?<!\\)(?:\\\\)*\\\Z")
#: Backslashes looked at before a backtick; nobody writes more in a row.
MAX_BACKSLASHES = 20
_LINK = re.compile(r"\[[^\[\]]+\]\([^()\s]*\)")


#: The version of the rules of scoring from which each cell of a table row is a sentence; in older
#: sessions a row is one sentence, with all its marks.
CELL_SENTENCES_VERSION = 3


def parse(markdown: str, rules: Mapping[str, int | str] = RULE_VERSIONS) -> tuple[Block, ...]:
    """Return the blocks of a text, in order.

    Blocks without a word (rules, empty bullets) are dropped; marks on their own belong to the block
    above. rules: the versions that the session began under.
    """
    by_cell = runs_under(rules, "scoring", CELL_SENTENCES_VERSION)
    blocks: list[Block] = []
    for block in _split_blocks(markdown, by_cell=by_cell):
        if any(sentence.text for sentence in block.sentences):
            blocks.append(block)
        elif blocks and block.sentences:
            *before, last = blocks[-1].sentences
            cited = _append_marks(last, block.sentences[-1])
            blocks[-1] = replace(blocks[-1], sentences=(*before, cited))
    return tuple(blocks)


def _split_blocks(markdown: str, *, by_cell: bool) -> Iterator[Block]:
    kind = ""
    level = 0
    lines = [""]
    for line in [*_FENCE.sub(_unwrap_fence, markdown).splitlines(), ""]:
        new, number, text = _split_lead(line)
        if _continues_block(kind, new, number, text):
            lines.append(text if new == kind else line)
            continue
        yield _build_block(kind, level, " ".join(lines), by_cell=by_cell)
        kind = new or ("paragraph" if text else "")
        level = number
        lines = [text]
    yield _build_block(kind, level, " ".join(lines), by_cell=by_cell)


def _unwrap_fence(fence: re.Match[str]) -> str:
    """Return a block break, plus the words of a fence line that says more than a language."""
    return f"\n{fence['lead']}{fence['text']}" if fence["text"] else "\n"


def _split_lead(line: str) -> tuple[str, int, str]:
    """Return (kind, level or number, text) of a line that begins a block, ("", 0, text) otherwise.

    text is "" if it has no word. Marks before the signs of a block are moved behind its text.
    """
    marked = _MARKS_FIRST.fullmatch(line)
    if marked:
        kind, number, text = _split_lead(marked[2])
        if kind == "table":
            return kind, number, f"{text[:-1]}{marked[1]}|"
        if kind:
            return kind, number, f"{text} {marked[1]}"
    for kind, pattern in _LEADS:
        found = pattern.fullmatch(line)
        if found is None:
            continue
        if kind == "table" or _WORD.search(MARK_PATTERN.sub("", found["text"])):
            level = found.groupdict().get("level") or ""
            number = len(level) if kind == "heading" else int(level or 0)
            return kind, number, found["text"].strip()
    if not _WORD.search(line):
        return "", 0, ""
    return "", 0, line.strip()


def _continues_block(kind: str, new: str, number: int, text: str) -> bool:
    """Return True if a line continues the block above it.

    A line of a paragraph may begin with a year, so only "1." begins a list there.
    """
    if kind == "paragraph" and new == "bullet" and number > 1:
        return True
    return (
        kind in ("paragraph", "bullet", "quote")
        and bool(text)
        and (not new or new == kind == "quote")
    )


def _build_block(kind: str, level: int, text: str, *, by_cell: bool) -> Block:
    if kind == "table":
        return Block("table", _split_row(text) if by_cell else (_build_sentence(text),), level)
    if kind == "heading":
        sentences: tuple[Sentence, ...] = (_build_sentence(text),)
    else:
        sentences = _split_sentences(text)
    if sentences:
        first, *rest = sentences
        fence = _FENCED.match(" ".join(sentence.text for sentence in sentences))
        if fence:
            bare = first.text[len(fence[0].rstrip()) :].lstrip()
            sentences = (replace(first, text=bare), *rest)
        elif kind in ("", "paragraph"):
            sentences = (replace(first, text=_escape_paragraph_start(first.text)), *rest)
    return Block(kind or "paragraph", sentences, level)  # type: ignore[arg-type]


def _escape_paragraph_start(words: str) -> str:
    """Escape signs at a paragraph's start that would begin another block without their mark."""
    return _SIGNED.sub(r"\1\\\2", words) if _split_lead(words)[0] else words


#: A label with the beginning of a sentence behind it.
_LABEL_AHEAD = re.compile(r"(?P<label>\*[^*]+:\*)\s+(?=[^\s\[*])")


def _split_sentences(text: str) -> tuple[Sentence, ...]:
    """Split a block into sentences; a mark on its own belongs to the sentence before it."""
    # A mark behind the full stop is moved before it.
    text = _AFTER_STOP.sub(lambda found: f" {found[2].strip()}{found[1]} ", text)
    label = _LABEL_AHEAD.match(text)
    if label and is_label(label["label"]):
        return (Sentence(label["label"]), *_split_sentences(text[label.end() :]))
    unbreakable = _find_unbreakable_spans(text)
    spans: list[tuple[int, int]] = []
    for start, end in find_sentences(text):
        if spans and _continues_sentence(text, spans[-1], start, unbreakable):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    sentences: list[Sentence] = []
    for start, end in spans:
        sentence = _build_sentence(text[start:end])
        if sentence.text or not sentences:
            sentences.append(sentence)
        else:
            sentences[-1] = _append_marks(sentences[-1], sentence)
    return tuple(sentences)


def _continues_sentence(
    text: str, before: tuple[int, int], start: int, unbreakable: tuple[Spans, Spans]
) -> bool:
    """Return True if the text at `start` still belongs to the sentence that spans `before`."""
    if not _ENDED.search(text[before[0] : before[1]]):
        return True
    return any(_is_within(spans, start) for spans in unbreakable)


Spans = list[tuple[int, int]]


def _find_unbreakable_spans(text: str) -> tuple[Spans, Spans]:
    """Return the spans of code and of link texts, each in order; no mark may be set inside them."""
    ticks = [found.span() for found in _TICKS.finditer(text)]
    links = [found.span() for found in _LINK.finditer(text)]
    escaped = set()
    for start, _ in ticks:
        if _ESCAPED.search(text, max(0, start - MAX_BACKSLASHES), start):
            escaped.add(start)
    return _find_code_spans(ticks, escaped), links


def _find_code_spans(ticks: Spans, escaped: set[int]) -> Spans:
    """Pair each run of backticks with the next of the same length; code is what lies between.

    escaped: positions of runs whose first backtick is escaped.
    """
    by_length: dict[int, list[int]] = {}
    for number, (start, end) in enumerate(ticks):
        by_length.setdefault(end - start, []).append(number)
    found, number = [], 0
    while number < len(ticks):
        start, end = ticks[number]
        alike = by_length.get(end - start - (start in escaped), [])
        closing = bisect_right(alike, number)
        if closing < len(alike):
            number = alike[closing]
            found.append((start, ticks[number][1]))
        number += 1
    return found


def _is_within(spans: Spans, at: int) -> bool:
    before = bisect_left(spans, (at, 0)) - 1
    return before >= 0 and at < spans[before][1]


def _append_marks(sentence: Sentence, marks: Sentence) -> Sentence:
    """Add the citations of a sentence without words to the sentence before it."""
    citations = dict.fromkeys((*sentence.citations, *marks.citations))
    return replace(sentence, citations=tuple(citations))


def _build_sentence(text: str) -> Sentence:
    bare = _SPACE.sub(" ", _MARKED.sub(_fill_gap, text)).strip()
    return Sentence(bare, find_cited_ids(text))


def _fill_gap(found: re.Match[str]) -> str:
    """Return what replaces a mark: a space between two words, nothing before closing signs."""
    after = found.string[found.end() : found.end() + 2]
    spaced = found[0][-1].isspace() or after[:1].isalnum() or after[:1] in ("(", "[", "“", "‘", "«")
    return " " if after and spaced and not _CLOSING.match(after) else ""


# -- tables --------------------------------------------------------------------


def _split_row(text: str) -> tuple[Sentence, ...]:
    """Return one sentence for each cell of a table row, or one for the whole row.

    A row is one sentence if it separates the head, or if a cell holds nothing but marks.
    """
    cells = tuple(map(_build_sentence, _split_cells(text)))
    has_words = [bool(_WORD.search(cell.text)) for cell in cells]
    stray = any(cell.citations and not words for cell, words in zip(cells, has_words, strict=True))
    if stray or not any(has_words):
        return (_build_sentence(text),)
    return cells


def is_whole_row(block: Block) -> bool:
    """Return True if a table row is one sentence with its bars, not one sentence for each cell."""
    return len(block.sentences) == 1 and block.sentences[0].text.startswith("|")


def state_claims(block: Block) -> tuple[str, ...]:
    """Return what each sentence of a block claims, as its passages are compared with it.

    A cell that is no whole sentence claims something of what its row is about: "Lifetime: 15
    years". If it is the only one with marks, they are about the whole row.
    """
    texts = tuple(sentence.text for sentence in block.sentences)
    if block.kind != "table" or is_whole_row(block):
        return texts
    head = "" if block.sentences[0].citations else texts[0]
    by_row = cites_by_row(block)
    claims = []
    for place, sentence in enumerate(block.sentences):
        claim = sentence.text
        if sentence.citations and by_row:
            claim = format_row(block, texts)
        elif sentence.citations and head and place and not _ENDED.search(claim):
            claim = f"{head}: {claim}"
        claims.append(claim)
    return tuple(claims)


def cites_by_row(block: Block) -> bool:
    """Return True if the marks of a row's only cited cell are about all of its cells."""
    if block.kind != "table":
        return False
    cited = [sentence.text for sentence in block.sentences if sentence.citations]
    return len(cited) == 1 and not _ENDED.search(cited[0])


def format_row(block: Block, texts: Sequence[str]) -> str:
    """Return a table row as a line. texts: of its sentences."""
    if is_whole_row(block):
        return texts[0]
    return f"| {' | '.join(texts)} |"


#: The last bar of a row; a cell ends with an escaped bar at most.
_ROW_END = re.compile(r"^\|.*\|$|(?<!\\)\|$", re.DOTALL)
_RULE = re.compile(r"\|[\s:|-]+\|")
_CELL = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class TableRow:
    """One row of a table. cells: Markdown with escaped bars; line: in the table, from 0."""

    cells: tuple[str, ...]
    line: int
    is_head: bool = False


def parse_table(lines: Sequence[str]) -> tuple[TableRow, ...]:
    """Return the rows of a table, padded to the longest.

    A separator line is no row; it makes the first row a head.
    """
    words = [strip_invisible(line).strip() for line in lines]
    is_separator = [bool(_RULE.fullmatch(line)) for line in words]
    has_head = is_separator[1:2] == [True]
    cells_of: dict[int, tuple[str, ...]] = {}
    for number, line in enumerate(words):
        if not is_separator[number]:
            cells_of[number] = _split_cells(line)
    width = max(map(len, cells_of.values()), default=0)
    rows = []
    for number, cells in cells_of.items():
        padded = cells + ("",) * (width - len(cells))
        rows.append(TableRow(padded, number, is_head=has_head and number == 0))
    return tuple(rows)


def _split_cells(line: str) -> tuple[str, ...]:
    cells = [cell.strip() for cell in _CELL.split(line.removeprefix("|"))]
    if len(cells) > 1 and not cells[-1]:
        cells.pop()
    return tuple(cells)


# -- the page's own characters -------------------------------------------------

#: The inline Markdown that a report may have; everything that renders text uses this pattern.
INLINE = re.compile(
    r"\\(?P<itself>[!-/:-@\[-`{-~])"
    r"|\*\*(?P<strong>(?!\s)[^*]+?)\*\*"
    r"|(?<!\w)\*(?P<em>(?!\s)[^*]+?)\*(?!\w)"
    r"|`(?P<code>[^`]+?)`"
)
_SIGNS = re.compile(r"[\\*`]")
#: A private-use character that separates sentences; texts do not contain it.
_BETWEEN = "\ue002"


def escape_literal_signs(
    parts: Sequence[Sentence], passages: Mapping[str, str]
) -> tuple[Sentence, ...]:
    """Escape Markdown signs that a cited passage contains literally, as they belong to the page.

    passages: the text of the cited passages by id.
    """
    texts = [sentence.text.replace(_BETWEEN, "") for sentence in parts]
    ids = dict.fromkeys(id for sentence in parts for id in sentence.citations)
    quoted = "\n".join(" ".join(strip_invisible(passages.get(id, "")).split()) for id in ids)

    def escape(found: re.Match[str]) -> str:
        if strip_invisible(found[0]).replace(_BETWEEN, "") not in quoted:
            return found[0]
        return _SIGNS.sub(r"\\\g<0>", found[0])

    escaped = INLINE.sub(escape, f"{_BETWEEN} ".join(texts)).split(f"{_BETWEEN} ")
    return tuple(
        replace(sentence, text=text) for sentence, text in zip(parts, escaped, strict=bool(parts))
    )


#: What a reader sees after a sentence whose check found less than support.
STATE_FLAGS = {
    "partly": N_("*(partly supported)*"),
    "not found": N_("*(not found in the cited passage)*"),
    "could not check": N_("*(could not be checked)*"),
}
#: What stands behind a sentence that states something and cites nothing.
NO_SOURCE_FLAG = N_("*(no source)*")
#: What stands behind the citation of a sentence that rests on one source.
SINGLE_SOURCE_SIGN = "◇"


def render(
    blocks: Iterable[Block],
    number_of: Mapping[str, int],
    single: Collection[int] = (),
    unsourced: Callable[[Sentence], bool] = lambda _: False,
) -> str:
    """Render Markdown with each passage id replaced by the number of its source.

    number_of: source number by passage id; single: places, from 0, of the sentences marked with
    SINGLE_SOURCE_SIGN; unsourced: tells whether a sentence gets NO_SOURCE_FLAG.
    """
    lines: list[str] = []
    above: Block | None = None
    places = count()
    for block in blocks:
        if above is not None and not _are_adjacent(above, block):
            lines.append("")
        texts = []
        for sentence in block.sentences:
            bare = block.kind != "heading" and unsourced(sentence)
            texts.append(_render_sentence(sentence, number_of, next(places) in single, bare))
        whole = format_row(block, texts) if block.kind == "table" else _join_texts(texts)
        lines.append(_format_head(block) + whole)
        above = block
    return "\n".join(lines)


def _join_texts(texts: Sequence[str]) -> str:
    """Join sentences with their marks as the language of the report sets them apart."""
    whole = texts[0] if texts else ""
    for text in texts[1:]:
        whole += get_sentence_gap(whole) + text
    return whole


def _are_adjacent(above: Block, block: Block) -> bool:
    """Return True if no empty line separates two blocks: items of one list, rows of one table."""
    return (
        above.kind == block.kind
        and block.kind in ("bullet", "table")
        and bool(above.level) == bool(block.level)
    )


def _format_head(block: Block) -> str:
    """Return the signs a block begins with."""
    heads = {
        "heading": "#" * block.level + " ",
        "bullet": f"{block.level}. " if block.level else "- ",
        "quote": "> ",
    }
    return heads.get(block.kind, "")


def _render_sentence(
    sentence: Sentence, number_of: Mapping[str, int], single: bool, bare: bool
) -> str:
    numbers = dict.fromkeys(number_of[id] for id in sentence.citations if id in number_of)
    marks = [f"[{number}]" for number in numbers]
    if single:
        marks.append(SINGLE_SOURCE_SIGN)
    if sentence.citations and sentence.state in STATE_FLAGS:
        marks.append(gettext(STATE_FLAGS[sentence.state]))
    if bare:
        marks.append(gettext(NO_SOURCE_FLAG))
    if marks and _ROW_END.search(sentence.text):
        # What stands behind the last bar of a table row is not drawn.
        return " ".join([sentence.text[:-1].rstrip(), *marks, "|"])
    return " ".join(filter(None, [sentence.text, *marks]))
