"""Check whether an extractor took the whole text, and widen it if it took one box of several.

It counts paragraphs of prose inside and outside the extracted text, and compares its length with
what the page declares. What stands beside a text, and texts with a link of their own, do not count.
What is declared is never read as text, as no reader sees it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Set
from itertools import chain, islice
from typing import NamedTuple

from lxml import etree

from research_core.text.words import keep_letters
from research_core.web.html.elements import fold_text, get_names
from research_core.web.html.markdown import format_tree
from research_core.web.lxml_types import Element
from research_core.web.metadata.jsonld import UNDECLARED_LENGTH, ArticleLength, count_words

#: Places without main text: elements, and words in classes and ids.
FURNITURE = ("nav", "header", "footer", "aside", "form", "button", "figure", "table", "dialog")
_OTHER_NAMES = re.compile(
    r"comment|kommentar|respond|reply|related|recommend|newsletter|disqus|subscri|top-?stor"
    r"|most-?(?:read|popular|viewed)|trending|sponsor|advert",
    re.IGNORECASE,
)
_BESIDE_NAMES = re.compile(
    f"{_OTHER_NAMES.pattern}|cookie|consent|sidebar|footer|banner|modal|popup",
    re.IGNORECASE,
)
#: Names of boxes that lead to another text, unless they hold a part of this one.
_TEASER_NAMES = re.compile("teaser", re.IGNORECASE)
_PAGE_TAGS = ("html", "body", "main", "article")
#: Characters of a paragraph of prose, and the most of them in links; the link share above which
#: a list is a menu.
MIN_PROSE_LETTERS, MOST_LINKED, MENU_LINK_SHARE = 80, 0.3, 0.5
#: Link share above which a heading leads to another text.
LEADING_LINK_SHARE = 0.8
#: The extracted prose is little if it is less than this share of all, and this many characters
#: are missing; fewer if none of it was taken.
LITTLE_SHARE, MIN_MISSED, MIN_MISSED_OF_NONE = 0.5, 600, 200
#: Tags of boxes that are the main text if they hold most of the prose.
HOLDER_TAGS = ("aside", "header", "footer")
#: Words of a link that is a headline, and links examined in a box.
MIN_HEADLINE_WORDS, MAX_LINKS = 4, 20
#: Share of the prose that the text's box holds. A box in which two links repeat so often holds
#: several texts.
HELD_SHARE, MIN_REPEATS = 0.8, 3
#: Letters by which a paragraph is recognised in the extracted text, and the most parts of a page.
SAMPLE_LETTERS, MAX_PARTS = 60, 1_000


#: How far a count of letters may be from a number that some sites declare as that of words.
LETTER_COUNT_RATIO = 1.3


class PageParts(NamedTuple):
    """The parts of a page.

    beside: the outermost elements beside the text; prose: the remaining paragraphs of prose with
    their lengths.
    """

    beside: list[Element]
    prose: dict[Element, int]


class CoveredText(NamedTuple):
    """The text of a page.

    words, of_words: about how many words were read and there are, if that is less than half of
    them; 0 and 0 otherwise.
    """

    text: str
    words: int = 0
    of_words: int = 0


def free_main_text(tree: Element) -> frozenset[Element]:
    """Return the boxes that hold most of a page's prose, asides among them renamed as plain boxes.

    An extractor drops what is marked as an aside, even if it is the article.
    """
    prose = {}
    for each in tree.iter("p"):
        length = sum(map(len, each.itertext()))
        if length >= MIN_PROSE_LETTERS:
            prose[each] = length
    total = sum(prose.values())
    holders = set()
    for box, size in _count_held(prose).items():
        if size >= max(HELD_SHARE * total, MIN_MISSED_OF_NONE) and not _names_other_text(box):
            holders.add(box)
            if box.tag in HOLDER_TAGS:
                box.tag = "div"
    return frozenset(holders)


def _names_other_text(element: Element) -> bool:
    """Return whether an element's names say that it holds comments or other texts."""
    return _OTHER_NAMES.search(get_names(element)) is not None


