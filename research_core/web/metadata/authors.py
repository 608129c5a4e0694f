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
    "dc.creator.aut", "rbauthors", "article:author:name", "article.author", "article_author",
    "article-author", "page.author", "author_name", "author-name", "book:author", "vr:author",
    "writer", "dc.creator.personalname", "dcterms.creator.personalname",
)  # fmt: skip

#: Properties in which an author stands for another one, and how many of them may be nested.
_AUTHOR_CONTAINERS, MAX_NESTED_AUTHORS = ("@list", "@set", "author"), 3
#: What a card for a shared page calls its author: "twitter:label1" names what "twitter:data1" is.
_CARD_LABELS = frozenset(
    label.strip()
    for label in """
    written by,author,authors,by,posted by,verfasst von,geschrieben von,autor,autorin,écrit par,
    rédigé par,auteur,escrito por,escrita por,autore,scritto da,geschreven door,skrevet av,
    skrevet af,skriven av,författare,forfatter,napisane przez,kirjoittanut,kirjoittaja,yazan,
    автор,ditulis oleh,penulis,作者,撰文,投稿者,著者,執筆者,글쓴이,작성자,الكاتب
    """.split(",")
)


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
    yield _parse_all_people(_iterate_card_authors(said))
    yield _parse_all_people(said.micro.get("author", ()))


def _iterate_card_authors(said: DeclaredMetadata) -> Iterator[str]:
    """Yield what the card of a shared page has under a label that means its author."""
    for number in "12":
        labels = said.meta.get(f"twitter:label{number}", ())
        for label, text in zip(labels, said.meta.get(f"twitter:data{number}", ()), strict=False):
            if label.strip(" :：").casefold() in _CARD_LABELS:
                yield text


def _parse_all_people(texts: Iterable[str], *, turned: bool = False) -> NameTuple:
    return drop_repeated_names(name for text in texts for name in parse_people(text, turned=turned))


def _iterate_work_authors(said: DeclaredMetadata, node: Json) -> Iterator[str]:
    for value in said.linked.all(node.get("author") or node.get("creator")):
        yield from _iterate_value_names(said, value, MAX_NESTED_AUTHORS)


def _iterate_value_names(said: DeclaredMetadata, value: Json | str, depth: int) -> Iterator[str]:
    """Yield the names of a person, a text, a list of JSON-LD or a role that has an author."""
    if isinstance(value, str):
        yield from parse_people(value)
        return
    if isinstance(value.get("@value"), str):
        yield from parse_people(value["@value"])
        return
    inner = [value[key] for key in _AUTHOR_CONTAINERS if key in value]
    if not inner:
        yield from _iterate_person_names(value)
    elif depth:
        for each in said.linked.all(inner[0]):
            yield from _iterate_value_names(said, each, depth - 1)


