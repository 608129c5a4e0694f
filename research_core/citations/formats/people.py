"""Format lists of people: family-first or not, with initials or whole, shortened by style."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from research_core.citations.formats.item import Person

_DOT = re.compile(r"\.(?=[^\W\d_])")
_TITLES = re.compile(r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Dipl|Ing)\.\s*-?|(?:Professor|Sir|Dame)\s+)+")
_NUMBERED_SUFFIXES = {"II": "2nd", "III": "3rd", "IV": "4th"}
_ABBREVIATION = re.compile(r"[^\W\d_]{2,4}\.")


def format_initials(given: str, stop: str = ".", between: str = " ") -> str:
    """Format a given name as "M. L.", "J.-P.", or "J. K." from "J.K.".

    A particle at its end and an abbreviation ("Chr.") stay as they are, without its stop if `stop`
    is empty. A name all in small letters has no particles.
    """
    words: list[str] = []
    for word in given.split():
        if _ABBREVIATION.fullmatch(word):
            words.append(word)
        else:
            words += _DOT.sub(". ", word).split()
    out = ""
    after_particle = False
    for index, word in enumerate(words):
        is_particle = index > 0 and word.islower() and not given.islower()
        part = word if is_particle else _format_initial(word, stop)
        if out and part:
            out += " " if is_particle or after_particle else between
        out += part
        after_particle = is_particle
    return out


def _format_initial(word: str, stop: str) -> str:
    if _ABBREVIATION.fullmatch(word):
        return word if stop else word.rstrip(".")
    heads: list[str] = []
    for part in word.split("-"):
        if not stop and _ABBREVIATION.fullmatch(part):
            heads.append(part.rstrip("."))
        elif part and part[0].isalpha():
            heads.append(part[0].upper() + stop)
    return ("-" if stop else "").join(heads)


def format_family_initials(person: Person) -> str:
    """Format "King, M. L., Jr."."""
    return _format_without_initials(person) or ", ".join(
        filter(None, (person.family, format_initials(person.given), person.suffix))
    )


def format_initials_family(person: Person) -> str:
    """Format "M. L. King Jr."."""
    return _format_without_initials(person) or " ".join(
        filter(None, (format_initials(person.given), person.family, person.suffix))
    )


def _format_without_initials(person: Person) -> str:
    """Return the whole name if it has no initials (literal or unspaced script), else ""."""
    return person.full_name if person.literal or person.unspaced else ""


def format_medical_name(person: Person) -> str:
    """Format "King ML Jr", as medical journals list names: "Smith HB 3rd" for the third.

    A title before the given name is left out (Citing Medicine, "Author rules").
    """
    given = _TITLES.sub("", person.given)
    suffix = _NUMBERED_SUFFIXES.get(person.suffix, person.suffix.rstrip("."))
    return _format_without_initials(person) or " ".join(
        filter(None, (person.family, format_initials(given, "", ""), suffix))
    )


def format_read_name(person: Person) -> str:
    """Format "Martin Luther King Jr."."""
    return expand_initials(person).full_name


def format_inverted_name(person: Person) -> str:
    """Format "King, Martin Luther, Jr."; unchanged if the surname is read first."""
    if person.family_first or person.unspaced:
        return person.full_name
    return expand_initials(person).inverted


def expand_initials(person: Person) -> Person:
    """Write each initial of the given name apart and with its point: "J. K." from "J.K"."""
    parts = (
        f"{word}." if len(word) == 1 and word.isupper() else word
        for word in _DOT.sub(". ", person.given).split()
    )
    return replace(person, given=" ".join(parts))


def truncate_names(
    names: Sequence[str], most: int, first: int, joined: Callable[[Sequence[str]], str]
) -> str:
    """Join the names, or list the first ones and "et al." if there are more than `most`."""
    if len(names) <= most:
        return joined(names)
    et_al = ", et al." if first > 1 else " et al."
    return ", ".join(names[:first]) + et_al


def join_series(names: Sequence[str], last: str = ", and ", two: str = " and ") -> str:
    """Join as "A, B, and C", or "A and B"."""
    if len(names) < 3:
        return two.join(names)
    return ", ".join(names[:-1]) + last + names[-1]
