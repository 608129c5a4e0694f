"""Put the items of lists that were folded into one line on lines of their own.

Pages lose their line breaks on the way: "Signs include: - Rust - Dents Most cars show both."
reads as one sentence and could not be quoted. Only white space changes.
"""

from __future__ import annotations

import re

#: A lead-in ends with a colon, and the first item follows on the same line.
_LIST_START = re.compile(r"(?<=\S): [-–•*] (?=[\"“(]?\w)")
_NEXT_ITEM = re.compile(r" [-–•*] (?=[\"“(]?\w)")
#: A dash before a small letter belongs to an item where items begin with capitals.
_NEXT_CAPITAL = re.compile(r" [-–•*] (?=[\"“(]?[^\Wa-z_])")
#: Where the next sentence, or the next lead-in, was run into an item: a capital behind a word that
#: takes no name after it.
_RUN_IN = re.compile(
    r"(?<=[a-z\d)%] )(?<!\bof )(?<!\bfor )(?<!\bin )(?<!\bwith )(?<!\bthe )(?<!\ba )(?<!\ban )"
    r"(?<!\band )"
    r"(?<!\bor )(?<!\bby )(?<!\bfrom )(?<!\bto )(?<!\bon )(?<!\bas )(?<!\bat )(?<!\blike )"
    r"(?<!\bvs )"
    r"(?=[A-Z][a-z]|A )"
)
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[\"“(]?[A-Z\d])")
#: Words of what is run into an item, at least.
MIN_RUN_IN_WORDS = 3


def unfold_lists(text: str) -> str:
    """Return a text with a line for each item of the lists that stand in one line."""
    return "\n".join(map(_unfold_line, text.split("\n")))


def _unfold_line(line: str) -> str:
    start = _LIST_START.search(line)
    if start is None:
        return line
    lines = [line[: start.start() + 1]]
    items = line[start.end() :]
    pieces = (_NEXT_CAPITAL if items[:1].isupper() else _NEXT_ITEM).split(items)
    for number, piece in enumerate(pieces):
        item, below = _split_item(piece, is_last=number == len(pieces) - 1)
        if item:
            lines.append(f"- {item}")
        if below:
            lines += ["", *_unfold_line(below).split("\n")]
    return "\n".join(lines)


def _split_item(piece: str, *, is_last: bool) -> tuple[str, str]:
    """Return (an item, what stands below its list): a lead-in, or the text after the list."""
    if piece.endswith(":"):
        sentences = _SENTENCE_END.split(piece)
        before, lead_in = " ".join(sentences[:-1]), sentences[-1]
        places = [match.start() for match in _RUN_IN.finditer(lead_in)]
        if before or not places:
            return before, lead_in
        return lead_in[: places[-1]].rstrip(), lead_in[places[-1] :]
    if not is_last:
        return piece, ""
    first, *rest = _SENTENCE_END.split(piece)
    run_in = _RUN_IN.search(first)
    if run_in and len(first[run_in.start() :].split()) >= MIN_RUN_IN_WORDS:
        rest = [first[run_in.start() :], *rest]
        first = first[: run_in.start()].rstrip()
    return first, " ".join(rest)
