"""Decide whether a registered work is the cited one, by words of titles, names and year."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Literal

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


def find_missing_words(said: Iterable[str], text: str) -> list[str]:
    """List the words that a text has in no spelling: joined, divided or with one wrong letter."""
    there = list_content_words(text)
    joined = "".join(there)
    return [
        word
        for word in said
        if word not in joined and not get_close_matches(word, there, 1, ALIKE_RATIO)
    ]


def match_title(said: str, titles: Sequence[str], about: str = "", text: str = "") -> TitleMatch:
    """Return whether a cited title is that of a record.

    titles: all titles of the record; about: its further words (journal, authors, year); text: the
    whole reference.
    """
    asked, record = list_content_words(said), " ".join(titles)
    if (
        not asked
        or not list_content_words(record)
        or _detect_script(said) != _detect_script(record)
    ):
        return "not_checked"
    if any(
        _is_title_prefix(said, title)
        or _is_title_prefix(title, said)
        or _contains_title(title, text)
        for title in titles
    ):
        return "match"
    gone = find_missing_words(asked, f"{record} {about}")
    if len(gone) >= MAX_MISSING_WORDS and len(gone) >= MAX_MISSING_SHARE * len(asked):
        return "mismatch"
    return "match" if len(asked) - len(gone) >= SURE_SHARE * len(asked) else "not_checked"


def rate_match(cited: Item, text: str, paper: Paper, titles: Sequence[str]) -> Confidence:
    """Rate how certain it is that a record is the cited work.

    text: the whole reference, searched for names and years in any place.
    """
    wanted, asked = list_content_words(paper.title), list_content_words(cited.title)
    about = " ".join((*titles, paper.journal, *paper.authors))
    held = len(wanted) - len(find_missing_words(wanted, f"{text} {cited.title}"))
    forth = held / len(wanted) if wanted else 0.0
    back = 1 - len(find_missing_words(asked, about)) / len(asked) if asked else forth
    same = any(
        _is_title_prefix(cited.title, title) or _is_title_prefix(title, cited.title)
        for title in titles
    )
    if (same or min(forth, back) >= SURE_SHARE) and held >= MIN_SHARED_WORDS:
        return (
            "high"
            if _is_same_work(cited, paper, whole=min(forth, back) >= SURE_SHARE)
            else "medium"
        )
    if any(
        _fold_words(cited.title) == _fold_words(title) for title in titles if title
    ):  # a word or two, that many works are called
        return (
            "high"
            if _shares_author(cited, paper) and _years_agree(cited, paper) is not False
            else "medium"
        )
    return (
        "medium"
        if forth >= POSSIBLE_SHARE and held >= MIN_SHARED_WORDS
        else "low"
        if held
        else "none"
    )


def _is_same_work(cited: Item, paper: Paper, *, whole: bool) -> bool:
    """Return True if matching titles belong to the same work, by authors and years.

    whole: the titles match to their ends.
    """
    people = _shares_author(cited, paper)
    if people is not None:
        return people
    return whole and _years_agree(cited, paper) is not False and cited.type not in WEB_PAGE_TYPES


def _shares_author(cited: Item, paper: Paper) -> bool | None:
    """Return True if both name the same person.

    None if either names nobody, or in another script.
    """
    named = [_fold_words(each.family or each.literal) for each in (*cited.authors, *cited.editors)]
    there = [word for name in paper.authors for word in _fold_words(name)]
    if (
        not there
        or not any(named)
        or _detect_script("".join(map("".join, named))) != _detect_script("".join(there))
    ):
        return None
    return any(
        all(get_close_matches(word, there, 1, ALIKE_RATIO) for word in name)
        for name in named
        if name
    )


def _years_agree(cited: Item, paper: Paper) -> bool | None:
    """Return True if the years differ by at most one; None if either is unknown."""
    year = cited.issued[:4]
    return abs(paper.year - int(year)) <= MAX_YEAR_GAP if paper.year and year.isdigit() else None


def _is_title_prefix(longer: str, shorter: str) -> bool:
    """Return True if the shorter title is the beginning of the longer one.

    The rest of the longer one must be a part of its own, such as a subtitle.
    """
    parts = [" ".join(tokenize(part)) for part in _SUBTITLE_SEPARATOR.split(longer)]
    wanted = " ".join(tokenize(shorter))
    return bool(len(list_content_words(shorter)) >= MIN_SHARED_WORDS and wanted) and any(
        " ".join(filter(None, parts[:end])) == wanted for end in range(1, len(parts) + 1)
    )


def _contains_title(title: str, text: str) -> bool:
    """Return True if a text contains a title of several words literally."""
    return (
        len(list_content_words(title)) > MIN_SHARED_WORDS
        and f" {' '.join(tokenize(title))} " in f" {' '.join(tokenize(text))} "
    )


def _detect_script(text: str) -> str:
    """Return the script of most letters of a text, by its name in Unicode ("LATIN")."""
    letters = _LETTER.findall(text[:400])
    names = [unicodedata.name(each, "?").split()[0] for each in letters]
    han = {"CJK", "HIRAGANA", "KATAKANA"}
    kinds = ["HAN" if name in han else name for name in names]
    return max(dict.fromkeys(kinds), key=kinds.count) if kinds else ""
