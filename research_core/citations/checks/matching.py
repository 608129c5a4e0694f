"""Whether a work that was found is the one that is cited, by the words of titles, by names and
years. No model is asked.

It is made to under-claim: another language, a subtitle that one side leaves out or a misspelt word
is no mismatch, and a title that agrees is no certain match where the authors do not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Literal

from research_core.citations.formats.item import Item
from research_core.search.records import Paper
from research_core.text.words import STOPWORDS, tokens

Confidence = Literal["high", "medium", "low", "none"]
TitleMatch = Literal["match", "mismatch", "not_checked"]

#: Shares of a title's words that make a match sure or possible; fewer words than these prove
#: nothing.
SURE, POSSIBLE, FEWEST = 0.7, 0.4, 2
#: A mismatch lacks so many words, and at least this share of all.
LACKED, SHARE = 2, 1 / 3
#: A word with fewer characters says nothing of a title; one that is so like another is a
#: misspelling of it.
SHORT, ALIKE = 3, 0.8
#: Types of what is known by its address.
PAGES = frozenset({"webpage", "post", "post-weblog"})
#: Years by which print, online and preprint of a work differ.
YEARS = 1
_PARTS = re.compile(r"\s*[:.?!—–]\s+|\s[-—–]\s")
_SCRIPT = re.compile(r"[^\W\d_]")


def substantive(text: str) -> list[str]:
    """The words that say what a title is about, each once, in order; a script without spaces in
    pairs of characters.
    """
    return [
        word
        for word in _folded(text)
        if word not in STOPWORDS and (len(word) > SHORT or not word.isascii())
    ]


def _folded(text: str) -> list[str]:
    """The words, without case and accents, each once."""
    folded = "".join(
        each
        for each in unicodedata.normalize("NFKD", text.casefold())
        if not unicodedata.combining(each)
    )
    return list(dict.fromkeys(tokens(folded)))


def lacking(said: Iterable[str], text: str) -> list[str]:
    """Those of these words that a text has in no spelling: joined, divided or with a letter wrong."""
    there = substantive(text)
    joined = "".join(there)
    return [
        word for word in said if word not in joined and not get_close_matches(word, there, 1, ALIKE)
    ]


def title_match(said: str, titles: Sequence[str], about: str = "", text: str = "") -> TitleMatch:
    """Whether a title is that of a record. titles: all that the record has; about: what else it
    says (journal, authors, year).

    text: the whole reference, in which a title may stand that was not read out of it.
    """
    asked, record = substantive(said), " ".join(titles)
    if not asked or not substantive(record) or _script(said) != _script(record):
        return "not_checked"
    if any(
        _begins(said, title) or _begins(title, said) or _stands(title, text) for title in titles
    ):
        return "match"
    gone = lacking(asked, f"{record} {about}")
    if len(gone) >= LACKED and len(gone) >= SHARE * len(asked):
        return "mismatch"
    return "match" if len(asked) - len(gone) >= SURE * len(asked) else "not_checked"


def confidence(cited: Item, text: str, paper: Paper, titles: Sequence[str]) -> Confidence:
    """How sure it is that a record is the cited work. text: the whole reference, whose words are
    looked for in any part of it.
    """
    wanted, asked = substantive(paper.title), substantive(cited.title)
    about = " ".join((*titles, paper.journal, *paper.authors))
    held = len(wanted) - len(lacking(wanted, f"{text} {cited.title}"))
    forth = held / len(wanted) if wanted else 0.0
    back = 1 - len(lacking(asked, about)) / len(asked) if asked else forth
    same = any(_begins(cited.title, title) or _begins(title, cited.title) for title in titles)
    if (same or min(forth, back) >= SURE) and held >= FEWEST:
        return "high" if _is_sure(cited, paper, whole=min(forth, back) >= SURE) else "medium"
    if any(
        _folded(cited.title) == _folded(title) for title in titles if title
    ):  # a word or two, that many works are called
        return "high" if _people(cited, paper) and _near(cited, paper) is not False else "medium"
    return "medium" if forth >= POSSIBLE and held >= FEWEST else "low" if held else "none"


def _is_sure(cited: Item, paper: Paper, *, whole: bool) -> bool:
    """Whether titles that agree are those of one work. whole: they agree to their ends. Where
    nobody is named by both, the year must not

    speak against it, one must not be the beginning of the other, and it must be no page of the web,
    which may be called anything.
    """
    people = _people(cited, paper)
    if people is not None:
        return people
    return whole and _near(cited, paper) is not False and cited.type not in PAGES


def _people(cited: Item, paper: Paper) -> bool | None:
    """Whether somebody is named by both; None where one of them names nobody, or in another script."""
    named = [_folded(each.family or each.literal) for each in (*cited.authors, *cited.editors)]
    there = [word for name in paper.authors for word in _folded(name)]
    if (
        not there
        or not any(named)
        or _script("".join(map("".join, named))) != _script("".join(there))
    ):
        return None
    return any(
        all(get_close_matches(word, there, 1, ALIKE) for word in name) for name in named if name
    )


def _near(cited: Item, paper: Paper) -> bool | None:
    """Whether both are of a year, or the next; None where one of them is of none."""
    year = cited.issued[:4]
    return abs(paper.year - int(year)) <= YEARS if paper.year and year.isdigit() else None


def _begins(longer: str, shorter: str) -> bool:
    """Whether a title is another one, as far as that goes; what follows has to be a part of its
    own, as a subtitle is.
    """
    parts = [" ".join(tokens(part)) for part in _PARTS.split(longer)]
    wanted = " ".join(tokens(shorter))
    return bool(len(substantive(shorter)) >= FEWEST and wanted) and any(
        " ".join(filter(None, parts[:end])) == wanted for end in range(1, len(parts) + 1)
    )


def _stands(title: str, text: str) -> bool:
    """Whether a title of several words stands in a text as it is."""
    return (
        len(substantive(title)) > FEWEST
        and f" {' '.join(tokens(title))} " in f" {' '.join(tokens(text))} "
    )


def _script(text: str) -> str:
    """Whether most of a text's letters are Latin, or in which script they are, by their names in
    Unicode.
    """
    letters = _SCRIPT.findall(text[:400])
    names = [unicodedata.name(each, "?").split()[0] for each in letters]
    han = {"CJK", "HIRAGANA", "KATAKANA"}
    kinds = ["HAN" if name in han else name for name in names]
    return max(dict.fromkeys(kinds), key=kinds.count) if kinds else ""
