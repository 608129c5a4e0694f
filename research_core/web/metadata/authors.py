"""Who wrote a page, by what it says: library data, JSON-LD, `meta`, microdata, and last the lines
that stand as bylines.

The first of these that names a person wins, unless two others agree on somebody else; where none
does, the first that names an organisation. The site's own name is no author beside a person's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from research_core.model_messages import Json
from research_core.text.names import JOINED, is_group
from research_core.web.metadata.bylines import bare, people, unique
from research_core.web.metadata.declared import Declared, words

Element = Any  # lxml ships no types
Names = tuple[str, ...]

_LIBRARY = (
    "citation_author",
    "citation_authors",
    "bepress_citation_author",
    "eprints.creators_name",
    "wkhealth_authors",
)
_META = (
    "parsely-author", "sailthru.author", "cse_author", "shareaholic:article_author_name", "byl",
    "author", "authors", "article:author",
    "og:author", "og:article:author", "dc.creator", "dcterms.creator", "dc:creator",
    "dc.creator.aut", "rbauthors",
)  # fmt: skip


def authors(said: Declared, shown: Callable[[], Sequence[Names]], own: frozenset[str]) -> Names:
    """Names in order. shown: the bylines of the page, each as names, asked for where the markup
    does not settle it;

    own: what the site is called, as `bylines.bare` has it.
    """
    declared = [names for names in _declared(said) if names]
    persons = [found for names in declared if (found := _persons(names, own))]
    if _is_settled(persons):
        return unique(_chosen(persons))
    lines = shown()
    persons += [
        found for names in (lines[:1] if persons else lines) if (found := _persons(names, own))
    ]
    if not persons:
        return next(iter((*declared, *lines)), ())
    return unique(_spelled(name, lines) for name in _chosen(persons))


def _declared(said: Declared) -> Iterator[Names]:
    """What each place in the markup says, the most exact first."""
    yield from (_all(said.meta.get(name, ()), turned=True) for name in _LIBRARY)
    yield from (unique(_of_work(said, node)) for node in said.nodes)
    yield from (_all(said.meta.get(name, ())) for name in _META)
    yield _all(said.micro.get("author", ()))


def _all(texts: Iterable[str], *, turned: bool = False) -> Names:
    return unique(name for text in texts for name in people(text, turned=turned))


def _of_work(said: Declared, node: Json) -> Iterator[str]:
    for value in said.linked.all(node.get("author") or node.get("creator")):
        yield from people(value) if isinstance(value, str) else _of_person(value)


def _of_person(node: Json) -> Iterator[str]:
    given, family, name = (node.get(key) for key in ("givenName", "familyName", "name"))
    if isinstance(given, str) and isinstance(family, str) and given.strip() and family.strip():
        yield from people(f"{family}, {given}", turned=True)
    else:
        yield from (
            one
            for text in (name if isinstance(name, list) else [name])
            if isinstance(text, str)
            for one in people(text)
        )


# ---------------------------------------------------------------- whom to believe


def _persons(names: Names, own: frozenset[str]) -> Names:
    """Those that are not an organisation's; beside one, a single word is more likely a part of its
    name.
    """
    groups = [name for name in names if is_group(name)]
    return tuple(
        name
        for name in names
        if name not in groups and not _is_own(name, own) and (" " in name or not groups)
    )


def _is_own(name: str, own: frozenset[str]) -> bool:
    return bare(name) in own or (" " in name and any(bare(name) in each for each in own))


def _is_settled(persons: Sequence[Names]) -> bool:
    """Whether nothing the page shows could change who is chosen: nobody disagrees, or two agree;
    and no name is a user's.
    """
    agreed = len(persons) == 1 or _seconded(persons) is not None
    return bool(persons) and agreed and all(" " in name for name in _chosen(persons))


def _seconded(persons: Sequence[Names]) -> int | None:
    """The first place that another agrees with, about one person at least."""
    known = [frozenset(map(bare, names)) for names in persons]
    return next(
        (
            n
            for n, names in enumerate(known)
            if sum(not names.isdisjoint(other) for other in known) > 1
        ),
        None,
    )


def _chosen(persons: Sequence[Names]) -> Names:
    """What the most exact place says, unless it stands alone against two others that agree; with
    all whom another place adds to it.
    """
    known = [frozenset(map(bare, names)) for names in persons]
    at = known[_seconded(persons) or 0]
    return max((names for names, all in zip(persons, known, strict=True) if at <= all), key=len)


def _spelled(name: str, lines: Sequence[Names]) -> str:
    """The name as a reader sees it, where it is declared as a user's name ("jane.doe")."""
    if " " in name or JOINED in name:
        return name
    return next(
        (other for names in lines for other in names if " " in other and bare(other) == bare(name)),
        name,
    )


