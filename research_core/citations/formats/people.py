"""Format lists of people: family-first or not, with initials or whole, shortened by style."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from research_core.citations.formats.item import Person

#: Formats one name as a style prints it.
NameFormatter = Callable[[Person], str]
_DOT = re.compile(r"\.(?=[^\W\d_])")
_ABBREVIATION = re.compile(r"[^\W\d_]{2,4}\.")


def format_initials(given: str, stop: str = ".", between: str = " ") -> str:
    """Format a given name as "M. L.", "J.-P.", or "J. K." from "J.K.".

    A particle at its end and an abbreviation ("Chr.") stay as they are.
    """
    words = [
        part
        for word in given.split()
        for part in ([word] if _ABBREVIATION.fullmatch(word) else _DOT.sub(". ", word).split())
    ]
    out, apart = "", False
    for n, word in enumerate(words):
        particle = bool(n) and word.islower()
        found = word if particle else _format_initial(word, stop)
        out += (" " if particle or apart else between) * bool(out and found) + found
        apart = particle
    return out


def _format_initial(word: str, stop: str) -> str:
    if stop and _ABBREVIATION.fullmatch(word):
        return word
    heads = (part[0].upper() for part in word.split("-") if part and part[0].isalpha())
    return ("-" if stop else "").join(f"{head}{stop}" for head in heads)


def format_family_initials(person: Person) -> str:
    """Format "King, M. L., Jr."."""
    return _has_no_initials(person) or ", ".join(
        filter(None, (person.family, format_initials(person.given), person.suffix))
    )


def format_initials_family(person: Person) -> str:
    """Format "M. L. King Jr."."""
    return _has_no_initials(person) or " ".join(
        filter(None, (format_initials(person.given), person.family, person.suffix))
    )


def _has_no_initials(person: Person) -> str:
    """Return the whole name if it has no initials (literal or unspaced script), else ""."""
    return person.whole if person.literal or person.unspaced else ""


def format_medical_name(person: Person) -> str:
    """Format "King ML Jr", as medical journals list names."""
    return _has_no_initials(person) or " ".join(
        filter(
            None, (person.family, format_initials(person.given, "", ""), person.suffix.rstrip("."))
        )
    )


def format_read_name(person: Person) -> str:
    """Format "Martin Luther King Jr."."""
    return expand_initials(person).whole


def format_turned_name(person: Person) -> str:
    """Format "King, Martin Luther, Jr."; unchanged if the surname is read first."""
    return (
        person.whole if person.family_first or person.unspaced else expand_initials(person).turned
    )


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
    return (
        joined(names)
        if len(names) <= most
        else ", ".join(names[:first]) + (", et al." if first > 1 else " et al.")
    )


def join_series(names: Sequence[str], last: str = ", and ", two: str = " and ") -> str:
    """Join as "A, B, and C", or "A and B"."""
    return two.join(names) if len(names) < 3 else ", ".join(names[:-1]) + last + names[-1]
