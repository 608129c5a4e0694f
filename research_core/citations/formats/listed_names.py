"""Parse the list of people at the beginning of a reference, in any style."""

from __future__ import annotations

import re

from research_core.citations.formats.item import Person
from research_core.text.names import has_group_word

#: People of one reference that are read.
MAX_NAMES = 500
_CAPITAL = r"(?![a-zß-öø-ÿ])[^\W\d_]"
_WORD = rf"(?:{_CAPITAL}[^\W\d_]*(?:['’‐‑\-][^\W\d_]+)*)"
_PARTICLES = (
    r"(?:(?:(?:[vV]an|[vV]on|[dD]er|[dD]en|[dD]e|[dD]el|della|di|da|dos|do|[dD]u|la|le|el|bin"
    r"|ibn|ter|ten|zu|zur|af|st\.|['’]t)\s+){1,3}"
    r"|d['’]|al-|el-|O['’])"
)
_SURNAME = rf"(?:{_PARTICLES}?{_WORD}(?:\s{_PARTICLES}?{_WORD}){{0,2}})"
_TRAILING_PARTICLE = (
    r"(?:\s(?:de|da|do|dos|das|di|del|della|van|von|der|den|olde|la|le|zu|bin"
    r"|ibn)\b(?=\s*(?:[,&;]|and\b|de\b|der\b|la\b))){0,2}"
)
_DOTTED = rf"(?:{_CAPITAL}\.(?:\s?[-‐]?\s?(?={_CAPITAL}\.))?){{1,5}}{_TRAILING_PARTICLE}"
_BARE_INITIALS = rf"(?:{_CAPITAL}(?:[-‐\s]?{_CAPITAL}){{0,3}}(?![^\W\d_]){_TRAILING_PARTICLE})"
_SUFFIX = r"(?:,?\s(?:Jr|Sr|2nd|3rd|II|III|IV)\b\.?)?"
_NAME_END = r"(?=\s*(?:[,.;:(\[“\"…]|$|&|and\s|und\s|et\s|y\s|e\s))"
_FAMILY_COMMA_INITIALS = re.compile(
    rf"({_SURNAME}{_SUFFIX})\s*,\s*({_DOTTED}(?!\s?{_WORD}(?:\.\s*(?:[“\"]|(?:1[5-9]|20)\d\d)"
    rf"|,\s(?:and\s)?{_WORD}\s{_WORD}))|{_BARE_INITIALS}{_NAME_END})({_SUFFIX})"
)
_FAMILY_INITIALS = re.compile(
    rf"({_SURNAME})\s+({_DOTTED}|{_BARE_INITIALS}{_NAME_END})({_SUFFIX})(?!\s?{_WORD}\.?\s)"
)
_INITIALS_FAMILY = re.compile(
    rf"({_DOTTED})\s*({_SURNAME})(?!\.\s*[^\s“\"\d(])({_SUFFIX}){_NAME_END}"
)
_GIVEN = rf"(?:{_WORD}|{_CAPITAL}\.)(?:(?:\s|(?<=\.)-?)(?:{_WORD}|{_CAPITAL}\.)){{0,5}}?"
_FAMILY_COMMA_GIVEN = re.compile(
    rf"({_SURNAME}),\s({_GIVEN})({_SUFFIX})(?=\s*(?:[.;:(]|,|$|and\s|&))"
)
_GIVEN_FAMILY = re.compile(rf"({_GIVEN}\s{_SURNAME})(?<=[^\W\d_]{{2}})(?=\s*(?:[.,;:(]|$|and\s|&))")
_FIRST_GIVEN_FAMILY = re.compile(
    rf"({_GIVEN}\s{_SURNAME})(?=\s*(?:\((?:1[5-9]|20)\d\d|,\s*[“\"]|\.\s*(?:1[5-9]|20)\d\d"
    rf"|,?\s(?:and|&)\s))"
)
_NAME_SEPARATOR = re.compile(
    r"\s*(?:[,;]\s*)?(?:(?:&|and\b|und\b|et\b(?!\s?al)|y\b|e\b)\s*|(?:\.\s?\.\s?\."
    r"|…)\s*)?(?<=[\s,;&…])"
)
_ET_AL = re.compile(
    r"\s*[,;]?\s*(?:(?:and|&)\s+)?(?:\bet\.?\s?al\b|\bu\.\s?a\.|\band others\b)\.?(?:\s*\.)?"
)
_EDITOR_MARK = re.compile(r"\s*,?\s*\(?\s*(?:[Ee]ds?|[Ee]ditors?|[Hh]rsg)\b\.?\s*\)?[.,]?")


def parse_listed_names(text: str) -> tuple[tuple[Person, ...], bool, int]:
    """Parse the people at the beginning of a reference.

    Return the people, whether they are its editors, and the offset of the end of the list; (),
    False and 0 if there are none.
    """
    if read := _parse_read_names(text):
        return read
    found: list[Person] = []
    at, end, turned, before = 0, 0, False, _INITIALS_FAMILY.match(text) is not None
    while len(found) < MAX_NAMES:
        if found:
            between = _NAME_SEPARATOR.match(text, at)
            if not between or between.end() == at:
                break
            at = between.end()
        one = _match_person(text, at, first=not found, turned=turned, before=before)
        if one is None:
            break
        person, at, turned = one[0], one[1], turned or one[2]
        found.append(person)
        end = at
    if found and (others := _ET_AL.match(text, end)):
        end = others.end()
    editors = _EDITOR_MARK.match(text, end) if found else None
    return tuple(found), editors is not None, editors.end() if editors else end


