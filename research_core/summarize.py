"""The passages of a page that bear on a question: verbatim, in page order, with their offsets.

Nothing is reworded and no model is asked. Whether the page answers is the judge's business; lists of references are no passages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import sha256

from research_core.llm.similarity import root, understand
from research_core.models import Page, Passage
from research_core.models import Summary as Summary
from research_core.text import sentences, tokens, truncate

#: A word that an earlier passage holds counts this much in the next one, so that passages differ.
AGAIN = 0.5
#: What each sentence adds that repeats a word of the question within a passage.
DENSITY = 0.15
#: A passage must hold at least this share of what the best one holds.
WORTH = 0.3


def summarize(question: str, page: Page) -> Summary:
    """The passages of a page that bear on the question. A page without any is shown by its opening, so that the judge can say why not."""
    passages = select_passages(question, page.text)
    shown = "\n\n".join(passage.text for passage in passages) or truncate(page.text.strip(), 700)
    return Summary(page.url, page.title, shown, passages)


def select_passages(question: str, text: str, *, limit: int = 5, size: int = 700) -> tuple[Passage, ...]:
    """At most `limit` runs of whole sentences, each at most `size` characters, in page order; text[start:end] == passage.text."""
    words = understand(question).words
    spans = _without_references(text, sentences(text))
    held = [frozenset(root(word) for word in tokens(text[start:end])) & words.keys() for start, end in spans]
    runs = [_run(spans, first, size) for first in range(len(spans))]
    seen: Counter[str] = Counter()
    taken: set[int] = set()
    chosen: list[range] = []
    while len(chosen) < limit:
        free = [_until(run, taken) for run in runs if held[run[0]] and run[0] not in taken]
        best = max(free, key=lambda run: _gain([held[i] for i in run], words, seen), default=None)
        if best is None or (chosen and _weigh(_union(held, best), words) < WORTH * _weigh(_union(held, chosen[0]), words)):
            break
        chosen.append(best)
        taken.update(best)
        seen.update(_union(held, best))
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    ends = [(spans[run[0]][0], spans[run[-1]][1]) for run in sorted(chosen, key=lambda run: run[0])]
    return tuple(_passage(text, digest, start, min(end, start + size)) for start, end in ends)


def _run(spans: Sequence[tuple[int, int]], first: int, size: int) -> range:
    """The sentences from `first` on that fit into `size` characters; always one."""
    last = first
    while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= size:
        last += 1
    return range(first, last + 1)


def _until(run: range, taken: set[int]) -> range:
    return range(run[0], next((i for i in run if i in taken), run[-1] + 1))


def _union(held: Sequence[frozenset[str]], run: range) -> frozenset[str]:
    return frozenset().union(*(held[i] for i in run))


def _weigh(words: frozenset[str], weights: Mapping[str, float]) -> float:
    return sum(weights[word] for word in sorted(words))


def _gain(held: Sequence[frozenset[str]], weights: Mapping[str, float], seen: Mapping[str, int]) -> float:
    """What a run holds of the question, less what earlier passages hold too, and a little for holding it often."""
    distinct = sum(weights[word] * AGAIN ** seen[word] for word in sorted(frozenset().union(*held)))
    often = DENSITY * sum(_weigh(words, weights) for words in held)
    return round(distinct + min(often, sum(weights.values()) / 2), 6)


def _passage(text: str, digest: str, start: int, end: int) -> Passage:
    name = sha256(f"{digest}:{start}".encode()).hexdigest()[:8]
    return Passage(f"p{name}", text[start:end], start, end)


# ---------------------------------------------------------------- lists of references

_REFERENCES = re.compile(
    r"[#*\s]*(?:\d+\.?\s+)?(?:references|bibliography|works cited|literature cited|citations|notes and references|further reading"
    r"|external links)[*:\s]*",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,6}\s|[^.!?:;,\d]{3,60}$")
_ENTRY = re.compile(
    r"https?://|\bdoi\b|\bvol\.|\bpp?\. ?\d|\bet al\b|\bretrieved\b|\baccessed\b|\bjournal\b|\bpress\b|\([12]\d{3}[a-z]?\)"
    r"|^\W*\[?\d{1,3}[\].]|\^",
    re.IGNORECASE,
)


def _without_references(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The sentences that stand in no list of references: after such a heading everything up to the next heading that no entry follows."""
    kept: list[tuple[int, int]] = []
    listing = False
    for place, (start, end) in enumerate(spans):
        line = text[start:end]
        if _REFERENCES.fullmatch(line):
            listing = True
        elif listing and _HEADING.match(line) and not _ENTRY.search(line):
            after = text[slice(*spans[place + 1])] if place + 1 < len(spans) else ""
            listing = bool(_ENTRY.search(after))
        if not listing:
            kept.append((start, end))
    return kept
