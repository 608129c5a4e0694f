"""What a reader of a bibliography gives back: the works with the lines they begin on, and what it
had to refuse. It reads nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from research_core.citations.formats.item import Item


@dataclass(frozen=True)
class LocatedItem:
    """A work, and the line of the document it begins on, from 1."""

    line: int
    item: Item


@dataclass(frozen=True)
class RefusedEntry:
    """What could not be read. line: where it begins, from 1; reason: a sentence without its line."""

    line: int
    reason: str


@dataclass(frozen=True)
class BibliographyReading:
    """All of a document: what was read and what was refused, each in the order of its lines."""

    format: str
    entries: tuple[LocatedItem, ...] = ()
    refused: tuple[RefusedEntry, ...] = ()


def build_reading(format: str, found: Iterable[LocatedItem | RefusedEntry]) -> BibliographyReading:
    """The reading of these; a work that names nothing to know it by is refused."""
    entries: list[LocatedItem] = []
    refused: list[RefusedEntry] = []
    for each in found:
        if isinstance(each, RefusedEntry):
            refused.append(each)
        elif has_identity(each.item):
            entries.append(each)
        else:
            refused.append(
                RefusedEntry(
                    each.line,
                    "The entry has no title, person, container, DOI or address to know it by.",
                )
            )
    return BibliographyReading(
        format, tuple(entries), tuple(sorted(refused, key=lambda each: each.line))
    )


def has_identity(item: Item) -> bool:
    """Whether there is anything in an item to look a work up by."""
    return bool(
        item.title or item.authors or item.editors or item.container or item.doi or item.url
    )
