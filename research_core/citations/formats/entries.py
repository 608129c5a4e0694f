"""The result of reading a bibliography: works with their lines, and refused entries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from research_core.citations.formats.item import Item


@dataclass(frozen=True)
class LocatedItem:
    """A work, and the line of the document where it begins, from 1."""

    line: int
    item: Item


@dataclass(frozen=True)
class RefusedEntry:
    """An entry that could not be read.

    line: where it begins, from 1; reason: a sentence without the line.
    """

    line: int
    reason: str


@dataclass(frozen=True)
class BibliographyReading:
    """The works and the refused entries of a document, each in the order of lines."""

    format: str
    entries: tuple[LocatedItem, ...] = ()
    refused: tuple[RefusedEntry, ...] = ()


def build_reading(format: str, found: Iterable[LocatedItem | RefusedEntry]) -> BibliographyReading:
    """Build the reading, and refuse works that have nothing to identify them."""
    entries: list[LocatedItem] = []
    refused: list[RefusedEntry] = []
    for each in found:
        if isinstance(each, RefusedEntry):
            refused.append(each)
        elif has_identity(each.item):
            entries.append(each)
        else:
            reason = "The entry has no title, person, container, DOI or address to know it by."
            refused.append(RefusedEntry(each.line, reason))
    refused.sort(key=lambda each: each.line)
    return BibliographyReading(format, tuple(entries), tuple(refused))


def has_identity(item: Item) -> bool:
    """Return True if an item has anything to look the work up by."""
    return bool(
        item.title or item.authors or item.editors or item.container or item.doi or item.url
    )
