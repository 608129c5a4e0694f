"""Put values on the wire of the tools: measure and cut texts, and drop empty fields.

Sizes are bytes of UTF-8, as the specification counts them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from research_core.model_messages import BYTES_PER_TOKEN, Json
from research_core.text.words import truncate

#: The maximum bytes of text in any answer.
MAX_BYTES = 5_000_000
TRUNCATION_MARKER = "\n\n[content truncated]"
#: A text of fewer bytes has this size; a longer one is "very_large".
SIZES = ((5_000, "small"), (20_000, "medium"), (50_000, "large"))
#: The maximum characters of a text by its field, then of any other text. Longer ones only occur if
#: a service sends something else than a title or snippet. Addresses are never cut.
MAX_CHARACTERS_BY_FIELD = {"title": 300, "snippet": 2_000, "claimSignal": 2_000}
MAX_FIELD_CHARACTERS = 5_000
#: Fields written for the caller, which are never cut.
NEVER_SHORTENED = frozenset({"summary", "highlights", "entities"})
#: Where to cut a text, best place first.
_CUTS = ("\n\n", ". ", "\n", " ")


@dataclass(frozen=True)
class FittedText:
    """A text within a limit. truncated: whether it was cut, which its end then says."""

    text: str
    truncated: bool


def count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def fit_text(text: str, limit: int) -> FittedText:
    """Cut a text to at most `limit` bytes, between characters.

    The best cut beyond half of it is used: after a paragraph, a sentence, a line, or a word.
    """
    if count_bytes(text) <= limit:
        return FittedText(text, False)
    marker = TRUNCATION_MARKER if limit >= 4 * len(TRUNCATION_MARKER) else ""
    kept_bytes = text.encode("utf-8", "replace")[: max(0, limit - len(marker))]
    head = kept_bytes.decode("utf-8", "ignore")
    end = len(head)
    for cut in _CUTS:
        position = head.rfind(cut)
        if position >= len(head) / 2:
            end = position + len(cut.rstrip())
            break
    return FittedText(head[:end].rstrip() + marker, True)


def shorten_texts(value: Any, name: str = "") -> Any:
    """Return a record with its texts cut to the maximum of their fields. Addresses are kept."""
    if isinstance(value, dict):
        shortened: Json = {}
        for key, part in value.items():
            shortened[key] = part if key in NEVER_SHORTENED else shorten_texts(part, key)
        return shortened
    if isinstance(value, list):
        return [shorten_texts(part, name) for part in value]
    if not isinstance(value, str) or value.startswith(("http://", "https://")):
        return value
    return truncate(value, MAX_CHARACTERS_BY_FIELD.get(name, MAX_FIELD_CHARACTERS))


def estimate_size(text: str) -> Json:
    """Return {"estimatedTokens", "sizeCategory"} of a text."""
    size = count_bytes(text)
    category = "very_large"
    for limit, name in SIZES:
        if size < limit:
            category = name
            break
    return {"estimatedTokens": size // BYTES_PER_TOKEN, "sizeCategory": category}


def drop_empty(fields: Mapping[str, Any]) -> Json:
    """Return the fields that hold something. 0 and False are empty, too."""
    return {name: value for name, value in fields.items() if value}
