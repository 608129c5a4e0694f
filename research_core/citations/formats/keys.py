"""Make unique ASCII keys for works: surname, year, first distinctive word of the title."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from string import ascii_lowercase
from urllib.parse import urlsplit

from research_core.citations.formats.item import Item, Person
from research_core.text.names import is_group
from research_core.urls import registered_domain

#: Letters that no decomposition turns into ASCII.
_LETTER_SPELLINGS = str.maketrans({
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "AE",
    "œ": "oe", "ı": "i", "þ": "th",
})  # fmt: skip
#: First words of titles that distinguish no title.
_ARTICLES = frozenset("a an the der die das ein eine le la les un une el los las il lo gli".split())
#: Characters of each part of a key.
_MAX_KEY_CHARS = 40


def make_key(work: Item) -> str:
    """Make a key such as smith2024whales, in ASCII.

    It has the surname of the first author ("anon" if none), the year and the first word of the
    title that is no article.
    """
    author = _get_key_name(work.authors)[:_MAX_KEY_CHARS]
    return f"{author}{work.issued[:4]}{_get_title_word(work.title)[:_MAX_KEY_CHARS]}"


def _get_title_word(title: str) -> str:
    words = split_ascii_words(title)
    for word in words:
        if word not in _ARTICLES:
            return word
    return words[0] if words else "untitled"


def make_key_from_url(work: Item) -> str:
    """Make a key such as reuters2024tides for a work without a title.

    The site stands for the author, the end of the path for the title.
    """
    domain = registered_domain(work.address) if work.address else ""
    is_ip_address = domain.replace(".", "").isdigit()
    site = "".join(split_ascii_words(domain if is_ip_address else domain.partition(".")[0]))
    who = _get_key_name(work.authors) if work.authors else site or "anon"
    path = _get_path_end(work.address)
    return f"{who[:_MAX_KEY_CHARS]}{work.issued[:4]}{path[:_MAX_KEY_CHARS]}"


def _get_path_end(url: str) -> str:
    """Return the last part of the path that has letters or digits, in ASCII; "untitled" if none."""
    for part in reversed(urlsplit(url).path.split("/")):
        words = split_ascii_words(part)
        if words:
            return "".join(words)
    return "untitled"


def assign_keys(found: Iterable[Item]) -> list[tuple[str, Item]]:
    """Pair each work with its own key, in the given order, without duplicates."""
    taken: dict[str, Item] = {}
    for work in drop_duplicates(found):
        for key in _iterate_keys(work):
            if key not in taken:
                taken[key] = work
                break
    return list(taken.items())


def drop_duplicates(found: Iterable[Item]) -> list[Item]:
    """Keep each work once: the first with the same address, else DOI, else all values."""
    first: dict[str, Item] = {}
    for work in found:
        first.setdefault(work.url or work.doi or repr(work), work)
    return list(first.values())


def split_ascii_words(text: str) -> list[str]:
    """Split a text into runs of ASCII letters and digits, without accents and in lower case."""
    plain = (
        unicodedata.normalize("NFKD", text.translate(_LETTER_SPELLINGS))
        .encode("ascii", "ignore")
        .decode()
    )
    return re.findall(r"[a-z0-9]+", plain.lower())


def _get_key_name(authors: tuple[Person, ...]) -> str:
    if not authors:
        return "anon"
    first = authors[0]
    words = split_ascii_words(first.literal or first.family)
    if not words:
        return "anon"
    return words[0] if is_group(first.full_name) else "".join(words)


def _iterate_keys(work: Item) -> Iterator[str]:
    """Yield smith2024whales, smith2024whalesa … z, then …z2, …z3."""
    name = make_key(work)
    yield name
    yield from (f"{name}{letter}" for letter in ascii_lowercase)
    number = 2
    while True:
        yield f"{name}z{number}"
        number += 1
