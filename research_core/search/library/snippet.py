"""Choose the words shown under a search result: the stretch that best matches the query.

The words are verbatim, on one line, without the marks of headings, lists and tables. A dated
document's date comes first, as in search engines: "2025-03-18 · Words of the page". Nothing is
ranked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from research_core.text.blocks import strip_line_marks
from research_core.text.words import content_words, stem, tokenize

#: Words of a snippet.
SNIPPET_WORDS = 50
SEPARATOR = " · "
_ENDS = (".", "!", "?", ".”", '."', ".)")


def make_snippet(query: str, text: str, published: str = "") -> str:
    """Return the 50 words with most query words, then most of their stems.

    Windows that begin a sentence come first among equals, then the earliest. Query words are the
    ones the credibility score counts.
    """
    words, opens = _split_words(text)
    if not words:
        return published
    hits = _find_hits(query, words)

    def worth(start: int) -> tuple[int, int, bool, int]:
        exact: set[str] = set()
        stems: set[str] = set()
        for n in range(start, start + SNIPPET_WORDS):
            if n in hits:
                exact |= hits[n][0]
                stems |= hits[n][1]
        return len(exact), len(stems), opens[start], -start

    start = max((n for n in range(len(words)) if opens[n] or n in hits), key=worth)
    # Move on to the last beginning of a sentence before the first hit.
    first = next((n for n in range(start, start + SNIPPET_WORDS) if n in hits), start)
    start = max((n for n in range(start, first + 1) if opens[n]), default=start)
    start = min(start, max(0, len(words) - SNIPPET_WORDS))
    window = " ".join(words[start : start + SNIPPET_WORDS])
    return f"{published}{SEPARATOR}{window}" if published else window


def _find_hits(
    query: str, words: Sequence[str]
) -> dict[int, tuple[frozenset[str], frozenset[str]]]:
    """Return the query words and stems in each word that has any, by the word's position."""
    asked, asked_stems = _word_terms(query)
    shared = {}
    for word in set(words):
        exact, stems = _word_terms(word)
        if not (exact.isdisjoint(asked) and stems.isdisjoint(asked_stems)):
            shared[word] = exact & asked, stems & asked_stems
    return {n: shared[word] for n, word in enumerate(words) if word in shared}


@lru_cache(maxsize=50_000)
def _word_terms(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the content words of a text, and the stems of its words."""
    content = content_words(text)
    stems: set[str] = set()
    for word in content:
        stems.update(map(stem, tokenize(word)))
    return content, frozenset(stems)


@lru_cache(maxsize=128)
def _split_words(text: str) -> tuple[tuple[str, ...], tuple[bool, ...]]:
    """Return the words, and for each whether it begins a sentence or a line.

    A bar between table cells belongs to the word before it. The queries of a run find the same
    passages, so those of the last ones are kept.
    """
    words: list[str] = []
    opens: list[bool] = []
    for line in strip_line_marks(text):
        found = _split_line(line)
        words += found
        opens.append(True)
        opens += [word.endswith(_ENDS) for word in found[:-1]]
    return tuple(words), tuple(opens)


def _split_line(line: str) -> list[str]:
    found = line.split()
    if "|" not in found[1:]:
        return found
    words = found[:1]
    for word in found[1:]:
        if word == "|":
            words[-1] += " |"
        else:
            words.append(word)
    return words
