"""Find the quotations of a sentence that a text does not hold word for word."""

from __future__ import annotations

import re
from functools import lru_cache

from research_core.text.sentences import find_sentences
from research_core.text.words import strip_invisible, tokenize

#: The least letters of a single quoted word that counts as a quotation.
SHORTEST_QUOTE = 4
_QUOTED = re.compile(
    r"“([^“”]+)”|\"([^\"]+)\"|«([^«»]+)»|(?<!\w)‘((?:[^‘’]|(?<=\w)’(?=\w))+)’(?!\w)"
    r"|(?<!\w)'((?:[^']|(?<=\w)'(?=\w))+)'(?!\w)"
)
#: A folded letter or digit of Latin, Greek or Cyrillic; other scripts may not separate words by
#: spaces.
_LETTER = "[0-9a-z\u00df-\u024f\u0370-\u052f]"
_FOLDED_SIGNS = {
    **dict.fromkeys(map(ord, "“”„«»"), '"'),
    **dict.fromkeys(map(ord, "‘’‚"), "'"),
    **dict.fromkeys(map(ord, "–—−\u2010\u2011"), "-"),
}


def find_misquoted(sentence: str, text: str) -> list[str]:
    """Return the quotations of the sentence that the text does not hold word for word."""
    return [quote for quote in find_quotations(sentence) if not contains_literally(quote, text)]


def find_quotations(sentence: str) -> list[str]:
    """Return what the sentence quotes; single words from `SHORTEST_QUOTE` letters on."""
    found: list[str] = []
    for groups in _QUOTED.findall(sentence):
        quote = "".join(groups).strip(" .,;:!?…")  # one of the groups matched
        if len(quote) >= SHORTEST_QUOTE or len(tokenize(quote)) > 1:
            found.append(quote)
    return found


def contains_literally(words: str, text: str) -> bool:
    """Return whether the words stand in the text as whole words, once both are folded.

    "To 12" is not in "to 12,000" or "to 12th".
    """
    bare, folded = fold_text(words), fold_text(text)
    if not bare or bare not in folded:
        return False
    return _compile_literal(bare).search(folded) is not None


def find_literal_span(words: str, text: str) -> tuple[int, int] | None:
    """Return (start, end) of the first place that `contains_literally` finds, None if it has none.

    Each character is folded alone, so that its offset in the text is known.
    """
    bare = fold_text(words)
    if not bare or not contains_literally(words, text):
        return None
    letters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        folded = strip_invisible(character).translate(_FOLDED_SIGNS).casefold()
        for letter in folded:
            if letter.isspace():
                if letters and letters[-1] != " ":
                    letters.append(" ")
                    offsets.append(offset)
                continue
            letters.append(letter)
            offsets.append(offset)
    found = _compile_literal(bare).search("".join(letters))
    return None if found is None else (offsets[found.start()], offsets[found.end() - 1] + 1)


def _compile_literal(bare: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!{_LETTER})(?<!\d[.,]){re.escape(bare)}(?!{_LETTER})(?![.,]\d)")


def contains_sentences(said: str, text: str) -> bool:
    """Return whether the text has the same sentence or sentences from first to last word.

    A part does not count, because the whole may deny it.
    """
    bare = _fold_sentences(said)
    return bool(bare.strip()) and bare in _fold_sentences(text)


def find_same_sentences(said: str, text: str) -> tuple[int, int] | None:
    """Return (start, end) of the sentences that `contains_sentences` finds, None if it has none."""
    if not contains_sentences(said, text):
        return None
    bare, folded = _fold_sentences(said), _fold_sentences(text)
    # Each sentence is a line, and a line break stands before the first one.
    first = folded.count("\n", 0, folded.index(bare))
    last = first + bare.count("\n") - 2
    spans = find_sentences(text)
    return spans[first][0], spans[last][1]


@lru_cache(maxsize=512)
def _fold_sentences(text: str) -> str:
    """Return each sentence folded on a line of its own; questions keep their mark."""
    lines = [""]
    for start, end in find_sentences(text):
        sentence = text[start:end]
        mark = "?" if sentence.rstrip().endswith("?") else ""
        lines.append(fold_text(sentence) + mark)
    lines.append("")
    return "\n".join(lines)


@lru_cache(maxsize=512)
def fold_text(text: str) -> str:
    """Return the text with case, white space, dashes and quotation marks normalised."""
    folded = strip_invisible(text).translate(_FOLDED_SIGNS).casefold()
    return " ".join(folded.split()).rstrip(".!?…")
