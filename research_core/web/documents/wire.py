"""Serialise a page as JSON between the child process that read it and its parent.

What a child sends is checked for its shape and bounded, since its reader may have been taken over.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from research_core.errors import FetchError
from research_core.model_messages import Json
from research_core.models import HiddenText, Metadata, Page
from research_core.text.dates import parse_iso_date

_TEXT_FIELDS = ("url", "final_url", "title", "text", "kind", "published")


def pack_page(page: Page) -> Json:
    """Return the page as JSON values."""
    return asdict(page)


def unpack_page(said: Json) -> Page:
    """Rebuild a page from `pack_page`. Raises FetchError unsupported if it is malformed."""
    try:
        url, final_url, title, text, kind, published = (
            _check_text(said[name]) for name in _TEXT_FIELDS
        )
        metadata, hidden = said["metadata"], said["hidden"]
        words = {
            each.name: _check_text(metadata[each.name])
            for each in fields(Metadata)
            if each.name != "authors"
        }
        samples = []
        for reason, sample in hidden["samples"]:
            samples.append((_check_text(reason), _check_text(sample)))
        return Page(
            url,
            final_url,
            title,
            text,
            kind,
            parse_iso_date(published),
            metadata=Metadata(
                authors=tuple(map(_check_text, metadata["authors"])),
                **words | {"modified": parse_iso_date(words["modified"])},
            ),
            hidden=HiddenText(
                {_check_text(reason): int(count) for reason, count in hidden["counts"].items()},
                tuple(samples),
            ),
            structured=dict(said["structured"]),
            signals=dict(said["signals"]),
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise FetchError(
            "The reader of this document gave an invalid answer.", kind="unsupported"
        ) from error


def _check_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
