"""Decide whether a registered work is the cited one, by words of titles, names and year."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Literal

from research_core.citations.checks.title_numbers import have_other_numbers
from research_core.citations.formats.item import Item
from research_core.search.records import Paper
from research_core.text.words import STOPWORDS, tokenize

Confidence = Literal["high", "medium", "low", "none"]
TitleMatch = Literal["match", "mismatch", "not_checked"]

#: Shares of a title's words for a certain and a possible match; fewer words prove nothing.
SURE_SHARE, POSSIBLE_SHARE, MIN_SHARED_WORDS = 0.7, 0.4, 2
#: A mismatch lacks at least so many words and this share of all words.
MAX_MISSING_WORDS, MAX_MISSING_SHARE = 2, 1 / 3
#: A word with at most so many characters says nothing of a title; a word this similar to another is
#: a misspelling of it.
SHORT_TITLE_WORDS, ALIKE_RATIO = 3, 0.8
#: Types of items that are identified by their address.
WEB_PAGE_TYPES = frozenset({"webpage", "post", "post-weblog"})
#: Years by which the print, online and preprint versions of a work differ.
MAX_YEAR_GAP = 1
_SUBTITLE_SEPARATOR = re.compile(r"\s*[:.?!—–]\s+|\s[-—–]\s")
_LETTER = re.compile(r"[^\W\d_]")


def list_content_words(text: str) -> list[str]:
    """List the words that carry a title's subject, each once, in order.

    A script without spaces gives pairs of characters.
    """
    return [
        word
        for word in _fold_words(text)
        if word not in STOPWORDS and (len(word) > SHORT_TITLE_WORDS or not word.isascii())
    ]


def _fold_words(text: str) -> list[str]:
    """List the words without case and accents, each once."""
    folded = "".join(
        each
        for each in unicodedata.normalize("NFKD", text.casefold())
        if not unicodedata.combining(each)
    )
    return list(dict.fromkeys(tokenize(folded)))


def find_missing_words(words: Iterable[str], text: str) -> list[str]:
    """Return the words missing from the text, allowing joined, divided or misspelled ones."""
    there = list_content_words(text)
    joined = "".join(there)
    return [
        word
        for word in words
        if word not in joined and not get_close_matches(word, there, 1, ALIKE_RATIO)
    ]


def match_title(said: str, titles: Sequence[str], about: str = "", text: str = "") -> TitleMatch:
    """Return match, mismatch or not_checked for a cited title against a record's titles.

    titles: all titles of the record; about: its further words (journal, authors, year); text: the
    whole reference, which may hold a title that was not parsed out of it.
    """
    asked = list_content_words(said)
    record = " ".join(titles)
    if not asked or not list_content_words(record):
        return "not_checked"
    if _detect_script(said) != _detect_script(record):
        return "not_checked"
    if have_other_numbers(said, titles, text):
        return "mismatch"
    for title in titles:
        if _is_title_prefix(said, title) or _is_title_prefix(title, said):
            return "match"
        if _contains_title(title, text):
            return "match"
    missing = len(find_missing_words(asked, f"{record} {about}"))
    if missing >= MAX_MISSING_WORDS and missing >= MAX_MISSING_SHARE * len(asked):
        return "mismatch"
    shared = len(asked) - missing
    return "match" if shared >= SURE_SHARE * len(asked) else "not_checked"


def rate_match(cited: Item, text: str, paper: Paper, titles: Sequence[str]) -> Confidence:
    """Rate how certain it is that a record is the cited work.

    text: the whole reference, searched for the words of the record's title in any place.
    """
    wanted = list_content_words(paper.title)
    asked = list_content_words(cited.title)
    about = " ".join((*titles, paper.journal, *paper.authors))
    if have_other_numbers(_number_title(cited), titles, text):
        return "low"
    held = len(wanted) - len(find_missing_words(wanted, f"{text} {cited.title}"))
    share_of_record = held / len(wanted) if wanted else 0.0
    share_of_cited = share_of_record
    if asked:
        share_of_cited = 1 - len(find_missing_words(asked, about)) / len(asked)
    whole = min(share_of_record, share_of_cited) >= SURE_SHARE
    same = any(
        _is_title_prefix(cited.title, title) or _is_title_prefix(title, cited.title)
        for title in titles
    )
    if (same or whole) and held >= MIN_SHARED_WORDS:
        return "high" if _is_same_work(cited, paper, whole=whole) else "medium"
    # Many works share a title of a word or two, so authors and year decide.
    if any(_fold_words(cited.title) == _fold_words(title) for title in titles if title):
        if _shares_author(cited, paper) and _years_agree(cited, paper) is not False:
            return "high"
        return "medium"
    if share_of_record >= POSSIBLE_SHARE and held >= MIN_SHARED_WORDS:
        return "medium"
    return "low" if held else "none"


def _number_title(cited: Item) -> str:
    """Return the cited title, with the volume of a book, which a record has in its title."""
    is_volume = cited.title and cited.volume and not cited.container
    return f"{cited.title}, volume {cited.volume}" if is_volume else cited.title


def _is_same_work(cited: Item, paper: Paper, *, whole: bool) -> bool:
    """Return True if matching titles belong to the same work, by authors and years.

    whole: nearly all words of each title are in the other. It decides only if authors cannot be
    compared, years do not differ and the work is no web page, which may have any title.
    """
    shared = _shares_author(cited, paper)
    if shared is not None:
        return shared
    return whole and _years_agree(cited, paper) is not False and cited.type not in WEB_PAGE_TYPES


def _shares_author(cited: Item, paper: Paper) -> bool | None:
    """Return True if both name the same person.

    None if either names nobody, or in another script.
    """
    people = (*cited.authors, *cited.editors)
    names = [_fold_words(person.family or person.literal) for person in people]
    there = [word for name in paper.authors for word in _fold_words(name)]
    if not there or not any(names):
        return None
    if _detect_script("".join(map("".join, names))) != _detect_script("".join(there)):
        return None
    return any(_has_close_words(name, there) for name in names if name)


def _has_close_words(name: Sequence[str], there: Sequence[str]) -> bool:
    return all(get_close_matches(word, there, 1, ALIKE_RATIO) for word in name)


def _years_agree(cited: Item, paper: Paper) -> bool | None:
    """Return True if the years differ by at most one; None if either is unknown."""
    year = cited.issued[:4]
    if not paper.year or not year.isdigit():
        return None
    return abs(paper.year - int(year)) <= MAX_YEAR_GAP


def _is_title_prefix(longer: str, shorter: str) -> bool:
    """Return True if the shorter title is the beginning of the longer one.

    The rest of the longer one must be a part of its own, such as a subtitle.
    """
    longer, shorter = (unicodedata.normalize("NFKC", each) for each in (longer, shorter))
    wanted = " ".join(tokenize(shorter))
    if not wanted or len(list_content_words(shorter)) < MIN_SHARED_WORDS:
        return False
    beginning = ""
    for part in _SUBTITLE_SEPARATOR.split(longer):
        beginning = f"{beginning} {' '.join(tokenize(part))}".strip()
        if beginning == wanted:
            return True
    return False


def _contains_title(title: str, text: str) -> bool:
    """Return True if a text contains a title of several words literally."""
    if len(list_content_words(title)) <= MIN_SHARED_WORDS:
        return False
    title, text = (unicodedata.normalize("NFKC", each) for each in (title, text))
    return f" {' '.join(tokenize(title))} " in f" {' '.join(tokenize(text))} "


def _detect_script(text: str) -> str:
    """Return the script of most letters of a text, by its name in Unicode ("LATIN")."""
    letters = _LETTER.findall(text[:400])
    names = [unicodedata.name(each, "?").split()[0] for each in letters]
    han = {"CJK", "HIRAGANA", "KATAKANA"}
    kinds = ["HAN" if name in han else name for name in names]
    return max(dict.fromkeys(kinds), key=kinds.count) if kinds else ""
