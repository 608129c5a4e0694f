"""Find who wrote a page: from library tags, JSON-LD, `meta`, microdata, and last the bylines.

The first of these that names a person wins, unless two others agree on somebody else; if none does,
the first that names an organisation. The site's own name is not an author if there is a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from research_core.model_messages import Json
from research_core.text.names import NAME_JOINER, is_group
from research_core.web.lxml_types import Element
from research_core.web.metadata.bylines import drop_repeated_names, make_name_key, parse_people
from research_core.web.metadata.page_markup import DeclaredMetadata, read_element_words

NameTuple = tuple[str, ...]

_LIBRARY_TAGS = (
    "citation_author",
    "citation_authors",
    "bepress_citation_author",
    "eprints.creators_name",
    "wkhealth_authors",
)
_META_TAGS = (
    "parsely-author", "sailthru.author", "cse_author", "shareaholic:article_author_name", "byl",
    "author", "authors", "article:author",
    "og:author", "og:article:author", "dc.creator", "dcterms.creator", "dc:creator",
    "dc.creator.aut", "rbauthors",
)  # fmt: skip


def choose_authors(
    said: DeclaredMetadata, shown: Callable[[], Sequence[NameTuple]], own: frozenset[str]
) -> NameTuple:
    """Return the authors' names in order.

    shown: returns the bylines of the page as names, called only if the markup is not conclusive;
    own: the names of the site, as `bylines.make_name_key` writes them.
    """
    declared = [names for names in _iterate_declared_names(said) if names]
    persons = _collect_person_lists(declared, own)
    if _is_settled(persons):
        return drop_repeated_names(_choose_names(persons))
    lines = shown()
    # Beside declared persons only the first byline can confirm or contradict them.
    persons += _collect_person_lists(lines[:1] if persons else lines, own)
    if not persons:
        return next(iter((*declared, *lines)), ())
    return drop_repeated_names(
        _find_displayed_spelling(name, lines) for name in _choose_names(persons)
    )


def _collect_person_lists(places: Iterable[NameTuple], own: frozenset[str]) -> list[NameTuple]:
    """Return the persons named in each place, without places that name none."""
    found = []
    for names in places:
        persons = _drop_organisations(names, own)
        if persons:
            found.append(persons)
    return found


def _iterate_declared_names(said: DeclaredMetadata) -> Iterator[NameTuple]:
    """Yield the names in each place of the markup, the most precise place first."""
    yield from (_parse_all_people(said.meta.get(name, ()), turned=True) for name in _LIBRARY_TAGS)
    yield from (drop_repeated_names(_iterate_work_authors(said, node)) for node in said.nodes)
    yield from (_parse_all_people(said.meta.get(name, ())) for name in _META_TAGS)
    yield _parse_all_people(said.micro.get("author", ()))


def _parse_all_people(texts: Iterable[str], *, turned: bool = False) -> NameTuple:
    return drop_repeated_names(name for text in texts for name in parse_people(text, turned=turned))


def _iterate_work_authors(said: DeclaredMetadata, node: Json) -> Iterator[str]:
    for value in said.linked.all(node.get("author") or node.get("creator")):
        yield from parse_people(value) if isinstance(value, str) else _iterate_person_names(value)


def _iterate_person_names(node: Json) -> Iterator[str]:
    given = node.get("givenName")
    family = node.get("familyName")
    if isinstance(given, str) and isinstance(family, str) and given.strip() and family.strip():
        yield from parse_people(f"{family}, {given}", turned=True)
        return
    name = node.get("name")
    for text in name if isinstance(name, list) else [name]:
        if isinstance(text, str):
            yield from parse_people(text)


# ---------------------------------------------------------------- whom to believe


def _drop_organisations(names: NameTuple, own: frozenset[str]) -> NameTuple:
    """Return the names that are not an organisation's.

    Beside an organisation, a single word is more likely part of its name.
    """
    groups = [name for name in names if is_group(name)]
    persons = []
    for name in names:
        if name in groups or _is_site_name(name, own):
            continue
        if " " in name or not groups:
            persons.append(name)
    return tuple(persons)


def _is_site_name(name: str, own: frozenset[str]) -> bool:
    return make_name_key(name) in own or (
        " " in name and any(make_name_key(name) in each for each in own)
    )


def _is_settled(persons: Sequence[NameTuple]) -> bool:
    """Return whether bylines could not change the choice.

    Sources agree or there is only one, and no name is a user name.
    """
    agreed = len(persons) == 1 or _find_first_agreed(persons) is not None
    return bool(persons) and agreed and all(" " in name for name in _choose_names(persons))


def _find_first_agreed(persons: Sequence[NameTuple]) -> int | None:
    """Return the first place that another agrees with, on at least one person."""
    known = [frozenset(map(make_name_key, names)) for names in persons]
    for place, names in enumerate(known):
        if sum(not names.isdisjoint(other) for other in known) > 1:
            return place
    return None


def _choose_names(persons: Sequence[NameTuple]) -> NameTuple:
    """Return the names of the most precise place, or of two others that agree against it.

    If another place has all of these names and more, its names are returned.
    """
    known = [frozenset(map(make_name_key, names)) for names in persons]
    at = known[_find_first_agreed(persons) or 0]
    return max((names for names, all in zip(persons, known, strict=True) if at <= all), key=len)


def _find_displayed_spelling(name: str, lines: Sequence[NameTuple]) -> str:
    """Return a name as displayed, if it was declared as a user name ("jane.doe")."""
    if " " in name or NAME_JOINER in name:
        return name
    for names in lines:
        for other in names:
            if " " in other and make_name_key(other) == make_name_key(name):
                return other
    return name


# ---------------------------------------------------------------- what is shown

#: Characters of a byline, marked candidates examined, and elements that may begin like one.
MAX_BYLINE_LENGTH, MAX_MARKED, MAX_LINES = 160, 200, 3000

#: Marks of a byline: words of a class or id, and the address of an author's page.
_BYLINE_MARK = re.compile(
    r"[aA]uthor(?!i[tsz])|[bB]y[lL]ine|[aA]utor(?!is)|auteur|redakteur|writer|journalist|posted-by"
    r"|submitted|[pP]oster|contributor"
)
_AUTHOR_URL = re.compile(r"[/?](?:authors?|autor(?:en|in|es)?|auteurs?|contributors?)[/=]")
#: Marks of other content: classes of surrounding elements, and elements.
_EXCLUDED_MARK = re.compile(
    r"(?:comment|related|recommend|sidebar|widget|newsletter|popular|respond|recent|reply|follow)"
    r"|\S*(?:teaser|avatar|-image|image-|photo)|\S*author\S*(?:views|count|follow)",
    re.IGNORECASE,
)
_EXCLUDED_TAGS = frozenset("form input textarea aside nav figure label button".split())
_LARGE_TAGS = frozenset("html body head link meta article main section".split())
_ENTRY_CLASS = re.compile("entry|post|article")

_DONE_WORDS = (
    "(?:posted|written|published|article|story|text|geschrieben|verfasst|veröffentlicht|artikel"
    "|(?:blog[ -]?)?beitrag) (?:by|von)"
)
_BYLINE_START = re.compile(
    rf"\s*(?:(?P<surely>{_DONE_WORDS}|autor(?:in|en)?:?|authors?:|text:|auteur:)|by|von|par"
    rf"|por)[:\s]",
    re.IGNORECASE,
)
_NAME_WORD = r"(?:[^\W\d_a-zß-ÿ][\w.'’-]*|van|von|der|den|de|di|la|du|dos|zu)"
_PERSON_NAME = re.compile(rf"{_NAME_WORD}(?:[ {NAME_JOINER}]{_NAME_WORD}){{1,4}}")
_BYLINE_TAGS = "p span div em i b strong small address h2 h3 h4 h5 h6 td a li".split()


def find_bylines(tree: Element) -> tuple[NameTuple, ...]:
    """Return the names of each byline in order of the page; adjacent lines count as one.

    Without marked bylines, lines that begin like one are read.
    """
    links = (each for each in tree.iter("a") if _AUTHOR_URL.search(each.get("href") or ""))
    for candidates in (_iterate_marked_elements(tree), links):
        named = []
        for group in _group_adjacent(islice(candidates, MAX_MARKED)):
            names = drop_repeated_names(
                name for each in group for name in _parse_byline_names(each)
            )
            if names:
                named.append(names)
        if named:
            return tuple(named)
    return tuple(_iterate_unmarked_bylines(tree))


def _iterate_marked_elements(tree: Element) -> Iterator[Element]:
    for element in tree.iter():
        marks = (element.get("class") or "", element.get("id") or "")
        is_byline = element.tag == "byline" or element.get("rel") == "author"
        if is_byline or any(map(_BYLINE_MARK.search, marks)):
            yield element


def _group_adjacent(elements: Iterable[Element]) -> Iterator[list[Element]]:
    groups: dict[Any, list[Element]] = {}
    for element in elements:
        if element.tag not in _LARGE_TAGS and _is_in_main_part(element):
            parent = element.getparent()
            around = parent.getparent() if parent is not None and len(parent) == 1 else parent
            groups.setdefault((around, element.tag, element.get("class")), []).append(element)
    yield from groups.values()


def _is_in_main_part(element: Element) -> bool:
    """Return whether an element is in the page's main part.

    It must not be among comments, teasers and widgets, or in the site's footer.
    """
    around = [element, *element.iterancestors()][:-2]
    for each in around:
        marks = f"{each.get('class') or ''} {each.get('id') or ''}"
        if each.tag in _EXCLUDED_TAGS or any(map(_EXCLUDED_MARK.match, marks.split())):
            return False
    tags = [each.tag for each in around]
    if "footer" not in tags or "article" in tags:
        return True
    return any(_ENTRY_CLASS.search(each.get("class") or "") for each in around)


def _parse_byline_names(element: Element) -> NameTuple:
    text = " ".join(read_element_words(element).split())
    if not text or len(text) > MAX_BYLINE_LENGTH:
        return ()
    found = []
    for name in parse_people(text, listed=True):
        if " " not in name or is_group(name) or _PERSON_NAME.fullmatch(name):
            found.append(name)
    return tuple(found)


def _iterate_unmarked_bylines(tree: Element) -> Iterator[NameTuple]:
    for element in islice(tree.iter(*_BYLINE_TAGS), MAX_LINES):
        begins = _BYLINE_START.match((element.text or "")[:60])
        if begins and _is_in_main_part(element):
            names = _parse_byline_names(element)
            if names and (begins["surely"] or all(map(_PERSON_NAME.fullmatch, names))):
                yield names
