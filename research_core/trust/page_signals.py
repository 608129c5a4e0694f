"""Count what speaks for or against a page: words, references, share of own text, a retraction.

Counted once when the page is read, and kept beside its text. The counts are weighed in
`assessment`. A retraction is seen only where the page itself states it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from research_core.model_messages import Json
from research_core.models import Page
from research_core.text.references import find_references
from research_core.text.words import tokenize

#: A notice in a title, as journals and indexes write it: "RETRACTED: …", "[Retracted] …",
#: "Retracted Article: …", "… (retracted)". A dash after "Retraction" mostly separates the topic of
#: the page from its site's name.
_RETRACTED = re.compile(
    r"^\W*retract(?:ed|ion)(?:\W+(?:article|paper|chapter|note|notice))?\s*[:\]\)]"
    r"|^\W*retracted(?:\W+(?:article|paper|chapter))?\s*[–—-]"
    r"|[(\[]retracted(?: (?:article|paper|chapter))?[)\]]\s*$",
    re.IGNORECASE,
)
#: Shorter lines are no entries of a list of references.
MIN_ENTRY_LENGTH = 20


@dataclass(frozen=True)
class PageSignals:
    """The signals of a page.

    `words`: of its main text. `references`: entries of its lists of references. `share`: the share
    of the visible text that is its main text, 0.0 to 1.0, 0.0 if not measured. `retracted`: its
    title says so.
    """

    words: int = 0
    references: int = 0
    share: float = 0.0
    retracted: bool = False

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PageSignals:
        """Return the signals recorded in a log; missing fields have their defaults."""
        return cls(**{name: data[name] for name in cls.__dataclass_fields__ if name in data})


def measure_page_signals(page: Page, words: Sequence[str] | None = None) -> Json:
    """Return the signals of a page as the log keeps them, without those that are zero.

    words: those of its text, if they are known.
    """
    entries = 0
    for start, end in find_references(page.text):
        for line in page.text[start:end].splitlines():
            if len(line.strip()) >= MIN_ENTRY_LENGTH and not line.lstrip().startswith("#"):
                entries += 1
    retracted = _RETRACTED.search(page.title) is not None
    count = len(tokenize(page.text) if words is None else words)
    found = PageSignals(count, entries, round(page.share, 2), retracted)
    return {name: value for name, value in asdict(found).items() if value}