def _iterate_person_names(node: Json) -> Iterator[str]:
    given = node.get("givenName")
    family = node.get("familyName")
    if isinstance(given, str) and isinstance(family, str) and given.strip() and family.strip():
        yield from parse_people(f"{family}, {given}", turned=True)
        return
    name = node.get("name") or node.get("alternateName")
    for text in name if isinstance(name, list) else [name]:
        if isinstance(text, dict):
            text = text.get("@value")
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
    r"|submitted|[pP]oster|contributor|redattore|giornalista|periodista|redacteur|forfatter|skribent"
    r"|kirjoittaja|penulis|yazar(?!lar)|szerzo"
)
_AUTHOR_URL = re.compile(
    r"[/?](?:authors?|autor(?:en|in|es|e)?|auteurs?|contributors?|journalistes?|journalists?|writers?"
    r"|columnists?|columnistas?|reporters?|redattor[ei]|firmas|forfattere?|skribent(?:er)?"
    r"|yazar(?:lar)?|penulis)[/=]"
)
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

    Without marked bylines that name a person, lines that begin like one are read, and without
    these the signature at the end of the text.
    """
    of_groups: list[NameTuple] = []
    links = (each for each in tree.iter("a") if _AUTHOR_URL.search(each.get("href") or ""))
    for candidates in (_iterate_marked_elements(tree), links):
        named = []
        for group in _group_adjacent(islice(candidates, MAX_MARKED)):
            names = drop_repeated_names(
                name for each in group for name in _parse_byline_names(each)
            )
            if names:
                named.append(names)
        if any(not is_group(name) for names in named for name in names):
            return (*of_groups, *named)
        of_groups += named
    for find in (_iterate_unmarked_bylines, _iterate_names_after_leads, _iterate_signatures):
        unmarked = tuple(find(tree))
        if unmarked:
            return (*of_groups, *unmarked)
    return tuple(of_groups)


def _iterate_marked_elements(tree: Element) -> Iterator[Element]:
    for element in tree.iter():
        marks = (element.get("class") or "", element.get("id") or "")
        is_byline = element.tag == "byline" or "author" in (element.get("rel") or "").split()
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


#: Elements that hold nothing but the words before a name ("By", "Interview:").
_LONE_LEAD = re.compile(
    r"\W*(?:(?:written |posted |published |words |story |text )?by|(?:ein |eine )?(?:text |interview )?"
    r"von|par|por|di|door|av|af|autor(?:in|en|e)?|authors?|auteure?s?|autrice|writers?|interview"
    r"|words|texte?|texto|testo|tekst|redakteur(?:in)?|redaktion|автор|作者|記者|文)\s*[:：]?\s*",
    re.IGNORECASE,
)


def _iterate_names_after_leads(tree: Element) -> Iterator[NameTuple]:
    """Yield the persons in each element that follows one with only a byline's first word."""
    for element in islice(tree.iter(*_BYLINE_TAGS, "dt", "label"), MAX_LINES):
        if not _LONE_LEAD.fullmatch((element.text or "x")[:40]) or len(element):
            continue
        following = element.getnext()
        if following is None or (element.tail or "").strip() or not _is_in_main_part(element):
            continue
        names = _parse_byline_names(following)
        if names and all(map(_PERSON_NAME.fullmatch, names)):
            yield names


# ---------------------------------------------------------------- signatures

#: Characters of the paragraphs before a signature, and of the last of them, which in a list of
#: people is a name.
MIN_SIGNED_LENGTH, MIN_LAST_PARAGRAPH = 400, 80
_EMPHASIS_TAGS = frozenset("em i b strong cite".split())


def _iterate_signatures(tree: Element) -> Iterator[NameTuple]:
    """Yield the person whose emphasised name alone is the last paragraph of a text."""
    for paragraph in islice(tree.iter("p"), MAX_LINES):
        text = " ".join(read_element_words(paragraph).split())
        if not _PERSON_NAME.fullmatch(text) or not _is_emphasised(paragraph):
            continue
        if _ends_text(paragraph) and _is_in_main_part(paragraph):
            names = _parse_byline_names(paragraph)
            if len(names) == 1 and not is_group(names[0]):
                yield names


def _is_emphasised(paragraph: Element) -> bool:
    """Return whether all words of a paragraph are in italics or bold, or set to the right."""
    if "right" in f"{paragraph.get('align') or ''} {paragraph.get('style') or ''}":
        return True
    inner = paragraph[0] if len(paragraph) == 1 else None
    if inner is None or (paragraph.text or "").strip() or (inner.tail or "").strip():
        return False
    return inner.tag in _EMPHASIS_TAGS


def _ends_text(paragraph: Element) -> bool:
    """Return whether a paragraph follows a text and nothing with words follows it."""
    if (paragraph.tail or "").strip():
        return False
    for sibling in paragraph.itersiblings():
        if isinstance(sibling.tag, str) and read_element_words(sibling).strip():
            return False
    length = 0
    for sibling in paragraph.itersiblings(preceding=True):
        if sibling.tag != "p":
            continue
        words = read_element_words(sibling).strip()
        if words and not length and len(words) < MIN_LAST_PARAGRAPH:
            return False
        length += len(words)
        if length >= MIN_SIGNED_LENGTH:
            return True
    return False
