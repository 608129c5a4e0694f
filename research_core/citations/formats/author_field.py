"""Parse a field that names the authors of a work in one text, in the forms that people write.

Semicolons and "and" separate people. Commas do too where the form of the list is clear, else they
separate the parts of one name:

    A. Smith, B. Jones              initials first
    Smith J, Doe A                  initials last, as in PubMed
    Smith, J., Doe, A.              surnames and initials by turns
    Smith, John, Doe, Ann           surnames and single given names by turns
    John Smith, Ann Doe, Bo Lund    three whole names or more, or two and one after "and"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from research_core.citations.formats.item import Person
from research_core.citations.formats.markup import fold_ligatures
from research_core.text.names import PARTICLES, UNSPACED_SCRIPTS, has_group_word
from research_core.text.words import strip_invisible, truncate

#: Characters of a name, and of a text that is quoted in a note.
MAX_NAME_CHARS, MAX_SHOWN_CHARS = 300, 60
ACCEPTED_FORMS = (
    'Separate people by ";" or "and"; commas are understood in "A. Smith, B. Jones", "Smith J, Doe'
    ' A" and "Smith, John, Doe, Ann".'
)
_SEPARATOR = re.compile(r"[;；]|,?\sand\s|,\s?&\s")
_AMPERSAND = re.compile(r"\s&\s")
_COMMA = re.compile(r"[,，、]")
_ET_AL = re.compile(r"(?:^|[\s,])(?:et\.?\sal\.?|u\.\s?a\.|and others|et autres|y otros)$", re.I)
_SUFFIX = re.compile(r"[JS]r\.?|2nd|3rd|II|III|IV")
#: "J.", "J. R.", "J.-P."
_DOTTED_INITIALS = r"[^\W\d_]\.(?:[ -]?[^\W\d_]\.)*"
#: "J", "JR", "J-P"; Roman numbers are none.
_BARE_INITIALS = r"(?!(?:II|III|IV|VI|VII|VIII|IX)$)[^\W\d_](?:-?[^\W\d_]){0,2}"
_INITIALS = re.compile(rf"{_DOTTED_INITIALS}|{_BARE_INITIALS}")
_INITIALS_FIRST = re.compile(rf"{_DOTTED_INITIALS} ?[^\W\d_][^.]+")
_INITIALS_LAST = re.compile(
    rf"(?P<family>[^\W\d_][\w'’‐‑-]+(?: [^\W\d_][\w'’‐‑-]+){{0,3}}?)"
    rf" (?P<initials>{_DOTTED_INITIALS}|{_BARE_INITIALS})(?:,? (?P<suffix>[JS]r\.?|2nd|3rd))?"
)


@dataclass(frozen=True)
class AuthorField:
    """The people of a field. unclear: texts with commas that were kept whole; cut: "et al."."""

    people: tuple[Person, ...]
    unclear: tuple[str, ...] = ()
    cut: bool = False


def parse_author_field(text: str) -> AuthorField:
    """Parse the names of a field; a part whose form is unclear is one person, as given."""
    # The joiners of a surname's words stay (`names.NAME_JOINER`).
    whole = re.sub(r"[ \t\n]+", " ", strip_invisible(fold_ligatures(text))).strip(" ,")
    shortened = _ET_AL.sub("", whole)
    parts = _split_at_separators(shortened)
    has_semicolon = re.search("[;；]", shortened) is not None
    people: list[Person] = []
    unclear: list[str] = []
    for part in parts:
        names = [part] if has_semicolon else _split_at_commas(part, is_alone=len(parts) == 1)
        if len(names) > 1 and len(parts) > 1 and _are_whole_names(names):
            # "Ada Ward, Bo Lund and Cy Ho": the last one shows that commas separate people.
            names = names if "," not in parts[-1] else [part]
        if not names:
            unclear.append(part)
            people.append(Person(literal=truncate(part, MAX_NAME_CHARS)))
        people += [parse_person(name) for name in names]
    return AuthorField(tuple(people), tuple(unclear), shortened != whole)


def list_author_notes(place: str, field: AuthorField) -> Iterator[str]:
    """Yield a sentence for each thing in a field that could not be read. place: of the field."""
    for text in field.unclear:
        shown = truncate(text, MAX_SHOWN_CHARS)
        yield f"{place} may name several people, and is kept as given: {shown!r}. {ACCEPTED_FORMS}"
    if field.cut:
        yield f"{place} ends with “et al.”, which is left out: name all authors."


def _split_at_separators(text: str) -> list[str]:
    parts = _SEPARATOR.split(text)
    if "," in text or re.search(_DOTTED_INITIALS, text):
        parts = [piece for part in parts for piece in _AMPERSAND.split(part)]
    return [part.strip(" ,") for part in parts if part.strip(" ,")]


def _split_at_commas(text: str, *, is_alone: bool) -> list[str]:
    """Return the names of a text; [] if it is unclear which they are.

    is_alone: whether this is the whole field, so that no other name shows its form.
    """
    parts = _join_suffixes([part.strip() for part in _COMMA.split(text)])
    if len(parts) < 2:
        return [text]
    if all(map(UNSPACED_SCRIPTS.search, parts)):
        return parts
    if any(map(has_group_word, parts)):
        return [text] if len(parts) == 2 else []
    if all(map(_has_initials_first, parts)) or all(map(_has_initials_last, parts)):
        return [part.replace(",", "") for part in parts]
    is_even = len(parts) % 2 == 0
    if is_even and all(_is_initials(_drop_suffix(part)) for part in parts[1::2]):
        return _pair(parts)
    if len(parts) == 2:
        # "García Márquez, Gabriel" and "Le Guin, Ursula K." are one, "Ada Ward, Bo Lund" are two.
        if not _are_whole_names(parts) or _is_particle(parts[0].split()[0]):
            return [text]
        return [] if is_alone else parts
    if is_even and all(map(_is_given_name, parts[1::2])):
        return _pair(parts)
    if _is_given_name(parts[1]) and " " not in parts[0] and _are_whole_names(parts[2:]):
        # Only the first name is inverted, as in MLA style.
        return [*_pair(parts[:2]), *parts[2:]]
    return [part.replace(",", "") for part in parts] if _are_whole_names(parts) else []


def _join_suffixes(parts: Sequence[str]) -> list[str]:
    """Join "Jr." and the like to the name before them, after a comma."""
    joined: list[str] = []
    for part in filter(None, parts):
        if joined and _SUFFIX.fullmatch(part):
            joined[-1] = f"{joined[-1]}, {part}"
        else:
            joined.append(part)
    return joined


def _drop_suffix(part: str) -> str:
    return part.partition(",")[0]


def _pair(parts: Sequence[str]) -> list[str]:
    """Join each surname and the given name after it."""
    return [f"{parts[index]}, {parts[index + 1]}" for index in range(0, len(parts), 2)]


def _is_initials(text: str) -> bool:
    return text == text.upper() and _INITIALS.fullmatch(text) is not None


def _is_given_name(part: str) -> bool:
    """Return whether a part is one given name, with initials or none after it."""
    first, *others = _drop_suffix(part).split()
    return not _is_particle(first) and all(map(_is_initials, others))


def _has_initials_first(name: str) -> bool:
    return _INITIALS_FIRST.fullmatch(_drop_suffix(name)) is not None


def _has_initials_last(name: str) -> bool:
    return _match_initials_last(name) is not None


def _match_initials_last(name: str) -> re.Match[str] | None:
    """Match a name such as "Smith JR"; None for a name in capitals and for an organisation's."""
    match = _INITIALS_LAST.fullmatch(name)
    if match is None or not _is_initials(match["initials"]) or has_group_word(name):
        return None
    is_written_small = match["family"] not in (match["family"].upper(), match["family"].lower())
    return match if is_written_small else None


def _are_whole_names(parts: Sequence[str]) -> bool:
    """Return whether each part is a given name and a surname, as they are read."""
    for part in parts:
        words = _drop_suffix(part).split()
        if len(words) < 2 or _is_initials(words[-1]) or _is_particle(words[-1]):
            return False
    return bool(parts)


def _is_particle(word: str) -> bool:
    return word.lower() in PARTICLES


def parse_person(name: str) -> Person:
    """Parse one name, also with its initials last and without a comma."""
    name = truncate(strip_invisible(fold_ligatures(name)).strip(), MAX_NAME_CHARS)
    last = _match_initials_last(name)
    if not last:
        return Person.of(name)
    initials = last["initials"]
    if "." not in initials:
        initials = re.sub(r"([^\W\d_])", r"\1. ", initials).replace(" -", "-").strip()
    return Person.of(", ".join(filter(None, (last["family"], initials, last["suffix"]))))
