"""Put the items of lists that were folded into one line on lines of their own.

Pages lose their line breaks on the way: "Signs include: - Rust - Dents Most cars show both."
reads as one sentence and could not be quoted. Only line breaks and the signs before items change
here; `quotable` then joins the items of a quoted list with semicolons. A line in which it is not
plain where an item ends stays as it is.
"""

from __future__ import annotations

import re

#: A lead-in ends with a colon, and the first item follows on the same line.
_LIST_START = re.compile(r"(?<=\S): (?P<sign>[-–•*]) (?=[\"“(]?\w)")
#: A dash before a small letter belongs to an item where items begin with capitals.
_ITEM_OPENING = re.compile(r"[\"“(]?\w")
_CAPITAL_OPENING = re.compile(r"[\"“(]?[^\Wa-z_]")
#: The two sides of a sign between figures: "2 - 1", "9 am - 5 pm", "2 - 3 dollars".
_FIGURE_BEFORE = re.compile(r"\d(?: ?(?:[ap]\.?m\.?|%))?$", re.IGNORECASE)
_FIGURE_AFTER = re.compile(r"[$€£]?\d")
#: The signs that stand in pairs around a parenthesis too, and the least items of a list of them.
_PAIRED_SIGN, MIN_PAIRED_ITEMS = "–", 3
#: Behind a parenthesis the sentence goes on with its verb.
_VERB = re.compile(
    r"(?:is|are|was|were|has|have|had|must|may|can|will|shall|should|would|does|do|did|cannot)\b"
)
#: A factor or a term: "* a * b".
_TERM = re.compile(r"[^\W\d_]\W*$|[\d.,]+\W*$|.*=")
#: Where the next sentence, or the next lead-in, was run into an item, or where a name begins: a
#: capital behind a word that takes no name after it.
_RUN_IN = re.compile(
    r"(?<=[a-z\d)%] )(?<!\bof )(?<!\bfor )(?<!\bin )(?<!\bwith )(?<!\bthe )(?<!\ba )(?<!\ban )"
    r"(?<!\band )"
    r"(?<!\bor )(?<!\bby )(?<!\bfrom )(?<!\bto )(?<!\bon )(?<!\bas )(?<!\bat )(?<!\blike )"
    r"(?<!\bvs )"
    r"(?=[A-Z][a-z]|A )"
)
#: First words that begin a sentence and no name.
_SENTENCE_OPENING = re.compile(
    r"(?:The|An|If|When|While|Because|Although|Once|Unless|Until|After|Before|You|Your|It|Its|This"
    r"|That|These|Those|They|Their|We|Our|He|She|His|Her|There|Most|Many|Some|Several|Few|Both"
    r"|Each|Every|All|Any|No|In|On|At|For|To|By|With|Without|As|But|However|Also) [a-z\d]|A [a-z]"
)
#: "vitamin A deficiency": a letter that names a kind.
_LETTER_KIND = re.compile(
    r"\b(?:vitamins?|hepatitis|grade|class|part|type|plan|group|level|category|form|series|schedule"
    r"|section|unit|model|version|league|serie|exhibit|appendix|table|figure) $",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[\"“(]?[A-Z\d])")
#: Words of what is run into an item, at least.
MIN_RUN_IN_WORDS = 3


class _UnclearItemError(Exception):
    """Where an item ends cannot be told."""


def unfold_lists(text: str) -> str:
    """Return a text with a line for each item of the lists that stand in one line."""
    return "\n".join(map(_unfold_line, text.split("\n")))


def _unfold_line(line: str) -> str:
    """Return a line with its list unfolded; as it is if it has none or an item is unclear."""
    start = _LIST_START.search(line)
    if start is None:
        return line
    pieces = _split_items(line[start.end() :], start["sign"])
    if not _is_list(pieces, start["sign"]):
        return line
    lines = [line[: start.start() + 1]]
    try:
        for number, piece in enumerate(pieces):
            item, below = _split_item(piece, is_last=number == len(pieces) - 1)
            if item:
                lines.append(f"- {item}")
            if below:
                lines += ["", *_unfold_line(below).split("\n")]
    except _UnclearItemError:
        return line
    return "\n".join(lines)


def _split_items(items: str, sign: str) -> list[str]:
    """Split the items behind a lead-in at their sign; one between two figures belongs to an item."""
    opening = _CAPITAL_OPENING if items[:1].isupper() else _ITEM_OPENING
    pieces, begin = [], 0
    for match in re.finditer(rf" {re.escape(sign)} ", items):
        is_range = _FIGURE_BEFORE.search(items[: match.start()]) and _FIGURE_AFTER.match(
            items, match.end()
        )
        if opening.match(items, match.end()) and not is_range:
            pieces.append(items[begin : match.start()])
            begin = match.end()
    return [*pieces, items[begin:]]


def _is_list(pieces: list[str], sign: str) -> bool:
    """Return whether the pieces are items, not a formula or a sentence with a parenthesis."""
    if sign == _PAIRED_SIGN and len(pieces) < MIN_PAIRED_ITEMS:
        return False
    if any(_TERM.match(piece) for piece in pieces):
        return False
    return bool(_VERB.match(pieces[0])) or not any(_VERB.match(piece) for piece in pieces)


def _split_item(piece: str, *, is_last: bool) -> tuple[str, str]:
    """Return (an item, what stands below its list): a lead-in, or the text after the list.

    Raises _UnclearItemError where a capital may begin a name or what was run into the item.
    """
    if piece.endswith(":"):
        sentences = _SENTENCE_END.split(piece)
        before, lead_in = " ".join(sentences[:-1]), sentences[-1]
        places = [match.start() for match in _RUN_IN.finditer(lead_in)]
        if before or not places:
            return before, lead_in
        if len(places) > 1:
            raise _UnclearItemError
        return lead_in[: places[0]].rstrip(), lead_in[places[0] :]
    if not is_last:
        return piece, ""
    first, *rest = _SENTENCE_END.split(piece)
    places = [match.start() for match in _RUN_IN.finditer(first)]
    places = [place for place in places if len(first[place:].split()) >= MIN_RUN_IN_WORDS]
    opening = next((place for place in places if _opens_sentence(first, place)), None)
    if opening is not None:
        return first[:opening].rstrip(), " ".join([first[opening:], *rest])
    if places:
        raise _UnclearItemError
    return first, " ".join(rest)


def _opens_sentence(text: str, place: int) -> bool:
    """Return whether a word that no name begins with stands there."""
    return bool(_SENTENCE_OPENING.match(text, place)) and not _LETTER_KIND.search(text[:place])