# ---------------------------------------------------------------- what is shown

#: Characters of a line that can be a byline, candidates looked at, and elements that may begin like
#: one.
LONGEST, LOOKED_AT, LINES = 160, 200, 3000

#: What marks a byline: words of a class or id, and the address of a page about an author.
_MARK = re.compile(
    r"[aA]uthor(?!i[tsz])|[bB]y[lL]ine|[aA]utor(?!is)|auteur|redakteur|writer|journalist|posted-by|submitted|[pP]oster|contributor"
)
_HREF = re.compile(r"[/?](?:authors?|autor(?:en|in|es)?|auteurs?|contributors?)[/=]")
#: What makes it somebody else's: classes of what stands around it, and elements.
_ELSEWHERE = re.compile(
    r"(?:comment|related|recommend|sidebar|widget|newsletter|popular|respond|recent|reply|follow)"
    r"|\S*(?:teaser|avatar|-image|image-|photo)|\S*author\S*(?:views|count|follow)",
    re.IGNORECASE,
)
_FORMS = frozenset("form input textarea aside nav figure label button".split())
_TOO_LARGE = frozenset("html body head link meta article main section".split())
_IN_ENTRY = re.compile("entry|post|article")

_DONE = (
    "(?:posted|written|published|article|story|text|geschrieben|verfasst|veröffentlicht|artikel|(?:blog["
    " -]?)?beitrag) (?:by|von)"
)
_BEGINS = re.compile(
    rf"\s*(?:(?P<surely>{_DONE}|autor(?:in|en)?:?|authors?:|text:|auteur:)|by|von|par|por)[:\s]",
    re.IGNORECASE,
)
_WORD = r"(?:[^\W\d_a-zß-ÿ][\w.'’-]*|van|von|der|den|de|di|la|du|dos|zu)"
_PERSON = re.compile(rf"{_WORD}(?:[ {JOINED}]{_WORD}){{1,4}}")
_MAY_BEGIN = "p span div em i b strong small address h2 h3 h4 h5 h6 td a li".split()


def bylines(tree: Element) -> tuple[Names, ...]:
    """The names of each line of the page that is marked as a byline, in the order of the page;
    lines that stand together are one.

    Where none is marked, those of lines that begin like one.
    """
    for found in (
        _marked(tree),
        (each for each in tree.iter("a") if _HREF.search(each.get("href") or "")),
    ):
        lines = (
            unique(name for each in group for name in _names(each))
            for group in _together(islice(found, LOOKED_AT))
        )
        if named := tuple(filter(None, lines)):
            return named
    return tuple(_unmarked(tree))


def _marked(tree: Element) -> Iterator[Element]:
    for element in tree.iter():
        said, name = element.get("class"), element.get("id")
        if (
            (said and _MARK.search(said))
            or (name and _MARK.search(name))
            or element.tag == "byline"
            or element.get("rel") == "author"
        ):
            yield element


def _together(elements: Iterable[Element]) -> Iterator[list[Element]]:
    groups: dict[Any, list[Element]] = {}
    for element in elements:
        if element.tag not in _TOO_LARGE and _is_of_page(element):
            parent = element.getparent()
            around = parent.getparent() if parent is not None and len(parent) == 1 else parent
            groups.setdefault((around, element.tag, element.get("class")), []).append(element)
    yield from groups.values()


def _is_of_page(element: Element) -> bool:
    """Whether it stands in the page's own part: not among comments, teasers and widgets, nor at the
    foot of the site.
    """
    around = [element, *element.iterancestors()][:-2]
    classes = [f"{each.get('class') or ''} {each.get('id') or ''}" for each in around]
    if any(each.tag in _FORMS for each in around) or any(
        _ELSEWHERE.match(word) for said in classes for word in said.split()
    ):
        return False
    tags = [each.tag for each in around]
    return (
        "footer" not in tags
        or "article" in tags
        or any(_IN_ENTRY.search(each.get("class") or "") for each in around)
    )


def _names(element: Element) -> Names:
    text = " ".join(words(element).split())
    names = people(text, listed=True) if text and len(text) <= LONGEST else ()
    return tuple(
        name for name in names if " " not in name or is_group(name) or _PERSON.fullmatch(name)
    )


def _unmarked(tree: Element) -> Iterator[Names]:
    for element in islice(tree.iter(*_MAY_BEGIN), LINES):
        begins = _BEGINS.match((element.text or "")[:60])
        if begins and _is_of_page(element):
            names = _names(element)
            if names and (begins["surely"] or all(map(_PERSON.fullmatch, names))):
                yield names
