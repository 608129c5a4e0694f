"""Choose the words shown under a search result: the stretch that best matches the query.

The words are verbatim, on one line, without the marks of headings, lists and tables. A dated
document's date comes first, as in search engines: "2025-03-18 · Words of the page". Nothing is
ranked here.
"""

from __future__ import annotations

from functools import lru_cache

from research_core.text.blocks import strip_line_marks
from research_core.text.words import content_words, stem, tokenize

#: Words of a snippet.
SNIPPET_WORDS = 50
SEPARATOR = " · "
_ENDS = (".", "!", "?", ".”", '."', ".)")


def make_snippet(query: str, text: str, published: str = "") -> str:
    """Return the 50 words with most query words, then most of their stems.

    Ties go to the earliest. The window moves back to the start of a sentence if there is one. Query
    words are the ones the credibility score counts.
    """
    words, opens = _words(text)
    if not words:
        return published
    asked = _query_terms(query)
    bears = {
        word: (exact & asked[0], stems & asked[1])
        for word in set(words)
        for exact, stems in [_stem_of_word(word)]
    }
    hits = {n: bears[word] for n, word in enumerate(words) if any(bears[word])}

    def worth(start: int) -> tuple[int, int, bool, int]:
        inside = [hits[n] for n in range(start, start + SNIPPET_WORDS) if n in hits]
        exact, stems = (len(frozenset().union(*(hit[n] for hit in inside))) for n in (0, 1))
        return exact, stems, opens[start], -start

    start = max((n for n in range(len(words)) if opens[n] or n in hits), key=worth)
    first = next((n for n in range(start, start + SNIPPET_WORDS) if n in hits), start)
    start = max((n for n in range(start, first + 1) if opens[n]), default=start)
    start = min(start, max(0, len(words) - SNIPPET_WORDS))
    window = " ".join(words[start : start + SNIPPET_WORDS])
    return f"{published}{SEPARATOR}{window}" if published else window


def _query_terms(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the content words of a text, and the stems of its words."""
    content = content_words(text)
    return content, frozenset(stem(token) for word in content for token in tokenize(word))


_stem_of_word = lru_cache(maxsize=50_000)(_query_terms)


def _words(text: str) -> tuple[list[str], list[bool]]:
    """Return the words, and for each whether it begins a sentence or a line.

    A bar between table cells belongs to the word before it.
    """
    words: list[str] = []
    opens: list[bool] = []
    for line in strip_line_marks(text):
        for n, word in enumerate(line.split()):
            if word == "|" and n:
                words[-1] += " |"
                continue
            opens.append(n == 0 or words[-1].endswith(_ENDS))
            words.append(word)
    return words, opens
