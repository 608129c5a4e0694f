"""A page as JSON, for its way out of the child process that read it, and back.

What a child says is checked for its shape and bounded: a reader that was taken over can lie about
its document and do no more.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import Hidden, Metadata, Page
from research_core.text.dates import iso

_WORDS = ("url", "final_url", "title", "text", "kind", "published")


def packed(page: Page) -> Json:
    """The page as JSON values."""
    return asdict(page)


def unpacked(said: Json) -> Page:
    """The page that `packed` gave. Raises FetchError unsupported for anything that is none."""
    try:
        url, final_url, title, text, kind, published = (_word(said[name]) for name in _WORDS)
        metadata, hidden = said["metadata"], said["hidden"]
        words = {
            each.name: _word(metadata[each.name])
            for each in fields(Metadata)
            if each.name != "authors"
        }
        return Page(
            url, final_url, title, text, kind, iso(published),
            metadata=Metadata(authors=tuple(map(_word, metadata["authors"])), **words | {"modified": iso(words["modified"])}),
            hidden=Hidden(
                {_word(reason): int(count) for reason, count in hidden["counts"].items()},
                tuple((_word(reason), _word(words)) for reason, words in hidden["samples"]),
            ),
            structured=dict(said["structured"]),
            signals=dict(said["signals"]),
        )  # fmt: skip
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise FetchError(
            "What the reader of this document answered makes no sense.", kind="unsupported"
        ) from error


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
