"""How long a text is on the wire of the tools, and how it is cut there. Lengths are bytes of UTF-8,
as the specification counts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from research_core.model_messages import Json
from research_core.text.words import truncate

#: The most bytes of text that any answer may hold.
MAX_BYTES = 5_000_000
TRUNCATION_MARKER = "\n\n[content truncated]"
#: A text shorter than so many bytes has this size; a longer one is very large.
SIZES = ((5_000, "small"), (20_000, "medium"), (50_000, "large"))
BYTES_PER_TOKEN = 4
#: The most characters of a text that a service lists, by its name on the wire: no list of ours has
#: longer ones unless it is sent what is no title and no snippet. Any other text; what is an address
#: stays whole.
MAX_CHARACTERS_BY_FIELD = {"title": 300, "snippet": 2_000, "claimSignal": 2_000}
MAX_FIELD_CHARACTERS = 5_000
#: Parts of a record that are made for the caller, as long as they came.
NEVER_SHORTENED = frozenset({"summary", "highlights", "entities"})
#: Where a text is best cut, the best place first.
_CUTS = ("\n\n", ". ", "\n", " ")


@dataclass(frozen=True)
class FittedText:
    """A text within a limit. truncated: whether something was cut, which the text then says at its
    end.
    """

    text: str
    truncated: bool


def count_bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def fit_text(text: str, limit: int) -> FittedText:
    """At most `limit` bytes, cut at the last paragraph, sentence, line or word beyond half of it;
    no character is divided.
    """
    if count_bytes(text) <= limit:
        return FittedText(text, False)
    marker = TRUNCATION_MARKER if limit >= 4 * len(TRUNCATION_MARKER) else ""
    head = text.encode("utf-8", "replace")[: max(0, limit - len(marker))].decode("utf-8", "ignore")
    ends = (
        head.rfind(cut) + len(cut.rstrip()) for cut in _CUTS if head.rfind(cut) >= len(head) / 2
    )
    return FittedText(head[: next(ends, len(head))].rstrip() + marker, True)


def shorten_texts(value: Any, name: str = "") -> Any:
    """A record of the wire, none of its texts longer than a text of its name is."""
    if isinstance(value, dict):
        return {
            each: part if each in NEVER_SHORTENED else shorten_texts(part, each)
            for each, part in value.items()
        }
    if isinstance(value, list):
        return [shorten_texts(part, name) for part in value]
    return (
        truncate(value, MAX_CHARACTERS_BY_FIELD.get(name, MAX_FIELD_CHARACTERS))
        if isinstance(value, str) and not value.startswith(("http://", "https://"))
        else value
    )


def estimate_size(text: str) -> Json:
    """{"estimatedTokens", "sizeCategory"} of a text."""
    size = count_bytes(text)
    category = next((name for limit, name in SIZES if size < limit), "very_large")
    return {"estimatedTokens": size // BYTES_PER_TOKEN, "sizeCategory": category}
