"""How long a text is on the wire of the tools, and how it is cut there. Lengths are bytes of UTF-8,
as the specification counts them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from research_core.model_messages import Json
from research_core.text.words import truncate

#: The most bytes of text that any answer may hold.
LONGEST = 5_000_000
MARKER = "\n\n[content truncated]"
#: A text shorter than so many bytes has this size; a longer one is very large.
SIZES = ((5_000, "small"), (20_000, "medium"), (50_000, "large"))
BYTES_PER_TOKEN = 4
#: The most characters of a text that a service lists, by its name on the wire: no list of ours has
#: longer ones unless it is sent what is no title and no snippet. Any other text; what is an address
#: stays whole.
TEXTS = {"title": 300, "snippet": 2_000, "claimSignal": 2_000}
TEXT = 5_000
#: Parts of a record that are made for the caller, as long as they came.
MADE = frozenset({"summary", "highlights", "entities"})
#: Where a text is best cut, the best place first.
_CUTS = ("\n\n", ". ", "\n", " ")


@dataclass(frozen=True)
class Fitted:
    """A text within a limit. truncated: whether something was cut, which the text then says at its
    end.
    """

    text: str
    truncated: bool


def length(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def fitted(text: str, limit: int) -> Fitted:
    """At most `limit` bytes, cut at the last paragraph, sentence, line or word beyond half of it;
    no character is divided.
    """
    if length(text) <= limit:
        return Fitted(text, False)
    marker = MARKER if limit >= 4 * len(MARKER) else ""
    head = text.encode("utf-8", "replace")[: max(0, limit - len(marker))].decode("utf-8", "ignore")
    ends = (
        head.rfind(cut) + len(cut.rstrip()) for cut in _CUTS if head.rfind(cut) >= len(head) / 2
    )
    return Fitted(head[: next(ends, len(head))].rstrip() + marker, True)


def shortened(value: Any, name: str = "") -> Any:
    """A record of the wire, none of its texts longer than a text of its name is."""
    if isinstance(value, dict):
        return {
            each: part if each in MADE else shortened(part, each) for each, part in value.items()
        }
    if isinstance(value, list):
        return [shortened(part, name) for part in value]
    return (
        truncate(value, TEXTS.get(name, TEXT))
        if isinstance(value, str) and not value.startswith(("http://", "https://"))
        else value
    )


def measured(text: str) -> Json:
    """{"estimatedTokens", "sizeCategory"} of a text."""
    size = length(text)
    category = next((name for limit, name in SIZES if size < limit), "very_large")
    return {"estimatedTokens": size // BYTES_PER_TOKEN, "sizeCategory": category}
