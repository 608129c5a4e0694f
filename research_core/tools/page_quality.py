"""Rank pages for a query by relevance, authority, freshness and content.

The ranking of search_and_scrape: relevance 35%, authority 25%, freshness 20%, content 20%
(spec/research-tools.md, tool 3). It is neither the credibility score, which is given before a page
is read, nor the relevance judged by the gate. It believes the date that the page states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from research_core.model_messages import Json
from research_core.text.dates import parse_full_day
from research_core.text.words import stem, tokenize, truncate

WEIGHTS = {"relevance": 0.35, "authority": 0.25, "freshness": 0.20, "content": 0.20}
#: Words of a query that do not say what it is about.
FUNCTION_WORDS = frozenset(
    """
        the a an is are was were of in on at to for with by from and or not but go get set new use
    """.split()
)
#: (age below this many days, freshness). Older pages have 0.3, pages without a date 0.5.
FRESHNESS = ((1, 1.0), (7, 0.9), (30, 0.7), (365, 0.5))
UNKNOWN_FRESHNESS, OLD_FRESHNESS = 0.5, 0.3
TITLE_SHARE, TEXT_SHARE = 0.4, 0.6
#: (more words than this, worth).
LENGTHS = ((500, 0.3), (200, 0.2), (50, 0.1))
MIN_RECOMMENDED, MAX_RECOMMENDED = 0.6, 3
CARD_TEXT_LENGTH = 200

#: The reason given for a recommended source, by its highest part; the first of equals.
REASONS = {
    "authority": "It comes from a host with high authority.",
    "relevance": "It holds most of the query's words.",
    "freshness": "It was published lately.",
    "content": "It is a full and well-structured text.",
}


@dataclass(frozen=True)
class PageQuality:
    """The quality of a page; each part and the whole 0.0 to 1.0, at two places."""

    relevance: float
    freshness: float
    authority: float
    content: float

    @property
    def overall(self) -> float:
        """Return the weighted sum of the parts."""
        whole: float = sum(weight * getattr(self, part) for part, weight in WEIGHTS.items())
        return round(whole, 2)

    def as_json(self) -> Json:
        """Return the parts under the names of the tool's answer."""
        parts = {
            "relevance": self.relevance,
            "freshness": self.freshness,
            "authority": self.authority,
            "contentQuality": self.content,
        }
        return {"overall": self.overall, **parts}


def assess_page(
    query: str, title: str, text: str, published: str, authority: float, today: date
) -> PageQuality:
    """Return the quality of a page for a query.

    `published` is YYYY-MM-DD or less, "" if unknown.
    """
    return PageQuality(
        measure_relevance(query, title, text),
        measure_freshness(published, today),
        round(authority, 2),
        measure_content(text),
    )


def measure_relevance(query: str, title: str, text: str) -> float:
    """Return the share of the query's words in title and text, longer words weighing more.

    It is 0.5 for a query without words.
    """
    words = list(dict.fromkeys(tokenize(query)))
    words = [word for word in words if word not in FUNCTION_WORDS] or words
    if not words:
        return 0.5
    total = sum(map(len, words))

    def share(within: str) -> float:
        there = frozenset(map(stem, tokenize(within)))
        return sum(len(word) for word in words if stem(word) in there) / total

    return round(TITLE_SHARE * share(title) + TEXT_SHARE * share(text), 2)


def measure_freshness(published: str, today: date) -> float:
    """Return 1.0 for a page of today and less for older ones, 0.5 without a valid day."""
    day = parse_full_day(published)
    if day is None or day > today:
        return UNKNOWN_FRESHNESS
    age = (today - day).days
    for limit, worth in FRESHNESS:
        if age < limit:
            return worth
    return OLD_FRESHNESS


def measure_content(text: str) -> float:
    """Return how substantial a text is, by words, paragraphs, sentences and links."""
    words = text.split()
    mean = sum(map(len, words)) / len(words) if words else 0.0
    # (worth, whether it holds): paragraphs, words of a language, links, sentences.
    tests = (
        (0.2, text.count("\n\n") > 2),
        (0.2, 3 <= mean <= 10),
        (0.1, "http" in text),
        (0.2, len(re.findall(r"[.!?。！？]", text)) > 5),
    )
    length = next((worth for limit, worth in LENGTHS if len(words) > limit), 0.0)
    return round(min(1.0, length + sum(worth for worth, holds in tests if holds)), 2)


# ---------------------------------------------------------------- advice


@dataclass(frozen=True)
class RankedSource:
    """A source of search_and_scrape with its quality."""

    url: str
    title: str
    text: str
    quality: PageQuality


def build_recommendations(sources: Sequence[RankedSource]) -> list[Json]:
    """Return the best sources above the threshold, best first, with reasons."""
    best = [source for source in sources if source.quality.overall >= MIN_RECOMMENDED]
    best.sort(key=lambda source: (-source.quality.overall, source.url))
    return [
        {
            "url": source.url,
            "title": source.title,
            "score": source.quality.overall,
            "reason": _best_reason(source.quality),
        }
        for source in best[:MAX_RECOMMENDED]
    ]


def _best_reason(found: PageQuality) -> str:
    """Return the reason of the part that is highest."""
    return REASONS[max(REASONS, key=lambda part: getattr(found, part))]


def build_components(sources: Sequence[RankedSource]) -> list[Json]:
    """Return a card for each source, and a table that compares several."""
    label = {"autoFormatted": True, "label": "mcp-auto-formatted"}
    cards = [
        {
            "type": "card",
            **label,
            "title": source.title,
            "sourceRefs": [source.url],
            "card": {
                "title": source.title,
                "url": source.url,
                "snippet": truncate(" ".join(source.text.split()), CARD_TEXT_LENGTH),
            },
        }
        for source in sources
    ]
    if len(sources) < 2:
        return cards
    columns = ["Source", "Overall", "Relevance", "Freshness", "Authority", "Content"]
    rows = []
    for source in sources:
        # The parts come in the order of the columns.
        rows.append([source.title or source.url, *map(str, source.quality.as_json().values())])
    table = {"columns": columns, "rows": rows}
    return [
        *cards,
        {
            "type": "table",
            **label,
            "title": "Quality",
            "sourceRefs": [source.url for source in sources],
            "table": table,
        },
    ]