def cover_text(
    tree: Element,
    text: str,
    declared: ArticleLength = UNDECLARED_LENGTH,
    holders: Set[Element] = frozenset(),
) -> CoveredText:
    """Return the extracted text, or that of the box that holds most prose if much is missing.

    declared: the length that the page declares; holders: boxes that hold the main text, whatever
    their names. The tree must not be used afterwards.
    """
    parts = _find_parts(tree, holders)
    if not _misses_prose(text, parts.prose):
        return _measure_loss(text, {}, declared)
    for teaser in _find_teasers(parts.prose):
        del parts.prose[teaser]
    box = _find_prose_box(tree, parts.prose)
    if box is None or not _misses_prose(text, parts.prose):
        return _measure_loss(text, parts.prose, declared)
    outside = set(box.iterancestors())
    for each in parts.beside:
        if each is not box and each not in outside and each.getparent() is not None:
            each.drop_tree()
    if not _holds_several_texts(box) or _is_one_text(box, text, declared):
        text = max(text, format_tree(box), key=len)
    return _measure_loss(text, parts.prose, declared)


def _get_opening_letters(paragraph: Element) -> str:
    """Return the first letters of a paragraph, by which it is recognised."""
    text = "".join(paragraph.itertext()).strip()
    return keep_letters(text[: 2 * SAMPLE_LETTERS])[:SAMPLE_LETTERS]


def _misses_prose(text: str, prose: Mapping[Element, int]) -> bool:
    """Return whether a text holds too little of a page's prose."""
    total = sum(prose.values())
    if total < MIN_MISSED_OF_NONE:
        return False
    letters = keep_letters(text)
    taken = 0
    for paragraph, size in prose.items():
        if _get_opening_letters(paragraph) in letters:
            taken += size
        if taken >= LITTLE_SHARE * total:
            return False
    return total - taken >= (MIN_MISSED if taken else MIN_MISSED_OF_NONE)


def _is_one_text(box: Element, text: str, declared: ArticleLength) -> bool:
    """Return whether a box is one article, as its markup or the length declared says."""
    if _is_shorter_than_declared(text, declared):
        return True
    is_article = box.tag == "article" or next(box.iterancestors("article"), None) is not None
    return is_article and next(box.iterdescendants("article"), None) is None


def _measure_loss(text: str, prose: Mapping[Element, int], declared: ArticleLength) -> CoveredText:
    """Return the text with how many words of how many it has, if that is less than half.

    A text longer than all of the prose is a list or a table, to which the prose is a note.
    """
    if _is_shorter_than_declared(text, declared):
        return CoveredText(text, count_words(text), declared.words)
    total = sum(prose.values())
    if len(text) >= total or not _misses_prose(text, prose):
        return CoveredText(text)
    words = count_words(text)
    return CoveredText(text, words, round(words * total / max(1, len(text))))


def _is_shorter_than_declared(text: str, declared: ArticleLength) -> bool:
    if declared == UNDECLARED_LENGTH:
        return False
    letters = len(keep_letters(text))
    if declared.letters:
        return letters < LITTLE_SHARE * declared.letters
    counts_letters = (
        1 / LETTER_COUNT_RATIO <= letters / max(1, declared.words) <= LETTER_COUNT_RATIO
    )
    return count_words(text) < LITTLE_SHARE * declared.words and not counts_letters


def _find_parts(tree: Element, holders: Set[Element]) -> PageParts:
    """Sort the elements of a page into parts.

    What stands below a heading that links elsewhere belongs to another text.
    """
    parts = PageParts([], {})
    inside: set[Element] = set()
    elsewhere = False
    for each in tree.iter(etree.Element):
        if each.getparent() in inside:
            inside.add(each)
        elif each not in holders and _is_beside(each):
            inside.add(each)
            parts.beside.append(each)
        elif each.tag in ("h1", "h2", "h3", "h4"):
            elsewhere = _link_share(each) > LEADING_LINK_SHARE
        elif each.tag == "p" and not elsewhere:
            length = len(fold_text("".join(each.itertext())))
            if length >= MIN_PROSE_LETTERS and _link_share(each) <= MOST_LINKED:
                parts.prose[each] = length
    return parts