#: Names as they are read, before a year, as the ACM lists them: "Ada B. Ward, Bo Lund, and Cy Ho.
#: 2017.".
_READ_NAMES = re.compile(
    r"(?P<names>(?:[^\d“”\"():;?!]|\((?:[Ee]ds?|[Ee]ditors?)\.?\)){7,4000}?)"
    r"(?=\.\s(?:1[5-9]|20)\d\d[a-z]?\.\s|\.?\s\((?:1[5-9]|20)\d\d[a-z]?\)[.:,]\s)"
)
_EDITOR_LABEL = re.compile(r"\s*(?:\((?:[Ee]ds?|[Ee]ditors?)\.?\)|,\s[Ee](?:ds?\.?|ditors?)$)")
_FINAL_ET_AL = re.compile(r"\s*,?\s*(?:(?:and|&)\s+)?(?:et\.?\s?al\.?|others)$")
_READ_SEPARATOR = re.compile(r"\s*,\s*(?:and\s+|&\s*)?|\s+(?:and\s+|&\s*)")
_SUFFIX_PART = re.compile(r",\s+(?=(?:Jr|Sr)\b\.?|I{2,3}\b|IV\b)")
_READ_PARTICLES = frozenset(
    "van von der den de del della di da dos do du la le el bin ibn ter ten zu zur af y e".split()
)
_READ_WORD = re.compile(
    rf"{_CAPITAL}\.(?:-?{_CAPITAL}\.)*|(?:[dDOL]['’]|al-|el-)?{_WORD}|(?:Jr|Sr|St)\."
)
#: Initials are no last word: "Ward AB, Lund C" has the surnames first.
_LAST_WORD = re.compile(r"(?:Jr|Sr)\.|I{2,3}|IV|(?![A-Z]{1,3}$).*[^\W\d_]{2}")


def _parse_read_names(text: str) -> tuple[tuple[Person, ...], bool, int] | None:
    """Parse names that are all read with the surname last; None for a list of another form.

    "Ward Lund, Ada Bea. 2017." is one name with its surname first: two names have an "and".
    """
    match = _READ_NAMES.match(text)
    if not match:
        return None
    names = _EDITOR_LABEL.sub("", match["names"])
    shortened = _FINAL_ET_AL.sub("", names)
    parts = _READ_SEPARATOR.split(_SUFFIX_PART.sub(" ", shortened))
    if len(parts) < 2 or not all(map(_is_read_name, parts)):
        return None
    has_mark = names != match["names"] or shortened != names
    if len(parts) == 2 and not has_mark and not re.search(r"\s(?:and|&)\s", names):
        return None
    people = tuple(Person.of(part) for part in parts[:MAX_NAMES])
    return people, names != match["names"], match.end("names")


def _is_read_name(name: str) -> bool:
    words = name.split()
    if not 2 <= len(words) <= 7 or words[0] in _READ_PARTICLES or has_group_word(name):
        return False
    if not all(word in _READ_PARTICLES or _READ_WORD.fullmatch(word) for word in words):
        return False
    return _LAST_WORD.fullmatch(words[-1]) is not None


def _match_person(
    text: str, at: int, *, first: bool, turned: bool, before: bool
) -> tuple[Person, int, bool] | None:
    """Match one person.

    Return the person, the end of the name, and whether full names stand after a comma here.
    """
    for pattern in () if turned or before else (_FAMILY_COMMA_INITIALS, _FAMILY_INITIALS):
        found = pattern.match(text, at)
        if found and not has_group_word(found[1]):
            return (
                Person(found[1], _space_initials(found[2]), found[3].strip(" ,")),
                found.end(),
                False,
            )
    if found := _INITIALS_FAMILY.match(text, at):
        return Person(found[2], _space_initials(found[1]), found[3].strip(" ,")), found.end(), False
    found = _FAMILY_COMMA_GIVEN.match(text, at) if first else None
    if found and not has_group_word(found[1]) and len(found[2].split()) < 5:
        return Person(found[1], found[2], found[3].strip(" ,")), found.end(), True
    found = (_GIVEN_FAMILY if turned else _FIRST_GIVEN_FAMILY if first else _MATCHES_NOTHING).match(
        text, at
    )
    if found and not has_group_word(found[1]) and len(found[1].split()) < 7:
        return Person.of(found[1]), found.end(), turned
    return None


_MATCHES_NOTHING = re.compile(r"(?!)")
_SMALL_WORDS = frozenset(
    "and & und et al. al y e jr. jr sr. sr. others ... … de da do dos das di du la le del der den"
    " van von zu olde op ter ten af bin".split()
)


def reads_as_names(text: str) -> bool:
    """Return True if a part of a reference may consist of names only."""
    words = [word.strip(",;:()") for word in text.split()]
    return (
        bool(words)
        and all(word in _SMALL_WORDS or not word[:1].islower() for word in words)
        and not re.search(r"\d|[?!“\"]", text)
    )


def _space_initials(initials: str) -> str:
    """Write initials with points and spaces: "JK" and "J.K." become "J. K."."""
    initials = initials.strip()
    if re.search(r"[^\W\d_]{2}[^\W\d_]", initials) and not initials.isupper():
        return initials
    return " ".join(
        re.sub(r"([^\W\d_])\.?(?=[^\w.]|$|[^\W\d_](?![a-z]))", r"\1. ", initials.replace(".", ". "))
        .replace(". .", ".")
        .replace(" -", "-")
        .split()
    )
