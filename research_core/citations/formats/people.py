"""Lists of people as styles print them: turned round or not, with initials or whole, and cut where
a style cuts them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from research_core.citations.formats.item import Person

#: One name as a style prints it.
NameFormatter = Callable[[Person], str]
_DOT = re.compile(r"\.(?=[^\W\d_])")
_ABBREVIATION = re.compile(r"[^\W\d_]{2,4}\.")


def format_initials(given: str, stop: str = ".", between: str = " ") -> str:
    """Of a given name: "M. L.", "J.-P.", "J. K." of "J.K."; a particle at its end stays, and so
    does an abbreviation ("Chr.").
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
    """ "King, M. L., Jr."."""
    return _has_no_initials(person) or ", ".join(
        filter(None, (person.family, format_initials(person.given), person.suffix))
    )


def format_initials_family(person: Person) -> str:
    """ "M. L. King Jr."."""
    return _has_no_initials(person) or " ".join(
        filter(None, (format_initials(person.given), person.family, person.suffix))
    )


def _has_no_initials(person: Person) -> str:
    """A name that has no initials: one without parts, and one in a script that puts no space
    between them.
    """
    return person.whole if person.literal or person.unspaced else ""


def format_medical_name(person: Person) -> str:
    """ "King ML Jr", as medicine lists names."""
    return _has_no_initials(person) or " ".join(
        filter(
            None, (person.family, format_initials(person.given, "", ""), person.suffix.rstrip("."))
        )
    )


def format_read_name(person: Person) -> str:
    """ "Martin Luther King Jr."."""
    return expand_initials(person).whole


def format_turned_name(person: Person) -> str:
    """ "King, Martin Luther, Jr."; as it is read where the surname stands first there."""
    return (
        person.whole if person.family_first or person.unspaced else expand_initials(person).turned
    )


def expand_initials(person: Person) -> Person:
    """With each initial of its given name apart and with its point: "J. K." of "J.K" """
    parts = (
        f"{word}." if len(word) == 1 and word.isupper() else word
        for word in _DOT.sub(". ", person.given).split()
    )
    return replace(person, given=" ".join(parts))


def truncate_names(
    names: Sequence[str], most: int, first: int, joined: Callable[[Sequence[str]], str]
) -> str:
    """The names as they are joined, or of more than so many the first ones "et al."."""
    return (
        joined(names)
        if len(names) <= most
        else ", ".join(names[:first]) + (", et al." if first > 1 else " et al.")
    )


def join_series(names: Sequence[str], last: str = ", and ", two: str = " and ") -> str:
    """ "A, B, and C", "A and B"."""
    return two.join(names) if len(names) < 3 else ", ".join(names[:-1]) + last + names[-1]