def _find_teasers(paragraphs: Collection[Element]) -> list[Element]:
    """Return the paragraphs that are in a link, or alone in a box with a link to another text.

    The link is long enough for a headline, or several such boxes are alike.
    """
    count: Counter[Element] = Counter()
    for paragraph in paragraphs:
        count.update(paragraph.iterancestors())
    words: dict[Element, int] = {}
    alike: Counter[tuple[str, str]] = Counter()
    kinds: dict[Element, tuple[str, str]] = {}
    for paragraph in paragraphs:
        box = _find_own_box(paragraph, count)
        words[paragraph] = (
            MIN_HEADLINE_WORDS if box.tag == "a" else _count_link_words(box, paragraph)
        )
        if words[paragraph]:
            kinds[paragraph] = (box.tag, box.get("class") or "")
            alike[kinds[paragraph]] += 1
    return [
        each
        for each, kind in kinds.items()
        if words[each] >= MIN_HEADLINE_WORDS or alike[kind] >= MIN_REPEATS
    ]


def _find_own_box(paragraph: Element, count: Mapping[Element, int]) -> Element:
    """Return the link around a paragraph, or the largest box without another paragraph."""
    box = paragraph
    for around in paragraph.iterancestors():
        if around.tag == "a":
            return around
        if count[around] == 1 and box.getparent() is around and around.tag not in _PAGE_TAGS[:3]:
            box = around
    return box


def _count_link_words(box: Element, paragraph: Element) -> int:
    """Return the words of the longest link in a box outside a paragraph; 0 if there is none.

    A picture that is a link counts as a word.
    """
    longest = 0
    for link in islice(box.iter("a"), MAX_LINKS):
        if paragraph not in link.iterancestors():
            longest = max(longest, 1, _count_element_words(link))
    return longest


def _is_beside(element: Element) -> bool:
    if element.tag in FURNITURE:
        return True
    if element.tag in ("ul", "ol"):
        return _link_share(element) > MENU_LINK_SHARE
    if element.tag in _PAGE_TAGS:
        return False
    names = get_names(element)
    if _BESIDE_NAMES.search(names):
        return True
    return _TEASER_NAMES.search(names) is not None and not _holds_part_of_text(element)


def _holds_part_of_text(box: Element) -> bool:
    """Return whether a box holds several paragraphs of prose, or one without any link."""
    prose = 0
    for paragraph in islice(box.iter("p"), MAX_PARTS):
        length = len(fold_text("".join(paragraph.itertext())))
        prose += length >= MIN_PROSE_LETTERS and _link_share(paragraph) <= MOST_LINKED
    if prose > 1:
        return True
    is_linked = next(chain(box.iter("a"), box.iterancestors("a")), None) is not None
    return prose == 1 and not is_linked


def _link_share(element: Element) -> float:
    """Return the share of an element's words that is in links, estimated from its first parts."""
    linked = sum(_count_element_words(link) for link in islice(element.iter("a"), MAX_PARTS))
    return linked / max(1, _count_element_words(element))


def _count_element_words(element: Element) -> int:
    return sum(len(part.split()) for part in islice(element.itertext(), MAX_PARTS))


def _count_held(prose: dict[Element, int]) -> Counter[Element]:
    """Return how much prose each element around it holds."""
    held: Counter[Element] = Counter()
    for paragraph, size in prose.items():
        for around in paragraph.iterancestors():
            held[around] += size
    return held


def _find_prose_box(tree: Element, prose: dict[Element, int]) -> Element | None:
    """Return the smallest element that holds most of the prose."""
    held = _count_held(prose)
    enough = HELD_SHARE * sum(prose.values())
    for each in reversed(list(tree.iter(etree.Element))):
        if held[each] >= enough:
            return each
    return None


def _holds_several_texts(box: Element) -> bool:
    """Return whether a box holds several texts, each followed by the same links ("Share")."""
    links: Counter[str] = Counter()
    for link in box.iter("a"):
        words = fold_text("".join(link.itertext()))
        if words:
            links[words] += 1
    return sum(count >= MIN_REPEATS for count in links.values()) > 1
